"""What ``panel serve app`` runs, once a session."""

import panel as pn

from app.explorer import Explorer

pn.extension(notifications=False)
Explorer().page().servable()

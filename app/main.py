"""What ``panel serve app`` runs, once a session."""

import panel as pn

from app.entrance import page

pn.extension(notifications=False)
page().servable()

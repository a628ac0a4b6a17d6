"""Two explorers side by side, as a notebook that is served may show them."""

import panel as pn

from app import Explorer

pn.extension(notifications=False)
pn.Column(Explorer(), Explorer(dataset="diabetes")).servable(title="Frank-Wolfe, twice")

"""The way in: a page for each visitor, for as many as a public server can serve."""

from __future__ import annotations

from typing import Any

import panel as pn

from app import address, pages, server
from app.explorer import TITLE, Explorer

_FULL = """<main style="font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 3em auto">
<h1>Frank-Wolfe Explorer</h1>
<p>This server has as many visitors as it can serve. Try again in a while, or run your own:
<code>make serve</code>.</p></main>"""


def page() -> Any:
    """What a visitor sees."""
    if pages.count() < server.most_pages():
        return Explorer().page()
    address.furnish(TITLE)
    return pn.pane.HTML(_FULL)

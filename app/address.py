"""Whether there is a server, and what the address of a page asks of it."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import panel as pn
from bokeh.document import Document
from panel.io.resources import get_dist_path

_HEAD = """{% block postamble %}
<meta name="viewport" content="width=device-width, initial-scale=1">
{% endblock %}"""
"""What Panel's page lacks: without it a phone draws the page of a desk, and makes it small."""
_PLACES: WeakKeyDictionary[Document, int] = WeakKeyDictionary()


def served() -> bool:
    """Whether this code runs in a session of a server, as opposed to a notebook or a script."""
    return pn.state.curdoc is not None and pn.state.curdoc.session_context is not None


def asked(name: str) -> str:
    """What the address of the page asks for by that name; nothing in a notebook."""
    found = pn.state.session_args.get(name) if served() else None
    return found[0].decode("ascii", "replace") if found else ""


def place() -> int:
    """How many pages were made in this session before: a notebook that is served may show several,
    and makes them in the same order when it is loaded again.
    """
    document = pn.state.curdoc
    if document is None:
        return 0
    _PLACES[document] = before = _PLACES.get(document, -1) + 1
    return before


def furnish(title: str) -> None:
    """Give the document that is being made its head."""
    keep_here()
    doc = pn.state.curdoc
    doc.template = _HEAD
    doc.title = title


def keep_here() -> None:
    """Have the document that is being made ask no other host for style sheets."""
    # Panel points them at this server when it answers the request of the page. A session that is
    # made again because the page took long to connect gets no such request.
    pn.state.curdoc.template_variables["dist_url"] = get_dist_path()

"""Changing Bokeh models where Panel does not see it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn


def served() -> bool:
    """Whether this code runs in a session of a server, as opposed to a notebook or a script."""
    return pn.state.curdoc is not None and pn.state.curdoc.session_context is not None


def with_document(change: Callable[..., None], *args: Any, **values: Any) -> None:
    """Call ``change`` when the document may be changed: at the next tick of a served session, at
    once elsewhere.

    Panel runs callbacks of widgets without the document's lock. That is fine for params, but a
    Bokeh model changed then raises.
    """
    pn.state.execute(partial(change, *args, **values), schedule=True)


def push(view: Any) -> None:
    """Show what was changed. A server does so by itself; in a notebook changes stay with the kernel
    until they are pushed.
    """
    if not served():
        pn.io.push_notebook(view)


def forget_busy(page: Any) -> None:
    """Take a page off the watch of Panel's busy state, which would keep it, and all that it holds,
    after its session has ended.

    The page has no busy indicator, and is spared a message at the start and the end of every event.
    """
    for watcher in list(pn.state.param.watchers.get("busy", {}).get("value", [])):
        if getattr(getattr(watcher.fn, "__self__", None), "self", None) is page:
            pn.state.param.unwatch(watcher)

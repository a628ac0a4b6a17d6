"""Changing Bokeh models from a widget's callback."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn


def with_document(change: Callable[..., None], *args: Any) -> None:
    """Call ``change`` when the document may be changed: at the next tick of a served session, at once elsewhere.

    Panel runs callbacks of widgets without the document's lock. That is fine for params, but a Bokeh model changed then raises.
    """
    pn.state.execute(partial(change, *args), schedule=True)

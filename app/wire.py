"""The page in the browser, and the one wire to it: numbered messages there, commands back."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar

import panel as pn
import param
from bokeh.document import Document
from bokeh.events import Event
from bokeh.models import UIElement
from panel.custom import JSComponent
from panel.io.notebook import patch_inline_stylesheets
from panel.io.state import set_curdoc
from panel.models.esm import ESMEvent

_CLIENT = Path(__file__).parent / "client"
_SCRIPTS = (
    *("elements", "sources", "lean", "names", "marks", "figures", "values", "printed", "pictures"),
    *("stage", "fields", "runs", "dialogs", "data", "saved", "lessons", "keys", "page"),
)


WIDGETS = ("vscode", "ipywidgets")
"""Ways to speak to a kernel by widgets of Jupyter: VS Code has no other."""


class Wire(JSComponent):
    """Carries what changes to the page in one message a tick, and what the user does back.

    A message has a number, values of the page's state by name (``puts``) and rows of sources. A
    page that misses a number says so and is sent everything again; a hidden page paints nothing,
    hence acknowledges nothing. ``opening`` is the first message: it travels with the page, so that
    what it holds is there when the page is. What the page says goes to ``heard``, as it came:
    anybody may send anything, so that it is checked there.
    """

    opening = param.String(doc="The first message, as JSON.")

    _esm: ClassVar[str] = "\n".join(
        (_CLIENT / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS
    )
    _stylesheets: ClassVar[list[str]] = [
        (_CLIENT / f"{name}.css").read_text(encoding="utf-8") for name in ("page", "widths")
    ]

    def __init__(self, heard: Callable[[Any], None], **params: Any) -> None:
        super().__init__(sizing_mode="stretch_width", margin=0, **params)
        self._heard = heard
        self.sent = self.seen = 0
        """Numbers of the last message, and of the last that the page has painted."""
        self._state: dict[str, Any] = {}
        self._puts: dict[str, Any] = {}
        self._rows: list[tuple[int, str, dict[str, Any], bool]] = []

    @property
    def state(self) -> Mapping[str, Any]:
        """The page's state as it is after the next message."""
        return self._state

    def put(self, **values: Any) -> None:
        """Change values of the page's state, as far as they are not so already. Names may hold a
        colon, as ``row:3``; such values go when they are None.
        """
        for name, value in values.items():
            if self._state.get(name, self) != value:
                self._state[name] = self._puts[name] = value
            if value is None and ":" in name:
                self._state.pop(name)

    def once(self, **values: Any) -> None:
        """Send values with the next message, and keep them not: files are large."""
        self._puts |= values

    def rows(
        self, run: int, source: str, columns: Mapping[str, list[Any]], *, replace: bool
    ) -> None:
        """Append rows to a source of a run, or put them in place of all that it has. What is not
        finite is drawn as a hole.
        """
        plain = {name: _plain(column) for name, column in columns.items()}
        self._rows.append((run, source, plain, replace))

    def repeat(self) -> None:
        """Put the whole state again; whoever puts rows does likewise."""
        self._puts, self._rows = dict(self._state), []

    def message(self) -> str:
        """What was put since the last message, as the next one."""
        self.sent += 1
        text = json.dumps(
            {"number": self.sent, "puts": self._puts, "rows": self._rows},
            allow_nan=False,
            separators=(",", ":"),
        )
        self._puts, self._rows = {}, []
        return text

    def send(self) -> None:
        """Send what was put, also nothing: the answer tells that the page keeps up. Before there
        is a page, it waits.
        """
        if self._models:
            self._send_msg(self.message())

    # A widget of Jupyter makes a document of its own, of which Panel knows nothing: its messages
    # would go nowhere, and its style sheets would be asked of another host.

    def _send_msg(self, data: Any) -> None:
        if pn.config.comms not in WIDGETS:
            super()._send_msg(data)
            return
        for model, _ in [*self._models.values()]:
            if model.document is not None:
                model.document.callbacks.send_event(ESMEvent(model=model, data=data))

    def _preprocess(self, root: Any, changed: Any = None, old_models: Any = None) -> None:
        super()._preprocess(root, changed, old_models)
        if pn.config.comms in WIDGETS:
            for model in root.select({"type": UIElement}):
                patch_inline_stylesheets(model)

    def _process_bokeh_event(self, doc: Document, event: Event) -> None:
        # Without Panel's busy indicator, which no page of ours has: to set it and to take it back
        # cost more than all else that is done for an acknowledgement.
        with set_curdoc(doc):
            self._process_event(event)

    def _handle_msg(self, data: Any) -> None:
        if not isinstance(data, dict) or "seen" not in data:
            self._heard(data)
        elif isinstance(data["seen"], int) and self.seen < data["seen"] <= self.sent:
            self.seen = data["seen"]


def _plain(column: list[Any]) -> list[Any]:
    """What JSON holds of a column, whose values may be lists."""
    if column and isinstance(column[0], list):
        return [_plain(values) for values in column]
    return [None if isinstance(x, float) and not isfinite(x) else x for x in column]

"""One message a tick: everything that changes on the page, applied there in the order in which it
was put.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, ClassVar

import param
from panel.custom import JSComponent


class Wire(JSComponent):
    """Carries changes of Bokeh models to the page, and brings back how far the page has painted,
    how wide it is and whether the system is dark.

    Bokeh would send each change of each model as a message of its own, a millisecond of the server
    each, and Panel may let one overtake another. Here a tick is one message with a number. A page
    that misses a number, or a model it was to change, says so in ``lost`` and is sent everything
    again; a page that has just been made begins that way. A hidden page paints nothing, hence
    acknowledges nothing. Where there is no page yet, the models themselves are changed; later they
    stay as they were when the page was made.
    """

    seen = param.Integer(default=0, doc="Number of the last message that the page has painted.")
    lost = param.Integer(
        default=0, doc="Changes when the page has missed something, or has just been made."
    )
    narrow = param.Boolean(
        default=False,
        doc="Whether the controls cover the pictures when they are open, as on a phone.",
    )
    dark = param.Boolean(default=False, doc="Whether the system prefers dark pages.")

    # An answer is no work: the page's busy state would be sent back and forth with each.
    _busy__ignore: ClassVar[list[str]] = ["seen", "lost", "narrow", "dark"]

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.sent = 0
        """Number of the last message."""
        self._changes: list[dict[str, Any]] = []
        self._attributes: dict[str, dict[str, Any]] = {}

    def set(self, model: Any, **attributes: Any) -> None:
        """Change attributes of a model, as far as they are not so already."""
        known = self._attributes.setdefault(model.id, {})
        news = {
            name: value
            for name, value in attributes.items()
            if name not in known or known[name] != value
        }
        if not news:
            return
        known.update(news)
        if self._models:
            self._changes.append({"id": model.id, "set": news})
        else:
            model.update(**news)

    def rows(self, source: Any, columns: Mapping[str, list[Any]], *, replace: bool) -> None:
        """Append rows to a source, or put them in place of all that it has. What is not finite is
        drawn as a hole.
        """
        if self._models:
            plain = {
                name: [x if math.isfinite(x) else None for x in column]
                for name, column in columns.items()
            }
            self._changes.append({"id": source.id, "rows": plain, "replace": replace})
        elif replace:
            source.data = dict(columns)
        else:
            source.stream(columns)

    def reset(self, axis: Any) -> None:
        """Let a range forget where somebody panned or zoomed it."""
        if self._models:
            self._changes.append({"id": axis.id, "reset": True})

    def repeat(self) -> None:
        """Put all attributes again; whoever puts rows does likewise."""
        self._changes += [
            {"id": key, "set": dict(known)} for key, known in self._attributes.items()
        ]

    def send(self) -> None:
        """Send what was put, also nothing: the answer tells that the page keeps up."""
        if not self._models:
            return
        self.sent += 1
        message = json.dumps(
            {"number": self.sent, "changes": self._changes}, allow_nan=False, separators=(",", ":")
        )
        self._changes = []
        self._send_msg(message)

    _esm = """
    const numbers = column => column.map(x => x === null ? NaN : x)

    function apply(document, change) {
      const model = document.get_model_by_id(change.id)
      if (model == null) return false
      if (change.set !== undefined) { model.setv(change.set, {sync: false}); return true }
      if (change.reset !== undefined) { model.reset(); return true }
      const columns = Object.entries(change.rows)
      const rows = Object.fromEntries(columns.map(([name, column]) => [name, numbers(column)]))
      if (change.replace) model.setv({data: rows}, {sync: false})
      else model.stream(rows, undefined, {sync: false})
      return true
    }

    export function render({ model, el }) {
      el.style.display = 'none'
      const narrow = window.matchMedia('(max-width: 899px)')
      const measure = () => { if (model.narrow != narrow.matches) model.narrow = narrow.matches }
      narrow.addEventListener('change', measure)
      measure()
      const dark = window.matchMedia('(prefers-color-scheme: dark)')
      const adapt = () => { if (model.dark != dark.matches) model.dark = dark.matches }
      dark.addEventListener('change', adapt)
      adapt()

      let last = null, asking = false
      const ask = delay => {
        if (asking) return
        asking = true
        setTimeout(() => { asking = false; model.lost = model.lost + 1 }, delay)
      }
      model.on('msg:custom', text => {
        const message = JSON.parse(text)
        let whole = last === null || message.number == last + 1
        for (const change of message.changes) whole = apply(model.document, change) && whole
        last = message.number
        if (!whole) ask(500)
        requestAnimationFrame(() => { model.seen = message.number })
      })
      ask(0)
    }
    """

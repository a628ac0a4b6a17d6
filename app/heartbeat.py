"""Lets the server know how wide the page is and how far it has painted."""

from __future__ import annotations

from typing import ClassVar

import param
from panel.custom import JSComponent


class Heartbeat(JSComponent):
    """The server counts its ticks in ``sent``; the page answers in ``seen`` when it has painted them.

    A hidden page paints nothing, hence answers nothing, and is sent nothing until it is looked at again.
    """

    sent = param.Integer(default=0)
    seen = param.Integer(default=0)
    narrow = param.Boolean(default=False, doc="Whether the controls cover the pictures when they are open, as on a phone.")

    # An answer is no work: the page's busy state would be sent back and forth with each.
    _busy__ignore: ClassVar[list[str]] = ["seen", "narrow"]

    def beat(self) -> None:
        """Count a tick. Set on the models themselves: by way of the parameter it would walk the whole document each time."""
        if not self._models:
            self.sent += 1
            return
        with param.discard_events(self):
            self.sent += 1
        for model, _ in self._models.values():
            model.data.sent = self.sent

    _esm = """
    export function render({ model, el }) {
      el.style.display = 'none'
      const narrow = window.matchMedia('(max-width: 899px)')
      const measure = () => { if (model.narrow != narrow.matches) model.narrow = narrow.matches }
      narrow.addEventListener('change', measure)
      measure()
      model.on('sent', () => requestAnimationFrame(() => { model.seen = model.sent }))
    }
    """

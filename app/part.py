"""A part of an Explorer by itself, in a cell of its own: a view, or the controls."""

from __future__ import annotations

from typing import Any

from app.explorer import Explorer
from app.views import View


class Part(Explorer):
    """Shows the runs of another Explorer, and commands them.

    Parameters
    ----------
    whole : Explorer
    view : View or None
        What it shows; None shows the controls.
    """

    partial = True

    def __init__(self, whole: Any, view: View | None) -> None:
        self._furnish()
        self._family = whole._family
        self._family.add(self)
        self.pace, self.pace_told = whole.pace, whole.pace_told
        self.cell = self.cell | {"show": [view.name] if view else [], "controls": view is None}
        self._compose(whole.settings, whole.session)
        self._open(view)

    def close(self, *events: Any) -> None:
        """Show nothing any more; the runs and the settings are those of the whole."""
        self._family.discard(self)
        self.rest()

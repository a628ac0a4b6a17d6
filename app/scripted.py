"""What Python asks of an Explorer: to run, to wait, for results, and for parts of its page."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakSet, ref

from app.runs import RunState
from app.session import Session
from app.settings import EXPERIMENT, Settings
from app.taking import Taking
from app.views import all_views
from app.wire import Wire
from fwcore import ParameterError, PathResults

_POLL_SECONDS = 0.05


class Scripted:
    """The part of `app.explorer.Explorer` that a notebook or a script calls."""

    settings: Settings
    session: Session
    feed: Any
    wire: Wire
    taking: Taking
    hear: Callable[[Any], None]
    answer: Callable[[], None]
    stilled: Callable[[], None] | None = None
    """What keeps a still picture of the page, where a notebook shows it."""
    partial = False
    """Whether another cell shows the whole."""
    _stilled_of: tuple[Any, ...] = ()
    obeying = False
    """Whether the page itself has asked for what is being done."""

    @cached_property
    def cell(self) -> dict[str, Any]:
        """What the page is told of the cell that shows it: its name, and what it shows of all."""
        return {"id": secrets.token_hex(4), "show": [], "controls": False}

    @cached_property
    def _family(self) -> WeakSet[Any]:
        return WeakSet([self])

    @property
    def others(self) -> list[Any]:
        """Other parts that show the same runs."""
        return [part for part in self._family if part is not self]

    def view(self, name: str) -> Any:
        """One view of the page by itself, for a cell of its own: ``view("gap")``.

        Raises
        ------
        ParameterError
            There is no such view.
        """
        from app.part import Part

        views = {view.name: view for view in all_views()}
        if name not in views:
            raise ParameterError.unknown("name", "Explorer.view", name, views)
        return Part(self, views[name])

    def controls(self) -> Any:
        """The list of runs and the buttons by themselves, for a cell of its own."""
        from app.part import Part

        return Part(self, None)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        from app import cell

        made: Any = super()
        return cell.show(self, lambda: made._repr_mimebundle_(include, exclude))

    def keep_still(self) -> None:
        """Keep a still picture of what was reached, as often as the runs come to an end."""
        state = self.session.state
        ended = tuple(self.session.runs.values()) if state is not None and state.over else ()
        if self.stilled is not None and ended and ended != self._stilled_of:
            self._stilled_of = ended
            self.stilled()

    def follow(self, settings: Settings) -> None:
        """Show what Python sets: ``explorer.settings.tol = 1e-4``, of the selected run."""
        # What is brought outlives the page by a moment, and must not keep it.
        page = ref(self)

        def told(*events: Any) -> None:
            if (found := page()) is not None:
                found._set()

        settings.param.watch(told, [*EXPERIMENT, "touched"])

    def _set(self) -> None:
        # While a page is told of its first settings there is nobody to tell.
        obeying = any(part.obeying for part in self._family)
        if not obeying and self.wire.opening:
            self.answer()

    def run(self) -> None:
        """Run what is in the list, as the button does.

        Raises
        ------
        ParameterError
            What is set does not fit; nothing runs.
        """
        self.settings.experiment()
        self.hear({"do": "run"})

    def save(self, file: str | Path) -> None:
        """Write what the runs that are shown have reached: by the ending of the name a report
        (.html), the points (.csv), all but the steps (.json), or a Parquet file a run (.parquet,
        in a ZIP archive).

        Raises
        ------
        ParameterError
            Another ending, or no run has a point.
        """
        Path(file).write_bytes(self.taking.made(Path(file).suffix[1:]))

    async def finished(self) -> PathResults:
        """Wait until no run goes on, or those that do are paused; the `results`."""
        while self.session.live and self.session.state is not RunState.PAUSED:
            await asyncio.sleep(_POLL_SECONDS)
        return self.results

    @property
    def results(self) -> PathResults:
        """What the runs have reached, by their names in the list."""
        found = PathResults()
        for spec in self.settings.runs:
            for run in self.session.group(spec.key)[:1]:
                if run.reached and run.exact:
                    name = self.feed.name(spec)
                    found[f"{name} ({spec.key})" if name in found else name] = run.walk.result()
        return found

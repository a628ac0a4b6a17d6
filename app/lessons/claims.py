"""What a lesson claims of its runs, as numbers that are looked up when the runs are done."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.reached import Reached

FIGURES: dict[str, Callable[[Any], float]] = {
    "dots": lambda run: float(run.points["dots"][-1]),
    "entries": lambda run: float(run.points["entries"][-1]),
    "derivatives": lambda run: float(run.points["grads"][-1]),
    "steps": lambda run: float(run.points["steps"][-1]),
    "active": lambda run: float(run.points["nnz"].mean()),
    "last active": lambda run: float(run.points["nnz"][-1]),
    "least error": lambda run: float(np.nanmin(run.points["test_error"])),
    "fall and rise": lambda run: _fall_and_rise(run.points["test_error"]),
    "active at the least error": lambda run: float(
        run.points["nnz"][np.nanargmin(run.points["test_error"])]
    ),
    "worst true gap": lambda run: float(max(run.relative_gaps.max(), 0.0)),
    "median true gap": lambda run: float(max(np.median(run.relative_gaps), 0.0)),
    "median own gap": lambda run: float(np.nanmedian(run.own_gaps)),
    "hidden share": lambda run: float(np.mean(run.relative_gaps > 2.0 * run.own_gaps)),
    "true over own gap": lambda run: float(np.nanmedian(run.relative_gaps / run.own_gaps)),
    "chance": lambda run: float(run.ended_by_chance),
    "empty": lambda run: float(run.points["empty"].sum() / run.points["steps"].sum()),
    "hit rate": lambda run: float(np.nanmean(run.trace("hit"))),
}
"""Figures of a run that has ended, by name; gaps are relative to f(0). ``hidden share``: of the
points, those whose true gap is more than twice what the method saw; ``fall and rise``: the lesser
of the first and the last test error over the least. A new one is a line here.
"""


def _fall_and_rise(errors: Any) -> float:
    return float(min(errors[0], errors[-1]) / np.nanmin(errors))


@dataclass(frozen=True)
class Claim:
    """That a ``figure`` of the run ``of``, or its ratio to that of the run ``over``, is within two
    bounds.
    """

    text: str
    of: str
    figure: str
    low: float
    high: float
    over: str = ""

    @property
    def names(self) -> set[str]:
        """The runs that it is about."""
        return {self.of, self.over} - {""}

    def measured(self, runs: Mapping[str, Reached]) -> float:
        """What the runs show."""
        figure = FIGURES[self.figure]
        value = figure(runs[self.of])
        if not self.over:
            return value
        other = figure(runs[self.over])
        return value / other if other else math.nan

    def told(self, runs: Mapping[str, Any]) -> dict[str, Any]:
        """What the page says of it, given the runs that are over."""
        if not self.names <= {*runs}:
            return {"text": self.text, "state": "open", "measured": ""}
        value = self.measured(runs)
        state = "holds" if self.low <= value <= self.high else "fails"
        of = "ratio" if self.over else self.figure
        return {"text": self.text, "state": state, "measured": f"{of} {value:.3g}"}

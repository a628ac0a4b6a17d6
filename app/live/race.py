"""What a test error costs: the question that sampled columns are the answer to (Frandi et al. 2016,
Table 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.live.picture import Picture
from app.live.sources import RunSources
from app.runs import Run


class Race(Picture):
    """The least test error so far against the matrix entries that the solver has touched."""

    name = "race"
    title = "Least test error so far, against its cost"
    y_label = "test error"
    x = "entries"
    legend = "Left is cheap, low is good. Diamond: least test error so far."

    def draw(self, plot: Any, sources: RunSources, line: dict[str, Any], colour: str) -> None:
        filled = {"fill_color": colour, "line_color": colour}
        self.line(plot, sources.points, "entries", "least_error", line_width=2.2, **line)
        self.mark(plot, sources.best, "entries", "test_error", marker="diamond", size=13, **filled)

    def describe(self, run: Run) -> str:
        walk = run.walk
        if walk is None or not walk.reached:
            return ""
        errors = walk.points["test_error"][: walk.reached]
        if not np.isfinite(errors).any():
            return "no rows are held out for a test error"
        entries = int(walk.points["entries"][int(np.nanargmin(errors))])
        if not entries:
            return "a library, which counts no entries"
        return f"least test error {np.nanmin(errors):.4g} after {entries:,} matrix entries"

    def finding(self, runs: Sequence[Run]) -> str:
        """What the least error that all have reached has cost the cheapest and the most expensive
        of them.
        """
        ends = {run: _least_errors(run) for run in runs if run.state.over}
        ends = {run: errors for run, errors in ends.items() if errors.size}
        if len(ends) < 2:
            return ""
        shared = max(float(errors[-1]) for errors in ends.values())
        costs = {run: _cost_of(run, errors, shared) for run, errors in ends.items()}
        cheap, expensive = min(costs, key=costs.__getitem__), max(costs, key=costs.__getitem__)
        ratio = costs[expensive] / costs[cheap]
        if ratio < 1.05:
            return f"All reach test error {shared:.3g} at the same cost"
        share = f"1/{ratio:,.0f}" if ratio >= 10.0 else f"{100.0 / ratio:.0f} %"
        names = cheap.solver.name, expensive.solver.name
        return f"{names[0]}: test error {shared:.3g} at {share} of the cost of {names[1]}"


def _least_errors(run: Run) -> Any:
    """The least test error so far at each point of a run; nothing where there is none, or where
    entries are not counted.
    """
    walk = run.walk
    if walk is None or not walk.reached or not run.solver.counts:
        return np.zeros(0)
    errors = np.fmin.accumulate(walk.points["test_error"][: walk.reached])
    return errors if np.isfinite(errors[-1]) else np.zeros(0)


def _cost_of(run: Run, errors: Any, reached: float) -> float:
    """Entries that were touched until an error was reached."""
    walk = run.walk
    assert walk is not None
    return float(max(1, walk.points["entries"][int(np.flatnonzero(errors <= reached)[0])]))

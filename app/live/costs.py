"""What an error has cost each run, in sentences: the titles of the race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from app.live.picture import Shown
from app.live.spread import reached_by_all
from app.pace import COSTS, counted
from app.runs import Run

# An error that is hardly below that of the first point was cheap for everybody.
_TRIVIAL = 0.98


class _Path(NamedTuple):
    """The least test error so far at each point of a path, and what had been spent by then."""

    errors: Any
    costs: Any

    @property
    def least(self) -> float:
        return float(self.errors[-1])

    def cost_of(self, error: float) -> float:
        """What was spent until an error was reached."""
        return float(self.costs[int(np.flatnonzero(self.errors <= error)[0])])


def cheapest(runs: Sequence[Shown], unit: str) -> str:
    """What the least error that all have reached has cost the cheapest of them, beside another;
    while runs go on, what all have reached at equal cost.
    """
    over = [shown for shown in runs if all(run.state.over for run in shown.runs)]
    paths = {shown: _medians(shown, unit) for shown in over}
    paths = {shown: path for shown, path in paths.items() if path.errors.size}
    going = any(not shown.run.state.over for shown in runs)
    if going and (there := _at_equal_cost(runs, unit)):
        return there
    if len(paths) < 2:
        return _alone(paths, unit)
    return _compared(paths, unit) or _at_equal_cost(runs, unit)


def _compared(paths: Mapping[Shown, _Path], unit: str) -> str:
    shared = max(path.least for path in paths.values())
    costs = {shown: path.cost_of(shared) for shown, path in paths.items()}
    cheap = min(costs, key=costs.__getitem__)
    other = _beside(cheap, costs)
    if shared > _TRIVIAL * float(paths[other].errors[0]):
        return ""
    ratio = costs[other] / costs[cheap]
    if ratio < 1.05:
        names = f"{cheap.name} and {other.name}"
        return f"{names} reach test error {shared:.3g} for as many {COSTS[unit]}"
    fewer = f"{ratio:,.0f} times" if ratio >= 10.0 else f"{ratio:.1f} times"
    return (
        f"{cheap.name} reaches test error {shared:.3g} with {fewer} fewer {COSTS[unit]} than "
        f"{other.name}"
    )


def _beside(cheap: Shown, costs: Mapping[Shown, float]) -> Shown:
    """What the cheapest is compared with: the baseline, or else the selected run, or else the most
    expensive.
    """
    others = [shown for shown in costs if shown is not cheap]
    return max(others, key=lambda shown: (shown.pinned, shown.lead, costs[shown]))


def _alone(paths: Mapping[Shown, _Path], unit: str) -> str:
    """What the least error of the only run has cost."""
    for shown, path in paths.items():
        spent = _amount(path.cost_of(path.least), unit)
        return f"{shown.name} reaches test error {path.least:.3g} after {spent}"
    return ""


def _at_equal_cost(runs: Sequence[Shown], unit: str) -> str:
    """What runs have reached that go on, or were stopped before all had a good error."""
    errors = {shown: _least_errors(shown.run, unit) for shown in runs}
    known = {shown: found for shown, found in errors.items() if found.size}
    if len(known) < 2:
        return ""
    spent = min(float(_costs(shown.run, unit)[-1]) for shown in known)
    there = {}
    for shown, found in known.items():
        k = int(np.searchsorted(_costs(shown.run, unit), spent, side="right")) - 1
        there[shown.name] = float(found[k]) if k >= 0 else np.inf
    if np.inf in there.values() and all(shown.run.state.over for shown in known):
        return ""
    told = [
        f"{name} {there[name]:.3g}" if there[name] < np.inf else f"{name} none yet"
        for name in sorted(there, key=there.__getitem__)
    ]
    return f"Test error after {_amount(spent, unit)} each: {', '.join(told[:4])}"


def _amount(spent: float, unit: str) -> str:
    return f"{spent:.2g} CPU seconds" if unit == "seconds" else f"{counted(spent)} {COSTS[unit]}"


def _costs(run: Run, unit: str) -> Any:
    """What had been spent by the end of each point."""
    return costs_of(run.points, unit)


def costs_of(points: Any, unit: str) -> Any:
    """The column of a table of points that counts a cost."""
    return points["steps" if unit == "step" else unit]


def _least_errors(run: Run, unit: str) -> Any:
    """The least test error so far at each point of a run; nothing where there is none, or where
    its cost is not counted in that unit.
    """
    spent = _costs(run, unit)
    if not run.counts(unit) or not spent.size or not spent[-1] > 0:
        return np.zeros(0)
    errors = np.fmin.accumulate(run.points["test_error"])
    return errors if errors.size and np.isfinite(errors[-1]) else np.zeros(0)


def _medians(shown: Shown, unit: str) -> _Path:
    """The medians over the seeds, as they are drawn."""
    upto = reached_by_all(shown.runs)
    # A repeat that failed may have no points.
    errors = [_least_errors(run, unit)[:upto] for run in shown.runs] if upto else []
    if not errors or not all(found.size == upto for found in errors):
        return _Path(np.zeros(0), np.zeros(0))
    costs = np.median([_costs(run, unit)[:upto] for run in shown.runs], axis=0)
    return _Path(np.median(errors, axis=0), costs if unit == "seconds" else np.maximum(1.0, costs))

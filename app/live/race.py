"""What an error costs: the question that sampled columns are the answer to (Frandi et al. 2016,
Table 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from app.live.picture import SPREAD, Axis, Columns, Layer, Picture, Shown, Sight
from app.live.reference import reference_of, suboptimality
from app.live.spread import reached_by_all
from app.live.thinning import ROUNDING
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


_PROVEN: WeakKeyDictionary[Run, tuple[int, Columns]] = WeakKeyDictionary()
"""Of each run the bounds that were computed, and of how many points: they do not depend on the
point under the cursor.
"""


def proven_ends(entry: Shown, lead: Shown, point: int) -> Columns:
    """The bound of the papers at the end of each point, against what had been spent by then."""
    run = entry.run
    reached, (known, columns) = run.reached, _PROVEN.get(run, (-1, {}))
    if known == reached:
        return columns
    walk, solver = run.walk, run.solver
    points = walk.points[: reached if solver.bound_goes_on else min(reached, 1)]
    left = np.full(len(points), np.nan)
    for k, steps in enumerate(np.diff(points["steps"], prepend=0)):
        bound = solver.bound(walk.problem, walk.options, float(walk.grid[k]), int(steps))
        if bound is None:
            break
        left[k] = bound[-1] / walk.problem.f0
    columns = {name: np.full(len(points), np.nan).tolist() for name in Race.y.columns}
    columns |= {"suboptimality": left.tolist()}
    columns |= {unit: np.asarray(_costs_of(points, unit), float).tolist() for unit in COSTS}
    _PROVEN[run] = reached, columns
    return columns


class Race(Picture):
    """An error or the true gap against what the solver has spent."""

    name = "race"
    title = "What an error costs"
    brief = "Cost"
    x = Axis(("dots", "entries", "seconds", "step", "grads"), log=True)
    y = Axis(
        ("least_error", "test_error", "train_error", "relative_gap", "suboptimality"),
        logs=("relative_gap", "suboptimality"),
    )
    layers = (
        *SPREAD,
        Layer("line", named=True, style={"line_width": 2.2}),
        Layer("dots", "best", style={"marker": "diamond", "size": 12}),
        Layer("bound", "proven_ends"),
    )
    tips = ("point", "least_error", "dots", "nnz")
    blank = {
        "suboptimality": "Add the certified answer and press Run: it is measured from there.",
        "least_error": "No rows are held out for a test error: choose a test share.",
    }
    help = (
        "Each line is a run: how small an error it has reached, against what it has spent "
        "so far. The further left a line falls, the cheaper the method. Choose seconds, "
        "steps or matrix entries for the horizontal axis, and the true gap or the "
        "suboptimality for the vertical one: what is cheap in dot products need not be "
        "cheap in seconds, and a small test error says nothing about optimality. A gap that is a "
        "rounding error, below 1e-13 of f(0), has no line. Faint lines: what the papers prove of "
        "the suboptimality at the end of a point, where they do: of sampled columns in the mean."
    )
    legend = "Left is cheap, low is good. Diamond: least test error. Faint: what is proven."
    computed = {"proven_ends": proven_ends}
    only_for = {"proven_ends": "suboptimality"}
    # Of a kept run it loads the data.
    patient = frozenset({"proven_ends"})

    def describe(self, run: Run) -> str:
        errors = run.points["test_error"]
        if not np.isfinite(errors).any():
            return "no rows are held out for a test error"
        if not run.counts("dots"):
            return f"least test error {np.nanmin(errors):.4g}; dot products are not what it costs"
        dots = int(run.points["dots"][int(np.nanargmin(errors))])
        return f"least test error {np.nanmin(errors):.4g} after {dots:,} dot products"

    def finding(self, runs: Sequence[Shown]) -> str:
        """What an error has cost, in dot products."""
        return _cheapest(runs, "dots")

    def finding_at(self, runs: Sequence[Shown], sight: Sight) -> str:
        if sight.y in ("least_error", "test_error"):
            return _cheapest(runs, sight.x)
        return _ends(runs, sight.y)


def _cheapest(runs: Sequence[Shown], unit: str) -> str:
    """What the least error that all have reached has cost the cheapest and the most expensive of
    them.
    """
    over = [shown for shown in runs if all(run.state.over for run in shown.runs)]
    ends = {shown: _medians(shown, unit) for shown in over}
    ends = {shown: path for shown, path in ends.items() if path.errors.size}
    if len(ends) < 2 or len(over) < len(runs):
        return _so_far(runs, unit) or _alone(ends, unit)
    shared = max(path.least for path in ends.values())
    costs = {shown: path.cost_of(shared) for shown, path in ends.items()}
    cheap, expensive = min(costs, key=costs.__getitem__), max(costs, key=costs.__getitem__)
    # A baseline, or else the selected run, is what the cheapest is compared with.
    expensive = next((s for s in costs if s.lead and s is not cheap), expensive)
    expensive = next((s for s in costs if s.pinned and s is not cheap), expensive)
    if shared > _TRIVIAL * float(ends[expensive].errors[0]):
        return ""
    ratio = costs[expensive] / costs[cheap]
    if ratio < 1.05:
        names = f"{cheap.name} and {expensive.name}"
        return f"{names} reach test error {shared:.3g} for as many {COSTS[unit]}"
    fewer = f"{ratio:,.0f} times" if ratio >= 10.0 else f"{ratio:.1f} times"
    return (
        f"{cheap.name} reaches test error {shared:.3g} with {fewer} fewer {COSTS[unit]} than "
        f"{expensive.name}"
    )


def _alone(ends: Mapping[Shown, _Path], unit: str) -> str:
    """What the least error of the only run has cost."""
    for shown, path in ends.items():
        spent = _amount(path.cost_of(path.least), unit)
        return f"{shown.name} reaches test error {path.least:.3g} after {spent}"
    return ""


def _ends(runs: Sequence[Shown], measure: str) -> str:
    """Where the runs have ended, the lowest first."""
    ended = [shown for shown in runs if shown.run.ended]
    if measure == "relative_gap":
        told, ends = (
            "Worst true gap / f(0)",
            {s.name: float(s.run.relative_gaps.max()) for s in ended},
        )
    elif measure == "suboptimality":
        reference = reference_of(runs)
        told, ends = (
            "Suboptimality / f(0) at the end",
            {s.name: _left(s.run, reference) for s in ended if s.run is not reference},
        )
    elif measure == "train_error":
        told, ends = "Train error at the end", {s.name: s.run.points[measure][-1] for s in ended}
    else:
        return ""
    known = sorted((end, name) for name, end in ends.items() if np.isfinite(end))
    said = (f"{name} {f'{end:.2g}' if end > ROUNDING else 'below rounding'}" for end, name in known)
    return f"{told}: {', '.join([*said][:3])}" if known else ""


def _left(run: Run, reference: Run | None) -> float:
    """The suboptimality of the last point that the reference reaches; NaN where none is."""
    left = suboptimality(run.points, float(run.walk.problem.f0), reference)
    known = left[np.isfinite(left)]
    return float(known[-1]) if known.size else float("nan")


def _so_far(runs: Sequence[Shown], unit: str) -> str:
    """What runs that go on have reached at equal cost."""
    errors = {shown: _least_errors(shown.run, unit) for shown in runs}
    known = {shown: found for shown, found in errors.items() if found.size}
    if len(known) < 2 or all(shown.run.state.over for shown in known):
        return ""
    spent = min(float(_costs(shown.run, unit)[-1]) for shown in known)
    there = {}
    for shown, found in known.items():
        k = int(np.searchsorted(_costs(shown.run, unit), spent, side="right")) - 1
        there[shown.name] = float(found[k]) if k >= 0 else np.inf
    told = [
        f"{name} {there[name]:.3g}" if there[name] < np.inf else f"{name} none yet"
        for name in sorted(there, key=there.__getitem__)
    ]
    return f"Test error after {_amount(spent, unit)} each: {', '.join(told[:4])}"


def _amount(spent: float, unit: str) -> str:
    return f"{spent:.2g} CPU seconds" if unit == "seconds" else f"{counted(spent)} {COSTS[unit]}"


def _costs(run: Run, unit: str) -> Any:
    """What had been spent by the end of each point."""
    return _costs_of(run.points, unit)


def _costs_of(points: Any, unit: str) -> Any:
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

"""What an error costs: the question that sampled columns are the answer to (Frandi et al. 2016,
Table 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from app.live.costs import cheapest, costs_of
from app.live.picture import SPREAD, Axis, Columns, Layer, Picture, Shown, Sight
from app.live.reference import reference_of, suboptimality
from app.live.thinning import ROUNDING
from app.pace import COSTS
from app.runs import Run

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
    columns |= {unit: np.asarray(costs_of(points, unit), float).tolist() for unit in COSTS}
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
        "dots": "No run makes dot products with whole columns: choose another cost.",
        "grads": "No run counts derivatives of samples: choose another cost.",
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
        return cheapest(runs, "dots")

    def finding_at(self, runs: Sequence[Shown], sight: Sight) -> str:
        if sight.y in ("least_error", "test_error"):
            return cheapest(runs, sight.x)
        return _ends(runs, sight.y)


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
    # A train error of zero is one, and a gap of zero is not known to be.
    least = -np.inf if measure == "train_error" else ROUNDING
    said = [f"{name} {f'{end:.2g}' if end > least else 'below rounding'}" for end, name in known]
    return f"{told}: {', '.join(said[:3])}" if known else ""


def _left(run: Run, reference: Run | None) -> float:
    """The suboptimality of the last point that the reference reaches; NaN where none is."""
    left = suboptimality(run.points, float(run.walk.problem.f0), reference)
    known = left[np.isfinite(left)]
    return float(known[-1]) if known.size else float("nan")

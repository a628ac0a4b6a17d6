"""The steps of one point of the path: their gaps, and what is left of f beside what is proven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.live.picture import LEVEL, Axis, Columns, Layer, Picture, Shown, Sight, leader, point_of
from app.live.thinning import ROUNDING, thin
from app.runs import Run

_ROWS = 300


def _steps(entry: Shown, lead: Shown, point: int) -> tuple[int, NDArray[Any]]:
    """The point, and the trace of its steps, counted from 1, of the selected run; none of others,
    of one that has yet to begin, or where they were not kept.
    """
    k, run = point_of(lead, point), entry.run
    known = [] if run.walk is None else list(run.walk.chunks)
    chunks = [rows for rows in known if rows["point"][0] == k]
    if entry.key != lead.key or not chunks:
        return k, np.zeros(0)
    rows = np.concatenate(chunks)
    rows["step"] -= int(run.points["steps"][k - 1]) if k else 0
    return k, rows


def _least(run: Run, k: int) -> float:
    """What min f in the ball is at least, by the judge, once the point has ended; NaN before, and
    in other forms.
    """
    if run.solver.form != "ball" or k >= run.reached:
        return np.nan
    end = run.points[k]
    return float(end["objective"] - end["true_gap"])


def _inside(entry: Shown, lead: Shown, point: int, gap: str) -> Columns:
    k, rows = _steps(entry, lead, point)
    if not rows.size:
        return _nothing()
    f0 = entry.run.walk.problem.f0
    gaps, excess = rows[gap] / f0, (rows["objective"] - _least(entry.run, k)) / f0
    places = np.flatnonzero(np.isfinite(gaps) & (gaps > ROUNDING))
    kept = places[thin(places + 1, gaps[places], _ROWS)] if places.size else places
    excess = np.where(excess > ROUNDING, excess, np.nan)
    columns = {"place": rows["step"], "gap": gaps, "excess": excess}
    return {name: values[kept].tolist() for name, values in columns.items()}


def _proven(entry: Shown, lead: Shown, point: int) -> Columns:
    """The bound of the papers after each step, where it can be computed."""
    k, rows = _steps(entry, lead, point)
    walk, solver = entry.run.walk, entry.run.solver
    if not rows.size or (k > 0 and not solver.bound_goes_on):
        return _nothing()
    count = int(rows["step"][-1])
    bound = solver.bound(walk.problem, walk.options, float(walk.grid[k]), count)
    if bound is None:
        return _nothing()
    places = 1 + thin(np.arange(1, count + 1), bound[1:], _ROWS)
    excess = bound[places] / walk.problem.f0
    # Nothing is proven of the gap of a single step.
    gap = np.full(places.size, np.nan)
    return {"place": places.tolist(), "gap": gap.tolist(), "excess": excess.tolist()}


def _nothing() -> Columns:
    return {"place": [], "gap": [], "excess": []}


class InsidePoint(Picture):
    """The steps of the point under the cursor, of the selected run."""

    name = "inside"
    title = "Inside the point under the cursor"
    brief = "One point"
    x = Axis(("place",))
    y = Axis(("gap", "excess"), logs=("excess",))
    layers = (
        Layer("line", "inside", style={"line_width": 1.2}),
        Layer("rings", "inside_checks", style={"size": 6}),
        Layer("bound", "proven"),
        LEVEL,
    )
    help = (
        "The steps of one point of the path, for the selected run: move the cursor to "
        "choose the point. A sampled gap is noisy, because each step sees another sample; "
        "that of Frank-Wolfe over all columns falls about as C/k, with its zig-zag. Choose the "
        "suboptimality, f minus the judge's lower bound of its minimum, for the vertical axis: "
        "the faint line is what is proven of it, 2C/(k + 2) of fw with C the curvature over the "
        "ball. Of sampled columns it holds in the mean; of sampled rows at the first point alone."
    )
    legend = (
        "Of the selected run. Line: own gap, or suboptimality. Circles: judged. Faint: what is "
        "proven. Level: stopping threshold."
    )
    lead_only = True
    blank = {
        "": "The steps of this point were not kept, or show no gap.",
        "excess": "Only of points in a ball that have ended, whose steps were kept.",
    }
    computed = {
        "inside": lambda entry, lead, point: _inside(entry, lead, point, "gap"),
        "inside_checks": lambda entry, lead, point: _inside(entry, lead, point, "true_gap"),
        "proven": _proven,
    }
    # Of a kept run it loads the data.
    patient = frozenset({"proven"})

    def finding_at(self, runs: Sequence[Shown], sight: Sight) -> str:
        """How many steps the point under the cursor took, and what its own gap was at the end."""
        lead = leader(runs)
        if lead is None:
            return ""
        k, steps = point_of(lead, sight.point), lead.run.points["steps"]
        took, own = int(steps[k] - (steps[k - 1] if k else 0)), lead.run.own_gaps[k]
        ended = f", to its own gap {own:.1e}" if np.isfinite(own) and own > ROUNDING else ""
        return f"Point {k + 1} of {lead.name}: {took:,} step{'s' * (took != 1)}{ended}"

    def describe(self, run: Run) -> str:
        before = int(run.points["steps"][-2]) if run.reached > 1 else 0
        return f"{int(run.points['steps'][-1]) - before:,} steps at its last point"

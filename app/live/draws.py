"""What the best of a draw is worth: its slope beside the steepest of all (Frandi et al. 2016,
Theorem 1, for the slopes at hand).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from app.live.picture import Axis, Columns, Layer, Picture, Shown, Sight, leader, point_of
from app.runs import Run
from fwcore import sampling

_ROWS = 120
_NONE: Columns = {"slope_share": [], "draw_share": []}
_FOUND: WeakKeyDictionary[Run, tuple[int, Columns]] = WeakKeyDictionary()
"""Of each run the last point that was asked for, since a finding may not take a pass over X."""


def _slopes(run: Run, k: int) -> Any:
    """The slopes of all columns at a point of the path, the steepest first."""
    problem, (indices, values) = run.walk.problem, run.walk.columns[k]
    residual = problem.residual(np.asarray(indices, np.int64), np.asarray(values, float))
    return np.sort(np.abs(problem.gradient(residual)))[::-1]


def _draws(entry: Shown, lead: Shown, point: int) -> Columns:
    """For slopes from the steepest down, the probability that a draw holds one as steep: one of the
    t steepest columns, by `fwcore.sampling.miss_probability`.
    """
    run = entry.run
    if not run.reached:
        return _NONE
    k = point_of(entry, point)
    known, found = _FOUND.get(run, (-1, _NONE))
    if known == k:
        return found
    kappa = run.kappa(progress=k / max(1, run.total - 1))
    if kappa is None:
        return _NONE
    slopes = _slopes(run, k)
    if not slopes[0] > 0:
        return _NONE
    p = slopes.size
    ranks = np.unique(np.geomspace(1, p, _ROWS).astype(int))
    shares = [1.0 - sampling.miss_probability(p, kappa, int(rank)) for rank in ranks]
    # The steepest last, where the name of the run stands.
    found = {
        "slope_share": (slopes[ranks - 1] / slopes[0]).tolist()[::-1],
        "draw_share": shares[::-1],
    }
    _FOUND[run] = k, found
    return found


class Draws(Picture):
    """How steep the best column of a draw is, at the point under the cursor: a subset whose best
    column is nearly as steep as the steepest of all costs little progress.
    """

    name = "draws"
    title = "How steep is the best of a draw?"
    brief = "Best of a draw"
    x = Axis(("slope_share",))
    y = Axis(("draw_share",))
    layers = (Layer("line", "draws", named=True, style={"line_width": 2.2}),)
    help = (
        "A draw need not hold the steepest column: a column that is nearly as steep makes "
        "nearly as much progress. The line says which share of the draws holds a column at "
        "least so steep, computed from all slopes at the point under the cursor. "
        "The more equal the slopes are, the less is lost by sampling."
    )
    legend = "Share of draws that hold a column at least so steep, at the point under the cursor."
    blank = {"": "No run samples columns."}
    computed = {"draws": _draws}
    patient = frozenset({"draws"})

    def finding_at(self, runs: Sequence[Shown], sight: Sight) -> str:
        """What half of the draws of the selected run find."""
        lead = leader(runs)
        at, found = _FOUND.get(lead.run, (-1, _NONE)) if lead is not None else (-1, _NONE)
        if lead is not None and lead.run.kappa() is None:
            return f"{lead.name} draws no columns: select a run that does"
        if lead is None or at != point_of(lead, sight.point):
            return ""
        shares = np.array(found["draw_share"])
        half = found["slope_share"][int(np.flatnonzero(shares >= 0.5)[-1])]
        return f"Half of the draws of {lead.name} find {half:.0%} of the steepest slope or more"

    def describe(self, run: Run) -> str:
        kappa = run.kappa()
        if kappa is None:
            return ""
        share = kappa / run.walk.problem.p
        held = f"which holds the steepest of all {100 * share:.3g} % of the time"
        return f"{kappa:,} columns a draw, {held}"

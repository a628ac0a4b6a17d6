"""Repeats of a run with other seeds: the median and the quartiles of their points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.live.picture import Columns
from app.live.reference import suboptimality
from app.live.thinning import ROUNDING
from app.pace import COSTS
from app.runs import Run

_ALONG = ("l1", "point", *COSTS)
_ACROSS = ("least_error", "test_error", "train_error", "relative_gap", "suboptimality", "nnz")
_ROUNDED = ("relative_gap", "suboptimality")
_QUARTILES = {"low": 25, "median": 50, "high": 75}


def reached_by_all(runs: Sequence[Run]) -> int:
    """Points that all repeats have reached."""
    return min((run.reached for run in runs), default=0)


def spread(runs: Sequence[Run], reference: Run | None = None) -> Columns:
    """The median of what is along an axis, and the quartiles of what is across it, at each point
    that all have reached.
    """
    points = reached_by_all(runs)
    held = {
        name: np.array([_column(run, name, reference)[:points] for run in runs], dtype=float)
        for name in (*_ALONG, *_ACROSS)
    }
    columns: Columns = {name: np.median(held[name], axis=0).tolist() for name in _ALONG}
    for name in _ACROSS:
        # Where something is not known of all, as a test error without test rows, nothing is drawn.
        known = np.isfinite(held[name]).all(axis=0)
        for quartile, share in _QUARTILES.items():
            values = np.full(points, np.nan)
            values[known] = np.percentile(held[name][:, known], share, axis=0)
            if name in _ROUNDED:
                values[values <= ROUNDING] = np.nan
            columns[f"{name}_{quartile}"] = values.tolist()
    return columns


def _column(run: Run, name: str, reference: Run | None) -> np.ndarray:
    rows = run.points
    if name == "point":
        return np.asarray(rows["point"] + 1)
    if name == "step":
        return np.asarray(rows["steps"])
    if name == "relative_gap":
        return run.relative_gaps
    if name == "suboptimality":
        return suboptimality(rows, run.walk.problem.f0, reference)
    if name == "least_error":
        return np.asarray(np.fmin.accumulate(rows["test_error"]))
    return np.asarray(rows[name])

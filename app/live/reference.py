"""The run that others are measured against: the one whose points are certified best."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.live.features import TopFeatures
from app.live.picture import Shown, kin_of
from app.runs import Run

_WORST_GAP = 1e-4


def reference_of(shown: Iterable[Shown]) -> Run | None:
    """Of the runs that may be compared the one that has ended with the smallest worst true gap, if
    that is at most 1e-4 of f(0).
    """
    ended = [entry.run for entry in kin_of(shown) if entry.run.ended]
    worst = {run: float(run.relative_gaps.max()) for run in ended}
    # Among supports nothing bounds the suboptimality.
    worst = {run: gap for run, gap in worst.items() if np.isfinite(gap)}
    best = min(worst, key=lambda run: worst[run], default=None)
    return best if best is not None and worst[best] <= _WORST_GAP else None


def measures_of(
    entry: Shown, features: TopFeatures, reference: Run | None
) -> tuple[TopFeatures, Run | None]:
    """The features that are drawn of a run, and the run that it is measured against: none where its
    columns and rows are others than those of the selected run.
    """
    return (features, reference) if entry.kin else (TopFeatures(), None)


def suboptimality(rows: Any, f0: float, reference: Run | None) -> NDArray[Any]:
    """f(a) minus the least f of that l1 norm, relative to f(0), of each row of a table of points.

    The least f is convex in the l1 norm, so that between two points of the reference the chord is
    above it. NaN where that leaves less than the reference's own gap, or there is no reference.
    """
    if reference is None:
        return np.full(len(rows), np.nan)
    known = reference.points
    order = np.argsort(known["l1"], kind="stable")
    l1, f = known["l1"][order], known["objective"][order]
    least = np.interp(rows["l1"], l1, f, left=np.nan, right=np.nan)
    left = (rows["objective"] - least) / f0
    return np.where(left > float(reference.relative_gaps.max()), left, np.nan)

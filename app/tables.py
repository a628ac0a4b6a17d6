"""The runs side by side, and the points of the selected one, as tables of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.live.picture import Shown

_POINTS = {
    "value": "δ or λ",
    "l1": "ℓ1 norm",
    "nnz": "active",
    "train_error": "train error",
    "test_error": "test error",
    "true_gap": "true gap / f(0)",
    "steps": "steps",
    "dots": "dot products",
}
_RUNS = (
    *("run", "seconds", "steps", "dot products", "against the baseline"),
    *("least test error", "at ℓ1 norm", "active there", "worst true gap / f(0)"),
)


def points_table(shown: Sequence[Shown]) -> dict[str, Any]:
    """The points of the selected run."""
    lead = next((entry for entry in shown if entry.lead), None)
    if lead is None:
        return {"caption": "", "head": [], "rows": []}
    points, f0 = lead.run.points, lead.run.walk.problem.f0
    rows = []
    for row in points:
        cells = [str(int(row["point"]) + 1)]
        for name in _POINTS:
            value = row[name] / f0 if name == "true_gap" else row[name]
            whole = points.dtype[name].kind == "i"
            cells.append(f"{int(value):,}" if whole else f"{float(value):.4g}")
        rows.append(cells)
    return {
        "caption": f"The points of {lead.name}",
        "head": ["point", *_POINTS.values()],
        "rows": rows,
    }


def runs_table(shown: Sequence[Shown]) -> dict[str, Any]:
    """The runs side by side: what each spent, and what came of it at its least test error, which is
    compared at the l1 norm that it has there.
    """
    baseline = next((entry for entry in shown if entry.pinned), shown[0] if shown else None)
    rows = [_run_row(entry, baseline) for entry in shown if baseline is not None]
    return {"caption": "The runs", "head": [*_RUNS], "rows": rows}


def _run_row(entry: Shown, baseline: Shown) -> list[str]:
    points = entry.run.points
    last, errors = points[-1], points["test_error"]
    best = int(np.nanargmin(errors)) if np.isfinite(errors).any() else None
    counted = entry.run.solver.counts and last["dots"] > 0
    theirs = float(baseline.run.points["dots"][-1])
    times = float(last["dots"]) / theirs if counted and theirs > 0 else float("nan")
    at_best = (
        [f"{errors[best]:.4g}", f"{points['l1'][best]:.4g}", f"{int(points['nnz'][best]):,}"]
        if best is not None
        else ["none held out", "–", "–"]
    )
    return [
        entry.name,
        f"{float(last['seconds']):.3g}",
        f"{int(last['steps']):,}",
        f"{int(last['dots']):,}" if counted else "not counted",
        "the baseline"
        if entry is baseline
        else f"{times:.3g} times"
        if np.isfinite(times)
        else "–",
        *at_best,
        f"{entry.run.relative_gaps.max():.2e}",
    ]

"""The runs side by side, and the points of the selected one, as tables of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.live.picture import Shown
from app.live.thinning import ROUNDING
from app.settings import Experiment
from fwcore import FORMS, experiments

_POINTS = {
    "l1": "ℓ1 norm",
    "nnz": "active",
    "train_error": "train error",
    "test_error": "test error",
    "test_misclassified": "test share misclassified",
    "true_gap": "true gap / f(0)",
    "steps": "steps",
    "dots": "dot products",
}
_RUNS = (
    *("run", "seconds", "steps", "dot products", "time vs baseline"),
    *("dot products vs baseline", "least test error", "at ℓ1 norm", "active there"),
)
# A grid of λ ends at norms of its own, a little short of those of δ.
_SAME_NORM = 1e-2
_CHANCE = "points ended by chance"


def points_table(shown: Sequence[Shown]) -> dict[str, Any]:
    """The points of the selected run."""
    lead = next((entry for entry in shown if entry.lead), None)
    if lead is None:
        return {"caption": "", "head": [], "rows": []}
    points, f0 = lead.run.points, lead.run.walk.problem.f0
    symbol = FORMS[lead.run.solver.form].symbol
    columns = {
        "value": symbol,
        **{name: title for name, title in _POINTS.items() if np.isfinite(points[name]).any()},
    }
    rows = []
    for row in points:
        cells = [str(int(row["point"]) + 1)]
        for name in columns:
            if name == "true_gap":
                cells.append(_gap(row[name] / f0))
                continue
            whole = points.dtype[name].kind == "i"
            cells.append(f"{int(row[name]):,}" if whole else f"{float(row[name]):.4g}")
        rows.append(cells)
    return {
        "caption": f"The points of {lead.name}; the error is the {_error(lead)}",
        "head": ["point", *columns.values()],
        "rows": rows,
    }


def runs_table(shown: Sequence[Shown]) -> dict[str, Any]:
    """The runs side by side: what each spent, what came of it at its least test error, and at the
    l1 norm of the baseline's, so that runs over δ and over λ are compared on one grid.
    """
    baseline = next((entry for entry in shown if entry.pinned), shown[0] if shown else None)
    rows = [_run_row(entry, baseline) for entry in shown if baseline is not None]
    there = _best_norm(baseline) if baseline is not None else 0.0
    head = [
        *_RUNS,
        f"test error at ℓ1 norm {there:.4g}",
        "active at that norm",
        "worst true gap / f(0)",
    ]
    chance = [entry.run.ended_by_chance for entry in shown]
    if any(chance):
        head.append(_CHANCE)
        rows = [[*row, str(count)] for row, count in zip(rows, chance, strict=True)]
    caption = f"The runs; the error is the {_error(shown[0])}" if shown else "The runs"
    return {"caption": caption, "head": head, "rows": rows}


@dataclass(frozen=True)
class Printed:
    """What a paper printed: headings, then a row for each of ``runs``, and more. It stands beside
    runs of the same problem and with the same options, whatever their seed.
    """

    rows: Sequence[Sequence[str]]
    experiment: Experiment
    runs: Mapping[int, tuple[Any, ...]]

    def of(self, key: int, made_of: tuple[Any, ...], experiment: Experiment | None) -> bool:
        """Whether the run of that key is one of those that were printed."""
        return experiment == self.experiment and made_of[:2] == self.runs.get(key, ())[:2]


def printed_table(printed: Sequence[Sequence[str]], runs: Sequence[Shown | None]) -> dict[str, Any]:
    """What a paper printed, with ours and the ratio of both beside it where a run has ended;
    ``runs`` are those of its first rows.
    """
    if not printed:
        return {"caption": "", "head": [], "rows": []}
    (first, *figures), *lines = printed
    rows = []
    for k, (method, *numbers) in enumerate(lines):
        entry = runs[k] if k < len(runs) else None
        cells = [method]
        for figure, number in zip(figures, numbers, strict=True):
            measure = experiments.published.POINT_FIGURES[figure]
            ours = measure(entry.run.points) if entry is not None else None
            cells += [number, *_beside(number, ours)]
        rows.append(cells)
    head = [first, *(text for f in figures for text in (f"{f}, printed", "ours", "ratio"))]
    return {"caption": "Printed in the paper, and ours", "head": head, "rows": rows}


def _beside(printed: str, ours: float | None) -> list[str]:
    if ours is None:
        return ["–", "–"]
    told = f"{ours:.3g}" if ours >= 1e5 else f"{ours:,.4g}"
    number = experiments.published.number
    return [told, f"{ours / number(printed):.2f}" if printed else "–"]


def _error(entry: Shown) -> str:
    """What the loss of a run calls its error, and its unit."""
    loss = entry.run.walk.problem.loss
    unit = "of the response in standard deviations" if entry.scaled else loss.error_unit
    return f"{loss.error_name} ({unit})"


def _run_row(entry: Shown, baseline: Shown) -> list[str]:
    points, theirs = entry.run.points, baseline.run.points
    last, errors, other = points[-1], points["test_error"], theirs[-1]
    known = np.isfinite(errors).any()
    best = int(np.nanargmin(errors)) if known else -1
    counted, there = entry.run.solver.counts and last["dots"] > 0, _best_norm(baseline)
    within = points["l1"].min() <= there <= points["l1"].max() * (1 + _SAME_NORM)
    return [
        entry.name,
        f"{float(last['seconds']):.3g}",
        f"{int(last['steps']):,}",
        f"{int(last['dots']):,}" if counted else "not counted",
        _times(entry, baseline, last["seconds"], other["seconds"]),
        _times(entry, baseline, last["dots"], other["dots"]) if counted else "–",
        f"{errors[best]:.4g}" if known else "none",
        f"{points['l1'][best]:.4g}" if known else "–",
        f"{int(points['nnz'][best]):,}" if known else "–",
        f"{_at(points, 'test_error', there):.4g}" if known and within else "–",
        f"{_at(points, 'nnz', there):,.0f}" if within else "–",
        _gap(float(entry.run.relative_gaps.max())),
    ]


def _gap(share: float) -> str:
    """A true gap over f(0); what is less than its rounding error is not told apart."""
    if np.isnan(share):
        return "–"
    return f"{share:.2e}" if share > ROUNDING else f"< {ROUNDING:.0e}"


def _times(entry: Shown, baseline: Shown, ours: float, theirs: float) -> str:
    """How many times what the baseline took."""
    if entry is baseline:
        return "the baseline"
    return f"{ours / theirs:.3g} times" if ours > 0 and theirs > 0 else "–"


def _best_norm(entry: Shown) -> float:
    """The l1 norm at which a run has its least test error; at its end without one."""
    points = entry.run.points
    known = np.isfinite(points["test_error"]).any()
    return float(points["l1"][np.nanargmin(points["test_error"]) if known else -1])


def _at(points: Any, column: str, l1: float) -> float:
    """A column at an l1 norm, between points by a straight line."""
    order = np.argsort(points["l1"], kind="stable")
    return float(np.interp(l1, points["l1"][order], points[column][order].astype(float)))

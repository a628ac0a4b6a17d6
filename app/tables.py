"""The runs side by side, and the points of the selected one, as tables of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from app.live.picture import Shown
from app.live.spread import reached_by_all
from app.live.thinning import ROUNDING
from app.runs import Run
from app.settings import Experiment
from fwcore import FORMS, Status, experiments

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
    *("run", "seconds", "steps", "dot products", "speed-up"),
    *("times fewer dot products", "least test error", "at ℓ1 norm", "active there"),
)
# A grid of λ ends at norms of its own, a little short of those of δ.
_SAME_NORM = 1e-2
_CHANCE = "points ended by chance"
_UNKNOWN = float("nan")


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
    which = f", seed {lead.run.seed}" if len(lead.runs) > 1 else ""
    return {
        "caption": f"The points of {lead.name}{which}; the error is the {_error(lead)}",
        "head": ["point", *columns.values()],
        "rows": rows,
    }


def runs_table(shown: Sequence[Shown]) -> dict[str, Any]:
    """The runs side by side: what each spent, what came of it at its least test error, and at the
    l1 norm of the baseline's, so that runs over δ and over λ are compared on one grid. Of a run
    with repeats each figure is the median over its seeds.
    """
    baseline = next((entry for entry in shown if entry.pinned), shown[0] if shown else None)
    there = float(np.median([*map(_best_norm, _begun(baseline))])) if baseline is not None else 0.0
    found = [_figures(entry, there) for entry in shown]
    theirs = next((f for f, entry in zip(found, shown, strict=True) if entry is baseline), None)
    rows = [_run_row(entry, f, theirs) for f, entry in zip(found, shown, strict=True)]
    head = [
        *_RUNS,
        f"test error at ℓ1 norm {there:.4g}",
        "active at that norm",
        "worst true gap / f(0)",
    ]
    if any(figures.chance for figures in found):
        head.append(_CHANCE)
        rows = [[*row, f"{f.chance:g}"] for row, f in zip(rows, found, strict=True)]
    caption = f"The runs; the error is the {_error(shown[0])}" if shown else "The runs"
    if any(len(entry.runs) > 1 for entry in shown):
        caption += "; medians over the seeds of runs that have several"
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
            found = [measure(run.points) for run in _begun(entry)] if entry is not None else []
            ours = float(np.median(found)) if found else None
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


class _Figures(NamedTuple):
    """What is told of a run; NaN is what is not known."""

    seconds: float
    steps: float
    dots: float
    least_error: float
    norm: float
    active: float
    error_there: float
    active_there: float
    worst_gap: float
    chance: float


def _begun(entry: Shown) -> list[Run]:
    """The run and its repeats, those that have reached a point."""
    return [run for run in entry.runs if run.reached]


def _figures(entry: Shown, there: float) -> _Figures:
    """Of a run, or the medians over its seeds, so far as all of them are."""
    runs = _begun(entry)
    upto = reached_by_all(runs)
    return _Figures(*np.median([_of_one(run, upto, there) for run in runs], axis=0).tolist())


def _of_one(run: Run, upto: int, there: float) -> _Figures:
    points = run.points[:upto]
    last, errors, l1 = points[-1], points["test_error"], points["l1"]
    best = int(np.nanargmin(errors)) if np.isfinite(errors).any() else None
    within = l1.min() <= there <= l1.max() * (1 + _SAME_NORM)
    return _Figures(
        seconds=last["seconds"],
        steps=last["steps"],
        dots=last["dots"] if run.counts("dots") and last["dots"] > 0 else _UNKNOWN,
        least_error=_UNKNOWN if best is None else errors[best],
        norm=_UNKNOWN if best is None else l1[best],
        active=_UNKNOWN if best is None else points["nnz"][best],
        error_there=_at(points, "test_error", there) if within else _UNKNOWN,
        active_there=_at(points, "nnz", there) if within else _UNKNOWN,
        worst_gap=run.relative_gaps[:upto].max(),
        chance=float((points["status"] == Status.EMPTY_DRAW).sum()),
    )


def _run_row(entry: Shown, ours: _Figures, theirs: _Figures | None) -> list[str]:
    counted = np.isfinite(ours.dots)
    return [
        entry.name,
        f"{ours.seconds:.3g}",
        f"{ours.steps:,.0f}",
        f"{ours.dots:,.0f}" if counted else "not counted",
        _times(ours, theirs, "seconds"),
        _times(ours, theirs, "dots"),
        f"{ours.least_error:.4g}" if np.isfinite(ours.least_error) else "none",
        *(_or_dash(number, form) for number, form in (
            (ours.norm, ".4g"),
            (ours.active, ",.0f"),
            (ours.error_there, ".4g"),
            (ours.active_there, ",.0f"),
        )),
        _gap(ours.worst_gap),
    ]  # fmt: skip


def _or_dash(number: float, form: str) -> str:
    return format(number, form) if np.isfinite(number) else "–"


def _gap(share: float) -> str:
    """A true gap over f(0); what is less than its rounding error is not told apart."""
    if np.isnan(share):
        return "–"
    return f"{share:.2e}" if share > ROUNDING else f"< {ROUNDING:.0e}"


def _times(ours: _Figures, theirs: _Figures | None, name: str) -> str:
    """How many times less than the baseline it took."""
    took, other = getattr(ours, name), getattr(theirs, name, _UNKNOWN)
    if ours is theirs:
        return "the baseline" if np.isfinite(took) else "–"
    return f"{other / took:.3g}" if took > 0 and other > 0 else "–"


def _best_norm(run: Run) -> float:
    """The l1 norm at which a run has its least test error; at its end without one."""
    points = run.points
    known = np.isfinite(points["test_error"]).any()
    return float(points["l1"][np.nanargmin(points["test_error"]) if known else -1])


def _at(points: Any, column: str, l1: float) -> float:
    """A column at an l1 norm, between points by a straight line."""
    order = np.argsort(points["l1"], kind="stable")
    return float(np.interp(l1, points["l1"][order], points[column][order].astype(float)))

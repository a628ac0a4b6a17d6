"""What has been learnt: coefficients, predictions, and how far runs agree on the support."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary, ref

import numpy as np

from app.live.features import lookup
from app.live.picture import (
    Axis,
    Columns,
    Layer,
    Picture,
    Shown,
    Sight,
    common_norm,
    leader,
    nearest,
    point_of,
)
from app.runs import Run
from fwcore import Problem, datasets, experiments

_BARS = 12
_ROWS = 400
_RECOVERED: WeakKeyDictionary[Run, float] = WeakKeyDictionary()
"""The best F-measure of each run that is drawn, since a finding has no time to compute it."""


def _beside(entry: Shown, lead: Shown, point: int) -> int | None:
    """The point of a run whose l1 norm is nearest to that of the selected run under the cursor;
    None where there is none of the same columns.
    """
    if not entry.run.reached or not entry.kin:
        return None
    return nearest(entry.run, float(lead.run.points["l1"][point_of(lead, point)]))


def _largest(lead: Shown, point: int) -> list[int]:
    """The features of the largest coefficients of the selected run."""
    indices, values = lead.run.walk.columns[point_of(lead, point)]
    order = np.argsort(-np.abs(values), kind="stable")[:_BARS]
    return [int(j) for j in indices[order]]


def _coefficients(entry: Shown, lead: Shown, point: int) -> Columns:
    k, features = _beside(entry, lead, point), _largest(lead, point)
    if k is None:
        return {"feature": [], "coefficient": [], "index": []}
    order = np.argsort(features)
    values = np.zeros(len(features))
    values[order] = lookup([features[i] for i in order], *entry.run.walk.columns[k])
    names = [lead.run.feature_name(j) for j in features]
    # Names of columns need not differ.
    told = [
        f"{name} ({j})" if names.count(name) > 1 else name
        for name, j in zip(names, features, strict=True)
    ]
    return {"feature": told, "coefficient": values.tolist(), "index": features}


class Coefficients(Picture):
    """The largest coefficients of the selected run at the cursor, and the same of the others."""

    name = "bars"
    title = "The largest coefficients at the cursor"
    brief = "Coefficients"
    x = Axis(("coefficient",))
    y = Axis(("feature",), factors=True)
    layers = (
        Layer("bars", "bars"),
        Layer("dots", "bars", style={"size": 9}),
    )
    help = (
        "The largest coefficients of the selected run at the cursor, by name, as bars. The "
        "marks are those of all runs at the same l1 norm: where they stand apart, the runs "
        "have chosen other features for the same budget."
    )
    legend = "Bars: the selected run. Marks: each run, at the same l1 norm."
    computed = {"bars": _coefficients}

    def finding(self, runs: Sequence[Shown]) -> str:
        lead = leader(runs)
        if lead is None or not len(lead.run.last_column[0]):
            return ""
        indices, values = lead.run.last_column
        sizes = np.sort(np.abs(values))[::-1]
        half = int(np.searchsorted(np.cumsum(sizes), sizes.sum() / 2)) + 1
        carry = "carries" if half == 1 else "carry"
        count = f"{half} of the {len(indices):,} active features"
        return f"{count} of {lead.name} {carry} half its norm"

    def describe(self, run: Run) -> str:
        indices, values = run.last_column
        order = np.argsort(-np.abs(values), kind="stable")[:3]
        said = [f"{run.feature_name(int(indices[k]))} = {values[k]:.4g}" for k in order]
        return f"at its last point, {', '.join(said)}" if said else "all coefficients are zero"


def _rows(problem: Problem) -> tuple[Any, Any, Any]:
    """Some rows that are held out, or where none are some learnt from: their design, their places
    in it, and their responses.
    """
    design, actual = problem.test_design, problem.test_y
    if actual is None:
        design, actual = problem.design, problem.y * problem.y_scale + problem.y_offset
    some = np.unique(np.linspace(0, len(actual) - 1, min(_ROWS, len(actual))).astype(int))
    return design, some, actual[some]


def _right(entry: Shown, lead: Shown, point: int) -> Columns:
    """Where the prediction is right, from end to end."""
    if entry.key != lead.key:
        return {"actual": [], "predicted": [], "residual": []}
    _, _, actual = _rows(entry.run.walk.problem)
    ends = [float(actual.min()), float(actual.max())]
    return {"actual": ends, "predicted": ends, "residual": [0.0, 0.0]}


def _fit(entry: Shown, lead: Shown, point: int) -> Columns:
    if entry.key != lead.key:
        return {"actual": [], "predicted": [], "residual": []}
    problem = entry.run.walk.problem
    design, some, actual = _rows(problem)
    predicted = problem.predict(design, *entry.run.walk.columns[point_of(lead, point)])
    predicted = np.asarray(predicted)[some]
    return {
        "actual": actual.tolist(),
        "predicted": predicted.tolist(),
        "residual": (actual - predicted).tolist(),
    }


class Fit(Picture):
    """Predictions of the selected run at the cursor, on the rows held out where there are some."""

    name = "fit"
    title = "Predicted against actual"
    brief = "Predictions"
    x = Axis(("actual", "predicted"))
    y = Axis(("predicted", "residual"))
    layers = (
        Layer("dots", "fit", style={"size": 4, "fill_alpha": 0.5}),
        Layer("line", "right", style={"line_width": 0.8, "line_alpha": 0.6}),
    )
    help = (
        "Each dot is a row that was held out, or where none is one learnt from. On the "
        "line the prediction is right. The cloud is less steep than the line: the l1 norm "
        "holds coefficients back, and noise cannot be predicted."
    )
    legend = (
        "A dot a row held out (or learnt from, where none is), of the selected run. Line: right."
    )
    about = ()
    lead_only = True
    computed = {"fit": _fit, "right": _right}

    def finding(self, runs: Sequence[Shown]) -> str:
        """What the best point gets right, or by how much it is better than the first."""
        lead = leader(runs)
        if lead is None:
            return ""
        wrong, errors = lead.run.points["test_misclassified"], lead.run.points["test_error"]
        if np.isfinite(wrong).any():
            return f"{lead.name} gets {1 - np.nanmin(wrong):.0%} of the test labels right"
        if not errors[0] > 0:
            return ""
        taken = 1 - float(np.nanmin(errors)) / float(errors[0])
        return f"{lead.name} takes {taken:.0%} off the test error of its first point"

    def describe(self, run: Run) -> str:
        error = run.points["test_error"][-1]
        known = np.isfinite(error)
        return f"{run.error_name} {error:.4g} at its last point" if known else "no test rows"


def _shares(entry: Shown, lead: Shown) -> list[float]:
    """The Jaccard index of the supports of a run and of the selected one, at equal l1 norms."""
    shares = []
    for k, l1 in enumerate(entry.run.points["l1"].tolist()):
        ours = set(entry.run.walk.columns[k][0].tolist())
        other = set(lead.run.walk.columns[nearest(lead.run, l1)][0].tolist())
        either = len(ours | other)
        shares.append(len(ours & other) / either if either else 1.0)
    return shares


def _overlap(entry: Shown, lead: Shown, point: int) -> Columns:
    run = entry.run
    if not run.reached or not entry.kin:
        return {"l1": [], "overlap": [], "f_measure": []}
    truth, shares = _truth(run.walk.problem), _shares(entry, lead)
    f_measures = [_f_measure(run.walk, k, truth) for k in range(len(shares))]
    _RECOVERED[run] = max(f_measures)
    return {
        "l1": run.points["l1"][: len(shares)].tolist(),
        "overlap": shares,
        "f_measure": f_measures,
    }


_last_truth: list[tuple[Any, Any]] = []


def _truth(problem: Any) -> Any:
    """The coefficients that the response was made with; None where they are not known. They are
    found by making the dataset again, so the last are remembered.
    """
    for known, truth in _last_truth[-1:]:
        if known() is problem:
            return truth
    dataset = dict(problem.source).get("dataset")
    truth = None if dataset is None else datasets.true_coefficients(dataset, problem)
    _last_truth[:] = [(ref(problem), truth)]
    return truth


def _f_measure(walk: Any, k: int, truth: Any) -> float:
    """Of the support of the ``k``-th point with the true one."""
    if truth is None:
        return float("nan")
    coef = np.zeros(len(truth))
    indices, values = walk.columns[k]
    coef[indices] = walk.problem.y_scale * values
    return float(experiments.metrics.f_measure(coef, truth))


class Overlap(Picture):
    """How much of their supports runs share with the selected one, at equal l1 norms."""

    name = "overlap"
    title = "Do the runs choose the same features?"
    brief = "Same features"
    x = Axis(("l1",))
    y = Axis(("overlap", "f_measure"))
    layers = (Layer("line", "overlap", named=True, style={"line_width": 1.8}),)
    help = (
        "The Jaccard index of the active features of each run and the selected one, at the "
        "same l1 norm: features in both over features in either. Where the true features "
        "are known, the F-measure with them can be chosen for the vertical axis."
    )
    legend = "1: the same active features as the selected run, or the true ones. 0: none in common."
    blank = {"f_measure": "The true features are not known of these data."}
    computed = {"overlap": _overlap}

    def describe(self, run: Run) -> str:
        return f"{len(run.last_column[0]):,} active features at its last point"

    def finding_at(self, runs: Sequence[Shown], sight: Sight) -> str:
        return _recovered(runs) if sight.y == "f_measure" else self.finding(runs)

    def finding(self, runs: Sequence[Shown]) -> str:
        lead = next((shown for shown in runs if shown.lead and shown.run.ended), None)
        others = [shown for shown in runs if not shown.lead and shown.run.ended]
        if lead is None or not others:
            return ""
        norm = common_norm([lead, *others])
        shares = {s.name: _shares(s, lead)[nearest(s.run, norm)] for s in others}
        least, there = min(shares, key=shares.__getitem__), f"At ℓ1 norm {norm:.3g}"
        return f"{there} {lead.name} and {least} share {shares[least]:.0%} of their features"


def _recovered(runs: Sequence[Shown]) -> str:
    """How well each run finds the true features where it does best."""
    found = {shown.name: _RECOVERED.get(shown.run, float("nan")) for shown in runs}
    best = {name: measure for name, measure in found.items() if np.isfinite(measure)}
    said = sorted(best, key=best.__getitem__, reverse=True)[:3]
    told = ", ".join(f"{name} {best[name]:.2f}" for name in said)
    return f"Best F-measure with the true features: {told}" if told else ""

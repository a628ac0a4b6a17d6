"""Races at one lam or delta: Figures 1 of Shalev-Shwartz & Tewari (2009) and of Négiar et al.
(2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from fwcore import datasets
from fwcore.experiments import race
from fwcore.experiments.published.declared import Experiment, Method
from fwcore.experiments.published.kinds.base import Kind, Measured, Stopped
from fwcore.experiments.solver_spec import SolverSpec
from fwcore.problem import Problem

STEP_SIZES = tuple(10.0**k for k in range(-6, 0))
"""Of the mean of the losses: what SMIDAS and the truncated gradient are searched over."""

_SPARSE, _TINY = 0.3, 1e-300


@dataclass(frozen=True)
class _Context:
    problem: Problem
    value: float
    budget: dict[str, float]


class Races(Kind):
    """Methods race at one lam (``lam``, of the mean of the losses) or ``delta``, until each has
    touched ``passes`` times the entries of X, or taken as many derivatives.

    ``unit``: features are scaled to [-1, 1], after the first ``centred`` of them were centred.
    ``response``: what y is divided by. A method with ``search`` = "eta" is raced with each of
    `STEP_SIZES`; the best by its final objective counts, and the search is told apart.
    """

    name = "race"
    figures = (
        *("final objective", "density", "seconds"),
        *("step size", "step size at an edge", "entries of the search"),
    )

    def prepare(self, experiment: Experiment) -> _Context:
        given = experiment.given
        read = datasets.read(experiment.dataset)
        X = in_unit_range(read.X, int(given.get("centred", 0))) if given.get("unit") else read.X
        y = read.y / float(given.get("response", 1.0))
        problem = Problem.from_arrays(X, y, loss=given["loss"], standardize=False)
        if "lam" in given:
            passes = float(given["passes"]) * problem.entries
            return _Context(problem, float(given["lam"]) * problem.m, {"entries": passes})
        passes = float(given["passes"]) * problem.m
        return _Context(problem, float(given["delta"]), {"grads": passes})

    def measure(
        self, context: _Context, experiment: Experiment, method: Method, seed: int, stopped: Stopped
    ) -> Measured | None:
        options = dict(method.options)
        searches = options.pop("search", "") == "eta"
        sizes = STEP_SIZES if searches else (None,)
        tried: dict[float, race.Curve] = {}
        for size in sizes:
            if stopped():
                return None
            # Its solver's scale is that of sums.
            own = {} if size is None else {"eta": size / context.problem.m}
            tried[size or 0.0] = _raced(context, method.solver, options | own, seed)
        best = min(tried, key=lambda size: _last(tried[size]))
        curve, m = tried[best], context.problem.m
        numbers = {
            "final objective": _last(curve) / m,
            "density": float(curve.density[-1]),
            "seconds": float(curve.seconds[-1]),
        }
        if searches:
            edge = best in (STEP_SIZES[0], STEP_SIZES[-1])
            spent = sum(float(other.entries[-1]) for other in tried.values())
            numbers |= {
                "step size": best,
                "step size at an edge": float(edge),
                "entries of the search": spent,
            }
        names = ("entries", "grads", "density", "true_gap")
        curves = {name: getattr(curve, name).tolist() for name in names}
        return Measured(numbers, curves | {"objective": (curve.objective / m).tolist()})


def in_unit_range(X: Any, centred: int) -> Any:
    """The features in [-1, 1], as the analysis of Shalev-Shwartz & Tewari wants them; of the first
    ``centred`` the means are taken away before, which fills them. The paper does not say how it
    scaled.
    """
    if scipy.sparse.issparse(X) and not centred:
        largest = abs(X).max(axis=0).toarray().ravel()
        return scipy.sparse.csc_array(
            X @ scipy.sparse.diags_array(1.0 / np.maximum(largest, _TINY))
        )
    X = X.toarray() if scipy.sparse.issparse(X) else np.array(X, dtype=np.float64)
    X[:, :centred] -= X[:, :centred].mean(axis=0)
    X /= np.maximum(np.abs(X).max(axis=0), _TINY)
    return scipy.sparse.csc_array(X) if np.count_nonzero(X) < _SPARSE * X.size else X


def _last(curve: race.Curve) -> float:
    end = float(curve.objective[-1])
    return end if np.isfinite(end) else np.inf


def _raced(context: _Context, solver: str, options: dict[str, Any], seed: int) -> race.Curve:
    spec = SolverSpec.of(solver, options)
    entries, grads = context.budget.get("entries"), context.budget.get("grads")
    (curve,) = race.race(
        context.problem, [spec], context.value, entries=entries, grads=grads, seed=seed
    )
    return curve

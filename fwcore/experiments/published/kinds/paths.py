"""Whole paths: the tables and error curves of Frandi et al. (2016)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fwcore import datasets, grids, sampling
from fwcore.experiments.published.declared import Experiment, Method
from fwcore.experiments.published.kinds.base import Kind, Measured, Stopped
from fwcore.kernels.types import Ints
from fwcore.path import Walk, walk_path
from fwcore.path_result import PathResult
from fwcore.problem import Problem
from fwcore.solvers import certified_solver, find_solver

REFERENCE = "CD"
"""Speed-ups are those over the method of this name."""

POINT_FIGURES: Mapping[str, Callable[[Any], float]] = {
    "iterations": lambda points: float(points["steps"][-1]),
    "dot products": lambda points: float(points["dots"][-1]),
    "active features": lambda points: float(points["nnz"].mean()),
}
"""Figures that follow from a table of points."""

_LARGEST = 10
_EXACT = 1e-8


@dataclass(frozen=True)
class _Context:
    problem: Problem
    largest: Ints


class Paths(Kind):
    """A path of ``points`` points for each method, on the grid of its form. ``columns``: how many
    shares of the columns are of, those that are constant and left out here included.
    """

    name = "path"
    figures = (
        *("seconds", "speed-up", "iterations", "dot products", "active features"),
        *("kappa", "worst gap", "least test error", "least share misclassified"),
        *("points ended by chance",),
    )

    def prepare(self, experiment: Experiment) -> _Context:
        share = experiment.given.get("test_fraction")
        problem = datasets.load(
            experiment.dataset,
            loss=experiment.given.get("loss"),
            test_fraction=None if share is None else float(share),
        )
        wanted = experiment.given.get("coefficients", False)
        return _Context(problem, largest(problem) if wanted else np.zeros(0, np.int64))

    def measure(
        self, context: _Context, experiment: Experiment, method: Method, seed: int, stopped: Stopped
    ) -> Measured | None:
        walk = _walk(context.problem, experiment, method, seed)
        for _ in walk.snapshots():
            if stopped():
                return None
        result, numbers = walk.result(), {}
        if "sampling" in walk.options.declared():
            numbers["kappa"] = float(walk.options.sampling.kappa(context.problem.p))
        return Measured(_numbers(result) | numbers, _curves(result, context))

    def beside(self, experiment: Experiment) -> tuple[str, ...]:
        return (REFERENCE,) if "speed-up" in experiment.figures else ()

    def derived(
        self, experiment: Experiment, figure: str, medians: Mapping[str, Mapping[str, float]]
    ) -> Mapping[str, float]:
        if figure != "speed-up" or REFERENCE not in medians:
            return {}
        least = medians[REFERENCE]["seconds"]
        return {name: least / found["seconds"] for name, found in medians.items()}


def largest(problem: Problem) -> Ints:
    """The columns whose coefficients are largest on average along the certified path (Frandi et al.
    2016, section 5.1).
    """
    solver, grid = certified_solver(problem, "penalty"), grids.lam_grid(problem)
    exact = walk_path(problem, solver, grid, rule="gap", tol=_EXACT).coefs
    sizes = np.asarray(abs(exact).sum(axis=1)).ravel()
    return np.argsort(-sizes, kind="stable")[:_LARGEST]


def options_of(experiment: Experiment, method: Method) -> dict[str, Any]:
    """The options of a method, a share of the columns as the number that the paper has for it."""
    options, columns = dict(method.options), experiment.given.get("columns")
    share = options.get("sampling", "")
    if columns and not experiment.made and share.endswith("%"):
        options["sampling"] = str(sampling.parse(share).kappa(columns))
    return options


def _walk(problem: Problem, experiment: Experiment, method: Method, seed: int) -> Walk:
    solver = find_solver(method.solver)
    points = int(experiment.given.get("points", grids.POINTS))
    declared = solver.Options.declared()
    options = {
        name: declared[name].read(value) if isinstance(value, str) else value
        for name, value in options_of(experiment, method).items()
    }
    return Walk(problem, solver, grids.grid(problem, solver.form, points), options, seed=seed)


def _numbers(result: PathResult) -> dict[str, float]:
    points = result.points
    found = {name: measure(points) for name, measure in POINT_FIGURES.items()} | {
        "seconds": float(result.trace["seconds"][-1]),
        "worst gap": result.max_relative_gap,
        "points ended by chance": float(result.ended_by_chance),
    }
    for figure, column in (
        ("least test error", "test_error"),
        ("least share misclassified", "test_misclassified"),
    ):
        if np.isfinite(points[column]).any():
            found[figure] = float(np.nanmin(points[column]))
    return found


_CURVES = (
    *("l1", "nnz", "train_error", "test_error"),
    *("train_misclassified", "test_misclassified", "dots", "true_gap"),
)


def _curves(result: PathResult, context: _Context) -> dict[str, list[float]]:
    curves = {name: result.points[name].astype(float).tolist() for name in _CURVES}
    if context.largest.size:
        rows = result.coefs.tocsr()[context.largest].toarray() * context.problem.y_scale
        curves |= {f"feature {k + 1}": row.tolist() for k, row in enumerate(rows)}
    return curves

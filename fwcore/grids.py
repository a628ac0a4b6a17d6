"""Grids of path points, and the end of the delta grid."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fwcore import cache
from fwcore.errors import ParameterError
from fwcore.forms import FORMS
from fwcore.kernels.types import Floats
from fwcore.problem import Problem
from fwcore.solve import Clock, iterate
from fwcore.solvers import certified_solver

POINTS = 100
SPAN = 100.0
"""Ratio of the ends of a grid, both for delta and for lam."""

_REFERENCE_GAP = 1e-6
# Another name where numbers that were kept have another meaning.
_KEPT = "reference-2"
# Points of the path to it take a tenth of that at most, where they can be found at all.
_MOST_ROUNDS = 1_000
_LARGE, _LARGE_GAP = 1 << 26, 1e-3


def check(grid: Any, form: str) -> Floats:
    """The grid as an array, if a path may walk it.

    Raises
    ------
    ParameterError
        It is empty, holds a value that is not a number, not positive and finite, or not whole
        (support), or does not run from small to large (ball, support), from large to small
        (penalty).

    >>> check([0.5, 1.0, 2.0], "ball")
    array([0.5, 1. , 2. ])
    """
    name = f"{FORMS[form].parameter} grid"
    try:
        values = np.atleast_1d(np.asarray(grid, dtype=np.float64))
    except (TypeError, ValueError):
        raise ParameterError(name, "fwcore", "a vector of numbers", grid) from None
    if values.ndim != 1 or values.size == 0:
        raise ParameterError(
            name, "fwcore", "a vector of at least one value", f"shape {values.shape}"
        )
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise ParameterError(
            name,
            "fwcore",
            "positive and finite",
            float(values[~(values > 0)][0]) if (values <= 0).any() else "NaN or inf",
        )
    if FORMS[form].whole and (values != np.round(values)).any():
        raise ParameterError(
            name, "fwcore", "of whole numbers", float(values[values != np.round(values)][0])
        )
    increasing = FORMS[form].increasing
    if not (np.diff(values if increasing else -values) > 0).all():
        order = "increasing" if increasing else "decreasing"
        raise ParameterError(name, "fwcore", f"strictly {order}", values.tolist()[:5])
    return values


def _spaced(first: float, last: float, points: int) -> Floats:
    if not isinstance(points, int) or isinstance(points, bool) or not 1 <= points <= 10_000:
        raise ParameterError("points", "fwcore", "an int in [1, 10000]", points)
    return np.geomspace(first, last, points) if points > 1 else np.array([last])


def delta_grid(delta_max: float, points: int = POINTS) -> Floats:
    """``points`` values from delta_max / 100 to delta_max, in equal ratios (Frandi et al. 2016,
    section 5).

    Raises
    ------
    ParameterError
        delta_max is not positive and finite, or points is not an int in [1, 10000].

    >>> [round(float(value), 3) for value in delta_grid(2.0, 3)]
    [0.02, 0.2, 2.0]
    """
    if not (np.isfinite(delta_max) and delta_max > 0):
        raise ParameterError("delta_max", "fwcore", "positive and finite", delta_max)
    return _spaced(delta_max / SPAN, delta_max, points)


def lam_grid(problem: Problem, points: int = POINTS) -> Floats:
    """``points`` values from lam_max = max abs(X'y) down to lam_max / 100, in equal ratios.

    Raises
    ------
    ParameterError
        points is not an int in [1, 10000], or lam_max is 0, as it may be with a >= 0.

    >>> from fwcore import datasets
    >>> problem = datasets.load("diabetes")
    >>> (lam_grid(problem, 3) / problem.lam_max).round(3)
    array([1.  , 0.1 , 0.01])
    """
    if problem.lam_max == 0.0:
        name = "positive" if problem.positive else "y"
        rule = "such that a column descends from 0: here 0 is the solution for every lam"
        raise ParameterError(name, "Problem", rule, problem.positive or "lam max = 0")
    return _spaced(problem.lam_max, problem.lam_max / SPAN, points)


def support_grid(problem: Problem, points: int = POINTS) -> Floats:
    """k = 1, 2, ... to ``points``, the rows or the columns, whichever are fewest.

    Raises
    ------
    ParameterError
        points is not an int in [1, 10000].

    >>> from fwcore import datasets
    >>> support_grid(datasets.load("diabetes"), 4)
    array([1., 2., 3., 4.])
    """
    return np.arange(1.0, min(_spaced(1.0, 2.0, points).size, problem.m, problem.p) + 1.0)


def grid(problem: Problem, form: str, points: int = POINTS, end: float | None = None) -> Floats:
    """The grid of a form; ``end`` is that of a delta grid, by default `delta_max`.

    Raises
    ------
    ParameterError
        A value does not fit.

    >>> from fwcore import datasets
    >>> grid(datasets.load("diabetes"), "ball", 3, end=2.0)[-1]
    np.float64(2.0)
    """
    if form == "ball":
        return delta_grid(delta_max(problem) if end is None else end, points)
    return lam_grid(problem, points) if form == "penalty" else support_grid(problem, points)


def provisional_delta_max(problem: Problem) -> float:
    """2 f(0) / lam_max, an end of the delta grid where `delta_max` would take too long to find.

    Twice the bound f(0) / lam_max on the l1 norm of the penalised solution at lam_max.

    >>> from fwcore import datasets
    >>> problem = datasets.load("diabetes")
    >>> provisional_delta_max(problem) == 2 * problem.f0 / problem.lam_max
    True
    """
    return 2.0 * problem.f0 / problem.lam_max


@dataclass(frozen=True)
class Reference:
    """What is taken from the reference path: 100 points down to lam_max / 100, certified to 1e-6,
    or to 1e-3 where X has more than 67 million entries; or as near as a thousand rounds a point
    come to that.

    ``delta_max``: the l1 norm at its end; ``mean_active``: the mean number of non-zero coefficients
    of the points that have any, as at lam_max there is none that a draw could hit.

    >>> from fwcore import datasets
    >>> problem = datasets.load("diabetes")
    >>> found = reference(problem)
    >>> found.delta_max > 0.0, 0.0 < found.mean_active <= problem.p
    (True, True)
    """

    delta_max: float
    mean_active: float


def known_reference(problem: Problem) -> Reference | None:
    """The `Reference`, if it has been computed for the same design and response before.

    >>> from fwcore import datasets
    >>> problem = datasets.load("diabetes")
    >>> found = reference(problem)
    >>> known_reference(problem) == found
    True
    """
    found: Any = cache.load(_KEPT, problem.content_hash)
    try:
        known = Reference(**found)
        return known if known.delta_max > 0 and known.mean_active > 0 else None
    except TypeError:
        return None


def finding_reference(problem: Problem) -> Generator[tuple[int, int], None, Reference]:
    """Walk the reference path in turns, yielding (points done, points in all); what is taken from
    it is returned, and cached by content hash.

    >>> from fwcore import datasets
    >>> for done, total in finding_reference(datasets.load("diabetes")):
    ...     assert done <= total
    """
    known = known_reference(problem)
    if known is not None:
        return known
    solver = certified_solver(problem, "penalty")
    grid, clock = lam_grid(problem), Clock()
    active: list[int] = []
    gap = _LARGE_GAP if problem.entries > _LARGE else _REFERENCE_GAP
    options = solver.Options(rule="gap", tol=gap, max_steps=_MOST_ROUNDS)
    state = solver.init(problem, options, seed=0)
    for point, lam in enumerate(grid):
        solver.set_point(problem, state, options, float(lam), point / (len(grid) - 1))
        for _ in iterate(problem, solver, state, point, float(lam), clock):
            yield point, len(grid)
        active.append(solver.coefficients(state)[0].size)
    value = float(np.abs(solver.coefficients(state)[1]).sum())
    found = Reference(value, sum(active) / max(1, int(np.count_nonzero(active))))
    cache.store(_KEPT, problem.content_hash, asdict(found))
    return found


def reference(problem: Problem) -> Reference:
    """The `Reference` of a problem, found once and then read from the cache.

    >>> from fwcore import datasets
    >>> problem = datasets.load("diabetes")
    >>> reference(problem).delta_max == delta_max(problem)
    True
    """
    walk = finding_reference(problem)
    while True:
        try:
            next(walk)
        except StopIteration as done:
            found: Reference = done.value
            return found


def delta_max(problem: Problem) -> float:
    """l1 norm of the penalised solution at lam_max / 100, the end of the `Reference` path and of
    the delta grid (Frandi et al. 2016, section 5).

    >>> from fwcore import datasets
    >>> delta_max(datasets.load("diabetes")) > 0
    True
    """
    return reference(problem).delta_max

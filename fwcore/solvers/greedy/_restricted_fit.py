"""The fit on some columns: min f(a) over a that is zero elsewhere, by Newton steps whose systems
conjugate gradients solve.

The fit ends when the slope of every column is at most 1e-9 of its largest possible value. For the
squared loss the first step is the least-squares solution, and usually the last. For other losses
steps are damped (Levenberg), change no prediction by more than 10, and are followed by a line
search: in a direction that separates the classes the curvature vanishes, and a full step has no
bound. Nothing is factored, so columns may join and leave, and a fit starts from the last one. Where
columns are linearly dependent the result is one of the minimisers. Where they separate the classes
there is no minimiser, and the fit ends when the loss is a millionth of f(0).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import col_dot, col_entries, image_of
from fwcore.kernels.records import zero_records
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import largest_size, multiply, total
from fwcore.losses import (
    curvature_at,
    is_parabola,
    is_separable,
    loss_at,
    negative_derivative_at,
)
from fwcore.problem import Problem
from fwcore.step_rules import minimum_on_segment

ABOUT = np.dtype([("size", np.int64), ("objective", np.float64), ("reference", np.float64)])
_NEWTON_STEPS = 50
_SLOPE, _APART = 1e-9, 1e-6
# A share of the mean l'', times the squared norms of the columns, joins the Hessian.
_DAMPING = 1e-3
_LONGEST = 10.0


class Fit(NamedTuple):
    """Coefficients ``values`` on ``columns`` (room,), in their first ``size`` places.

    ``image``, ``residual`` (m,): X a and -l'(X a, y). ``curvature``, ``toward`` (m,): l'', and X d
    along a step d. ``gradient``, ``step``, ``search``, ``product`` (room,): room for conjugate
    gradients. ``about`` (1,): the size, f(a), and f(0).
    """

    columns: Ints
    values: Floats
    image: Floats
    residual: Floats
    curvature: Floats
    toward: Floats
    gradient: Floats
    step: Floats
    search: Floats
    product: Floats
    about: Any


def new_fit(problem: Problem, room: int) -> Fit:
    """No columns, a = 0."""
    about = zero_records(1, ABOUT)
    about["objective"] = about["reference"] = problem.f0
    start = -problem.loss.derivative(np.zeros(problem.m), problem.y)
    image, curvature, toward = (np.zeros(problem.m) for _ in range(3))
    gradient, step, search, product = (np.zeros(room) for _ in range(4))
    columns = (np.zeros(room, np.int64), np.zeros(room))
    return Fit(*columns, image, start, curvature, toward, gradient, step, search, product, about)


def with_room(fit: Fit, room: int) -> Fit:
    """The same fit with room for so many columns, at least doubled, so that a long path does not
    copy it at each point.
    """
    short = room - fit.columns.size
    if short <= 0:
        return fit
    more = max(short, fit.columns.size)
    names = ("columns", "values", "gradient", "step", "search", "product")
    return fit._replace(**{name: np.pad(getattr(fit, name), (0, more)) for name in names})


def nonzeros(fit: Fit) -> tuple[Ints, Floats]:
    """Indices in increasing order and values of the non-zero coefficients."""
    size = int(fit.about["size"][0])
    order = np.argsort(fit.columns[:size])
    indices, values = fit.columns[:size][order], fit.values[:size][order]
    return indices[values != 0], values[values != 0]


@njit(nogil=True, cache=True)
def refresh_residual(design, y, loss, fit, counters):
    """Make the image, the residual and f(a) follow the coefficients; charged."""
    it = fit.about[0]
    image_of(design, fit.columns[: it.size], fit.values[: it.size], fit.image)
    _derive(y, loss, fit)
    for k in range(it.size):
        counters.entries += col_entries(design, fit.columns[k])


@njit(nogil=True, inline="always")
def _derive(y, loss, fit):
    fit.about[0].objective = 0.0
    for i in range(y.size):
        fit.about[0].objective += loss_at(loss, fit.image[i], y[i])
        r = negative_derivative_at(loss, fit.image[i], y[i])
        fit.residual[i] = r
        fit.curvature[i] = curvature_at(loss, fit.image[i], y[i], r)


@njit(nogil=True, cache=True)
def _dots(design, fit, v, out, counters):
    """out_k = x_k'v for the columns of the fit; charged."""
    v_sum = total(v)
    for k in range(fit.about[0].size):
        out[k] = col_dot(design, fit.columns[k], v, v_sum)
        counters.entries += col_entries(design, fit.columns[k])
    counters.dots += fit.about[0].size


@njit(nogil=True, inline="always")
def _times_hessian(design, sqnorms, fit, damping, counters):
    """``product`` = (X'diag(l'') X + damping D) ``search``, D = diag ||x_j||^2; ``toward`` = X
    ``search``, times l''.
    """
    n = fit.about[0].size
    image_of(design, fit.columns[:n], fit.search[:n], fit.toward)
    for i in range(fit.toward.size):
        fit.toward[i] *= fit.curvature[i]
    _dots(design, fit, fit.toward, fit.product, counters)
    for k in range(n):
        fit.product[k] += damping * sqnorms[fit.columns[k]] * fit.search[k]
        counters.entries += col_entries(design, fit.columns[k])


@njit(nogil=True, inline="always")
def _solve(design, sqnorms, fit, tolerance, damping, counters):
    """``step`` = the Newton step for the slopes ``gradient`` = X'r, to a share ``tolerance`` of
    them (Jacobi-preconditioned).
    """
    n = fit.about[0].size
    left, step, search, product = fit.gradient, fit.step, fit.search, fit.product
    step[:n] = 0.0
    energy = 0.0
    for k in range(n):
        search[k] = left[k] / sqnorms[fit.columns[k]]
        energy += left[k] * search[k]
    enough = tolerance * tolerance * energy
    for _ in range(2 * n + 20):
        if energy <= enough or energy <= 0.0:
            break
        _times_hessian(design, sqnorms, fit, damping, counters)
        bent = 0.0
        for k in range(n):
            bent += search[k] * product[k]
        if bent <= 1e-14 * energy:
            # No curvature along it: the columns depend on each other.
            break
        length, before, energy = energy / bent, energy, 0.0
        for k in range(n):
            step[k] += length * search[k]
            left[k] -= length * product[k]
            energy += left[k] * left[k] / sqnorms[fit.columns[k]]
        for k in range(n):
            search[k] = left[k] / sqnorms[fit.columns[k]] + energy / before * search[k]


@njit(nogil=True, cache=True)
def solve_on(design, sqnorms, y, loss, fit, counters):
    """``values`` <- the minimiser of f on ``columns``, whose norms are positive; charged."""
    it, first = fit.about[0], 0.0
    n = it.size
    refresh_residual(design, y, loss, fit, counters)
    for turn in range(_NEWTON_STEPS):
        _dots(design, fit, fit.residual, fit.gradient, counters)
        steepest, descent = 0.0, 0.0
        for k in range(n):
            steepest = max(steepest, fit.gradient[k] ** 2 / sqnorms[fit.columns[k]])
        if steepest <= 2.0 * _SLOPE * _SLOPE * it.reference or (
            is_separable(loss) and it.objective <= _APART * it.reference
        ):
            return
        first = max(first, steepest)
        if is_parabola(loss):
            _solve(design, sqnorms, fit, 1e-10, 0.0, counters)
        else:
            _solve(
                design,
                sqnorms,
                fit,
                min(0.1, np.sqrt(steepest / first)),
                _DAMPING * (total(fit.curvature) / y.size),
                counters,
            )
        image_of(design, fit.columns[:n], fit.step[:n], fit.toward)
        longest = largest_size(fit.toward)
        if is_separable(loss) and longest > _LONGEST:
            multiply(fit.toward, _LONGEST / longest)
            multiply(fit.step[:n], _LONGEST / longest)
        for i in range(y.size):
            descent += fit.residual[i] * fit.toward[i]
        length = (
            minimum_on_segment(loss, y, fit.image, fit.toward, 0.0, 0.0, descent, 1.0)
            if descent > 0.0
            else 0.0
        )
        before = it.objective
        for k in range(n):
            fit.values[k] += length * fit.step[k]
        refresh_residual(design, y, loss, fit, counters)
        if length == 0.0 or (turn > 0 and it.objective >= before):
            return

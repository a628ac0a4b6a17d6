"""Conjugate gradients on the face of the active columns, for the descent on a model.

On a face, where no coefficient changes its sign, the penalised model is a quadratic, whose gradient
is lam * sign(a_k) + r a_k - x_k'v. A step minimises it along a direction (Hestenes & Stiefel 1952,
preconditioned by the curvatures), or ends where the first coefficient becomes zero. v is kept and
the gradient computed from it, so that rounding errors do not add up. The model never grows, hence
no two objectives need be told apart.
"""

from __future__ import annotations

from numba import njit

from fwcore.design import col_axpy, col_dot, col_entries
from fwcore.kernels.dispatch import FAST
from fwcore.kernels.unpenalised import complete, settle
from fwcore.kernels.vectors import add_multiple
from fwcore.losses import is_parabola


@njit(nogil=True, inline="always")
def has_free(loss, free):
    """Whether coefficients have no penalty; a parabola's intercept is in its centred columns."""
    return not is_parabola(loss) and free.coef.size > 0


@njit(nogil=True, inline="always")
def settle_free(loss, engine, run):
    """Minimise the model over the coefficients without a penalty."""
    if has_free(loss, run.free):
        settle(run.free, engine.weights, engine.left)


@njit(nogil=True, inline="always")
def _find_slopes(design, engine, run):
    """The negative gradient on the face, into ``pull``: (the largest, the square of its length in
    the metric of the preconditioner).
    """
    counters, coef, ridge = run.counters[0], engine.coef, run.counters[0].ridge
    lam, largest, square = run.it[0].level, 0.0, 0.0
    for k in range(run.it[0].size):
        if coef[k] == 0.0:
            continue
        slope = col_dot(design, run.columns[k], engine.left, engine.descent[0].left_sum)
        pull = slope - (lam if coef[k] > 0.0 else -lam) - ridge * coef[k]
        engine.slope[k], engine.pull[k] = slope, pull
        largest = max(largest, abs(pull))
        square += pull * pull / (engine.curvature[k] + ridge)
        counters.dots += 1
        counters.entries += col_entries(design, run.columns[k])
    return largest, square


@njit(nogil=True, inline="always")
def _turn(design, engine, run, share):
    """The next direction, which keeps a ``share`` of the last, and X times it, into ``change``:
    (its slope, the ridge's part of its curvature, by how much the sum of the change is off).
    """
    counters, coef, direction = run.counters[0], engine.coef, engine.direction
    slope, square, change_sum = 0.0, 0.0, 0.0
    engine.change[:] = 0.0
    for k in range(run.it[0].size):
        if coef[k] == 0.0:
            direction[k] = 0.0
            continue
        kept = share * direction[k] if share > 0.0 else 0.0
        direction[k] = engine.pull[k] / (engine.curvature[k] + counters.ridge) + kept
        slope += direction[k] * engine.pull[k]
        square += direction[k] * direction[k]
        change_sum += col_axpy(design, run.columns[k], direction[k], engine.change)
        counters.entries += col_entries(design, run.columns[k])
    return slope, counters.ridge * square, change_sum


@njit(nogil=True, cache=True, fastmath=FAST)
def _curvature(change, weights, mean):
    """sum_i w_i (c_i - mean)^2 for the ``change`` c of X a; the mean is that of a parabola."""
    square = 0.0
    for i in range(change.size):
        square += weights[i] * (change[i] - mean) * (change[i] - mean)
    return square


@njit(nogil=True, inline="always")
def _follow(loss, engine, change_sum, step):
    """v after ``step`` times the change."""
    engine.descent[0].work += 4 * engine.left.size
    if is_parabola(loss):
        add_multiple(engine.left, -step, engine.change)
        engine.descent[0].left_sum -= step * change_sum
        return
    for i in range(engine.left.size):
        engine.left[i] -= step * engine.weights[i] * engine.change[i]


@njit(nogil=True, cache=True)
def _move(coef, direction, step):
    """Go ``step`` times the direction, or to where the first coefficient becomes zero: (how far,
    whether one did).
    """
    first = -1
    for k in range(coef.size):
        if coef[k] * (coef[k] + step * direction[k]) <= 0.0 and direction[k] != 0.0:
            step, first = -coef[k] / direction[k], k
    add_multiple(coef, step, direction)
    if first >= 0:
        coef[first] = 0.0
    return step, first >= 0


@njit(nogil=True, cache=True)
def descend_on_face(design, loss, engine, run, enough, steps):
    """Up to ``steps`` steps, while some slope of an active column is off by more than ``enough``
    and no coefficient becomes zero.
    """
    size, before = run.it[0].size, 0.0
    settle_free(loss, engine, run)
    for _ in range(steps):
        largest, square = _find_slopes(design, engine, run)
        if largest <= enough:
            break
        slope, curvature, change_sum = _turn(
            design, engine, run, square / before if before > 0.0 else 0.0
        )
        before, mean = square, 0.0
        if is_parabola(loss):
            mean = change_sum / engine.change.size
        elif has_free(loss, run.free):
            complete(run.free, engine.weights, engine.left, engine.change)
        curvature += _curvature(engine.change, engine.weights, mean)
        if not (slope > 0.0 and curvature > 0.0):
            break
        step, ended = _move(engine.coef[:size], engine.direction[:size], slope / curvature)
        _follow(loss, engine, change_sum, step)
        if ended:
            break

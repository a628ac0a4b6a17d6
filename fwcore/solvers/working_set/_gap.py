"""The duality gap of a run, by a bound on the steepness of all columns.

A bound holds as long as the coefficients do, whatever the point: where the last point ended, the
next may have ended as well. Paths of small gaps need no more points than that (Giesen, Jaggi & Laue
2012; Mairal & Yu 2012).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import col_dot, col_entries
from fwcore.kernels.dispatch import FAST
from fwcore.kernels.duality_gap import penalty_gap, shrink_of, squared_penalty_gap
from fwcore.kernels.steepness import steepness
from fwcore.kernels.unpenalised import slope_along
from fwcore.kernels.vectors import dot, total
from fwcore.losses import curvature_bound_at, is_parabola


@njit(nogil=True, cache=True)
def gap_of(y, loss, it, counters, fit, steepest):
    """The gap of the form where no column is steeper than ``steepest``; ``fit`` is what has no
    penalty, the image and the residual of a run.
    """
    value, quadratic = counters.value, counters.ridge * it.square
    if is_parabola(loss):
        square = 2.0 * it.loss + quadratic
        if it.ball:
            return square - it.product + value * steepest
        return squared_penalty_gap(square, it.product, value, it.l1, steepest) + it.lost
    free, image, residual = fit
    along = slope_along(free, residual)
    if it.ball:
        return quadratic + along - dot(image, residual) + value * steepest
    objective, y_sum = it.loss + 0.5 * quadratic, 0.0
    gap = penalty_gap(loss, y, residual, y_sum, y_sum, objective, value, it.l1, steepest, quadratic)
    return gap + shrink_of(value, steepest) * along + it.lost


@njit(nogil=True, cache=True)
def gap_at_once(y, loss, it, counters, fit):
    """The gap of the point that was opened, before its first round; infinite where it does not
    matter, or the coefficients are not in the ball.
    """
    if counters.gap_at_most < 0.0 or (it.ball and it.l1 > counters.value):
        return np.inf
    if not (is_parabola(loss) or it.ball):
        shrink = shrink_of(counters.value, it.steepest)
        if _least_gap(y, loss, it, counters, fit, shrink) > counters.gap_at_most:
            return np.inf
    return gap_of(y, loss, it, counters, fit, it.steepest)


@njit(nogil=True, cache=True, fastmath=FAST)
def _least_gap(y, loss, it, counters, fit, shrink):
    """Below the gap of the penalised form at s R, at no logarithm a sample. Where l'' <= L the
    conjugate of l is 1 / L-strongly convex around -R, where its slope is X a, so that

        f(a) + f*(-s R) >= -s R'X a + (1 - s)^2 / 2 sum_i R_i^2 / L_i.
    """
    _, image, residual = fit
    product, square = 0.0, 0.0
    for i in range(y.size):
        product += residual[i] * image[i]
        square += residual[i] * residual[i] / curvature_bound_at(loss, y[i])
    apart = 0.5 * (1.0 - shrink) * (1.0 - shrink) * square
    ridge = 0.5 * (1.0 + shrink * shrink) * counters.ridge * it.square
    return counters.value * it.l1 - shrink * product + apart + ridge


@njit(nogil=True, cache=True)
def steepest_inside(design, run):
    """Of an elastic net: the steepest column of the working set."""
    counters, size, steepest = run.counters[0], run.it[0].size, 0.0
    columns, coef, residual = run.columns, run.engine.coef, run.residual
    residual_sum = total(residual)
    for k in range(size):
        slope = col_dot(design, columns[k], residual, residual_sum)
        counters.dots += 1
        counters.entries += col_entries(design, columns[k])
        steepest = max(steepest, steepness(counters.ridge * coef[k] - slope, counters.positive))
    return steepest

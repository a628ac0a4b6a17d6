"""Duality gaps as methods see them, inside their kernels.

What is compared comes from the judge, whose gap in `fwcore.judging` shares no code with the methods
that it judges.
"""

from __future__ import annotations

from numba import njit

from fwcore.losses import dual_of


@njit(nogil=True, inline="always")
def shrink_of(lam, steepest):
    """By what R is multiplied, to be feasible in the dual."""
    return min(1.0, lam / steepest) if steepest > 0.0 else 1.0


@njit(nogil=True, cache=True)
def penalty_gap(loss, y, residual, residual_sum, y_sum, objective, lam, l1, steepest, quadratic):
    """Duality gap, as `fwcore.problem.duality_gap`; ``residual`` is the stored part of R."""
    shrink = shrink_of(lam, steepest)
    dual = dual_of(loss, residual, (residual_sum - y_sum) / y.size, y, shrink)
    return objective + lam * l1 - dual + 0.5 * shrink * shrink * quadratic


@njit(nogil=True, cache=True)
def squared_penalty_gap(square, product, lam, l1, steepest):
    """The same for the squared loss, from ``square`` = ||R||^2 + r ||a||^2 and ``product`` = R'y,
    at no cost per sample.
    """
    shrink = shrink_of(lam, steepest)
    return 0.5 * square + lam * l1 - shrink * product + 0.5 * shrink * shrink * square

"""Coefficients without a penalty: those of an intercept, and of columns that are free.

Their columns are given by an orthonormal basis Z of what they span, one vector a row, so that a
combination of them is Z'c.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.types import Floats
from fwcore.kernels.vectors import add_multiple, copy_into, dot, largest_size, total_size
from fwcore.losses import curvature_at, loss_and_residual

# So many steps, and no share of one that is larger.
_STEPS, _LONGEST = 100, 1e20
# Slopes of so small a share of their terms are rounding errors of their sums.
_EXACT = 1e-15
# What is added to curvatures, as a share of the slopes: those of Huber's loss may all be 0, and
# weights may differ by many orders.
_FLAT = 1e-9
# A step is long enough where it leaves at most this share of the slope along it.
_LEFT = 0.5
_SUFFICIENT, _ROUNDING = 1e-4, 1e-14


class _FreeArrays(NamedTuple):
    """What kernels read."""

    basis: Floats
    coef: Floats
    step: Floats
    factor: Floats


class Free(_FreeArrays):
    """``basis`` Z (k, m); ``coef`` (k,) of the best combination found last; ``step`` (k,), what is
    solved for; ``factor`` (k, k), the Cholesky factor of Z W Z' with the weights W of a model.
    """

    __slots__ = ()

    @classmethod
    def of(cls, basis: Floats, combination: Floats) -> Free:
        """Those with this basis, at this ``combination`` (m,)."""
        k = basis.shape[0]
        return cls(basis, basis @ combination, np.zeros(k), np.zeros((k, k)))


@njit(nogil=True, cache=True, fastmath=FAST)
def _weighted_dot(weights, v, w):
    result = 0.0
    for i in range(v.size):
        result += weights[i] * v[i] * w[i]
    return result


@njit(nogil=True, cache=True)
def weigh(free, weights, ridge):
    """Factor Z W Z' + ridge I, for the ``weights`` (m,) of a model."""
    L = free.factor
    for a in range(free.step.size):
        for b in range(a + 1):
            left = _weighted_dot(weights, free.basis[a], free.basis[b])
            left += ridge if a == b else 0.0
            for c in range(b):
                left -= L[a, c] * L[b, c]
            L[a, b] = np.sqrt(left) if a == b else left / L[b, b]


@njit(nogil=True, cache=True)
def _solve(free):
    L, x = free.factor, free.step
    for a in range(x.size):
        for b in range(a):
            x[a] -= L[a, b] * x[b]
        x[a] /= L[a, a]
    for a in range(x.size - 1, -1, -1):
        x[a] /= L[a, a]
        for b in range(a):
            x[b] -= L[a, b] * x[a]


@njit(nogil=True, cache=True)
def _combine(free, share, out):
    """out <- out + share * Z'step."""
    for a in range(free.step.size):
        add_multiple(out, share * free.step[a], free.basis[a])


@njit(nogil=True, cache=True)
def settle(free, weights, left):
    """Minimise a model over the combination: ``left`` (m,), its R - W z, is orthogonal to it."""
    for a in range(free.step.size):
        free.step[a] = dot(free.basis[a], left)
    _solve(free)
    for a in range(free.step.size):
        for i in range(left.size):
            left[i] -= free.step[a] * weights[i] * free.basis[a, i]


@njit(nogil=True, cache=True)
def complete(free, weights, residual, change):
    """Add to a ``change`` (m,) of the image the combination for which R - W change is orthogonal to
    Z. Where R is so already, the change becomes orthogonal to Z in the metric W.
    """
    for a in range(free.step.size):
        free.step[a] = dot(free.basis[a], residual)
        free.step[a] -= _weighted_dot(weights, free.basis[a], change)
    _solve(free)
    _combine(free, 1.0, change)


@njit(nogil=True, cache=True)
def slope_along(free, residual):
    """The best combination found last, times R: 0 but for rounding error."""
    along = 0.0
    for a in range(free.coef.size):
        along += free.coef[a] * dot(free.basis[a], residual)
    return along


@njit(nogil=True, cache=True)
def _go_along(loss, y, fit, change, slope, value):
    """Take the image of ``fit``, and the residual with it, along the ``change`` to where the slope,
    now ``slope``, is about 0: the share of the change, and the loss, now ``value``; 0, and the
    image as it was, where rounding error does not let that be told. Near the minimum slopes alone
    tell; far from it, the loss must not be larger beyond the point where the slope is 0.
    """
    image, residual, there = fit
    low, high, share = 0.0, np.inf, 1.0
    moved, reach = largest_size(change), largest_size(image)
    while (high - low) * moved > _EXACT * reach and share < _LONGEST:
        copy_into(image, there)
        add_multiple(there, share, change)
        reached, left = loss_and_residual(loss, there, y, residual), dot(residual, change)
        fell = left >= 0.0 or reached <= value - _SUFFICIENT * share * slope + _ROUNDING * value
        if fell and abs(left) <= _LEFT * slope:
            copy_into(there, image)
            return share, reached
        if left > 0.0:
            low = share
        else:
            high = share
        share = 2.0 * low if high == np.inf else 0.5 * (low + high)
    return 0.0, value


@njit(nogil=True, cache=True)
def add_best(loss, y, free, image):
    """Add to X a in ``image`` (m,) the combination for which sum_i l(u_i, y_i) is least: Newton's
    steps from that found last, as long as the slope along them falls.
    """
    m, k = y.size, free.coef.size
    residual, weights, change = np.empty(m), np.empty(m), np.empty(m)
    fit = image, residual, np.empty(m)
    for a in range(k):
        add_multiple(image, free.coef[a], free.basis[a])
    value = loss_and_residual(loss, image, y, residual)
    for _ in range(_STEPS):
        off, size = 0.0, total_size(residual)
        for a in range(k):
            off = max(off, abs(dot(free.basis[a], residual)))
        if off <= _EXACT * size:
            break
        for i in range(m):
            weights[i] = curvature_at(loss, image[i], y[i], residual[i])
            change[i] = 0.0
        weigh(free, weights, _FLAT * size)
        complete(free, weights, residual, change)
        share, value = _go_along(loss, y, fit, change, dot(residual, change), value)
        if share == 0.0:
            break
        add_multiple(free.coef, share, free.step)

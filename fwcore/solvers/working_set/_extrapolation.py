"""Anderson extrapolation of coordinate descent (Bertrand & Massias 2021): the combination of the
last iterates whose change is shortest.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.elimination import eliminate
from fwcore.kernels.vectors import copy_into, total

MEMORY = 5
"""Changes that an extrapolation combines."""


@njit(nogil=True, cache=True, fastmath=FAST)
def _penalised(square, coef, lam, ridge):
    """Half of ``square``, and what the coefficients are charged."""
    l1, squares = 0.0, 0.0
    for k in range(coef.size):
        l1 += abs(coef[k])
        squares += coef[k] * coef[k]
    return 0.5 * (square + ridge * squares) + lam * l1


@njit(nogil=True, cache=True, fastmath=FAST)
def _weighted_length(left, weights, ones):
    """sum_i (v_i + ones)^2 / w_i: twice the model, up to a constant."""
    square = 0.0
    for i in range(left.size):
        square += (left[i] + ones) * (left[i] + ones) / weights[i]
    return square


@njit(nogil=True, cache=True, fastmath=FAST)
def shares(coefs, size):
    """Coefficients (5,), which add up to 1, of the shortest combination of the changes; those of
    the last iterate where there is none.
    """
    gram, x = np.zeros((MEMORY, MEMORY)), np.ones(MEMORY)
    for a in range(MEMORY):
        for b in range(a + 1):
            product = 0.0
            for k in range(size):
                product += (coefs[a + 1, k] - coefs[a, k]) * (coefs[b + 1, k] - coefs[b, k])
            gram[a, b], gram[b, a] = product, product
    size_of_one = gram[0, 0]
    for a in range(MEMORY):
        gram[a, a] += 1e-10 * size_of_one + 1e-300
    eliminate(gram, x)
    whole = total(x)
    for a in range(MEMORY):
        x[a] = x[a] / whole if abs(whole) * size_of_one > 1e-12 else 1.0 * (a == MEMORY - 1)
    return x


@njit(nogil=True, cache=True, fastmath=FAST)
def _combined(shares, parts, out):
    """out = sum_a shares_a parts_{a + 1}; the least of it."""
    least = 0.0
    for k in range(out.size):
        value = 0.0
        for a in range(MEMORY):
            value += shares[a] * parts[a + 1, k]
        out[k] = value
        least = min(least, value)
    return least


@njit(nogil=True, inline="always")
def _extrapolate(engine, run):
    """Go to the combination of the last cycles, where it is allowed and lowers the model."""
    counters, it, coef = run.counters[0], engine.descent[0], engine.coef[: run.it[0].size]
    lam, ridge, weights = run.it[0].level, counters.ridge, engine.weights
    ones = (it.first_sum - it.left_sum) / weights.size
    present = _penalised(_weighted_length(engine.left, weights, ones), coef, lam, ridge)
    parts, left, left_sum = shares(engine.coefs, coef.size), engine.lefts[0], 0.0
    for a in range(MEMORY):
        left_sum += parts[a] * engine.sums[a + 1]
    _combined(parts, engine.lefts, left)
    least = _combined(parts, engine.coefs, coef)
    ones = (it.first_sum - left_sum) / weights.size
    better = _penalised(_weighted_length(left, weights, ones), coef, lam, ridge) < present
    if better and (least >= 0.0 or not counters.positive):
        copy_into(left, engine.left)
        it.left_sum = left_sum
    else:
        copy_into(engine.coefs[MEMORY, : coef.size], coef)


@njit(nogil=True, cache=True)
def remember(engine, run):
    """Keep what a cycle left behind; extrapolate where enough is there."""
    it, size = engine.descent[0], run.it[0].size
    it.work += MEMORY * (engine.left.size + size)
    copy_into(engine.coef[:size], engine.coefs[it.kept])
    copy_into(engine.left, engine.lefts[it.kept])
    engine.sums[it.kept] = it.left_sum
    it.kept += 1
    if it.kept > MEMORY:
        _extrapolate(engine, run)
        it.kept = 0

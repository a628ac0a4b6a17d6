"""Anderson extrapolation of coordinate descent (Bertrand & Massias 2021): the combination of the
last iterates whose change is shortest.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.elimination import eliminate
from fwcore.kernels.vectors import total

MEMORY = 5
"""Changes that an extrapolation combines."""


@njit(nogil=True, cache=True, fastmath=FAST)
def penalised(square, coef, lam, ridge):
    """Half of ``square``, and what the coefficients are charged."""
    l1, squares = 0.0, 0.0
    for k in range(coef.size):
        l1 += abs(coef[k])
        squares += coef[k] * coef[k]
    return 0.5 * (square + ridge * squares) + lam * l1


@njit(nogil=True, cache=True, fastmath=FAST)
def weighted_length(left, weights, ones):
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
def combined(shares, parts, out):
    """out = sum_a shares_a parts_{a + 1}; the least of it."""
    least = 0.0
    for k in range(out.size):
        value = 0.0
        for a in range(MEMORY):
            value += shares[a] * parts[a + 1, k]
        out[k] = value
        least = min(least, value)
    return least

"""The intercept that is best for given predictions."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.losses import curvature_at, negative_derivative_at

_STEPS = 200
_EXACT = 1e-15


@njit(nogil=True, cache=True)
def best_shift(loss, y, image, start):
    """The b for which sum_i l(u_i + b, y_i) is least, u of shape (m,): Newton's steps from
    ``start``, halved into what brackets the root of the derivative.
    """
    b, low, high, length = start, -np.inf, np.inf, 1.0
    for _ in range(_STEPS):
        descent, curvature = 0.0, 0.0
        for i in range(y.size):
            r = negative_derivative_at(loss, image[i] + b, y[i])
            descent += r
            curvature += curvature_at(loss, image[i] + b, y[i], r)
        low, high = (b, high) if descent > 0.0 else (low, b)
        new = b + descent / curvature if curvature > 0.0 else np.inf
        if not low < new < high:
            length *= 2.0
            new = 0.5 * (low + high) if high - low < np.inf else b + np.sign(descent) * length
        if descent == 0.0 or abs(new - b) <= _EXACT * max(1.0, abs(b)):
            break
        b = new
    return b

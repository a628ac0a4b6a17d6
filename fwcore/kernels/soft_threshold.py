"""The proximal step of the l1 norm in one coordinate."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, inline="always")
def soft_threshold(v, threshold, positive):
    """argmin_u 1/2 (u - v)^2 + threshold abs(u), subject to u >= 0 with ``positive``."""
    return max(v - threshold, 0.0) if positive else np.sign(v) * max(abs(v) - threshold, 0.0)

"""How steeply f falls along a column: what oracles compare."""

from __future__ import annotations

from numba import njit


@njit(nogil=True, inline="always")
def steepness(gradient, positive):
    """abs(gradient), of either sign; max(0, -gradient) where only a_j >= 0 is allowed."""
    if positive:
        return -gradient if gradient < 0.0 else 0.0
    return abs(gradient)

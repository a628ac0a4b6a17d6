"""Products with columns where samples have weights; of designs that are not centred."""

from __future__ import annotations

from numba import njit

from fwcore.design.primitives import col_entries, col_row, col_value
from fwcore.kernels.dispatch import FAST, compiled_only, otherwise


@njit(nogil=True, cache=True, fastmath=FAST)
def weighted_square(design, j, weights):
    """sum_i w_i z_ij^2 for ``weights`` (m,)."""
    total = 0.0
    for k in range(col_entries(design, j)):
        value = col_value(design, j, k)
        total += weights[col_row(design, j, k)] * value * value
    return design.scale[j] * design.scale[j] * total


def weighted_axpy(design, j, c, weights, v):
    """Add c * w_i * z_ij to every ``v_i``; ``weights`` and ``v`` (m,)."""
    raise compiled_only("weighted_axpy")


@otherwise(weighted_axpy)
def _weighted_axpy(design, j, c, weights, v):
    c = c * design.scale[j]
    for k in range(col_entries(design, j)):
        i = col_row(design, j, k)
        v[i] += c * weights[i] * col_value(design, j, k)

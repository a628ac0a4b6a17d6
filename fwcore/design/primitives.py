"""The primitives; each storage adds its own implementation, picked by type when a kernel is compiled."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.dispatch import FAST, compiled_only

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]


def col_dot(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    """z_j' w for an image w whose stored part is ``v`` (m,) with sum ``v_sum``."""
    raise compiled_only("col_dot")


def col_axpy(design, j, c, v):  # type: ignore[no-untyped-def]
    """Add c * scale_j * x_j to ``v`` (m,) in place; return by how much the sum of v grows if offset_j is the mean of x_j."""
    raise compiled_only("col_axpy")


def col_entries(design, j):  # type: ignore[no-untyped-def]
    """Entries of column j that a dot product touches."""
    raise compiled_only("col_entries")


def col_row(design, j, k):  # type: ignore[no-untyped-def]
    """Row of the k-th of the `col_entries` entries of column j."""
    raise compiled_only("col_row")


def col_moments(design, j):  # type: ignore[no-untyped-def]
    """Mean of the stored column x_j, and l2 norm of x_j minus its mean."""
    raise compiled_only("col_moments")


def col_place(design, j):  # type: ignore[no-untyped-def]
    """Ask memory for what says where column j is, so that `col_fetch` finds it a few columns later."""
    raise compiled_only("col_place")


def col_fetch(design, j):  # type: ignore[no-untyped-def]
    """Ask memory for the beginning of column j."""
    raise compiled_only("col_fetch")


@njit(nogil=True, cache=True, fastmath=FAST)
def moments(column):  # type: ignore[no-untyped-def]
    """Mean of a vector, and l2 norm of it minus its mean."""
    mean, square = 0.0, 0.0
    for i in range(column.size):
        mean += column[i]
    mean /= column.size
    for i in range(column.size):
        square += (column[i] - mean) ** 2
    return mean, np.sqrt(square)


def range_dots(design, v, v_sum, first, out):  # type: ignore[no-untyped-def]
    """out_k = col_dot(design, first + k, v, v_sum) for every k; the same bits however the columns are split into ranges."""
    raise compiled_only("range_dots")

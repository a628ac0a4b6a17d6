"""Whole vectors, as loops.

Kernels write these instead of ``v[:] = w``, ``v[indices]`` or ``v.sum()``: numba compiles axes,
dtypes and a formatter of error messages into every such expression, which takes longer than the
rest of a small kernel.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import FAST


@njit(nogil=True, cache=True)
def copy_into(v, out):
    """out <- v, both of shape (n,)."""
    for i in range(v.size):
        out[i] = v[i]


@njit(nogil=True, cache=True)
def add_constant(v, constant):
    """v <- v + constant * (1, ..., 1)."""
    for i in range(v.size):
        v[i] += constant


@njit(nogil=True, cache=True)
def add_multiple(v, factor, other):
    """v <- v + factor * other, both of shape (n,)."""
    for i in range(v.size):
        v[i] += factor * other[i]


@njit(nogil=True, cache=True)
def multiply(v, factor):
    """v <- factor * v."""
    for i in range(v.size):
        v[i] *= factor


@njit(nogil=True, cache=True)
def multiply_by(v, other):
    """v <- v * other, both of shape (n,), entry by entry."""
    for i in range(v.size):
        v[i] *= other[i]


@njit(nogil=True, cache=True)
def total(v):
    """sum v_i."""
    result = 0.0
    for i in range(v.size):
        result += v[i]
    return result


@njit(nogil=True, cache=True, fastmath=FAST)
def dot(v, w):
    """sum v_i w_i, both of shape (n,)."""
    result = 0.0
    for i in range(v.size):
        result += v[i] * w[i]
    return result


@njit(nogil=True, cache=True)
def total_size(v):
    """sum abs(v_i)."""
    result = 0.0
    for i in range(v.size):
        result += abs(v[i])
    return result


@njit(nogil=True, cache=True)
def total_square(v):
    """sum v_i^2."""
    result = 0.0
    for i in range(v.size):
        result += v[i] * v[i]
    return result


@njit(nogil=True, cache=True)
def largest_size(v):
    """max abs(v_i), 0 of nothing."""
    result = 0.0
    for i in range(v.size):
        result = max(result, abs(v[i]))
    return result


@njit(nogil=True, cache=True)
def take(v, indices):
    """v_i for the ``indices`` i, in their order."""
    result = np.empty(indices.size)
    for k in range(indices.size):
        result[k] = v[indices[k]]
    return result


@njit(nogil=True, cache=True)
def nonzeros(v):
    """The indices of the entries that are not 0, in increasing order."""
    count = 0
    for i in range(v.size):
        count += v[i] != 0.0
    indices = np.empty(count, np.int64)
    count = 0
    for i in range(v.size):
        if v[i] != 0.0:
            indices[count] = i
            count += 1
    return indices

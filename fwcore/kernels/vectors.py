"""Whole vectors changed in place, as loops.

Kernels write these instead of ``v[:] = w``: numba compiles a formatter of error messages into
every such assignment of an array, which takes longer than the rest of a small kernel.
"""

from __future__ import annotations

from numba import njit


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

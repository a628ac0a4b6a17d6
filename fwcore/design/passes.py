"""Passes over many columns, and over all of them by several threads."""

from __future__ import annotations

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import Any

from numba import njit

from fwcore.design.prefetch import AHEAD, FAR, REACH
from fwcore.design.primitives import (
    col_axpy,
    col_dot,
    col_entries,
    col_fetch,
    col_moments,
    col_place,
    col_reach,
    col_value,
    range_above,
    range_dots,
    support_dots,
)
from fwcore.kernels.dispatch import otherwise
from fwcore.kernels.types import Floats

_spent = threading.local()


@njit(nogil=True, cache=True)
def column_moments(design, mean, norm):
    """Fill ``mean`` (p,) and ``norm`` (p,): mean and centred l2 norm of every stored column."""
    for j in range(mean.size):
        mean[j], norm[j] = col_moments(design, j)


@njit(nogil=True, cache=True)
def all_dots(design, v, v_sum, out):
    """The full pass by one thread: out_j = z_j' w for every column, ``out`` of shape (p,)."""
    range_dots(design, v, v_sum, 0, out)


@njit(nogil=True, cache=True)
def _range(design, v, v_sum, first, least, out):
    range_above(design, v, v_sum, first, least, out)


@njit(nogil=True, cache=True)
def some_dots(design, columns, v, v_sum, out):
    """out_k = z_j' w for the columns j = columns_k; returns the entries touched."""
    entries, far = 0, v.size >= FAR
    for k in range(columns.size):
        if k + 2 * AHEAD < columns.size:
            col_place(design, columns[k + 2 * AHEAD])
        if k + AHEAD < columns.size:
            col_fetch(design, columns[k + AHEAD])
        if far and k + REACH < columns.size:
            col_reach(design, columns[k + REACH], v)
        out[k] = col_dot(design, columns[k], v, v_sum)
        entries += col_entries(design, columns[k])
    return entries


@otherwise(support_dots)
def _support_dots(design, support, coef, image, image_sum, out):
    return some_dots(design, support, image, image_sum, out)


@njit(nogil=True, cache=True)
def combine(design, indices, coefficients, out):
    """out (m,) = stored part of sum_k coefficients_k z_{indices_k}; return the multiple of ones
    left out (to be added).
    """
    out[:] = 0.0
    ones = 0.0
    for k in range(indices.size):
        j = indices[k]
        col_axpy(design, j, coefficients[k], out)
        ones -= coefficients[k] * design.scale[j] * design.offset[j]
    return ones


@njit(nogil=True, cache=True)
def largest_entry(design, m, p):
    """max abs(z_ij) of the design as solvers see it."""
    largest = 0.0
    for j in range(p):
        stored = col_entries(design, j)
        size = abs(design.offset[j]) if stored < m else 0.0
        for k in range(stored):
            size = max(size, abs(col_value(design, j, k) - design.offset[j]))
        largest = max(largest, abs(design.scale[j]) * size)
    return largest


@njit(nogil=True, cache=True)
def image_of(design, indices, coefficients, out):
    """out (m,) = sum_k coefficients_k z_{indices_k}, the multiple of ones included."""
    ones = combine(design, indices, coefficients, out)
    for i in range(out.size):
        out[i] += ones


LONG_PASS = 1 << 26
"""Entries from which a pass is worth a second thread."""


def full_pass(
    design: Any,
    v: Floats,
    v_sum: float,
    out: Floats,
    threads: int | None = None,
    least: float = 0.0,
) -> None:
    """out_j = z_j' w for every column, the columns split into ranges among ``threads`` threads, by
    default two where there are more than `LONG_PASS` entries; the same bits for any number.

    A 0 stands for what is smaller than ``least``, if that is known for less. What the other threads
    spend is charged to the calling one, see `cpu_seconds`.
    """
    if threads is None:
        threads = 2 if design.entries > LONG_PASS else 1
    edges = design.cuts(threads)
    helpers = [
        _pool().submit(_timed_range, design, v, v_sum, a, least, out[a:b])
        for a, b in pairwise(edges[1:])
    ]
    _range(design, v, v_sum, 0, least, out[: edges[1]])
    _spent.seconds = getattr(_spent, "seconds", 0.0) + sum(helper.result() for helper in helpers)


def _timed_range(
    design: Any, v: Floats, v_sum: float, first: int, least: float, out: Floats
) -> float:
    begun = time.thread_time()
    _range(design, v, v_sum, first, least, out)
    return time.thread_time() - begun


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=os.cpu_count(), thread_name_prefix="fwcore-pass")


def cpu_seconds() -> float:
    """CPU seconds of this thread and of those that helped it."""
    return time.thread_time() + float(getattr(_spent, "seconds", 0.0))

"""Passes over many columns, and over all of them by several threads."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from fwcore.design.mapped import bounded, turns
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
    column_dots,
    range_dots,
    single_dots,
    support_dots,
)
from fwcore.kernels.dispatch import otherwise
from fwcore.kernels.types import Floats

_spent = threading.local()


def column_moments(design: Any) -> tuple[Floats, Floats]:
    """Mean and centred l2 norm (p,) of every stored column."""
    if (known := getattr(design, "moments", None)) is not None:
        mean, norm = known()
        return mean, norm
    _, p = design.shape
    mean, norm = np.empty(p), np.empty(p)
    for a, b in turns(design, 1):
        _moments(design, a, mean[a:b], norm[a:b])
    return mean, norm


@njit(nogil=True, cache=True)
def _moments(design, first, mean, norm):
    for k in range(mean.size):
        mean[k], norm[k] = col_moments(design, first + k)


@njit(nogil=True, cache=True)
def all_dots(design, v, v_sum, out):
    """The full pass by one thread: out_j = z_j' w for every column, ``out`` of shape (p,)."""
    range_dots(design, v, v_sum, 0, out)


@njit(nogil=True, cache=True)
def _range(design, v, v_sum, first, out):
    range_dots(design, v, v_sum, first, out)


@njit(nogil=True, cache=True)
def _single_range(design, v, v_sum, first, out):
    single_dots(design, v, v_sum, first, out)


@njit(nogil=True, cache=True)
def some_dots(design, columns, v, v_sum, out):
    """out_k = z_j' w for the columns j = columns_k; returns the entries touched."""
    return column_dots(design, columns, v, v_sum, out)


@otherwise(column_dots)
def _column_dots(design, columns, v, v_sum, out):
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


_LONG_PASS = 1 << 26


def full_pass(design: Any, v: Floats, v_sum: float, out: Any, threads: int | None = None) -> None:
    """out_j = z_j' w for every column, the columns split into ranges among ``threads`` threads, by
    default two where there are more than 67 million entries; the same bits for any number. Into
    float32 it is one of `single_dots`.

    What the other threads spend is charged to the calling one, see `cpu_seconds`.
    """
    threads = threads_for(design, threads)
    part = _single_range if out.dtype == np.float32 else _range
    for edges in turns(design, threads):
        shared([partial(part, design, v, v_sum, a, out[a:b]) for a, b in pairwise(edges)])


def in_one_part(design: Any, threads: int) -> bool:
    """Whether a pass is a single range of columns."""
    return threads == 1 and not bounded(design)


def threads_for(design: Any, threads: int | None) -> int:
    """``threads``; where there are none given, two if a pass is long."""
    if threads is not None:
        return threads
    return 2 if design.entries > _LONG_PASS else 1


def shared(parts: Sequence[Callable[[], Any]]) -> list[Any]:
    """What the parts of a pass return, the first called by this thread, the others by helpers,
    whose time is charged to this thread.
    """
    helpers = [_pool().submit(_timed, part) for part in parts[1:]]
    found = [parts[0]()]
    for helper in helpers:
        seconds, result = helper.result()
        _spent.seconds = getattr(_spent, "seconds", 0.0) + seconds
        found.append(result)
    return found


def _timed(part: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.thread_time()
    result = part()
    return time.thread_time() - begun, result


@lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=os.cpu_count(), thread_name_prefix="fwcore-pass")


if hasattr(os, "register_at_fork"):
    # A forked process has the pool, and none of its threads.
    os.register_at_fork(after_in_child=_pool.cache_clear)


def cpu_seconds() -> float:
    """CPU seconds of this thread and of those that helped it."""
    return time.thread_time() + float(getattr(_spent, "seconds", 0.0))

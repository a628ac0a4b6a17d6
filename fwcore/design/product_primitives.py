"""The primitives on products: columns made on the fly."""

from __future__ import annotations

import numpy as np
from numba import njit
from numba.extending import overload

from fwcore.design.prefetch import prefetch
from fwcore.design.primitives import (
    COMPILED,
    FAST,
    col_axpy,
    col_dot,
    col_entries,
    col_fetch,
    col_moments,
    col_place,
    range_dots,
    stored_as,
)
from fwcore.design.products import PADDING, Products


@njit(nogil=True, cache=True, fastmath=FAST)
def _entry(base, factors, j, i):  # type: ignore[no-untyped-def]
    """Row i of the stored column j."""
    product = base[factors[j, 0], i]
    for k in range(1, factors.shape[1]):
        product *= base[factors[j, k], i]
    return product


# Rows of the base are whole multiples of PADDING; loops that say so need no remainder, and vectorise better.


@njit(nogil=True, cache=True, fastmath=FAST)
def _four_dots(base, prefix, a, b, c, d):  # type: ignore[no-untyped-def]
    """prefix'base_f for four rows f, with each entry of the prefix loaded once."""
    dot_a, dot_b, dot_c, dot_d = 0.0, 0.0, 0.0, 0.0
    for i in range(prefix.size // PADDING * PADDING):
        w = prefix[i]
        dot_a += w * base[a, i]
        dot_b += w * base[b, i]
        dot_c += w * base[c, i]
        dot_d += w * base[d, i]
    return dot_a, dot_b, dot_c, dot_d


@njit(nogil=True, cache=True, fastmath=FAST)
def _one_dot(base, prefix, f):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(prefix.size // PADDING * PADDING):
        total += prefix[i] * base[f, i]
    return total


@njit(nogil=True, cache=True, fastmath=FAST)
def _stack_prefix(base, factors, j, shared, stack):  # type: ignore[no-untyped-def]
    """stack_k = w times the first k factors of column j; the first ``shared`` products are there already."""
    for k in range(shared, factors.shape[1] - 1):
        f = factors[j, k]
        for i in range(base.shape[1] // PADDING * PADDING):
            stack[k + 1, i] = stack[k, i] * base[f, i]


@njit(nogil=True, cache=True, fastmath=FAST)
def _walk(design, v, v_sum, first, out):  # type: ignore[no-untyped-def]
    """out_k = z_{first + k}' w for a range of columns, prefix by prefix."""
    base, factors, starts, last = design.base, design.factors, design.starts, design.factors.shape[1] - 1
    stack = np.zeros((last + 1, base.shape[1]))
    stack[0, : v.size] = v
    prefix = stack[last]
    group = np.searchsorted(starts, first, side="right") - 1
    j, stop = first, first + out.size
    while j < stop:
        shared = 0
        while j > first and shared < last and factors[j, shared] == factors[j - 1, shared]:
            shared += 1
        _stack_prefix(base, factors, j, shared, stack)
        group += 1
        end = min(stop, starts[group])
        while j + 4 <= end:
            k = j - first
            a, b, c, d = factors[j, last], factors[j + 1, last], factors[j + 2, last], factors[j + 3, last]
            out[k], out[k + 1], out[k + 2], out[k + 3] = _four_dots(base, prefix, a, b, c, d)
            j += 4
        while j < end:
            out[j - first] = _one_dot(base, prefix, factors[j, last])
            j += 1
    for k in range(out.size):
        out[k] = design.scale[first + k] * (out[k] - design.offset[first + k] * v_sum)


# The common degrees, each in a loop that vectorises and is small enough to be inlined. Rows are indexed rather than sliced: a
# slice counts references, which costs more than a short column.


def _dot_of_two(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    base, total = design.base, 0.0
    a, b = design.factors[j, 0], design.factors[j, 1]
    for i in range(v.size):
        total += v[i] * base[a, i] * base[b, i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


def _dot_of_three(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    base, total = design.base, 0.0
    a, b, c = design.factors[j, 0], design.factors[j, 1], design.factors[j, 2]
    for i in range(v.size):
        total += v[i] * base[a, i] * base[b, i] * base[c, i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


def _dot_of_four(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    base, total = design.base, 0.0
    a, b, c, d = design.factors[j, 0], design.factors[j, 1], design.factors[j, 2], design.factors[j, 3]
    for i in range(v.size):
        total += v[i] * base[a, i] * base[b, i] * base[c, i] * base[d, i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


def _dot_of_five(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    base, total = design.base, 0.0
    a, b, c, d = design.factors[j, 0], design.factors[j, 1], design.factors[j, 2], design.factors[j, 3]
    e = design.factors[j, 4]
    for i in range(v.size):
        total += v[i] * base[a, i] * base[b, i] * base[c, i] * base[d, i] * base[e, i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


def _dot_of_any(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(v.size):
        total += v[i] * _entry(design.base, design.factors, j, i)
    return design.scale[j] * (total - design.offset[j] * v_sum)


_DOTS = {2: _dot_of_two, 3: _dot_of_three, 4: _dot_of_four, 5: _dot_of_five}


@overload(col_dot, **COMPILED)
def _col_dot(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    if not stored_as(design, Products):
        return None
    degree = design.types[Products._fields.index("positions")].count
    return _DOTS.get(degree, _dot_of_any)


@overload(range_dots, **COMPILED)
def _range_dots(design, v, v_sum, first, out):  # type: ignore[no-untyped-def]
    return (lambda design, v, v_sum, first, out: _walk(design, v, v_sum, first, out)) if stored_as(design, Products) else None


@overload(col_axpy, **COMPILED)
def _col_axpy(design, j, c, v):  # type: ignore[no-untyped-def]
    if not stored_as(design, Products):
        return None

    def on_the_fly(design, j, c, v):  # type: ignore[no-untyped-def]
        c = c * design.scale[j]
        for i in range(v.size):
            v[i] += c * _entry(design.base, design.factors, j, i)
        return c * v.size * design.offset[j]

    return on_the_fly


@overload(col_place, **COMPILED)
def _col_place(design, j):  # type: ignore[no-untyped-def]
    if not stored_as(design, Products):
        return None

    def on_the_fly(design, j):  # type: ignore[no-untyped-def]
        prefetch(design.offset, j)
        prefetch(design.scale, j)

    return on_the_fly


@overload(col_fetch, **COMPILED)
def _col_fetch(design, j):  # type: ignore[no-untyped-def]
    if not stored_as(design, Products):
        return None

    def on_the_fly(design, j):  # type: ignore[no-untyped-def]
        prefetch(design.factors, j * design.factors.shape[1])

    return on_the_fly


@overload(col_entries, **COMPILED)
def _col_entries(design, j):  # type: ignore[no-untyped-def]
    return (lambda design, j: design.m) if stored_as(design, Products) else None


@overload(col_moments, **COMPILED)
def _col_moments(design, j):  # type: ignore[no-untyped-def]
    if not stored_as(design, Products):
        return None

    def on_the_fly(design, j):  # type: ignore[no-untyped-def]
        column = np.empty(design.m)
        for i in range(column.size):
            column[i] = _entry(design.base, design.factors, j, i)
        mean, square = 0.0, 0.0
        for i in range(column.size):
            mean += column[i]
        mean /= column.size
        for i in range(column.size):
            square += (column[i] - mean) ** 2
        return mean, np.sqrt(square)

    return on_the_fly


@njit(nogil=True, cache=True)
def materialized(design, out):  # type: ignore[no-untyped-def]
    """out (p, m) = the stored columns."""
    for j in range(out.shape[0]):
        for i in range(out.shape[1]):
            out[j, i] = _entry(design.base, design.factors, j, i)

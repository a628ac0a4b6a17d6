"""The primitives on products: columns made on the fly."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design.prefetch import prefetch
from fwcore.design.primitives import (
    col_axpy,
    col_dot,
    col_entries,
    col_fetch,
    col_moments,
    col_place,
    col_reach,
    col_row,
    col_value,
    moments,
    range_dots,
)
from fwcore.design.products import PADDING, ProductRows, Products
from fwcore.design.rows import row, row_entries, row_entry, rows_are_full, rows_are_stored
from fwcore.kernels.dispatch import FAST, implements, specialize_by_types


@njit(nogil=True, cache=True, fastmath=FAST)
def entry(base, factors, j, i):
    """Row i of the stored column j."""
    product = base[factors[j, 0], i]
    for k in range(1, factors.shape[1]):
        product *= base[factors[j, k], i]
    return product


# Rows of the base are whole multiples of PADDING; loops that say so need no remainder, and
# vectorise better.


@njit(nogil=True, cache=True, fastmath=FAST)
def _tile(base, prefixes, a, b, c):
    """prefix'base_f for four prefixes and three rows f: twelve sums for seven loads, so that
    arithmetic is the limit.
    """
    wf, wg, wh, xf, xg, xh = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    yf, yg, yh, zf, zg, zh = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(base.shape[1] // PADDING * PADDING):
        w, x, y, z = prefixes[0, i], prefixes[1, i], prefixes[2, i], prefixes[3, i]
        f, g, h = base[a, i], base[b, i], base[c, i]
        wf += w * f
        wg += w * g
        wh += w * h
        xf += x * f
        xg += x * g
        xh += x * h
        yf += y * f
        yg += y * g
        yh += y * h
        zf += z * f
        zg += z * g
        zh += z * h
    return wf, wg, wh, xf, xg, xh, yf, yg, yh, zf, zg, zh


@njit(nogil=True, cache=True, fastmath=FAST)
def _multiply(base, f, row, target, to):
    """target_to = row times base_f."""
    for i in range(base.shape[1] // PADDING * PADDING):
        target[to, i] = row[i] * base[f, i]


@njit(nogil=True, cache=True)
def _follows(factors, j, end, stop):
    """Whether the prefix of columns ``end`` to ``stop`` differs from that of ``j`` to ``end`` in
    its own last factor alone, and its columns end in the last of theirs."""
    last, n = factors.shape[1] - 1, stop - end
    for k in range(last - 1):
        if factors[end, k] != factors[j, k]:
            return False
    for k in range(n):
        if factors[end + k, last] != factors[end - n + k, last]:
            return False
    return last > 0 and n <= end - j


@njit(nogil=True, cache=True)
def _finish(base, factors, prefixes, j, n, dots):
    """dots_qk = prefix_q'base_f for the last factor f of column j + k, k < n; the rest of a tile is
    filled up.
    """
    last, most = factors.shape[1] - 1, j + n - 1
    for k in range(0, n, 3):
        a, b, c = (
            factors[j + k, last],
            factors[min(j + k + 1, most), last],
            factors[min(j + k + 2, most), last],
        )
        wf, wg, wh, xf, xg, xh, yf, yg, yh, zf, zg, zh = _tile(base, prefixes, a, b, c)
        dots[0, k], dots[0, k + 1], dots[0, k + 2] = wf, wg, wh
        dots[1, k], dots[1, k + 1], dots[1, k + 2] = xf, xg, xh
        dots[2, k], dots[2, k + 1], dots[2, k + 2] = yf, yg, yh
        dots[3, k], dots[3, k + 1], dots[3, k + 2] = zf, zg, zh


@njit(nogil=True, cache=True)
def _walk(design, v, v_sum, first, out):
    """out_k = z_{first + k}' w for a range of columns, up to four prefixes at a time where they
    share last factors.
    """
    base, factors, starts, last = (
        design.base,
        design.factors,
        design.starts,
        design.factors.shape[1] - 1,
    )
    stack, prefixes = np.zeros((last + 1, base.shape[1])), np.zeros((4, base.shape[1]))
    dots, edges = np.empty((4, base.shape[0] + 2)), np.empty(5, np.int64)
    for i in range(v.size):
        stack[0, i] = v[i]
    # Of a single factor the prefix is empty: the constant.
    parent, own = stack[max(last - 1, 0)], max(last - 1, 0)
    group = np.searchsorted(starts, first, side="right")
    j, stop = first, first + out.size
    while j < stop:
        shared = 0
        while j > first and shared < own and factors[j, shared] == factors[j - 1, shared]:
            shared += 1
        for k in range(shared, own):
            _multiply(base, factors[j, k], stack[k], stack, k + 1)
        edges[0], q = j, 0
        while True:
            _multiply(base, factors[edges[q], own] if last > 0 else 0, parent, prefixes, q)
            q += 1
            edges[q] = min(stop, starts[group])
            group += 1
            if (
                q == 4
                or edges[q] == stop
                or not _follows(factors, edges[q - 1], edges[q], min(stop, starts[group]))
            ):
                break
        n = edges[1] - j
        _finish(base, factors, prefixes, j, n, dots)
        for s in range(q):
            size = edges[s + 1] - edges[s]
            for k in range(size):
                at = edges[s] + k
                out[at - first] = design.scale[at] * (
                    dots[s, n - size + k] - design.offset[at] * v_sum
                )
        j = edges[q]


# The common degrees, each in a loop that vectorises and is small enough to be inlined. Rows are
# indexed rather than sliced: a slice counts references, which costs more than a short column.


def _dot_of_two(design, j, v, v_sum):
    base, total = design.base, 0.0
    a, b = design.factors[j, 0], design.factors[j, 1]
    for i in range(v.size):
        total += v[i] * base[a, i] * base[b, i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


def _dot_of_three(design, j, v, v_sum):
    base, total = design.base, 0.0
    a, b, c = design.factors[j, 0], design.factors[j, 1], design.factors[j, 2]
    for i in range(v.size):
        total += v[i] * base[a, i] * base[b, i] * base[c, i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


def _dot_of_four(design, j, v, v_sum):
    base, total = design.base, 0.0
    a, b, c, d = (
        design.factors[j, 0],
        design.factors[j, 1],
        design.factors[j, 2],
        design.factors[j, 3],
    )
    for i in range(v.size):
        total += v[i] * base[a, i] * base[b, i] * base[c, i] * base[d, i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


def _dot_of_five(design, j, v, v_sum):
    base, total = design.base, 0.0
    a, b, c, d = (
        design.factors[j, 0],
        design.factors[j, 1],
        design.factors[j, 2],
        design.factors[j, 3],
    )
    e = design.factors[j, 4]
    for i in range(v.size):
        total += v[i] * base[a, i] * base[b, i] * base[c, i] * base[d, i] * base[e, i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


def _dot_of_any(design, j, v, v_sum):
    total = 0.0
    for i in range(v.size):
        total += v[i] * entry(design.base, design.factors, j, i)
    return design.scale[j] * (total - design.offset[j] * v_sum)


_DOTS = {2: _dot_of_two, 3: _dot_of_three, 4: _dot_of_four, 5: _dot_of_five}


@specialize_by_types(col_dot, Products)
def _col_dot(design, j, v, v_sum):
    degree = design.types[Products._fields.index("positions")].count
    return _DOTS.get(degree, _dot_of_any)


@implements(range_dots, Products)
def _range_dots(design, v, v_sum, first, out):
    return _walk(design, v, v_sum, first, out)


@implements(col_axpy, Products)
def _col_axpy(design, j, c, v):
    c = c * design.scale[j]
    for i in range(v.size):
        v[i] += c * entry(design.base, design.factors, j, i)
    return c * v.size * design.offset[j]


@implements(col_place, Products)
def _col_place(design, j):
    prefetch(design.offset, j)
    prefetch(design.scale, j)


@implements(col_fetch, Products)
def _col_fetch(design, j):
    prefetch(design.factors, j * design.factors.shape[1])


@implements(col_reach, Products)
def _col_reach(design, j, v):
    pass


@implements(col_entries, Products)
def _col_entries(design, j):
    return design.m


@implements(col_row, Products)
def _col_row(design, j, k):
    return np.int64(k)


@implements(col_value, Products)
def _col_value(design, j, k):
    return entry(design.base, design.factors, j, k)


@implements(col_moments, Products)
def _col_moments(design, j):
    column = np.empty(design.m)
    for i in range(column.size):
        column[i] = entry(design.base, design.factors, j, i)
    return moments(column)


@implements(row, ProductRows)
def _product(rows, i, room):
    design = rows.design
    for j in range(room.size):
        room[j] = (entry(design.base, design.factors, j, i) - design.offset[j]) * design.scale[j]
    return rows.everything, room


@implements(row_entries, ProductRows)
def _product_entries(rows, i):
    return rows.everything.size


@implements(row_entry, ProductRows)
def _product_entry(rows, i, j):
    design = rows.design
    return (entry(design.base, design.factors, j, i) - design.offset[j]) * design.scale[j]


@implements(rows_are_full, ProductRows)
def _full(rows):
    return True


@implements(rows_are_stored, ProductRows)
def _made(rows):
    return False


@njit(nogil=True, cache=True)
def materialized(design, out):
    """out (p, m) = the stored columns."""
    for j in range(out.shape[0]):
        for i in range(out.shape[1]):
            out[j, i] = entry(design.base, design.factors, j, i)

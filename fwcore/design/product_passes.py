"""Passes over products: the first factors of a column are its prefix, the others its suffix, and
all prefixes are multiplied with all suffixes.

The products of suffixes stand in a panel, a few of them next to each other, which stays near while
six prefixes at a time, times w, are multiplied with it. Prefixes are taken in the order of their
last factor, with which their suffixes begin. Few columns of a prefix, as of a permuted design, are
multiplied one by one. Panels and sums are in the precision of the result.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design.primitives import col_dot, column_dots, range_dots, single_dots
from fwcore.design.product_primitives import entry, rows_of
from fwcore.design.products import PADDING, Products
from fwcore.kernels.dispatch import FAST, implements, specialize_by_types
from fwcore.kernels.lanes import SIDE, add_lines, lanes_of
from fwcore.kernels.vectors import copy_into, largest_size

# Bytes of a panel, so that it fits into the second cache where columns are not long; bytes of the
# sums of a prefix in it, at most; and suffixes in it, at least.
_PANEL, _WIDE, _NARROW = 1 << 19, 1 << 11, 16
# Products that are handed out at once.
_AT_ONCE = 8
# A prefix with fewer than one of so many of its suffixes is not worth a panel.
_FEW = 8
# Sums in the order in which they are written: the same bits in every range of columns.
_IN_ORDER = {"contract", "nsz"}

# Rows of the base are whole multiples of PADDING; loops that say so need no remainder. An index
# without a sign is never one from the end, which loops would have to look for.


@njit(nogil=True, cache=True, fastmath=FAST)
def _multiply(rows, k, base, f, out, q):
    """out_q = rows_k base_f."""
    for i in range(base.shape[1] // PADDING * PADDING):
        out[q, i] = rows[k, i] * base[f, i]


@njit(nogil=True, cache=True, fastmath=FAST)
def _multiply_again(rows, base, f):
    """rows_0 *= base_f, which would not vectorise as a `_multiply` into what it reads."""
    for i in range(base.shape[1] // PADDING * PADDING):
        rows[0, i] *= base[f, i]


@njit(nogil=True, cache=True)
def _fill_panel(base, suffixes, product, panel):
    """The products of the factors ``suffixes_c`` into ``panel`` (lines, rows, lanes), lane after
    lane; ``product`` (1, rows) is room for that of all factors but the last, which most have in
    common with the suffix before.
    """
    others, lanes = suffixes.shape[1] - 1, lanes_of(panel)
    for c in range(suffixes.shape[0]):
        if c == 0 or not _begin_alike(suffixes, c, others):
            # The first feature is 1.
            _multiply(base, suffixes[c, 0] if others > 0 else 0, base, 0, product, 0)
            for k in range(1, others):
                _multiply_again(product, base, suffixes[c, k])
        line, lane, last = c // lanes, c % lanes, suffixes[c, others]
        for i in range(base.shape[1]):
            panel[line, i, lane] = product[0, i] * base[last, i]


@njit(nogil=True, inline="always")
def _begin_alike(suffixes, c, n):
    """Whether the first ``n`` factors of suffix c are those of the one before."""
    k = 0
    while k < n and suffixes[c, k] == suffixes[c - 1, k]:
        k += 1
    return k == n


@njit(nogil=True, inline="always")
def _prefix_length(design):
    return design.factors.shape[1] - design.suffixes.shape[1]


@njit(nogil=True, inline="always")
def _last_factor(design, prefix):
    """That of a prefix; the first feature, which is 1, if it has none."""
    own = _prefix_length(design)
    return np.int64(design.factors[design.starts[prefix], own - 1]) if own > 0 else np.int64(0)


@njit(nogil=True, cache=True)
def _fill_prefix(design, j, weighted, product, products, q):
    """products_q = w times the factors of the prefix of column j, where ``weighted`` (1, rows) is w
    times the last of them; ``product`` (1, rows) is room.
    """
    base, factors, own = design.base, design.factors, _prefix_length(design)
    first = factors[j, 0] if own > 1 else 0
    if own <= 2:
        _multiply(weighted, 0, base, first, products, q)
        return
    _multiply(weighted, 0, base, first, product, 0)
    for k in range(2, own - 1):
        _multiply_again(product, base, factors[j, k])
    _multiply(product, 0, base, factors[j, 1], products, q)


@njit(nogil=True, cache=True)
def _meet(design, prefixes, panel, low, size, around, dots):
    """dots_qc = the sum over rows of w, prefix q and suffix c of the ``panel``, for up to six
    ``prefixes`` and the suffixes from ``low``, at which a line begins, to ``size``. ``around`` are
    w, padded (1, rows), and room for what it is multiplied with: (1, rows) twice, (6, rows).
    """
    padded, weighted, product, products = around
    before = -1
    for q in range(prefixes.size):
        # Prefixes next to each other mostly have the last factor in common.
        last = _last_factor(design, prefixes[q])
        if last != before:
            _multiply(padded, 0, design.base, last, weighted, 0)
            before = last
        _fill_prefix(design, design.starts[prefixes[q]], weighted, product, products, q)
    dots[:, low:] = 0.0
    lanes = lanes_of(panel)
    for line in range(low // lanes, -(-size // lanes)):
        add_lines(products, panel, line, dots)


@njit(nogil=True, cache=True)
def _begins(suffixes, features):
    """The first suffix that begins with f, or a later one, for each f < ``features``."""
    begins, c = np.zeros(features, np.int64), 0
    for f in range(features):
        while c < suffixes.shape[0] and suffixes[c, 0] < f:
            c += 1
        begins[f] = c
    return begins


@njit(nogil=True, cache=True)
def _sort_out(design, first, stop):
    """The prefixes of the columns from ``first`` to ``stop`` that are worth a panel, in the order
    of their suffixes, the first suffix of each, and the other prefixes.
    """
    starts, suffixes = design.starts, design.suffixes
    g, last = np.searchsorted(starts, first, side="right") - 1, np.searchsorted(starts, stop)
    begins, n, m = _begins(suffixes, design.base.shape[0]), 0, 0
    prefixes, begin = np.empty(last - g, np.int64), np.empty(last - g, np.int64)
    others = np.empty(last - g, np.int64)
    for prefix in range(g, last):
        at = begins[_last_factor(design, prefix)]
        if _FEW * (starts[prefix + 1] - starts[prefix]) >= suffixes.shape[0] - at > 0:
            prefixes[n], begin[n] = prefix, at
            n += 1
        else:
            others[m] = prefix
            m += 1
    order = np.argsort(begin[:n], kind="mergesort")
    return prefixes[order], begin[order], others[:m]


@njit(nogil=True, cache=True)
def _hand_out(dots, q, c, size, ranks, j, stop, first, out):
    """Put dots_q, of the suffixes from c to c + ``size``, where they belong in ``out``, which
    begins with column ``first``: columns j to ``stop`` are those of the prefix that are to come.
    Which is next now.
    """
    end = c + size
    while j < min(stop, first) and ranks[j] < end:
        j += 1
    last = min(stop, first + out.size)
    while j + _AT_ONCE <= last and ranks[j + _AT_ONCE - 1] < end:
        for n in range(_AT_ONCE):
            k = np.uint64(j + n)
            out[k - np.uint64(first)] = dots[q, np.uint64(ranks[k]) - np.uint64(c)]
        j += _AT_ONCE
    while j < last and ranks[j] < end:
        out[np.uint64(j - first)] = dots[q, np.uint64(ranks[j] - c)]
        j += 1
    return j


@njit(nogil=True, cache=True, fastmath=_IN_ORDER)
def _centre(scale, offset, v_sum, unit, out):
    for k in range(out.size):
        out[k] = unit * (scale[k] * (out[k] - offset[k] * v_sum))


@njit(nogil=True, cache=True)
def _go_over(design, v, prefixes, begin, first, out):
    """The stored columns of the ``prefixes`` times v, panel after panel; ``place`` is the next
    column of each.
    """
    base, suffixes, place = design.base, design.suffixes, design.starts[prefixes]
    rows, lanes = base.shape[1], lanes_of(out)
    width = max(min(_PANEL // rows, _WIDE) // out.itemsize, _NARROW) // lanes * lanes
    panel = np.zeros((width // lanes, rows, lanes), out.dtype)
    dots, products = np.zeros((SIDE, width), out.dtype), np.zeros((SIDE, rows), out.dtype)
    padded, weighted, product = np.zeros((1, rows)), np.zeros((1, rows)), np.zeros((1, rows))
    copy_into(v, padded[0])
    around = padded, weighted, product, products
    for c in range(begin[0] // width * width, suffixes.shape[0], width):
        size = min(width, suffixes.shape[0] - c)
        _fill_panel(base, suffixes[c : c + size], product, panel)
        for k in range(0, prefixes.size, SIDE):
            low, some = max(begin[k] - c, 0) // lanes * lanes, prefixes[k : k + SIDE]
            if low >= size:
                break
            _meet(design, some, panel, low, size, around, dots)
            for q in range(some.size):
                j, stop = place[k + q], design.starts[some[q] + 1]
                place[k + q] = _hand_out(dots, q, c, size, design.ranks, j, stop, first, out)


@njit(nogil=True, cache=True)
def _walk(design, v, v_sum, unit, first, out):
    """out_k = z_{first + k}' w, where ``v`` is that of w / ``unit``."""
    starts, stop = design.starts, first + out.size
    prefixes, begin, others = _sort_out(design, first, stop)
    if prefixes.size > 0:
        _go_over(design, v, prefixes, begin, first, out)
    _centre(design.scale[first:stop], design.offset[first:stop], v_sum, unit, out)
    for prefix in others:
        for j in range(max(first, starts[prefix]), min(stop, starts[prefix + 1])):
            out[j - first] = unit * col_dot(design, j, v, v_sum)


@implements(range_dots, Products)
def _range_dots(design, v, v_sum, first, out):
    _walk(design, v, v_sum, 1.0, first, out)


@implements(single_dots, Products)
def _single_dots(design, v, v_sum, first, out):
    unit = largest_size(v)
    if unit == 0.0:
        out[:] = 0.0
        return
    _walk(design, v / unit, v_sum / unit, unit, first, out)


@specialize_by_types(column_dots, Products)
def _column_dots(design, *rest):
    """One column after another: those next to each other have a prefix in common."""
    degree = design.types[Products._fields.index("positions")].count
    own, others = tuple(range(degree // 2)), tuple(range(degree // 2, degree))

    def multiply_columns(design, columns, v, v_sum, out):
        base, factors, scale, offset = design.base, design.factors, design.scale, design.offset
        if columns.size == 0:
            return 0
        weighted, before = np.zeros(base.shape[1]), rows_of(factors, columns[0], own)
        for k in range(columns.size):
            j, dot = columns[k], 0.0
            prefix, suffix = rows_of(factors, j, own), rows_of(factors, j, others)
            if k == 0 or prefix != before:
                before = prefix
                for i in range(v.size):
                    weighted[i] = v[i] * entry(base, prefix, i)
            for i in range(base.shape[1] // PADDING * PADDING):
                dot += weighted[i] * entry(base, suffix, i)
            out[k] = scale[j] * (dot - offset[j] * v_sum)
        return columns.size * design.m

    return multiply_columns


@njit(nogil=True, cache=True)
def materialized(design, out):
    """out (p, m) = the stored columns."""
    for j in range(out.shape[0]):
        rows = rows_of(design.factors, j, design.positions)
        for i in range(out.shape[1]):
            out[j, i] = entry(design.base, rows, i)

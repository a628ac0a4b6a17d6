"""Passes over products: the first factors of a column are its prefix, the others its suffix, and
all prefixes are multiplied with all suffixes.

The products of suffixes stand in a panel, a row of the design in each of its rows, which stays near
while four prefixes at a time, times w, are multiplied with it. Prefixes are taken in the order of
their last factor, with which their suffixes begin. Few columns of a prefix, as of a permuted
design, are multiplied one by one. Panels and sums are in the precision of the result.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design.primitives import col_dot, range_dots, single_dots
from fwcore.design.product_primitives import entry
from fwcore.design.products import PADDING, Products
from fwcore.kernels.dispatch import FAST, implements
from fwcore.kernels.vectors import largest_size

# Bytes of a panel, which fits into the second cache where columns are not long; suffixes in it, at
# least; bytes of a row of it, at most; and entries between the ends of its rows, without which they
# would meet in the same places of the first one.
_PANEL, _NARROW, _WIDE, _GAP = 1 << 19, 16, 1 << 11, 8
# Prefixes and rows that are multiplied at once.
_SIDE = 4
# A prefix with fewer than one of so many of its suffixes is not worth a panel.
_FEW = 8
# Sums in the order in which they are written: the same bits in every range of columns.
_IN_ORDER = {"contract", "nsz"}

# Rows of the base are whole multiples of PADDING; loops that say so need no remainder. An index
# without a sign is never one from the end, which loops would have to look for.


@njit(nogil=True, cache=True, fastmath=FAST)
def _multiply(rows, k, base, f):
    """rows_k *= base_f."""
    for i in range(base.shape[1] // PADDING * PADDING):
        rows[k, i] *= base[f, i]


@njit(nogil=True, cache=True)
def _fill_product(base, factors, product):
    """``product`` (1, rows) = that of the rows ``factors`` (k,) of the base."""
    for i in range(base.shape[1]):
        product[0, i] = base[factors[0], i]
    for k in range(1, factors.size):
        _multiply(product, 0, base, factors[k])


@njit(nogil=True, cache=True)
def _fill_panel(base, suffixes, panel):
    """panel_rc = the product of the factors ``suffixes_c`` in row r."""
    product = np.empty((1, base.shape[1]))
    for c in range(suffixes.shape[0]):
        _fill_product(base, suffixes[c], product)
        for i in range(base.shape[1]):
            panel[i, c] = product[0, i]


@njit(nogil=True, inline="always")
def _prefix_length(design):
    return design.factors.shape[1] - design.suffixes.shape[1]


@njit(nogil=True, cache=True)
def _fill_prefix(design, j, v, product, products, q):
    """products_q = v times the factors of the prefix of column j; ``product`` (1, rows) is room."""
    for i in range(v.size):
        product[0, i] = v[i]
    for k in range(_prefix_length(design)):
        _multiply(product, 0, design.base, design.factors[j, k])
    for i in range(v.size):
        products[q, i] = product[0, i]


@njit(nogil=True, cache=True, fastmath=_IN_ORDER)
def _add_rows(products, panel, r, first, size, dots):
    """dots_qc += products_qr panel_rc of four prefixes and rows, for as many whole multiples of
    PADDING as there are in ``size``, of suffixes from ``first`` on.
    """
    a0, a1, a2, a3 = products[0, r], products[0, r + 1], products[0, r + 2], products[0, r + 3]
    b0, b1, b2, b3 = products[1, r], products[1, r + 1], products[1, r + 2], products[1, r + 3]
    c0, c1, c2, c3 = products[2, r], products[2, r + 1], products[2, r + 2], products[2, r + 3]
    d0, d1, d2, d3 = products[3, r], products[3, r + 1], products[3, r + 2], products[3, r + 3]
    for n in range(size // PADDING * PADDING):
        c = np.uint64(n) + first
        w, x, y, z = panel[r, c], panel[r + 1, c], panel[r + 2, c], panel[r + 3, c]
        dots[0, c] += a0 * w + a1 * x + a2 * y + a3 * z
        dots[1, c] += b0 * w + b1 * x + b2 * y + b3 * z
        dots[2, c] += c0 * w + c1 * x + c2 * y + c3 * z
        dots[3, c] += d0 * w + d1 * x + d2 * y + d3 * z


@njit(nogil=True, cache=True)
def _meet(design, v, prefixes, panel, low, size, product, products, dots):
    """dots_qc = the sum over rows of v, prefix q and suffix c of the ``panel``, for up to four
    ``prefixes`` and the suffixes from ``low``, a multiple of PADDING, to ``size``.
    """
    for q in range(prefixes.size):
        _fill_prefix(design, design.starts[prefixes[q]], v, product, products, q)
    dots[:, low:] = 0.0
    for r in range(0, v.size, _SIDE):
        _add_rows(products, panel, r, np.uint64(low), size + PADDING - 1 - low, dots)


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
    starts, suffixes, own = design.starts, design.suffixes, _prefix_length(design)
    g, last = np.searchsorted(starts, first, side="right") - 1, np.searchsorted(starts, stop)
    begins, n, m = _begins(suffixes, design.base.shape[0]), 0, 0
    prefixes, begin = np.empty(last - g, np.int64), np.empty(last - g, np.int64)
    others = np.empty(last - g, np.int64)
    for prefix in range(g, last):
        at = begins[design.factors[starts[prefix], own - 1]] if own > 0 else 0
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
    if j == stop or ranks[j] >= c + size:
        return j
    last = min(stop, first + out.size)
    if ranks[stop - 1] - ranks[j] == stop - 1 - j:
        end = min(stop, j + c + size - ranks[j])
        begin = max(j, first)
        at, place = np.uint64(ranks[j] - c + begin - j), np.uint64(begin - first)
        for n in range(min(end, last) - begin):
            out[place + np.uint64(n)] = dots[q, at + np.uint64(n)]
        return end
    while j < min(stop, first) and ranks[j] < c + size:
        j += 1
    while j < last and ranks[j] < c + size:
        out[np.uint64(j - first)] = dots[q, np.uint64(ranks[j] - c)]
        j += 1
    return j


@njit(nogil=True, cache=True, fastmath=_IN_ORDER)
def _centre(scale, offset, v_sum, out):
    for k in range(out.size):
        out[k] = scale[k] * (out[k] - offset[k] * v_sum)


@njit(nogil=True, cache=True)
def _go_over(design, v, prefixes, begin, first, out):
    """The stored columns of the ``prefixes`` times v, panel after panel; ``place`` is the next
    column of each.
    """
    suffixes, rows, place = design.suffixes, design.base.shape[1], design.starts[prefixes]
    wide = min(_PANEL // rows, _WIDE) // out.itemsize
    width = max(wide // PADDING * PADDING, _NARROW)
    panel = np.zeros((rows, width + _GAP), out.dtype)
    dots = np.zeros((_SIDE, width + _GAP), out.dtype)
    product, products = np.zeros((1, rows)), np.zeros((_SIDE, rows), out.dtype)
    begun = begin[0] // width * width if begin.size > 0 else suffixes.shape[0]
    for c in range(begun, suffixes.shape[0], width):
        size = min(width, suffixes.shape[0] - c)
        _fill_panel(design.base, suffixes[c : c + size], panel)
        for k in range(0, prefixes.size, _SIDE):
            low, four = max(begin[k] - c, 0) // PADDING * PADDING, prefixes[k : k + _SIDE]
            if low >= size:
                break
            _meet(design, v, four, panel, low, size, product, products, dots)
            for q in range(four.size):
                j, stop = place[k + q], design.starts[four[q] + 1]
                place[k + q] = _hand_out(dots, q, c, size, design.ranks, j, stop, first, out)


@njit(nogil=True, cache=True)
def _walk(design, v, v_sum, first, out):
    """out_k = z_{first + k}' w."""
    starts, stop = design.starts, first + out.size
    prefixes, begin, others = _sort_out(design, first, stop)
    _go_over(design, v, prefixes, begin, first, out)
    _centre(design.scale[first:stop], design.offset[first:stop], v_sum, out)
    for prefix in others:
        for j in range(max(first, starts[prefix]), min(stop, starts[prefix + 1])):
            out[j - first] = col_dot(design, j, v, v_sum)


@implements(range_dots, Products)
def _range_dots(design, v, v_sum, first, out):
    return _walk(design, v, v_sum, first, out)


@implements(single_dots, Products)
def _single_dots(design, v, v_sum, first, out):
    unit = largest_size(v)
    if unit == 0.0:
        out[:] = 0.0
        return
    _walk(design, v / unit, v_sum / unit, first, out)
    for k in range(out.size):
        out[k] *= unit


@njit(nogil=True, cache=True)
def materialized(design, out):
    """out (p, m) = the stored columns."""
    for j in range(out.shape[0]):
        for i in range(out.shape[1]):
            out[j, i] = entry(design.base, design.factors, j, i)

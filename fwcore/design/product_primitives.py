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
)
from fwcore.design.products import ProductRows, Products
from fwcore.design.rows import row, row_entries, row_entry, rows_are_full, rows_are_stored
from fwcore.kernels.dispatch import FAST, implements, specialize_by_types


@njit(nogil=True, cache=True, fastmath=FAST)
def entry(base, factors, j, i):
    """Row i of the stored column j."""
    product = base[factors[j, 0], i]
    for k in range(1, factors.shape[1]):
        product *= base[factors[j, k], i]
    return product


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

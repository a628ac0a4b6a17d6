"""The primitives on products: columns made on the fly."""

from __future__ import annotations

import numpy as np
from numba import njit
from numba.extending import overload

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
from fwcore.kernels.dispatch import FAST, compiled_only, implements


def rows_of(factors, j, positions):
    """The rows of the base that column j has as factors at these ``positions``, as a tuple."""
    raise compiled_only("rows_of")


def entry(base, rows, i):
    """The product of these ``rows`` of the base, a tuple, in row i of the design; 1 of none."""
    raise compiled_only("entry")


# The length of a tuple is known when kernels are compiled, so that loops over entries vectorise.
# Rows are indexed rather than sliced: a slice counts references, which costs more than a short
# column.


@overload(rows_of, jit_options={"nogil": True}, strict=False)
def _rows_of(factors, j, positions):
    if len(positions) == 0:
        return lambda factors, j, positions: ()
    return lambda factors, j, positions: (
        np.int64(factors[j, positions[0]]),
        *rows_of(factors, j, positions[1:]),
    )


@overload(entry, jit_options={"fastmath": FAST, "nogil": True}, strict=False)
def _entry(base, rows, i):
    if len(rows) == 0:
        return lambda base, rows, i: 1.0
    return lambda base, rows, i: base[rows[0], i] * entry(base, rows[1:], i)


@implements(col_dot, Products)
def _col_dot(design, j, v, v_sum):
    base, rows, total = design.base, rows_of(design.factors, j, design.positions), 0.0
    for i in range(v.size):
        total += v[i] * entry(base, rows, i)
    return design.scale[j] * (total - design.offset[j] * v_sum)


@implements(col_axpy, Products)
def _col_axpy(design, j, c, v):
    base, rows, c = design.base, rows_of(design.factors, j, design.positions), c * design.scale[j]
    for i in range(v.size):
        v[i] += c * entry(base, rows, i)
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
    return entry(design.base, rows_of(design.factors, j, design.positions), k)


@implements(col_moments, Products)
def _col_moments(design, j):
    base, rows = design.base, rows_of(design.factors, j, design.positions)
    column = np.empty(design.m)
    for i in range(column.size):
        column[i] = entry(base, rows, i)
    return moments(column)


@njit(nogil=True, inline="always")
def _seen(design, i, j):
    stored = entry(design.base, rows_of(design.factors, j, design.positions), i)
    return (stored - design.offset[j]) * design.scale[j]


@implements(row, ProductRows)
def _product(rows, i, room):
    design = rows.design
    for j in range(room.size):
        room[j] = _seen(design, i, j)
    return rows.everything, room


@implements(row_entries, ProductRows)
def _product_entries(rows, i):
    return rows.everything.size


@implements(row_entry, ProductRows)
def _product_entry(rows, i, j):
    return _seen(rows.design, i, j)


@implements(rows_are_full, ProductRows)
def _full(rows):
    return True


@implements(rows_are_stored, ProductRows)
def _made(rows):
    return False

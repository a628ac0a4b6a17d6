"""The rows of a design, for methods that look at one sample after the other.

Values are centred and scaled. A row of a sparse design is as short as it is stored only where columns are not centred; centring
fills it, so that it has all p columns, which are made as they are asked for and never kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numba import njit
from numpy.typing import NDArray

from fwcore.design.csc import Csc
from fwcore.design.dense import Dense
from fwcore.design.primitives import Floats
from fwcore.design.product_primitives import entry
from fwcore.design.products import Products
from fwcore.dispatch import compiled_only, implements


def row(rows, i, room):  # type: ignore[no-untyped-def]
    """(columns, values) of row i; ``room`` (p,) is where a row that is not stored is made."""
    raise compiled_only("row")


def row_entries(rows, i):  # type: ignore[no-untyped-def]
    """Stored entries of row i that `row` touches."""
    raise compiled_only("row_entries")


def row_entry(rows, i, j):  # type: ignore[no-untyped-def]
    """The entry of row i in column j."""
    raise compiled_only("row_entry")


def rows_are_full(rows):  # type: ignore[no-untyped-def]
    """Whether every row has all p columns, whatever the numbers."""
    raise compiled_only("rows_are_full")


def rows_are_stored(rows):  # type: ignore[no-untyped-def]
    """Whether full rows are there to be read, several at once, and not made when they are asked for."""
    raise compiled_only("rows_are_stored")


class DenseRows(NamedTuple):
    """``values`` (m, p); ``columns`` (p,) counts."""

    columns: NDArray[np.int32]
    values: NDArray[Any]


class SparseRows(NamedTuple):
    """Row i has ``columns`` and ``values`` from ``indptr``[i] to ``indptr``[i + 1]; not centred."""

    indptr: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[Any]


class CentredRows(NamedTuple):
    """`SparseRows` minus ``centre`` (p,) each; ``everything`` (p,) counts."""

    stored: SparseRows
    centre: Floats
    everything: NDArray[np.int32]


class ProductRows(NamedTuple):
    """The rows of `Products`; ``everything`` (p,) counts."""

    design: Products
    everything: NDArray[np.int32]


Rows = DenseRows | SparseRows | CentredRows | ProductRows


def rows_of(design: Dense | Csc | Products) -> Rows:
    """The rows, in the dtype of the design; a second copy of a dense or sparse one."""
    m, p = design.shape
    everything = np.arange(p, dtype=np.int32)
    if isinstance(design, Products):
        return ProductRows(design, everything)
    if isinstance(design, Dense):
        values = (design.values - design.offset[:, None]) * design.scale[:, None]
        return DenseRows(everything, np.ascontiguousarray(values.T, dtype=design.values.dtype))
    scaled = design.values * np.repeat(design.scale, np.diff(design.indptr))
    csr = scipy.sparse.csc_array((scaled, design.rows, design.indptr), shape=(m, p)).tocsr()
    stored = SparseRows(csr.indptr.astype(np.int64), csr.indices.astype(np.int32), csr.data.astype(design.values.dtype))
    return CentredRows(stored, design.offset * design.scale, everything) if design.offset.any() else stored


@implements(row, DenseRows)
def _dense(rows, i, room):  # type: ignore[no-untyped-def]
    return rows.columns, rows.values[i]


@implements(row_entries, DenseRows)
def _dense_entries(rows, i):  # type: ignore[no-untyped-def]
    return rows.columns.size


@implements(row, SparseRows)
def _sparse(rows, i, room):  # type: ignore[no-untyped-def]
    first, last = rows.indptr[i], rows.indptr[i + 1]
    return rows.columns[first:last], rows.values[first:last]


@implements(row_entries, SparseRows)
def _sparse_entries(rows, i):  # type: ignore[no-untyped-def]
    return rows.indptr[i + 1] - rows.indptr[i]


@implements(row, CentredRows)
def _centred(rows, i, room):  # type: ignore[no-untyped-def]
    for j in range(room.size):
        room[j] = -rows.centre[j]
    for k in range(rows.stored.indptr[i], rows.stored.indptr[i + 1]):
        room[rows.stored.columns[k]] += rows.stored.values[k]
    return rows.everything, room


@implements(row_entries, CentredRows)
def _centred_entries(rows, i):  # type: ignore[no-untyped-def]
    return rows.stored.indptr[i + 1] - rows.stored.indptr[i]


@implements(row, ProductRows)
def _product(rows, i, room):  # type: ignore[no-untyped-def]
    design = rows.design
    for j in range(room.size):
        room[j] = (entry(design.base, design.factors, j, i) - design.offset[j]) * design.scale[j]
    return rows.everything, room


@implements(row_entries, ProductRows)
def _product_entries(rows, i):  # type: ignore[no-untyped-def]
    return rows.everything.size


@implements(row_entry, DenseRows)
def _dense_entry(rows, i, j):  # type: ignore[no-untyped-def]
    return rows.values[i, j]


@implements(row_entry, SparseRows)
def _sparse_entry(rows, i, j):  # type: ignore[no-untyped-def]
    columns = rows.columns[rows.indptr[i] : rows.indptr[i + 1]]
    k = np.searchsorted(columns, j)
    return np.float64(rows.values[rows.indptr[i] + k]) if k < columns.size and columns[k] == j else 0.0


@implements(row_entry, CentredRows)
def _centred_entry(rows, i, j):  # type: ignore[no-untyped-def]
    return row_entry(rows.stored, i, j) - rows.centre[j]


@implements(row_entry, ProductRows)
def _product_entry(rows, i, j):  # type: ignore[no-untyped-def]
    design = rows.design
    return (entry(design.base, design.factors, j, i) - design.offset[j]) * design.scale[j]


@implements(rows_are_full, SparseRows)
def _short(rows):  # type: ignore[no-untyped-def]
    return False


@implements(rows_are_full, DenseRows)
@implements(rows_are_full, CentredRows)
@implements(rows_are_full, ProductRows)
def _full(rows):  # type: ignore[no-untyped-def]
    return True


@implements(rows_are_stored, DenseRows)
def _stored(rows):  # type: ignore[no-untyped-def]
    return True


@implements(rows_are_stored, SparseRows)
@implements(rows_are_stored, CentredRows)
@implements(rows_are_stored, ProductRows)
def _made(rows):  # type: ignore[no-untyped-def]
    return False


@njit(nogil=True, cache=True)
def kappa_share(rows, n, p):  # type: ignore[no-untyped-def]
    """kappa / n of Negiar et al. (2020), eq. 34: see `fwcore.datasets.kappa_share`."""
    sums, room, largest = np.zeros(p), np.zeros(p), 0.0
    for i in range(n):
        columns, values = row(rows, i, room)
        for k in range(columns.size):
            sums[columns[k]] += abs(values[k])
            largest = max(largest, abs(values[k]))
    return sums.max() / (n * largest)

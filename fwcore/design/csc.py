"""Compressed sparse columns, with the smallest indices that will do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numba import njit
from numpy.typing import NDArray

from fwcore.design.common import (
    AsGiven,
    as_seen,
    columns_of,
    cuts_by_entries,
    offset_and_scale,
    require_arrays,
    require_placed,
)
from fwcore.design.prefetch import FETCHED, LINE, fetch, prefetch, reach
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
    range_dots,
)
from fwcore.design.rows import row, row_entries, row_entry, rows_are_full, rows_are_stored
from fwcore.design.weighted import weighted_axpy
from fwcore.kernels.dispatch import implements
from fwcore.kernels.selection import place_among
from fwcore.kernels.types import Floats

_SHORT_ROWS = 1 << 16


class _CscFields(NamedTuple):
    """What kernels read."""

    indptr: NDArray[Any]
    rows: NDArray[Any]
    values: NDArray[Any]
    m: int
    offset: Floats
    scale: Floats


class Csc(_CscFields, AsGiven):
    """Compressed columns: ``indptr`` (p + 1,), ``rows`` and ``values`` (non-zeros,), ``m`` rows in
    all.

    ``rows`` is uint16 where m < 65,536 and int32 otherwise, ``indptr`` int32 below 2^31 non-zeros
    and int64 from there, ``values`` float64 or float32.
    """

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, int]:
        """(m, p)."""
        return int(self.m), int(self.offset.size)

    @property
    def stored(self) -> tuple[NDArray[Any], ...]:
        """The arrays that hold the values."""
        return self.indptr, self.rows, self.values

    @property
    def entries(self) -> int:
        """Entries that a full pass touches."""
        return int(self.values.size)

    def like(self, X: Floats) -> Csc:
        """Another design of the same layout, from a small dense ``X``."""
        made = store(scipy.sparse.csc_array(X), self.values.dtype)
        rows, indptr = made.rows.astype(self.rows.dtype), made.indptr.astype(self.indptr.dtype)
        return made._replace(rows=rows, indptr=indptr)

    def with_rows(self, X: Any) -> Any:
        """The same columns, offsets and scales for other rows ``X`` of base features."""
        made = store(scipy.sparse.csc_array(X), np.float64)
        return made._replace(offset=self.offset, scale=self.scale)

    def cuts(self, parts: int) -> list[int]:
        """0 ... p in as many ranges of columns, whose passes take about as long."""
        return cuts_by_entries(self.indptr, parts)

    def read(self, first: int, last: int) -> tuple[NDArray[Any], ...]:
        """What a pass over the columns first ... last - 1 reads of `stored`."""
        entries = slice(int(self.indptr[first]), int(self.indptr[last]))
        return self.rows[entries], self.values[entries]

    def permuted(self, columns: NDArray[Any]) -> Csc:
        """A copy with the columns in another order; ``columns`` (p,) says which goes where."""
        indptr, rows, values = gathered(self.indptr, columns, self.rows, self.values)
        return Csc(indptr, rows, values, self.m, self.offset[columns], self.scale[columns])

    def matrix(self) -> Floats:
        """The design as solvers see it, as an array of shape (m, p) in Fortran order."""
        stored = scipy.sparse.csc_array((self.values, self.rows, self.indptr), shape=self.shape)
        return as_seen(stored.toarray(order="F").T, self.offset, self.scale)

    def exported(self) -> tuple[Any, Floats | None]:
        """(X, offset) as other libraries take it; copies, as they want arrays to write to."""
        scaled = (self.values * np.repeat(self.scale, np.diff(self.indptr))).astype(np.float64)
        parts = (scaled, self.rows.astype(np.int32), self.indptr.astype(np.int32))
        X = scipy.sparse.csc_matrix(parts, shape=self.shape)
        return X, self.offset * self.scale if self.offset.any() else None

    def by_rows(self) -> SparseRows | CentredRows:
        """The rows, scaled, a second copy of the values; centring fills them as they are read."""
        scaled = self.values * np.repeat(self.scale, np.diff(self.indptr))
        csr = scipy.sparse.csc_array((scaled, self.rows, self.indptr), shape=self.shape).tocsr()
        columns, values = csr.indices.astype(np.int32), csr.data.astype(self.values.dtype)
        stored = SparseRows(csr.indptr.astype(np.int64), columns, values)
        if not self.offset.any():
            return stored
        everything = np.arange(self.offset.size, dtype=np.int32)
        return CentredRows(stored, self.offset * self.scale, everything)

    @classmethod
    def opened(cls, arrays: dict[str, Any]) -> Csc | None:
        """The design of the arrays of a folder; None where they are not one of this storage."""
        if "indptr" not in arrays:
            return None
        require_arrays(arrays, ("indptr", "rows", "values", "m"))
        indptr, rows, values = arrays["indptr"], arrays["rows"], arrays["values"]
        p = columns_of(indptr, rows.size) if rows.shape == values.shape else -1
        offset, scale = offset_and_scale(arrays, p)
        design = cls(indptr, rows, values, int(arrays["m"]), offset, scale)
        require_placed(design)
        return design


def store(X: Any, dtype: Any) -> Csc:
    """``X``, scipy sparse of shape (m, p), neither centred nor scaled; never made dense. Values of
    that type are not copied.
    """
    m, p = X.shape
    csc = canonical(X)
    values = np.ascontiguousarray(csc.data, dtype=dtype).view()
    return Csc(*places(csc), values, int(m), np.zeros(p), np.ones(p))


def canonical(X: Any) -> Any:
    """``X`` in compressed columns whose rows are sorted and met once; itself where it is so."""
    csc = scipy.sparse.csc_array(X)
    if not csc.has_canonical_format:
        csc = csc.copy()
        csc.sum_duplicates()
    return csc


def places(csc: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Copies of (indptr, rows) of compressed columns, as small as they can be."""
    rows = csc.indices.astype(np.uint16 if csc.shape[0] < _SHORT_ROWS else np.int32)
    return csc.indptr.astype(np.int32 if csc.nnz < 2**31 else np.int64), rows


def gathered(indptr: NDArray[Any], columns: NDArray[Any], *arrays: NDArray[Any]) -> Any:
    """(indptr, *arrays) with the entries of the columns in another order."""
    made = np.zeros_like(indptr), *(np.empty_like(array) for array in arrays)
    np.cumsum(np.diff(indptr)[columns], out=made[0][1:])
    for array, out in zip(arrays, made[1:], strict=True):
        _gather(indptr, array, columns, made[0], out)
    return made


@njit(nogil=True, cache=True)
def _gather(indptr, array, columns, new_indptr, out):
    for j in range(columns.size):
        first, to = indptr[columns[j]], new_indptr[j]
        for k in range(indptr[columns[j] + 1] - first):
            out[to + k] = array[first + k]


@njit(nogil=True, inline="always")
def _column(design, j):
    """Where column j begins and ends: asked once, as it costs a fifth to ask again after each entry
    that is written, and unsigned, as an index that may be negative is looked at. Slices would be
    counted as references.
    """
    return np.uint64(design.indptr[j]), np.uint64(design.indptr[j + 1])


@implements(col_dot, Csc)
def _col_dot(design, j, v, v_sum):
    start, stop = _column(design, j)
    rows, values, total = design.rows, design.values, 0.0
    for k in range(start, stop):
        total += values[k] * v[rows[k]]
    return design.scale[j] * (total - design.offset[j] * v_sum)


@implements(range_dots, Csc)
def _range_dots(design, v, v_sum, first, out):
    for k in range(out.size):
        out[k] = col_dot(design, first + k, v, v_sum)


@implements(col_axpy, Csc)
def _col_axpy(design, j, c, v):
    start, stop = _column(design, j)
    rows, values, c = design.rows, design.values, c * design.scale[j]
    for k in range(start, stop):
        v[rows[k]] += c * values[k]
    return c * design.m * design.offset[j]


@implements(weighted_axpy, Csc)
def _weighted_axpy(design, j, c, weights, v):
    start, stop = _column(design, j)
    rows, values, c = design.rows, design.values, c * design.scale[j]
    for k in range(start, stop):
        v[rows[k]] += c * weights[rows[k]] * values[k]


@implements(col_place, Csc)
def _col_place(design, j):
    prefetch(design.indptr, j)
    prefetch(design.offset, j)
    prefetch(design.scale, j)


@implements(col_fetch, Csc)
def _col_fetch(design, j):
    start, stop = design.indptr[j], design.indptr[j + 1]
    for k in range(start, min(stop, start + FETCHED), LINE):
        prefetch(design.values, k)
    fetch(design.rows, start, stop)


@implements(col_reach, Csc)
def _col_reach(design, j, v):
    reach(design.rows, design.indptr[j], design.indptr[j + 1], v)


@implements(col_entries, Csc)
def _col_entries(design, j):
    return np.int64(design.indptr[j + 1] - design.indptr[j])


@implements(col_row, Csc)
def _col_row(design, j, k):
    return np.int64(design.rows[design.indptr[j] + k])


@implements(col_value, Csc)
def _col_value(design, j, k):
    return np.float64(design.values[design.indptr[j] + k])


@implements(col_moments, Csc)
def _col_moments(design, j):
    start, stop = design.indptr[j], design.indptr[j + 1]
    mean = 0.0
    for k in range(start, stop):
        mean += design.values[k]
    mean /= design.m
    square = (design.m - (stop - start)) * mean * mean
    for k in range(start, stop):
        square += (design.values[k] - mean) ** 2
    return mean, np.sqrt(square)


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


@implements(row, SparseRows)
def _sparse(rows, i, room):
    first, last = rows.indptr[i], rows.indptr[i + 1]
    return rows.columns[first:last], rows.values[first:last]


@implements(row_entries, SparseRows)
def _sparse_entries(rows, i):
    return rows.indptr[i + 1] - rows.indptr[i]


@implements(row_entry, SparseRows)
def _sparse_entry(rows, i, j):
    columns = rows.columns[rows.indptr[i] : rows.indptr[i + 1]]
    k = place_among(columns, j)
    return (
        np.float64(rows.values[rows.indptr[i] + k]) if k < columns.size and columns[k] == j else 0.0
    )


@implements(rows_are_full, SparseRows)
def _short(rows):
    return False


@implements(rows_are_stored, SparseRows)
def _made(rows):
    return False


@implements(row, CentredRows)
def _centred(rows, i, room):
    for j in range(room.size):
        room[j] = -rows.centre[j]
    for k in range(rows.stored.indptr[i], rows.stored.indptr[i + 1]):
        room[rows.stored.columns[k]] += rows.stored.values[k]
    return rows.everything, room


@implements(row_entries, CentredRows)
def _centred_entries(rows, i):
    return rows.stored.indptr[i + 1] - rows.stored.indptr[i]


@implements(row_entry, CentredRows)
def _centred_entry(rows, i, j):
    return row_entry(rows.stored, i, j) - rows.centre[j]


@implements(rows_are_full, CentredRows)
def _full(rows):
    return True


@implements(rows_are_stored, CentredRows)
def _made_centred(rows):
    return False

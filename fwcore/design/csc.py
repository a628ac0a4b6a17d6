"""Compressed sparse columns, with the smallest indices that will do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numba import njit
from numpy.typing import NDArray

from fwcore.design.prefetch import FETCHED, LINE, prefetch
from fwcore.design.primitives import (
    Floats,
    col_axpy,
    col_dot,
    col_entries,
    col_fetch,
    col_moments,
    col_place,
    col_row,
    range_dots,
)
from fwcore.dispatch import implements

_SHORT_ROWS = 1 << 16


class Csc(NamedTuple):
    """Compressed columns: ``indptr`` (p + 1,), ``rows`` and ``values`` (non-zeros,), ``m`` rows in all.

    ``rows`` is uint16 where m < 65,536 and int32 otherwise, ``indptr`` int32 below 2^31 non-zeros and int64 from there, ``values``
    float64 or float32.
    """

    indptr: NDArray[Any]
    rows: NDArray[Any]
    values: NDArray[Any]
    m: int
    offset: Floats
    scale: Floats

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


def store(X: Any, dtype: Any) -> Csc:
    """``X``, scipy sparse of shape (m, p), neither centred nor scaled; never made dense."""
    m, p = X.shape
    csc = scipy.sparse.csc_array(X)
    if not csc.has_canonical_format:
        csc = csc.copy()
        csc.sum_duplicates()
    rows = csc.indices.astype(np.uint16 if m < _SHORT_ROWS else np.int32)
    indptr = csc.indptr.astype(np.int32 if csc.nnz < 2**31 else np.int64)
    return Csc(indptr, rows, csc.data.astype(dtype), int(m), np.zeros(p), np.ones(p))


def permuted(design: Csc, columns: NDArray[Any]) -> Csc:
    """A copy with the columns in another order."""
    counts = np.diff(design.indptr)[columns]
    indptr = np.zeros_like(design.indptr)
    np.cumsum(counts, out=indptr[1:])
    rows, values = np.empty_like(design.rows), np.empty_like(design.values)
    _gather(design.indptr, design.rows, design.values, columns, indptr, rows, values)
    return Csc(indptr, rows, values, design.m, design.offset[columns], design.scale[columns])


@njit(nogil=True, cache=True)
def _gather(indptr, rows, values, columns, new_indptr, new_rows, new_values):  # type: ignore[no-untyped-def]
    for j in range(columns.size):
        first, to = indptr[columns[j]], new_indptr[j]
        for k in range(indptr[columns[j] + 1] - first):
            new_rows[to + k] = rows[first + k]
            new_values[to + k] = values[first + k]


@implements(col_dot, Csc)
def _col_dot(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    rows = design.rows[design.indptr[j] : design.indptr[j + 1]]
    values = design.values[design.indptr[j] : design.indptr[j + 1]]
    total = 0.0
    for k in range(rows.size):
        total += values[k] * v[rows[k]]
    return design.scale[j] * (total - design.offset[j] * v_sum)


@implements(range_dots, Csc)
def _range_dots(design, v, v_sum, first, out):  # type: ignore[no-untyped-def]
    for k in range(out.size):
        out[k] = col_dot(design, first + k, v, v_sum)


@implements(col_axpy, Csc)
def _col_axpy(design, j, c, v):  # type: ignore[no-untyped-def]
    c = c * design.scale[j]
    for k in range(design.indptr[j], design.indptr[j + 1]):
        v[design.rows[k]] += c * design.values[k]
    return c * design.m * design.offset[j]


@implements(col_place, Csc)
def _col_place(design, j):  # type: ignore[no-untyped-def]
    prefetch(design.indptr, j)
    prefetch(design.offset, j)
    prefetch(design.scale, j)


@implements(col_fetch, Csc)
def _col_fetch(design, j):  # type: ignore[no-untyped-def]
    start, stop = design.indptr[j], design.indptr[j + 1]
    stop = min(stop, start + FETCHED)
    for k in range(start, stop, LINE):
        prefetch(design.values, k)
    # Indices are at most half as wide as values.
    for k in range(start, stop, 2 * LINE):
        prefetch(design.rows, k)


@implements(col_entries, Csc)
def _col_entries(design, j):  # type: ignore[no-untyped-def]
    return np.int64(design.indptr[j + 1] - design.indptr[j])


@implements(col_row, Csc)
def _col_row(design, j, k):  # type: ignore[no-untyped-def]
    return np.int64(design.rows[design.indptr[j] + k])


@implements(col_moments, Csc)
def _col_moments(design, j):  # type: ignore[no-untyped-def]
    start, stop = design.indptr[j], design.indptr[j + 1]
    mean = 0.0
    for k in range(start, stop):
        mean += design.values[k]
    mean /= design.m
    square = (design.m - (stop - start)) * mean * mean
    for k in range(start, stop):
        square += (design.values[k] - mean) ** 2
    return mean, np.sqrt(square)

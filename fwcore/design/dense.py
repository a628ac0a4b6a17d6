"""All entries, column after column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from fwcore.design.common import AsGiven, as_seen, even_cuts, offset_and_scale
from fwcore.design.prefetch import FETCHED, LINE, prefetch
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
from fwcore.design.rows import row, row_entries, row_entry, rows_are_full, rows_are_stored
from fwcore.kernels.dispatch import implements
from fwcore.kernels.fours import dots_of_four
from fwcore.kernels.types import Floats

# Columns of so many rows come sooner four at a time.
_LONG = 512


class _DenseFields(NamedTuple):
    """What kernels read."""

    values: NDArray[Any]
    offset: Floats
    scale: Floats


class Dense(_DenseFields, AsGiven):
    """Columns one after the other: ``values`` (p, m), float64 or float32, C-contiguous; ``offset``
    and ``scale`` (p,).
    """

    __slots__ = ()

    @property
    def shape(self) -> tuple[int, int]:
        """(m, p)."""
        return self.values.shape[1], self.values.shape[0]

    @property
    def stored(self) -> tuple[NDArray[Any], ...]:
        """The arrays that hold the values."""
        return (self.values,)

    @property
    def entries(self) -> int:
        """Entries that a full pass touches."""
        return int(self.values.size)

    def like(self, X: Floats) -> Dense:
        """Another design of the same layout, from a small dense ``X``."""
        return store(X, self.values.dtype)

    def with_rows(self, X: Any) -> Dense:
        """The same columns, offsets and scales for other rows ``X`` of base features."""
        X = X.toarray() if scipy.sparse.issparse(X) else X
        return store(X, np.float64)._replace(offset=self.offset, scale=self.scale)

    def cuts(self, parts: int) -> list[int]:
        """0 ... p in as many ranges of columns, whose passes take about as long."""
        return even_cuts(self.offset.size, parts)

    def read(self, first: int, last: int) -> tuple[NDArray[Any], ...]:
        """What a pass over the columns first ... last - 1 reads of `stored`."""
        return (self.values[first:last],)

    def permuted(self, columns: NDArray[Any]) -> Dense:
        """A copy with the columns in another order; ``columns`` (p,) says which goes where."""
        return Dense(self.values[columns], self.offset[columns], self.scale[columns])

    def matrix(self) -> Floats:
        """The design as solvers see it, as an array of shape (m, p) in Fortran order."""
        return as_seen(self.values.astype(np.float64), self.offset, self.scale)

    def exported(self) -> tuple[Any, Floats | None]:
        """(X, offset) as other libraries take it: only a sparse X has an offset left."""
        return self.matrix(), None

    def by_rows(self) -> DenseRows:
        """The rows, centred and scaled: a second copy of the values."""
        values = (self.values - self.offset[:, None]) * self.scale[:, None]
        columns = np.arange(values.shape[0], dtype=np.int32)
        return DenseRows(columns, np.ascontiguousarray(values.T, dtype=self.values.dtype))

    @classmethod
    def opened(cls, arrays: dict[str, Any]) -> Dense | None:
        """The design of the arrays of a folder; None where they are not one of this storage."""
        if "values" not in arrays or "indptr" in arrays:
            return None
        values = arrays["values"]
        p = values.shape[0] if values.ndim == 2 and values.flags.c_contiguous else -1
        return cls(values, *offset_and_scale(arrays, p))


def store(X: Any, dtype: Any) -> Dense:
    """``X``, an array of shape (m, p), neither centred nor scaled."""
    p = X.shape[1]
    return Dense(np.ascontiguousarray(np.asarray(X).T, dtype=dtype), np.zeros(p), np.ones(p))


@implements(col_dot, Dense)
def _col_dot(design, j, v, v_sum):
    column = design.values[j]
    total = 0.0
    for i in range(column.size):
        total += column[i] * v[i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


@implements(range_dots, Dense)
def _range_dots(design, v, v_sum, first, out):
    if v.size < _LONG:
        for k in range(out.size):
            out[k] = col_dot(design, first + k, v, v_sum)
        return
    columns, last = design.values[first:], out.size - 1
    for a in range(0, out.size, 4):
        # The last takes the place of those that there are not, so that all have the same sums.
        b, c, d = min(a + 1, last), min(a + 2, last), min(a + 3, last)
        products = dots_of_four(columns[a], columns[b], columns[c], columns[d], v)
        out[a], out[b], out[c], out[d] = products
    for k in range(out.size):
        out[k] = design.scale[first + k] * (out[k] - design.offset[first + k] * v_sum)


@implements(col_axpy, Dense)
def _col_axpy(design, j, c, v):
    column = design.values[j]
    c = c * design.scale[j]
    for i in range(column.size):
        v[i] += c * column[i]
    return c * column.size * design.offset[j]


@implements(col_place, Dense)
def _col_place(design, j):
    prefetch(design.offset, j)
    prefetch(design.scale, j)


@implements(col_fetch, Dense)
def _col_fetch(design, j):
    m = design.values.shape[1]
    for i in range(0, min(m, FETCHED), LINE):
        prefetch(design.values, j * m + i)


@implements(col_reach, Dense)
def _col_reach(design, j, v):
    pass


@implements(col_entries, Dense)
def _col_entries(design, j):
    return design.values.shape[1]


@implements(col_row, Dense)
def _col_row(design, j, k):
    return np.int64(k)


@implements(col_value, Dense)
def _col_value(design, j, k):
    return np.float64(design.values[j, k])


@implements(col_moments, Dense)
def _col_moments(design, j):
    return moments(design.values[j])


class DenseRows(NamedTuple):
    """``values`` (m, p); ``columns`` (p,) counts."""

    columns: NDArray[np.int32]
    values: NDArray[Any]


@implements(row, DenseRows)
def _dense(rows, i, room):
    return rows.columns, rows.values[i]


@implements(row_entries, DenseRows)
def _dense_entries(rows, i):
    return rows.columns.size


@implements(row_entry, DenseRows)
def _dense_entry(rows, i, j):
    return rows.values[i, j]


@implements(rows_are_full, DenseRows)
def _full(rows):
    return True


@implements(rows_are_stored, DenseRows)
def _stored(rows):
    return True

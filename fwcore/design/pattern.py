"""Sparse columns whose values follow from their place: a number a row times a number a column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numba import njit
from numpy.typing import NDArray

from fwcore.design import csc
from fwcore.design.common import (
    AsGiven,
    columns_of,
    cuts_by_entries,
    offset_and_scale,
    require_arrays,
    require_placed,
)
from fwcore.design.csc import Csc
from fwcore.design.folded import Folded
from fwcore.design.passes import threads_for
from fwcore.design.prefetch import FAR, FURTHER, fetch, prefetch, reach, sum_at
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
from fwcore.design.sifted import steepest_outside
from fwcore.errors import ParameterError
from fwcore.kernels.dispatch import implements
from fwcore.kernels.types import Floats, Ints


class _PatternFields(NamedTuple):
    """What kernels read."""

    indptr: NDArray[Any]
    rows: NDArray[Any]
    row_values: NDArray[Any]
    column_values: NDArray[Any]
    offset: Floats
    scale: Floats


class Pattern(_PatternFields, AsGiven):
    """x_ij = ``row_values``[i] * ``column_values``[j] where there is an entry: ``indptr`` (p + 1,)
    and ``rows`` (entries,) as in `Csc`.

    An entry takes two or four bytes, and nothing for its value. So stored are matrices of zeros and
    ones, such columns that were scaled, and rows of ones that were brought to unit norm.
    ``row_values`` (m,) and ``column_values`` (p,) are float64 or float32.
    """

    __slots__ = ()

    @classmethod
    def of(cls, X: Any) -> Pattern:
        """``X``, scipy sparse of shape (m, p), neither centred nor scaled.

        Raises
        ------
        ParameterError
            Its values are alike neither within every column nor within every row.
        """
        _require(scipy.sparse.issparse(X), "scipy sparse", type(X).__name__)
        X = csc.canonical(X)
        kind = np.float32 if X.dtype == np.float32 else np.float64
        in_rows, in_columns = np.ones(X.shape[0], kind), np.ones(X.shape[1], kind)
        if not _columns_alike(X.indptr, X.data, in_columns):
            in_columns[:] = 1.0
            alike = _rows_alike(X.indices, X.data, in_rows)
            rule = "such that all values of a column are alike, or all values of a row"
            _require(alike, rule, "others")
        return cls(*csc.places(X), in_rows, in_columns, np.zeros(X.shape[1]), np.ones(X.shape[1]))

    @property
    def shape(self) -> tuple[int, int]:
        """(m, p)."""
        return int(self.row_values.size), int(self.offset.size)

    @property
    def stored(self) -> tuple[NDArray[Any], ...]:
        """The arrays that hold the values."""
        return self.indptr, self.rows, self.row_values, self.column_values

    @property
    def entries(self) -> int:
        """Entries that a full pass touches."""
        return int(self.rows.size)

    def with_values(self) -> Csc:
        """The same design, with a value an entry."""
        values = self.row_values[self.rows]
        values *= np.repeat(self.column_values, np.diff(self.indptr))
        return Csc(self.indptr, self.rows, values, self.shape[0], self.offset, self.scale)

    def like(self, X: Floats) -> Pattern:
        """Another design of the same layout, from a small dense ``X``: ones where X > 0."""
        made = csc.store(scipy.sparse.csc_array(X > 0.0), np.float64)
        return Pattern(
            made.indptr.astype(self.indptr.dtype),
            made.rows.astype(self.rows.dtype),
            np.ones(made.m, self.row_values.dtype),
            np.ones(made.offset.size, self.column_values.dtype),
            made.offset,
            made.scale,
        )

    def with_rows(self, X: Any) -> Any:
        """The same columns, offsets and scales for other rows ``X`` of base features."""
        made = X if isinstance(X, Pattern) else csc.store(scipy.sparse.csc_array(X), np.float64)
        return made._replace(offset=self.offset, scale=self.scale)

    def cuts(self, parts: int) -> list[int]:
        """0 ... p in as many ranges of columns, whose passes take about as long."""
        return cuts_by_entries(self.indptr, parts)

    def read(self, first: int, last: int) -> tuple[NDArray[Any], ...]:
        """What a pass over the columns first ... last - 1 reads of `stored`."""
        return (self.rows[self.indptr[first] : self.indptr[last]],)

    def permuted(self, columns: NDArray[Any]) -> Pattern:
        """A copy with the columns in another order; ``columns`` (p,) says which goes where."""
        indptr, rows = csc.gathered(self.indptr, columns, self.rows)
        rest = self.column_values[columns], self.offset[columns], self.scale[columns]
        return Pattern(indptr, rows, self.row_values, *rest)

    def matrix(self) -> Floats:
        """The design as solvers see it, as an array of shape (m, p) in Fortran order."""
        return self.with_values().matrix()

    def exported(self) -> tuple[Any, Floats | None]:
        """(X, offset) as other libraries take it; copies, as they want arrays to write to."""
        return self.with_values().exported()

    def by_rows(self) -> Any:
        """The rows, with their values: as those of `Csc`."""
        return self.with_values().by_rows()

    def folded(self, sigma: Floats) -> Folded:
        """The design that the steps of a run with ``sigma`` (p,) are taken on; see there."""
        return Folded.of(self, sigma)

    def steepest_outside(
        self, v: Floats, columns: Ints, least: float, positive: bool, threads: int | None = None
    ) -> float:
        """The largest abs(z_j'v), or z_j'v where ``positive``, of the columns that are not among
        ``columns`` (k,); ``least`` if that is larger. Most columns are not read.
        """
        return steepest_outside(self, v, columns, least, positive, threads_for(self, threads))

    @classmethod
    def opened(cls, arrays: dict[str, Any]) -> Pattern | None:
        """The design of the arrays of a folder; None where they are not one of this storage."""
        if "row_values" not in arrays:
            return None
        require_arrays(arrays, ("indptr", "rows", "row_values", "column_values"))
        indptr, rows = arrays["indptr"], arrays["rows"]
        p = columns_of(indptr, rows.size)
        offset, scale = offset_and_scale(arrays, p if arrays["column_values"].shape == (p,) else -1)
        values = arrays["row_values"], arrays["column_values"]
        design = cls(indptr, rows, *values, offset, scale)
        require_placed(design)
        return design


def _require(holds: bool, rule: str, got: str) -> None:
    if not holds:
        raise ParameterError("X", "Pattern", rule, got)


@njit(nogil=True, cache=True)
def _columns_alike(indptr, values, found):
    """Fill ``found`` (p,) with the value of each column; whether no column has two."""
    for j in range(found.size):
        first, last = indptr[j], indptr[j + 1]
        if first < last:
            found[j] = values[first]
        for k in range(first, last):
            if values[k] != values[first]:
                return False
    return True


@njit(nogil=True, cache=True)
def _rows_alike(rows, values, found):
    """Fill ``found`` (m,) with the value of each row; whether no row has two."""
    for k in range(rows.size):
        found[rows[k]] = values[k]
    odd = 0
    for k in range(rows.size):
        odd += values[k] != found[rows[k]]
    return odd == 0


@njit(nogil=True, inline="always")
def _asked_until(design, stop):
    """Entries before this one ask for what one further on in ``rows`` will meet; ``stop`` is the
    last that may be asked for.
    """
    return stop - FURTHER if design.row_values.size >= FAR else 0


@njit(nogil=True, inline="always")
def _ask(design, k, v):
    i = design.rows[k + FURTHER]
    prefetch(v, i)
    prefetch(design.row_values, i)


@implements(col_dot, Pattern)
def _col_dot(design, j, v, v_sum):
    start, stop, total = design.indptr[j], design.indptr[j + 1], 0.0
    middle = min(stop, max(start, _asked_until(design, stop)))
    for k in range(start, middle):
        _ask(design, k, v)
        i = design.rows[k]
        total += design.row_values[i] * v[i]
    for k in range(middle, stop):
        i = design.rows[k]
        total += design.row_values[i] * v[i]
    return design.scale[j] * (design.column_values[j] * total - design.offset[j] * v_sum)


@implements(range_dots, Pattern)
def _range_dots(design, v, v_sum, first, out):
    # One vector to meet at the rows of a column, instead of two.
    folded = np.empty(v.size)
    for i in range(v.size):
        folded[i] = design.row_values[i] * v[i]
    asked = _asked_until(design, design.rows.size)
    for k in range(out.size):
        j = first + k
        total = sum_at(design.rows, design.indptr[j], design.indptr[j + 1], asked, folded)
        out[k] = design.scale[j] * (design.column_values[j] * total - design.offset[j] * v_sum)


@implements(col_axpy, Pattern)
def _col_axpy(design, j, c, v):
    c = c * design.scale[j]
    unit = c * design.column_values[j]
    start, stop = design.indptr[j], design.indptr[j + 1]
    middle = min(stop, max(start, _asked_until(design, stop)))
    for k in range(start, middle):
        _ask(design, k, v)
        i = design.rows[k]
        v[i] += unit * design.row_values[i]
    for k in range(middle, stop):
        i = design.rows[k]
        v[i] += unit * design.row_values[i]
    return c * design.row_values.size * design.offset[j]


@implements(col_place, Pattern)
def _col_place(design, j):
    prefetch(design.indptr, j)
    prefetch(design.column_values, j)
    prefetch(design.offset, j)
    prefetch(design.scale, j)


@implements(col_fetch, Pattern)
def _col_fetch(design, j):
    fetch(design.rows, design.indptr[j], design.indptr[j + 1])


@implements(col_reach, Pattern)
def _col_reach(design, j, v):
    start, stop = design.indptr[j], design.indptr[j + 1]
    reach(design.rows, start, stop, v)
    reach(design.rows, start, stop, design.row_values)


@implements(col_entries, Pattern)
def _col_entries(design, j):
    return np.int64(design.indptr[j + 1] - design.indptr[j])


@implements(col_row, Pattern)
def _col_row(design, j, k):
    return np.int64(design.rows[design.indptr[j] + k])


@implements(col_value, Pattern)
def _col_value(design, j, k):
    value = np.float64(design.row_values[design.rows[design.indptr[j] + k]])
    return value * design.column_values[j]


@implements(col_moments, Pattern)
def _col_moments(design, j):
    start, stop, m = design.indptr[j], design.indptr[j + 1], design.row_values.size
    mean = 0.0
    for k in range(start, stop):
        mean += design.row_values[design.rows[k]]
    mean /= m
    square = (m - (stop - start)) * mean * mean
    for k in range(start, stop):
        square += (design.row_values[design.rows[k]] - mean) ** 2
    value = design.column_values[j]
    return value * mean, abs(value) * np.sqrt(square)

"""All entries, column after column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
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
    moments,
    range_dots,
)
from fwcore.dispatch import implements


class Dense(NamedTuple):
    """Columns one after the other: ``values`` (p, m), float64 or float32, C-contiguous; ``offset`` and ``scale`` (p,)."""

    values: NDArray[Any]
    offset: Floats
    scale: Floats

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


def store(X: Any, dtype: Any) -> Dense:
    """``X``, an array of shape (m, p), neither centred nor scaled."""
    p = X.shape[1]
    return Dense(np.ascontiguousarray(np.asarray(X).T, dtype=dtype), np.zeros(p), np.ones(p))


@implements(col_dot, Dense)
def _col_dot(design, j, v, v_sum):  # type: ignore[no-untyped-def]
    column = design.values[j]
    total = 0.0
    for i in range(column.size):
        total += column[i] * v[i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


@implements(range_dots, Dense)
def _range_dots(design, v, v_sum, first, out):  # type: ignore[no-untyped-def]
    for k in range(out.size):
        out[k] = col_dot(design, first + k, v, v_sum)


@implements(col_axpy, Dense)
def _col_axpy(design, j, c, v):  # type: ignore[no-untyped-def]
    column = design.values[j]
    c = c * design.scale[j]
    for i in range(column.size):
        v[i] += c * column[i]
    return c * column.size * design.offset[j]


@implements(col_place, Dense)
def _col_place(design, j):  # type: ignore[no-untyped-def]
    prefetch(design.offset, j)
    prefetch(design.scale, j)


@implements(col_fetch, Dense)
def _col_fetch(design, j):  # type: ignore[no-untyped-def]
    m = design.values.shape[1]
    for i in range(0, min(m, FETCHED), LINE):
        prefetch(design.values, j * m + i)


@implements(col_entries, Dense)
def _col_entries(design, j):  # type: ignore[no-untyped-def]
    return design.values.shape[1]


@implements(col_row, Dense)
def _col_row(design, j, k):  # type: ignore[no-untyped-def]
    return np.int64(k)


@implements(col_moments, Dense)
def _col_moments(design, j):  # type: ignore[no-untyped-def]
    return moments(design.values[j])

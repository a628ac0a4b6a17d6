"""A `Pattern` to take steps on: images hold the values of their rows already."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fwcore.design.csc import gathered
from fwcore.design.prefetch import FAR, FURTHER, fetch, prefetch, reach
from fwcore.design.primitives import (
    col_axpy,
    col_dot,
    col_entries,
    col_fetch,
    col_place,
    col_reach,
    most_steep,
    scale_image,
)
from fwcore.kernels.dispatch import implements
from fwcore.kernels.types import Floats
from fwcore.kernels.vectors import multiply

# Of a sum of few entries, as a share of what it may be at most.
_ROUNDING = 1e-9


class Folded(NamedTuple):
    """The columns of a `Pattern`, for images that are multiplied by ``row_values`` (m,).

    So a dot product meets one vector at the rows of a column, and not the values of the rows too:
    on long vectors each is a wait for memory. ``columns`` (p, 2) holds scale_j * column_values_j
    and scale_j * offset_j.

    ``span`` (2,): no entry of the image of the run is below the first or above the second. So a
    column of few entries is known not to be steep without looking at them.
    """

    indptr: NDArray[Any]
    rows: NDArray[Any]
    row_values: NDArray[Any]
    columns: Floats
    span: Floats

    def fold(self, image: Floats) -> None:
        """Multiply an image (m,) of the `Pattern`, in place: it is that of the run from now on."""
        image *= self.row_values
        self.span[:] = image.min(), image.max()

    def permuted(self, columns: NDArray[Any]) -> Folded:
        """A copy with the columns in another order; ``columns`` (p,) says which goes where."""
        indptr, rows = gathered(self.indptr, columns, self.rows)
        return Folded(indptr, rows, self.row_values, self.columns[columns], self.span)


@implements(col_dot, Folded)
def _col_dot(design, j, v, v_sum):
    start, stop, total = design.indptr[j], design.indptr[j + 1], 0.0
    middle = min(stop, max(start, stop - FURTHER)) if v.size >= FAR else start
    for k in range(start, middle):
        prefetch(v, design.rows[k + FURTHER])
        total += v[design.rows[k]]
    for k in range(middle, stop):
        total += v[design.rows[k]]
    return design.columns[j, 0] * total - design.columns[j, 1] * v_sum


@implements(col_axpy, Folded)
def _col_axpy(design, j, c, v):
    unit, span = c * design.columns[j, 0], design.span
    for k in range(design.indptr[j], design.indptr[j + 1]):
        i = design.rows[k]
        v[i] += unit * design.row_values[i] * design.row_values[i]
        span[0], span[1] = min(span[0], v[i]), max(span[1], v[i])
    return c * v.size * design.columns[j, 1]


@implements(most_steep, Folded)
def _most_steep(design, j, scale, image_sum, product):
    unit = scale * design.columns[j, 0] * (design.indptr[j + 1] - design.indptr[j])
    rest = scale * design.columns[j, 1] * image_sum + product
    low, high = unit * design.span[0], unit * design.span[1]
    rounding = _ROUNDING * (abs(low) + abs(high) + abs(rest))
    return max(abs(low - rest), abs(high - rest)) + rounding


@implements(scale_image, Folded)
def _scale_image(design, image, factor):
    multiply(image, factor)
    multiply(design.span, factor)


@implements(col_place, Folded)
def _col_place(design, j):
    prefetch(design.indptr, j)
    prefetch(design.columns, 2 * j)


@implements(col_fetch, Folded)
def _col_fetch(design, j):
    fetch(design.rows, design.indptr[j], design.indptr[j + 1])


@implements(col_reach, Folded)
def _col_reach(design, j, v):
    reach(design.rows, design.indptr[j], design.indptr[j + 1], v)


@implements(col_entries, Folded)
def _col_entries(design, j):
    return np.int64(design.indptr[j + 1] - design.indptr[j])

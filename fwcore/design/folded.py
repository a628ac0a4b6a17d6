"""A `Pattern` to take steps on: images hold the values of their rows already."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design.coarse import holds, level_of, refill, sum_of
from fwcore.design.csc import gathered
from fwcore.design.overlaps import Overlaps, place
from fwcore.design.passes import some_dots
from fwcore.design.prefetch import FAR, FURTHER, fetch, prefetch, reach, sum_at
from fwcore.design.primitives import (
    col_axpy,
    col_dot,
    col_entries,
    col_fetch,
    col_head,
    col_place,
    col_reach,
    first_met,
    gradient_above,
    most_steep,
    scale_image,
    support_dots,
)
from fwcore.kernels.dispatch import implements
from fwcore.kernels.types import Floats
from fwcore.kernels.vectors import multiply, multiply_by

# Of a sum of few entries, as a share of what it may be at most.
_ROUNDING = 1e-9


class Folded(NamedTuple):
    """The columns of a `Pattern`, for images that are multiplied by ``row_values`` (m,).

    So a dot product meets one vector at the rows of a column, and not the values of the rows too:
    on long vectors each is a wait for memory. ``columns`` (p, 4) holds scale_j * column_values_j,
    scale_j * offset_j, the entries, and sigma_j of the run: what is known of a column without its
    entries lies in one place.

    ``span`` (2,): no entry of the image of the run is below the first or above the second. So a
    column of few entries is known not to be steep without looking at them. ``levels`` (m,) are
    those of the image on ``grid`` (2,), see `fwcore.design.coarse`: most of the others are known
    not to be by those. A short image is as near as its levels, and has none: (0,). ``known`` has
    what columns of the support have in common.
    """

    indptr: NDArray[Any]
    rows: NDArray[Any]
    row_values: NDArray[Any]
    columns: Floats
    span: Floats
    levels: NDArray[np.uint8]
    grid: Floats
    known: Overlaps

    @classmethod
    def of(cls, design: Any, sigma: Floats) -> Folded:
        """The `Pattern` ``design`` for a run with ``sigma`` (p,), before the first image."""
        indptr, row_values = design.indptr, design.row_values
        columns = np.empty((sigma.size, 4))
        np.multiply(design.scale, design.column_values, out=columns[:, 0])
        np.multiply(design.scale, design.offset, out=columns[:, 1])
        columns[:, 2], columns[:, 3] = np.diff(indptr), sigma
        levels = np.zeros(row_values.size if row_values.size >= FAR else 0, np.uint8)
        known = Overlaps.of(row_values.size, sigma.size)
        spans = np.zeros(2), levels, np.zeros(2)
        return cls(indptr, design.rows, row_values, columns, *spans, known)

    def fold(self, image: Floats) -> None:
        """Multiply an image (m,) of the `Pattern`, in place: it is that of the run from now on."""
        multiply_by(image, self.row_values)
        refill(image, self.span, self.levels, self.grid)

    def permuted(self, columns: NDArray[Any]) -> Folded:
        """A copy with the columns in another order; ``columns`` (p,) says which goes where."""
        indptr, rows = gathered(self.indptr, columns, self.rows)
        return self._replace(indptr=indptr, rows=rows, columns=self.columns[columns])


@implements(col_dot, Folded)
def _col_dot(design, j, v, v_sum):
    start, stop = design.indptr[j], design.indptr[j + 1]
    asked = stop - FURTHER if v.size >= FAR else 0
    total = sum_at(design.rows, start, stop, asked, v)
    return design.columns[j, 0] * total - design.columns[j, 1] * v_sum


@implements(col_axpy, Folded)
def _col_axpy(design, j, c, v):
    unit, span, grid = c * design.columns[j, 0], design.span, design.grid
    start, stop, graded = design.indptr[j], design.indptr[j + 1], design.levels.size > 0
    for k in range(start, stop):
        if graded and k + FURTHER < stop:
            ahead = design.rows[k + FURTHER]
            prefetch(v, ahead)
            prefetch(design.row_values, ahead)
            prefetch(design.levels, ahead)
        i = design.rows[k]
        v[i] += unit * design.row_values[i] * design.row_values[i]
        span[0], span[1] = min(span[0], v[i]), max(span[1], v[i])
        if graded:
            design.levels[i] = level_of(v[i], grid)
    if graded and not holds(grid, span):
        refill(v, span, design.levels, grid)
    return c * v.size * design.columns[j, 1]


@implements(most_steep, Folded)
def _most_steep(design, j, scale, image_sum):
    unit = scale * design.columns[j, 0] * design.columns[j, 2]
    rest = scale * design.columns[j, 1] * image_sum + design.columns[j, 3]
    low, high = unit * design.span[0], unit * design.span[1]
    rounding = _ROUNDING * (abs(low) + abs(high) + abs(rest))
    return max(abs(low - rest), abs(high - rest)) + rounding


@njit(nogil=True, inline="always")
def _rough_sum(design, j):
    start, stop, levels = design.indptr[j], design.indptr[j + 1], 0
    middle = max(start, stop - FURTHER)
    for k in range(start, middle):
        prefetch(design.levels, design.rows[k + FURTHER])
        levels += design.levels[design.rows[k]]
    for k in range(middle, stop):
        levels += design.levels[design.rows[k]]
    return sum_of(levels, stop - start, design.grid)


@implements(gradient_above, Folded)
def _gradient_above(design, j, scale, image, image_sum, sigma, least):
    if most_steep(design, j, scale, image_sum) < least:
        return 0.0, np.int64(0)
    product = design.columns[j, 3]
    entries, read = design.indptr[j + 1] - design.indptr[j], 0
    if design.levels.size > 0:
        unit, rest = design.columns[j, 0], design.columns[j, 1] * image_sum
        middle, error = _rough_sum(design, j)
        about = scale * (unit * middle - rest) - product
        rounding = _ROUNDING * (scale * (abs(unit * middle) + abs(rest)) + abs(product))
        if abs(about) + scale * abs(unit) * error + rounding < least:
            return 0.0, np.int64(entries)
        read = entries
    gradient = scale * col_dot(design, j, image, image_sum) - product
    return gradient, np.int64(read + entries)


@implements(support_dots, Folded)
def _support_dots(design, support, coef, image, image_sum, out):
    known, places = design.known, np.empty(support.size, np.int64)
    indptr, rows, row_values = design.indptr, design.rows, design.row_values
    placed, touched = place(known, indptr, rows, row_values, support, places)
    if not placed:
        return some_dots(design, support, image, image_sum, out)
    for k in range(support.size):
        total = 0.0
        for n in range(support.size):
            j = support[n]
            total += known.overlaps[places[k], places[n]] * design.columns[j, 0] * coef[j]
        unit, mean = design.columns[support[k], 0], design.columns[support[k], 1]
        out[k] = unit * total - mean * image_sum
    return touched


@implements(first_met, Folded)
def _first_met(design, image):
    return design.levels


@implements(scale_image, Folded)
def _scale_image(design, image, factor):
    multiply(image, factor)
    multiply(design.span, factor)
    multiply(design.grid, factor)


@implements(col_head, Folded)
def _col_head(design, j):
    prefetch(design.columns, 4 * j)


@implements(col_place, Folded)
def _col_place(design, j):
    prefetch(design.indptr, j)


@implements(col_fetch, Folded)
def _col_fetch(design, j):
    fetch(design.rows, design.indptr[j], design.indptr[j + 1])


@implements(col_reach, Folded)
def _col_reach(design, j, v):
    reach(design.rows, design.indptr[j], design.indptr[j + 1], v)


@implements(col_entries, Folded)
def _col_entries(design, j):
    return np.int64(design.indptr[j + 1] - design.indptr[j])

"""An image in bytes: the level of every entry on a grid of 256 cells.

A sum of entries of a long vector at scattered rows is a wait for memory, entry by entry; bytes stay
nearer to the processor. A sum of levels gives the sum of the entries up to half a cell each.

``grid`` (2,) holds where the first cell begins, and the width of a cell; 0 where all entries are
alike.
"""

from __future__ import annotations

import numpy as np
from numba import njit

LEVELS = 256
# A cell holds what rounding error has put into the next.
_HALF = 0.5 + 1e-6
# Of the width of the entries, what the grid is wider at each end: so much may they grow before all
# levels are made again.
_MARGIN = 0.25


@njit(nogil=True, inline="always")
def level_of(value, grid):
    """The cell of a value; the first or the last of one that the grid does not hold."""
    cell = (value - grid[0]) / grid[1] if grid[1] > 0.0 else 0.0
    return np.uint8(min(max(cell, 0.0), LEVELS - 1.0))


@njit(nogil=True, inline="always")
def holds(grid, span):
    """Whether the grid holds all values of ``span`` (2,), the smallest and the largest."""
    return grid[0] <= span[0] and span[1] <= grid[0] + LEVELS * grid[1]


@njit(nogil=True, inline="always")
def sum_of(levels, entries, grid):
    """(the sum of ``entries`` values whose levels have the sum ``levels``, its largest error)."""
    return entries * (grid[0] + 0.5 * grid[1]) + levels * grid[1], entries * _HALF * grid[1]


@njit(nogil=True, cache=True)
def refill(v, span, levels, grid):
    """Find the ``span`` (2,) of v (m,), its smallest and largest entry; put a grid around it, and
    every entry on its level. There may be no ``levels``: (0,).
    """
    low, high = v[0], v[0]
    for i in range(v.size):
        low, high = min(low, v[i]), max(high, v[i])
    span[0], span[1] = low, high
    margin = _MARGIN * (high - low)
    grid[0], grid[1] = low - margin, (high - low + 2.0 * margin) / LEVELS
    for i in range(levels.size):
        levels[i] = level_of(v[i], grid)

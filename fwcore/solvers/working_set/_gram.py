"""The products of the columns of a working set with each other.

Columns that join are multiplied with the others several at a time, so that each of these is fetched
once for all of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import col_axpy, col_dot, col_entries, image_of
from fwcore.kernels.tiles import SIDE, multiply_tile
from fwcore.kernels.vectors import total
from fwcore.solvers.working_set._blocks import LONG

_TOGETHER = 8 * SIDE


@njit(nogil=True, cache=True)
def extend_gram(design, columns, joining, rows, gram):
    """The products of the last ``joining`` of the ``columns`` with all of them into ``gram``: (the
    entries of X that were multiplied, how many of them were at hand when their turn came).
    """
    size, entries, at_hand = columns.size, 0, 0
    images = np.zeros((min(joining + SIDE - 1, _TOGETHER), rows))
    for first in range(size - joining, size, _TOGETHER):
        end = min(first + _TOGETHER, size)
        multiplied = 0
        for k in range(end):
            multiplied += (end - max(first, k)) * col_entries(design, columns[k])
        entries += multiplied
        if rows >= LONG and col_entries(design, columns[first]) == rows:
            _multiply_full(design, columns[:end], first, images, gram)
            at_hand += multiplied - multiplied // SIDE
        else:
            _multiply(design, columns[:end], first, images, gram)
    return entries, at_hand


@njit(nogil=True, cache=True)
def _multiply(design, columns, first, images, gram):
    """Those from ``first`` on with all, entry by entry of the columns."""
    sums = np.empty(_TOGETHER)
    for w in range(first, columns.size):
        image = images[w - first]
        image[:] = 0.0
        col_axpy(design, columns[w], 1.0, image)
        sums[w - first] = total(image)
    for k in range(columns.size):
        for w in range(max(first, k), columns.size):
            product = col_dot(design, columns[k], images[w - first], sums[w - first])
            gram[w, k], gram[k, w] = product, product


@njit(nogil=True, cache=True)
def _multiply_full(design, columns, first, images, gram):
    """The same tile by tile, of columns without zeros."""
    size, one = columns.size, np.ones(1)
    others, tile = np.zeros((SIDE, images.shape[1])), np.empty((SIDE, SIDE))
    for w in range(first, size):
        image_of(design, columns[w : w + 1], one, images[w - first])
    for k in range(0, size, SIDE):
        for a in range(min(SIDE, size - k)):
            image_of(design, columns[k + a : k + a + 1], one, others[a])
        for w in range(first, size, SIDE):
            multiply_tile(others, images[w - first :], others.shape[1], tile)
            for a in range(min(SIDE, size - k)):
                for b in range(max(0, k + a - w), min(SIDE, size - w)):
                    gram[k + a, w + b], gram[w + b, k + a] = tile[a, b], tile[a, b]

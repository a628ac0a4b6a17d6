"""The products of the columns of a working set with each other.

Columns that join are multiplied with the others several at a time, so that each of these is fetched
once for all of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import col_dot, col_entries, image_of
from fwcore.kernels.lanes import DOUBLES, SIDE, add_lines_of, lined_zeros
from fwcore.kernels.transposition import transpose_into
from fwcore.kernels.vectors import total
from fwcore.solvers.working_set._blocks import LONG

# Up to so many columns that join are multiplied at a time, fewer where they have more entries than
# that, or zeros; by so many others, of which so many entries stay at hand.
_TOGETHER, _FEW, _ENTRIES = 32 * DOUBLES, 4 * DOUBLES, 1 << 22
_OTHERS, _NEAR = 4 * SIDE, 1024


@njit(nogil=True, cache=True)
def extend_gram(design, columns, joining, rows, gram):
    """The products of the last ``joining`` of the ``columns`` with all of them into ``gram``: (the
    entries of X that were multiplied, how many of them were at hand when their turn came).
    """
    size, entries, at_hand = columns.size, 0, 0
    if joining == 0:
        return entries, at_hand
    full = rows >= LONG and col_entries(design, columns[0]) == rows
    together = max(1, min(_TOGETHER, _ENTRIES // rows) // DOUBLES) * DOUBLES if full else _FEW
    # Whole lines are filled from as many images as they have lanes.
    images = np.zeros((DOUBLES if full else min(joining, _FEW), rows))
    lines = (min(joining, together) + DOUBLES - 1) // DOUBLES if full else 0
    tiles = lined_zeros(lines, rows * DOUBLES).reshape(lines, rows, DOUBLES)
    for first in range(size - joining, size, together):
        end = min(first + together, size)
        multiplied = 0
        for k in range(end):
            multiplied += (end - max(first, k)) * col_entries(design, columns[k])
        entries += multiplied
        if full:
            _fill_tiles(design, columns[first:end], images, tiles)
            _multiply_full(design, columns[:end], first, tiles, gram)
            at_hand += multiplied - multiplied // SIDE
        else:
            _multiply(design, columns[:end], first, images, gram)
    return entries, at_hand


@njit(nogil=True, cache=True)
def _multiply(design, columns, first, images, gram):
    """Those from ``first`` on with all, entry by entry of the columns."""
    sums, one = np.empty(images.shape[0]), np.ones(1)
    for w in range(first, columns.size):
        # Centred, so that little cancels where means are large.
        image_of(design, columns[w : w + 1], one, images[w - first])
        sums[w - first] = total(images[w - first])
    for k in range(columns.size):
        for w in range(max(first, k), columns.size):
            product = col_dot(design, columns[k], images[w - first], sums[w - first])
            gram[w, k], gram[k, w] = product, product


@njit(nogil=True, cache=True)
def _fill_tiles(design, columns, images, tiles):
    one = np.ones(1)
    for first in range(0, columns.size, DOUBLES):
        for k in range(first, min(first + DOUBLES, columns.size)):
            image_of(design, columns[k : k + 1], one, images[k - first])
        transpose_into(images, tiles[first // DOUBLES])


@njit(nogil=True, cache=True)
def _multiply_full(design, columns, first, tiles, gram):
    """The same of columns without zeros, those from ``first`` on in ``tiles``."""
    size, rows, one = columns.size, tiles.shape[1], np.ones(1)
    lines = (size - first + DOUBLES - 1) // DOUBLES
    others, sums = np.zeros((_OTHERS, rows)), lined_zeros(_OTHERS, lines * DOUBLES)
    for k in range(0, size, _OTHERS):
        n = min(_OTHERS, size - k)
        for a in range(n):
            image_of(design, columns[k + a : k + a + 1], one, others[a])
        sums[:] = 0.0
        # What is on the other side of the diagonal is a mirror image.
        for begin in range(0, rows, _NEAR):
            part = begin, min(begin + _NEAR, rows)
            for line in range(max(0, k - first) // DOUBLES, lines):
                for a in range(0, n, SIDE):
                    add_lines_of(others, a, tiles, line, part, sums, a)
        for a in range(n):
            for w in range(max(first, k + a), size):
                gram[k + a, w] = sums[a, w - first]
        for w in range(max(first, k), size):
            for a in range(min(n, w - k + 1)):
                gram[w, k + a] = sums[a, w - first]

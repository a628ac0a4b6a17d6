"""The products of the columns of a working set with each other.

Columns that join are multiplied with the others several at a time, so that each of these is fetched
once for all of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import col_dot, col_entries, image_of
from fwcore.kernels.lanes import SIDE, add_lines_of, lanes_of, lined_zeros
from fwcore.kernels.transposition import transpose_into
from fwcore.kernels.vectors import total
from fwcore.solvers.working_set._blocks import LONG

# Up to so many lines of columns that join are multiplied at a time, fewer where these have more
# entries than that, and so many columns where they have zeros; by so many others, of which so many
# entries stay at hand.
_LINES, _ENTRIES, _FEW = 32, 1 << 22, 32
_OTHERS, _NEAR = 4 * SIDE, 1024


@njit(nogil=True, cache=True)
def extend_gram(design, columns, joining, rows, gram):
    """The products of the last ``joining`` of the ``columns`` with all of them into ``gram``: (the
    entries of X that were multiplied, how many of them were at hand when their turn came).
    """
    size, entries, at_hand, lanes = columns.size, 0, 0, lanes_of(gram)
    if joining == 0:
        return entries, at_hand
    full = rows >= LONG and col_entries(design, columns[0]) == rows
    together = max(1, min(_LINES, _ENTRIES // (rows * lanes))) * lanes if full else _FEW
    # Whole lines are filled from as many images as they have lanes.
    images = np.zeros((lanes if full else min(joining, _FEW), rows))
    lines = (min(joining, together) + lanes - 1) // lanes if full else 0
    tiles = lined_zeros(lines, rows * lanes, gram.dtype).reshape(lines, rows, lanes)
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
    one, lanes = np.ones(1), lanes_of(tiles)
    for first in range(0, columns.size, lanes):
        for k in range(first, min(first + lanes, columns.size)):
            image_of(design, columns[k : k + 1], one, images[k - first])
        transpose_into(images, tiles[first // lanes])


@njit(nogil=True, cache=True)
def _multiply_full(design, columns, first, tiles, gram):
    """The same of columns without zeros, those from ``first`` on in ``tiles``."""
    others, one = np.zeros((_OTHERS, tiles.shape[1])), np.ones(1)
    for k in range(0, columns.size, _OTHERS):
        n = min(_OTHERS, columns.size - k)
        for a in range(n):
            image_of(design, columns[k + a : k + a + 1], one, others[a])
        _multiply_some(others, 0, (k, k + n), (first, columns.size), tiles, gram)


@njit(nogil=True, cache=True)
def extend_gram_of_rows(vectors, size, joining, gram):
    """The products of the last ``joining`` of the first ``size`` of the ``vectors`` with all of
    these into ``gram``; both are in the same precision. There are as many vectors more as fill a
    line.
    """
    lanes, rows = lanes_of(gram), vectors.shape[1]
    if joining == 0:
        return
    together = min(_LINES * lanes, (joining + lanes - 1) // lanes * lanes)
    tiles = lined_zeros(together // lanes, rows * lanes, gram.dtype)
    tiles = tiles.reshape(together // lanes, rows, lanes)
    for first in range(size - joining, size, together):
        end = min(first + together, size)
        for k in range(first, end, lanes):
            transpose_into(vectors[k : k + lanes], tiles[(k - first) // lanes])
        for k in range(0, end, _OTHERS):
            _multiply_some(vectors, k, (k, min(k + _OTHERS, end)), (first, end), tiles, gram)


@njit(nogil=True, cache=True)
def _multiply_some(vectors, at, others, joining, tiles, gram):
    """The products of the columns from ``others`` 0 to 1, which begin ``at`` a place in
    ``vectors``, with those from ``joining`` 0 to 1, which are in ``tiles``.
    """
    rows, lanes, k, n = tiles.shape[1], lanes_of(tiles), others[0], others[1] - others[0]
    first, size = joining
    lines = (size - first + lanes - 1) // lanes
    sums = lined_zeros(_OTHERS, lines * lanes, gram.dtype)
    # What is on the other side of the diagonal is a mirror image.
    for begin in range(0, rows, _NEAR):
        part = begin, min(begin + _NEAR, rows)
        for line in range(max(0, k - first) // lanes, lines):
            for a in range(0, n, SIDE):
                add_lines_of(vectors, at + a, tiles, line, part, sums, a)
    for a in range(n):
        for w in range(max(first, k + a), size):
            gram[k + a, w] = sums[a, w - first]
    for w in range(max(first, k), size):
        for a in range(min(n, w - k + 1)):
            gram[w, k + a] = sums[a, w - first]

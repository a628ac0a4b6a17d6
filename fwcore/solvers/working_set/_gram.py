"""The products of the columns of a working set with each other.

Columns that join are multiplied with the others several at a time, so that each of these is fetched
once for all of them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import col_dot, col_entries, image_of
from fwcore.kernels.tiles import SIDE, add_products
from fwcore.kernels.vectors import total
from fwcore.solvers.working_set._blocks import LONG

# Up to so many columns that join are multiplied at a time, by so many others: few where they have
# more entries than that, or zeros.
_TOGETHER, _OTHERS, _FEW, _ENTRIES = 32 * SIDE, 4 * SIDE, 8 * SIDE, 1 << 22


@njit(nogil=True, cache=True)
def extend_gram(design, columns, joining, rows, gram):
    """The products of the last ``joining`` of the ``columns`` with all of them into ``gram``: (the
    entries of X that were multiplied, how many of them were at hand when their turn came).
    """
    size, entries, at_hand = columns.size, 0, 0
    if joining == 0:
        return entries, at_hand
    full = rows >= LONG and col_entries(design, columns[0]) == rows
    together = min(_TOGETHER, _ENTRIES // rows // SIDE * SIDE) if full else _FEW
    images = np.zeros((min(joining + SIDE - 1, max(together, _FEW)), rows))
    for first in range(size - joining, size, images.shape[0]):
        end = min(first + images.shape[0], size)
        multiplied = 0
        for k in range(end):
            multiplied += (end - max(first, k)) * col_entries(design, columns[k])
        entries += multiplied
        if full:
            _multiply_full(design, columns[:end], first, images, gram)
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
def _multiply_full(design, columns, first, images, gram):
    """The same tile by tile, of columns without zeros."""
    size, one = columns.size, np.ones(1)
    others, sums = np.zeros((_OTHERS, images.shape[1])), np.empty((_OTHERS, images.shape[0]))
    for w in range(first, size):
        image_of(design, columns[w : w + 1], one, images[w - first])
    for k in range(0, size, _OTHERS):
        n = min(_OTHERS, size - k)
        for a in range(n):
            image_of(design, columns[k + a : k + a + 1], one, others[a])
        sums[:] = 0.0
        # What is on the other side of the diagonal is a mirror image.
        begin, entries = max(0, k - first) // SIDE * SIDE, images.shape[1]
        joining = images[begin : size - first + SIDE - 1]
        add_products(others[: n + SIDE - 1], joining, entries, sums[:, begin:])
        for a in range(n):
            for w in range(max(first, k + a), size):
                gram[k + a, w] = sums[a, w - first]
        for w in range(max(first, k), size):
            for a in range(min(n, w - k + 1)):
                gram[w, k + a] = sums[a, w - first]

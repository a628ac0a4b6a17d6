"""What the columns that a run steps on have in common, so that the products of an image with them
follow from its coefficients.

A step that finds no descent vertex in its sample looks at the whole support, whose columns are the
longest of all, and looks again a few steps later: with the overlaps it reads only columns that are
new.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.kernels.types import Floats, Ints

MOST = 512
"""Columns that are kept; of a larger support the image is read."""
# As many new columns take as long as a look at the image, bits being nearer than its entries. So
# many are found for each look that was taken since: at most as much is spent as was before.
_WORTH = 2
_WORD = 64


class Overlaps(NamedTuple):
    """``overlaps``[a, b] is the sum of v_i^2 over the rows i that both have an entry in, of the
    columns ``kept``[a] and ``kept``[b]: the first ``size``[0] of at most `MOST`. v (m,) are values
    of the rows; ``marks`` has room for a bit a row. ``asked``[0] counts the looks since columns
    were last added.
    """

    kept: Ints
    size: Ints
    asked: Ints
    overlaps: Floats
    marks: NDArray[np.uint64]

    @classmethod
    def of(cls, m: int, p: int) -> Overlaps:
        """None yet, of a design of shape (m, p)."""
        most = min(MOST, p)
        marks = np.zeros(m // _WORD + 1, np.uint64)
        kept, (size, asked) = np.zeros(most, np.int64), np.zeros((2, 1), np.int64)
        return cls(kept, size, asked, np.zeros((most, most)), marks)


@njit(nogil=True, inline="always")
def _bit(i):
    return np.uint64(1) << np.uint64(i % _WORD)


@njit(nogil=True, cache=True)
def _find(known, columns, places):
    """Fill ``places`` with where the ``columns`` are kept, -1 of others, and count the others."""
    missing = 0
    for k in range(columns.size):
        places[k] = -1
        for a in range(known.size[0]):
            if known.kept[a] == columns[k]:
                places[k] = a
                break
        missing += places[k] < 0
    return missing


@njit(nogil=True, cache=True)
def place(known, indptr, rows, row_values, columns, places):
    """Fill ``places`` (n,) with where the overlaps of the ``columns`` are kept; whether they are,
    and the entries touched to find those that were missing.
    """
    missing, touched = _find(known, columns, places), 0
    known.asked[0] += 1
    if known.size[0] + missing > known.kept.size or missing > _WORTH * known.asked[0]:
        return False, touched
    known.asked[0] = 0
    for k in range(columns.size):
        if places[k] < 0:
            places[k] = known.size[0]
            touched += _add(known, indptr, rows, row_values, columns[k])
    return True, touched


@njit(nogil=True, cache=True)
def _add(known, indptr, rows, row_values, j):
    marks, size, touched = known.marks, known.size[0], 0
    known.kept[size] = j
    known.size[0] += 1
    for k in range(indptr[j], indptr[j + 1]):
        marks[rows[k] // _WORD] |= _bit(rows[k])
    for a in range(size + 1):
        other, common = known.kept[a], 0.0
        for k in range(indptr[other], indptr[other + 1]):
            i = rows[k]
            if marks[i // _WORD] & _bit(i):
                common += row_values[i] * row_values[i]
        touched += indptr[other + 1] - indptr[other]
        known.overlaps[a, size] = known.overlaps[size, a] = common
    for k in range(indptr[j], indptr[j + 1]):
        marks[rows[k] // _WORD] = 0
    return touched

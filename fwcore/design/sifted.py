"""The steepest of all columns of a `Pattern`: of most of them a bound says enough, unread.

The l entries of column j add up to at most l times the largest abs(v_i row_values_i). Along the
residual of an iterate, columns of few entries stay below the steepest of many.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numba import njit

from fwcore.design.mapped import turns
from fwcore.design.passes import shared
from fwcore.design.prefetch import FAR, FURTHER, sum_at
from fwcore.kernels.types import Floats, Ints

# Of a sum of entries, as a share of what it may be at most.
_ROUNDING = 1e-8
# Columns that a thread takes in turn: those of many entries are often neighbours.
_BLOCK = 64


def steepest_outside(
    design: Any, v: Floats, columns: Ints, least: float, positive: bool, threads: int
) -> float:
    """See `Pattern.steepest_outside`."""
    # In NumPy, whose large arrays lie in large pages: they are met at random.
    folded = v * design.row_values
    largest = float(max(folded.max(), -folded.min())) * (1.0 + _ROUNDING)
    seen = (design, folded, largest, float(v.sum()), np.sort(columns), positive)
    for first, last in turns(design, 1):
        parts = [
            partial(_steepest, *seen, least, first + k * _BLOCK, last, threads * _BLOCK)
            for k in range(threads)
        ]
        least = float(max(shared(parts)))
    return least


@njit(nogil=True, cache=True)
def _steepest(design, folded, largest, v_sum, columns, positive, least, first, last, step):
    asked = design.rows.size - FURTHER if folded.size >= FAR else 0
    for block in range(first, last, step):
        skipped = np.searchsorted(columns, block)
        for j in range(block, min(block + _BLOCK, last)):
            if skipped < columns.size and columns[skipped] == j:
                skipped += 1
                continue
            start, stop, unit = design.indptr[j], design.indptr[j + 1], design.column_values[j]
            scale, rest = design.scale[j], design.offset[j] * v_sum
            if abs(scale) * (abs(unit) * (stop - start) * largest + abs(rest)) <= least:
                continue
            along = scale * (unit * sum_at(design.rows, start, stop, asked, folded) - rest)
            least = max(least, along if positive else abs(along))
    return least

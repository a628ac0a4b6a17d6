"""The rows of a design, for methods that look at one sample after the other.

Values are centred and scaled. A row of a sparse design is as short as it is stored only where
columns are not centred; centring fills it, so that it has all p columns, which are made as they are
asked for and never kept.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import compiled_only
from fwcore.kernels.vectors import largest_size


def row(rows, i, room):
    """(columns, values) of row i; ``room`` (p,) is where a row that is not stored is made."""
    raise compiled_only("row")


def row_entries(rows, i):
    """Stored entries of row i that `row` touches."""
    raise compiled_only("row_entries")


def row_entry(rows, i, j):
    """The entry of row i in column j."""
    raise compiled_only("row_entry")


def rows_are_full(rows):
    """Whether every row has all p columns, whatever the numbers."""
    raise compiled_only("rows_are_full")


def rows_are_stored(rows):
    """Whether full rows are there to be read, several at once, and not made when they are asked
    for.
    """
    raise compiled_only("rows_are_stored")


@njit(nogil=True, cache=True)
def kappa_share(rows, n, p):
    """kappa / n of Negiar et al. (2020), eq. 34: see `fwcore.datasets.kappa_share`."""
    sums, room, largest = np.zeros(p), np.zeros(p), 0.0
    for i in range(n):
        columns, values = row(rows, i, room)
        for k in range(columns.size):
            sums[columns[k]] += abs(values[k])
            largest = max(largest, abs(values[k]))
    return largest_size(sums) / (n * largest)


@njit(nogil=True, cache=True)
def largest_row_norm(rows, n, p, order):
    """max_i ||x_i||_q of the n rows, q = ``order``, finite and at least 1."""
    room, largest = np.zeros(p), 0.0
    for i in range(n):
        _, values = row(rows, i, room)
        top, powers = largest_size(values), 0.0
        for k in range(values.size if top > 0.0 else 0):
            powers += (abs(values[k]) / top) ** order
        largest = max(largest, top * powers ** (1.0 / order))
    return largest

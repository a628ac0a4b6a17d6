"""Successive halving on the columns (Rakotomamonjy et al. 2016, Algorithm 5; Karnin, Koren & Somekh 2013)."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import row, row_entries, rows_are_full, rows_are_stored
from fwcore.oracles.held import begin, keep, use
from fwcore.oracles.row_order import shuffle, sort_further, weigh


@njit(nogil=True, cache=True)
def _see(held, rows, residual, k, stored):  # type: ignore[no-untyped-def]
    """sums_n += r_i x_ij for the columns j = alive_n that are left and the full row that is taken after k others, charged.

    A row that is not ``stored`` is made whole.
    """
    count, sums, alive, i = held.told[0].count, held.sums, held.alive, use(held, residual, k)
    _, values = row(rows, i, held.room)
    if count == sums.size:
        for j in range(count):
            sums[j] += residual[i] * values[j]
    else:
        for n in range(count):
            sums[n] += residual[i] * values[alive[n]]
    held.told[0].entries += count if stored else row_entries(rows, i)


@njit(nogil=True, cache=True)
def _see_four(held, rows, residual, k):  # type: ignore[no-untyped-def]
    """The same of four rows that are stored: columns that are left lie apart, and are found but once."""
    a, b, c, d = use(held, residual, k), use(held, residual, k + 1), use(held, residual, k + 2), use(held, residual, k + 3)
    u, v, w, z = row(rows, a, held.room)[1], row(rows, b, held.room)[1], row(rows, c, held.room)[1], row(rows, d, held.room)[1]
    by, and_by, then_by, last_by = residual[a], residual[b], residual[c], residual[d]
    for n in range(held.told[0].count):
        j = held.alive[n]
        held.sums[n] += by * u[j] + and_by * v[j] + then_by * w[j] + last_by * z[j]
    held.told[0].entries += 4 * held.told[0].count


@njit(nogil=True, cache=True)
def _see_short(held, rows, residual, k):  # type: ignore[no-untyped-def]
    """The same of a short row, which is touched as a whole; ``spare`` (p,) says the n of a column that is left, else -1."""
    i = use(held, residual, k)
    columns, values = row(rows, i, held.room)
    for at in range(columns.size):
        n = np.int64(held.spare[columns[at]])
        if n >= 0:
            held.sums[n] += residual[i] * values[at]
    held.told[0].entries += row_entries(rows, i)


@njit(nogil=True, cache=True)
def _place(held):  # type: ignore[no-untyped-def]
    """Where the columns that are left are found."""
    held.spare[:] = -1.0
    for n in range(held.told[0].count):
        held.spare[held.alive[n]] = n


@njit(nogil=True, cache=True)
def halving(held, rows, residual, barred):  # type: ignore[no-untyped-def]
    """In each of log2(p) rounds all columns that are left see the same further rows, and the half with the larger sums survives.

    Every round may touch the same number of entries, so that columns see twice as many rows from round to round. Rows come in
    decreasing abs(r_i) ||x_i|| (non-stochastic, eq. 16), or at random without replacement (eq. 15). Rounds end once no more columns
    are left than are wanted, or finalists.
    """
    told, m, p = held.told[0], residual.size, held.sums.size
    begin(held, residual)
    if told.by_size:
        ready = weigh(held, residual)
    else:
        shuffle(held.order, held.stream)
        ready = m
    full, stored, most = rows_are_full(rows), rows_are_stored(rows), max(told.wanted, told.finalists)
    rounds = max(1, int(np.ceil(np.log2(max(2.0, p / most)))))
    while told.count > most:
        if not full:
            _place(held)
        # As many further rows as are the round's share of the budget; rows that are short, or are made, are touched whole.
        more = max(1, int(told.share * m * p / (rounds * (told.count if stored else p))))
        stop = m if told.share >= 1.0 else min(m, told.used + more)
        ready = sort_further(held, ready, stop)
        while told.used < stop:
            if stored and told.used + 4 <= stop:
                _see_four(held, rows, residual, told.used)
            elif full:
                _see(held, rows, residual, told.used, stored)
            else:
                _see_short(held, rows, residual, told.used)
        keep(held, barred, most if told.used == m else max(most, (told.count + 1) // 2))

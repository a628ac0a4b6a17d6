"""Successive halving on the columns (Rakotomamonjy et al. 2016, Algorithm 5; Karnin, Koren & Somekh
2013).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import row, row_entries, rows_are_full, rows_are_stored
from fwcore.oracles.row_order import shuffle, sort_further, weigh
from fwcore.oracles.row_subset import begin, keep, use


@njit(nogil=True, cache=True)
def _see(oracle, rows, residual, k, stored):
    """sums_n += r_i x_ij for the columns j = alive_n that are left and the full row that is taken
    after k others, charged.

    A row that is not ``stored`` is made whole.
    """
    count, sums, alive, i = (
        oracle.progress[0].count,
        oracle.sums,
        oracle.alive,
        use(oracle, residual, k),
    )
    _, values = row(rows, i, oracle.room)
    if count == sums.size:
        for j in range(count):
            sums[j] += residual[i] * values[j]
    else:
        for n in range(count):
            sums[n] += residual[i] * values[alive[n]]
    oracle.progress[0].entries += count if stored else row_entries(rows, i)


@njit(nogil=True, cache=True)
def _see_four(oracle, rows, residual, k):
    """The same of four rows that are stored: columns that are left lie apart, and are found but
    once.
    """
    a, b, c, d = (
        use(oracle, residual, k),
        use(oracle, residual, k + 1),
        use(oracle, residual, k + 2),
        use(oracle, residual, k + 3),
    )
    u, v, w, z = (
        row(rows, a, oracle.room)[1],
        row(rows, b, oracle.room)[1],
        row(rows, c, oracle.room)[1],
        row(rows, d, oracle.room)[1],
    )
    by, and_by, then_by, last_by = residual[a], residual[b], residual[c], residual[d]
    for n in range(oracle.progress[0].count):
        j = oracle.alive[n]
        oracle.sums[n] += by * u[j] + and_by * v[j] + then_by * w[j] + last_by * z[j]
    oracle.progress[0].entries += 4 * oracle.progress[0].count


@njit(nogil=True, cache=True)
def _see_short(oracle, rows, residual, k):
    """The same of a short row, which is touched as a whole; ``spare`` (p,) says the n of a column
    that is left, else -1.
    """
    i = use(oracle, residual, k)
    columns, values = row(rows, i, oracle.room)
    for at in range(columns.size):
        n = np.int64(oracle.spare[columns[at]])
        if n >= 0:
            oracle.sums[n] += residual[i] * values[at]
    oracle.progress[0].entries += row_entries(rows, i)


@njit(nogil=True, cache=True)
def _place(oracle):
    """Where the columns that are left are found."""
    oracle.spare[:] = -1.0
    for n in range(oracle.progress[0].count):
        oracle.spare[oracle.alive[n]] = n


@njit(nogil=True, cache=True)
def halving(oracle, rows, entries, residual, barred):
    """In each of log2(p) rounds all columns that are left see the same further rows, and the half
    with the larger sums survives.

    Every round may touch the same number of entries, so that columns see twice as many rows from
    round to round. Rows come in decreasing abs(r_i) ||x_i|| (non-stochastic, eq. 16), or at random
    without replacement (eq. 15). Rounds end once no more columns are left than are wanted, or
    finalists.
    """
    progress, m, p = oracle.progress[0], residual.size, oracle.sums.size
    config = oracle.config[0]
    begin(oracle, residual)
    if config.by_size:
        weigh(oracle, residual)
    else:
        shuffle(oracle)
    full, stored, most = (
        rows_are_full(rows),
        rows_are_stored(rows),
        max(progress.wanted, config.finalists),
    )
    rounds = max(1, int(np.ceil(np.log2(max(2.0, p / most)))))
    while progress.count > most:
        if not full:
            _place(oracle)
        # As many further rows as are the round's share of the budget; rows that are short, or are
        # made, are touched whole.
        more = max(1, int(progress.share * m * p / (rounds * (progress.count if stored else p))))
        stop = m if progress.share >= 1.0 else min(m, progress.used + more)
        sort_further(oracle, stop)
        while progress.used < stop:
            if stored and progress.used + 4 <= stop:
                _see_four(oracle, rows, residual, progress.used)
            elif full:
                _see(oracle, rows, residual, progress.used, stored)
            else:
                _see_short(oracle, rows, residual, progress.used)
        keep(oracle, barred, most if progress.used == m else max(most, (progress.count + 1) // 2))

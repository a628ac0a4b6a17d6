"""Successive halving on the columns (Rakotomamonjy et al. 2016, Algorithm 5; Karnin, Koren & Somekh 2013)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fwcore.design import Ints, row, row_entries, rows_are_full
from fwcore.dispatch import implements
from fwcore.oracles.rows import Partial, begin, by_decreasing_size, steepest_of_rows
from fwcore.stream import below


class Halving(NamedTuple):
    """In each of log2(p) rounds all columns that are left see the same further rows, and the half with the larger sums survives.

    Every round may touch the same number of entries, so that columns see twice as many rows from round to round. Rows come in
    decreasing abs(r_i) ||x_i|| (non-stochastic, eq. 16), or at random without replacement (eq. 15). ``alive`` (p,): room.
    """

    held: Partial
    alive: Ints


@njit(nogil=True, cache=True)
def _shuffle(order, stream):  # type: ignore[no-untyped-def]
    for k in range(order.size):
        other = k + below(stream, order.size - k)
        order[k], order[other] = order[other], order[k]


@njit(nogil=True, cache=True)
def _see(rows, sums, alive, count, room, i, by):  # type: ignore[no-untyped-def]
    """sums_n += by * x_ij for the columns j = alive_n that are left, of a full row; the entries touched."""
    _, values = row(rows, i, room)
    if count == sums.size:
        for j in range(count):
            sums[j] += by * values[j]
    else:
        for n in range(count):
            sums[n] += by * values[alive[n]]
    return count


@njit(nogil=True, cache=True)
def _see_short(rows, sums, place, count, room, i, by):  # type: ignore[no-untyped-def]
    """The same of a short row, which is touched as a whole; ``place`` (p,): n of a column that is left, else -1."""
    columns, values = row(rows, i, room)
    for k in range(columns.size):
        n = np.int64(place[columns[k]])
        if n >= 0:
            sums[n] += by * values[k]
    return row_entries(rows, i)


@njit(nogil=True, cache=True)
def _better_half(sums, alive, count):  # type: ignore[no-untyped-def]
    """Keep the half of ``alive`` and ``sums``[:count] with the larger sums, rounded up; how many that is."""
    sizes, keep = np.abs(sums[:count]), (count + 1) // 2
    level = np.partition(sizes, count - keep)[count - keep]
    ties, kept = keep - (sizes > level).sum(), 0
    for n in range(count):
        if sizes[n] > level or (sizes[n] == level and ties > 0):
            ties -= np.int64(sizes[n] == level)
            alive[kept], sums[kept] = alive[n], sums[n]
            kept += 1
    return kept


@implements(steepest_of_rows, Halving)
def _steepest(oracle, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    held, told, alive, sums, m = oracle.held, oracle.held.told[0], oracle.alive, oracle.held.sums, residual.size
    begin(held, residual)
    if told.by_size:
        by_decreasing_size(held, residual)
    else:
        _shuffle(held.order, held.stream)
    p, count, full, place = sums.size, sums.size, rows_are_full(rows), held.spare
    for j in range(p):
        alive[j], place[j] = j, j
    rounds = max(1, int(np.ceil(np.log2(max(2, p)))))
    while True:
        # As many further rows as are the round's share of the budget; short rows are touched whole.
        more = max(1, int(told.budget * m * p / (rounds * (count if full else p))))
        stop = m if told.budget >= 1.0 else min(m, told.used + more)
        for k in range(told.used, stop):
            i = held.order[k]
            told.left -= held.largest[i] * abs(residual[i])
            if full:
                told.entries += _see(rows, sums, alive, count, held.room, i, residual[i])
            else:
                told.entries += _see_short(rows, sums, place, count, held.room, i, residual[i])
        told.used = stop
        for n in range(count):
            if barred[alive[n]]:
                sums[n] = 0.0
        if count == 1 or told.used == m:
            break
        count = _better_half(sums, alive, count)
        if not full:
            place[:] = -1.0
            for n in range(count):
                place[alive[n]] = n
    best, largest = -1, 0.0
    for n in range(count):
        if abs(sums[n]) > largest:
            best, largest = alive[n], abs(sums[n])
    return best, told.entries, 0

"""Sums over rows that are added one at a time, and whether the largest stay the largest."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import row, row_entries, rows_are_full
from fwcore.oracles.held import begin
from fwcore.tournament import champion, changed


@njit(nogil=True, cache=True)
def begin_sums(held, residual):  # type: ignore[no-untyped-def]
    """Forget the last answer."""
    begin(held, residual)
    held.tree[:] = 0.0
    held.inside[:] = False
    held.told[0].floor, held.told[0].ceiling = 0.0, 0.0


@njit(nogil=True, cache=True)
def add_row(held, rows, i, by, barred):  # type: ignore[no-untyped-def]
    """sums += by * x_i but for the columns that are barred, charged; whether what is on top is as it was."""
    told, sums, tree = held.told[0], held.sums, held.tree
    columns, values = row(rows, i, held.room)
    told.entries += row_entries(rows, i)
    best, largest, crossed = 0, -1.0, rows_are_full(rows)
    if crossed:
        for j in range(sums.size):
            sums[j] += 0.0 if barred[j] else by * values[j]
            if abs(sums[j]) > largest:
                best, largest = j, abs(sums[j])
    else:
        for k in range(columns.size):
            j = columns[k]
            if not barred[j]:
                old = sums[j]
                sums[j] = old + by * values[k]
                if told.wanted == 1:
                    changed(tree, sums, j, old)
                else:
                    crossed |= _crosses(told, held.inside[j], abs(sums[j]))
        best = champion(tree, sums) if told.wanted == 1 else 0
    if told.wanted > 1:
        # Only stability asks; to find the largest costs more than to add a row.
        return not (crossed and told.rule == 0 and _choose_anew(held))
    same = best == told.top
    told.top = best
    return same


@njit(nogil=True, cache=True)
def _crosses(told, inside, size):  # type: ignore[no-untyped-def]
    """Whether a sum that changed to this size may have left the largest or joined them."""
    if inside:
        told.floor = min(told.floor, size)
        return size <= told.ceiling
    told.ceiling = max(told.ceiling, size)
    return size >= told.floor


@njit(nogil=True, cache=True)
def _choose_anew(held):  # type: ignore[no-untyped-def]
    """Find the ``wanted`` largest sums; whether they are others than before."""
    told, sizes = held.told[0], np.abs(held.sums)
    if told.wanted >= sizes.size:
        return False
    parted = np.partition(sizes, sizes.size - told.wanted - 1)
    told.ceiling = parted[sizes.size - told.wanted - 1]
    told.floor = parted[sizes.size - told.wanted :].min()
    others, ties = False, told.wanted - (sizes > told.floor).sum()
    for j in range(sizes.size):
        now = sizes[j] > told.floor or (sizes[j] == told.floor and told.floor > 0.0 and ties > 0)
        ties -= np.int64(now and sizes[j] == told.floor)
        others |= now != held.inside[j]
        held.inside[j] = now
    return others


@njit(nogil=True, cache=True)
def ends(held, entries, calm):  # type: ignore[no-untyped-def]
    """Whether the rule holds, after ``calm`` rows that left what is on top as it was."""
    told = held.told[0]
    if told.rule == 0:
        return calm >= told.stable
    if told.rule == 1:
        return told.left <= told.error
    # As many rows as asked for, and not one more for rounding.
    return told.entries - told.begun >= told.share * entries * (1.0 - 1e-12)

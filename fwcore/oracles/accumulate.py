"""Sums over rows that are added one at a time, and whether the largest stay the largest."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import row, row_entries, rows_are_full
from fwcore.kernels.selection import level_of
from fwcore.kernels.tournament_tree import argmax_abs, changed
from fwcore.oracles.row_subset import CURVATURE, ERROR_BOUND, STABILITY, begin


@njit(nogil=True, inline="always")
def begin_sums(oracle, residual):
    """Forget the last answer."""
    begin(oracle, residual)
    oracle.tree[:] = 0.0
    oracle.inside[:] = False
    oracle.progress[0].floor, oracle.progress[0].ceiling = 0.0, 0.0


@njit(nogil=True, cache=True)
def add_row(oracle, rows, i, by, barred):
    """sums += by * x_i except for the columns that are barred, charged; whether what is on top is
    as it was.
    """
    progress, sums, tree = oracle.progress[0], oracle.sums, oracle.tree
    config = oracle.config[0]
    columns, values = row(rows, i, oracle.room)
    progress.entries += row_entries(rows, i)
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
                if progress.wanted == 1:
                    changed(tree, sums, j, old)
                else:
                    crossed |= _crosses(progress, oracle.inside[j], abs(sums[j]))
        best = argmax_abs(tree, sums) if progress.wanted == 1 else 0
    if progress.wanted > 1:
        # Only stability asks; to find the largest costs more than to add a row.
        return not (crossed and config.rule == STABILITY and _choose_again(oracle))
    same = best == progress.top
    progress.top = best
    return same


@njit(nogil=True, cache=True)
def _crosses(progress, inside, size):
    """Whether a sum that changed to this size may have left the largest or joined them."""
    if inside:
        progress.floor = min(progress.floor, size)
        return size <= progress.ceiling
    progress.ceiling = max(progress.ceiling, size)
    return size >= progress.floor


@njit(nogil=True, cache=True)
def _choose_again(oracle):
    """Find the ``wanted`` largest sums; whether they are others than before."""
    progress, sizes = oracle.progress[0], np.abs(oracle.sums)
    if progress.wanted >= sizes.size:
        return False
    progress.floor, ties = level_of(sizes, progress.wanted)
    progress.ceiling, others = 0.0, False
    for j in range(sizes.size):
        now = sizes[j] > progress.floor or (
            sizes[j] == progress.floor and progress.floor > 0.0 and ties > 0
        )
        ties -= now and sizes[j] == progress.floor
        if not now:
            progress.ceiling = max(progress.ceiling, sizes[j])
        others |= now != oracle.inside[j]
        oracle.inside[j] = now
    return others


@njit(nogil=True, inline="always")
def ends(oracle, entries, unchanged):
    """Whether the rule holds, after ``unchanged`` rows that left what is on top as it was."""
    progress = oracle.progress[0]
    config = oracle.config[0]
    if config.rule == STABILITY:
        return unchanged >= config.stable
    if config.rule == ERROR_BOUND:
        return progress.left <= config.error
    if config.rule == CURVATURE:
        return progress.left <= config.error * progress.unit / (progress.answers + 1.0)
    # As many rows as asked for, and not one more for rounding.
    return progress.entries - progress.begun >= progress.share * entries * (1.0 - 1e-12)

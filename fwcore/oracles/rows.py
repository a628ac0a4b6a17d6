"""Oracles that look at a part of the rows (Rakotomamonjy, Koco & Ralaivola 2016): which columns have the largest abs(x_j'r)?

X'r = sum_i r_i x_i is accumulated row by row, until a rule says that the largest entries are likely to stay the largest. Only the
indices are the answer: who needs a value makes a dot product. Both signs are handled by abs(.), as the sum of the column -x_j is
that of x_j mirrored: twice as many arms would take twice the work to the same answer.

An oracle says which columns are left and what their sums are; the rest is common: ``finalists`` of them may be compared by products
with all rows, and a budget may be doubled until two answers agree. All are one type, so that a solver is compiled once for them.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import col_dot, col_entries
from fwcore.dispatch import compiled_only, implements
from fwcore.oracles.greedy_rows import greedy_rows
from fwcore.oracles.halving import halving
from fwcore.oracles.held import RULES, Partial, begin, keep
from fwcore.oracles.random_rows import random_rows
from fwcore.oracles.rejects import rejects

_DOUBLING = RULES.index("doubling")


def steepest_of_rows(oracle, design, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    """The columns that are not ``barred`` (p,) with the largest abs(x_j'residual), probably.

    (index, its sum, rows used, entries touched, dot products, certain): index -1 where all that was seen is 0; the sum is an
    estimate but for finalists; certain where no row that was not used could change the answer. Where more than one column is
    wanted, all are in ``held.chosen``. ``entries`` is how many a full pass touches.
    """
    raise compiled_only("steepest_of_rows")


def steepest_columns(oracle, wanted):  # type: ignore[no-untyped-def]
    """All ``wanted`` columns of the last answer, the largest first; -1 for those that are missing."""
    raise compiled_only("steepest_columns")


@njit(nogil=True, cache=True)
def _finish(held, design, residual, barred):  # type: ignore[no-untyped-def]
    """Let the finalists be compared by all rows, and write down the answer; the dot products made."""
    told, alive, sums, dots = held.told[0], held.alive, held.sums, 0
    keep(held, barred, max(told.wanted, told.finalists))
    if told.finalists > told.wanted or told.wanted >= held.sums.size:
        total, dots = residual.sum(), told.count
        for n in range(told.count):
            sums[n] = 0.0 if barred[alive[n]] else col_dot(design, alive[n], residual, total)
            told.entries += col_entries(design, alive[n])
        told.left = 0.0
    keep(held, barred, told.wanted)
    lowest = np.inf
    held.chosen[: told.wanted] = -1
    for place, n in enumerate(np.argsort(-np.abs(sums[: told.count]))):
        lowest = min(lowest, abs(sums[n]))
        if sums[n] != 0.0:
            held.chosen[place] = alive[n]
    told.certain = lowest - told.left >= told.rival
    return dots


@njit(nogil=True, cache=True)
def _narrow(held, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    """Leave in ``alive`` and ``sums`` at least as many columns as are wanted; charged."""
    told, kind = held.told[0], held.told[0].kind
    if max(told.wanted, told.finalists) >= held.sums.size:
        # No column could go: all are compared by all rows.
        begin(held, residual)
        told.used = residual.size
    elif kind == 0:
        greedy_rows(held, rows, entries, residual, barred)
    elif kind == 1:
        random_rows(held, rows, entries, residual, barred)
    elif kind == 2:
        halving(held, rows, residual, barred)
    else:
        rejects(held, rows, entries, residual, barred)


@njit(nogil=True, cache=True)
def _ask(held, design, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    told = held.told[0]
    told.entries, told.share = 0, told.budget
    _narrow(held, rows, entries, residual, barred)
    dots = _finish(held, design, residual, barred)
    while told.rule == _DOUBLING and told.share < 1.0:
        before = np.sort(held.chosen[: told.wanted])
        told.share = min(1.0, 2.0 * told.share)
        _narrow(held, rows, entries, residual, barred)
        dots += _finish(held, design, residual, barred)
        if np.array_equal(np.sort(held.chosen[: told.wanted]), before):
            break
    value = held.sums[: told.count][np.abs(held.sums[: told.count]).argmax()]
    return held.chosen[0], value, told.used, told.entries, dots, told.certain


@implements(steepest_of_rows, Partial)
def _steepest(held, design, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    return _ask(held, design, rows, entries, residual, barred)


@implements(steepest_columns, Partial)
def _columns(held, wanted):  # type: ignore[no-untyped-def]
    # It was told before how many are wanted.
    return held.chosen[: held.told[0].wanted]

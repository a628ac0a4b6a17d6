"""Oracles that look at a part of the rows (Rakotomamonjy, Koco & Ralaivola 2016): which columns
have the largest abs(x_j'r)?

X'r = sum_i r_i x_i is accumulated row by row, until a rule says that the largest entries are likely
to stay the largest. Only the indices are the answer: who needs a value makes a dot product. Both
signs are handled by abs(.), as the sum of the column -x_j is that of x_j mirrored: twice as many
arms would take twice the work to the same answer.

An oracle says which columns are left and what their sums are; the rest is common: ``finalists`` of
them may be compared by products with all rows, and a budget may be doubled until two answers agree.
All are one type, so that a solver is compiled once for them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import col_dot, col_entries
from fwcore.kernels.dispatch import compiled_only, implements, specialize_by_types
from fwcore.oracles.greedy_rows import greedy_rows
from fwcore.oracles.halving import halving
from fwcore.oracles.random_rows import random_rows
from fwcore.oracles.rejects import rejects
from fwcore.oracles.row_subset import RULES, RowSubsetOracle, begin, keep

_DOUBLING = RULES.index("doubling")


class RowOracle(NamedTuple):
    """An oracle on a part of the rows.

    ``narrow(oracle, rows, entries, residual, barred)``, compiled, leaves in ``alive`` and ``sums``
    of a `RowSubsetOracle` at least as many columns as are wanted. ``draws``: whether it may answer
    the same residual in another way, where rows are taken by size or not.
    """

    name: str
    title: str
    narrow: Any
    draws: tuple[bool, bool]


ROW_ORACLES = [
    RowOracle("greedy-rows", "greedy rows", greedy_rows, (False, False)),
    RowOracle("random-rows", "random rows", random_rows, (True, True)),
    RowOracle("successive-halving", "successive halving", halving, (False, True)),
    RowOracle("successive-rejects", "successive rejects", rejects, (False, True)),
]
"""The oracles on a part of the rows; a new one is a file and a line here."""


def steepest_of_rows(oracle, design, rows, entries, residual, barred):
    """The columns that are not ``barred`` (p,) with the largest abs(x_j'residual), probably.

    (index, its sum, rows used, entries touched, dot products, certain): index -1 where all that was
    seen is 0; the sum is an estimate but for finalists; certain where no row that was not used
    could change the answer. Where more than one column is wanted, all are in ``oracle.chosen``.
    ``entries`` is how many a full pass touches.
    """
    raise compiled_only("steepest_of_rows")


def steepest_columns(oracle, wanted):
    """All ``wanted`` columns of the last answer, the largest first; -1 for missing ones."""
    raise compiled_only("steepest_columns")


@njit(nogil=True, cache=True)
def _finish(oracle, design, residual, barred):
    """Compare the finalists by all rows, and write down the answer; the dot products made."""
    progress, alive, sums, dots = oracle.progress[0], oracle.alive, oracle.sums, 0
    config = oracle.config[0]
    keep(oracle, barred, max(progress.wanted, config.finalists))
    if config.finalists > progress.wanted or progress.wanted >= oracle.sums.size:
        total, dots = residual.sum(), progress.count
        for n in range(progress.count):
            sums[n] = 0.0 if barred[alive[n]] else col_dot(design, alive[n], residual, total)
            progress.entries += col_entries(design, alive[n])
        progress.left = 0.0
    keep(oracle, barred, progress.wanted)
    lowest = np.inf
    oracle.chosen[: progress.wanted] = -1
    for place, n in enumerate(np.argsort(-np.abs(sums[: progress.count]))):
        lowest = min(lowest, abs(sums[n]))
        if sums[n] != 0.0:
            oracle.chosen[place] = alive[n]
    progress.certain = lowest - progress.left >= progress.rival
    return dots


def narrow(oracle, rows, entries, residual, barred):
    """What the row oracle of ``oracle.config`` does: see `RowOracle`."""
    raise compiled_only("narrow")


@specialize_by_types(narrow, RowSubsetOracle)
def _narrow_by_kind(oracle, *rest):
    """A function that calls the ``kind``-th row oracle, written for as many as there are.

    numba cannot call the n-th of a few functions; a chain of comparisons can.
    """
    count = oracle.types[RowSubsetOracle._fields.index("kinds")].count
    arguments = "oracle, rows, entries, residual, barred"
    lines = [f"def narrow_by_kind({arguments}):", "    kind = oracle.config[0].kind"]
    for k in range(count):
        lines += [f"    if kind == {k}:", f"        narrow_{k}({arguments})"]
    functions = {f"narrow_{k}": ROW_ORACLES[k].narrow for k in range(count)}
    exec("\n".join(lines), functions)
    return functions["narrow_by_kind"]


@implements(steepest_of_rows, RowSubsetOracle)
def _steepest(oracle, design, rows, entries, residual, barred):
    progress, config = oracle.progress[0], oracle.config[0]
    progress.entries, progress.share, dots = 0, config.budget, 0
    before = np.empty(0, oracle.chosen.dtype)
    while True:
        if max(progress.wanted, config.finalists) >= oracle.sums.size:
            # No column could go: all are compared by all rows.
            begin(oracle, residual)
            progress.used = residual.size
        else:
            narrow(oracle, rows, entries, residual, barred)
        dots += _finish(oracle, design, residual, barred)
        if config.rule != _DOUBLING or progress.share >= 1.0:
            break
        answer = np.sort(oracle.chosen[: progress.wanted])
        if np.array_equal(answer, before):
            break
        before, progress.share = answer, min(1.0, 2.0 * progress.share)
    value = oracle.sums[: progress.count][np.abs(oracle.sums[: progress.count]).argmax()]
    return oracle.chosen[0], value, progress.used, progress.entries, dots, progress.certain


@implements(steepest_columns, RowSubsetOracle)
def _columns(oracle, wanted):
    # It was progress before how many are wanted.
    return oracle.chosen[: oracle.progress[0].wanted]

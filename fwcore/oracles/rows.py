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
from fwcore.kernels.selection import sort_decreasing
from fwcore.kernels.vectors import total
from fwcore.oracles.greedy_rows import greedy_rows
from fwcore.oracles.halving import halving
from fwcore.oracles.random_rows import random_rows
from fwcore.oracles.rejects import rejects
from fwcore.oracles.row_subset import DOUBLING, RowSubsetOracle, begin, keep


class RowOracle(NamedTuple):
    """An oracle on a part of the rows.

    ``narrow(oracle, rows, entries, residual, barred)``, compiled, leaves in ``alive`` and ``sums``
    of a `RowSubsetOracle` at least as many columns as are wanted. ``draws``: whether it may answer
    the same residual in another way, where rows are taken by size or not. ``bounds``: whether it
    takes rows until the error is bounded, where the rule is such.
    """

    name: str
    title: str
    narrow: Any
    draws: tuple[bool, bool]
    bounds: bool = False


ROW_ORACLES = [
    RowOracle("greedy-rows", "greedy rows", greedy_rows, (False, False), True),
    RowOracle("random-rows", "random rows", random_rows, (True, True), True),
    RowOracle("successive-halving", "successive halving", halving, (False, True)),
    RowOracle("successive-rejects", "successive rejects", rejects, (False, True)),
]
"""The oracles on a part of the rows; a new one is a file and a line here."""


def steepest_of_rows(oracle, design, rows, entries, residual, barred):
    """The columns that are not ``barred`` (p,) with the largest abs(x_j'residual), probably.

    (index, its sum, rows used, entries touched, dot products, certain): index -1 where all that was
    seen is 0; the sum is an estimate except for finalists; certain where no row that was not used
    could change the answer. Where more than one column is wanted, all are in ``oracle.chosen``.
    ``entries`` is how many a full pass touches.
    """
    raise compiled_only("steepest_of_rows")


def steepest_columns(oracle, wanted):
    """All ``wanted`` columns of the last answer, the largest first; -1 for missing ones."""
    raise compiled_only("steepest_columns")


@njit(nogil=True, inline="always")
def _finish(oracle, design, residual, barred):
    """Compare the finalists by all rows, and write down the answer: (dot products made, the sum of
    the first column).
    """
    progress, alive, sums, dots = oracle.progress[0], oracle.alive, oracle.sums, 0
    config = oracle.config[0]
    keep(oracle, barred, max(progress.wanted, config.finalists))
    if config.finalists > progress.wanted or progress.wanted >= oracle.sums.size:
        residual_sum, dots = total(residual), progress.count
        for n in range(progress.count):
            sums[n] = 0.0 if barred[alive[n]] else col_dot(design, alive[n], residual, residual_sum)
            progress.entries += col_entries(design, alive[n])
        progress.left = 0.0
    keep(oracle, barred, progress.wanted)
    sizes, order = np.abs(sums[: progress.count]), np.arange(progress.count)
    sort_decreasing(sizes, order)
    for place in range(progress.wanted):
        seen = place < sizes.size and sizes[place] != 0.0
        oracle.chosen[place] = alive[order[place]] if seen else -1
    progress.certain = sizes[-1] - progress.left >= progress.rival
    return dots, sums[order[0]]


@njit(nogil=True, inline="always")
def _replace(before, chosen):
    """Sort the columns ``chosen`` into ``before``; whether they are others."""
    answer, others = chosen.copy(), False
    sort_decreasing(answer, chosen.copy())
    for place in range(answer.size):
        others |= answer[place] != before[place]
        before[place] = answer[place]
    return others


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
    # No column is -2.
    before = np.full(progress.wanted, -2)
    while True:
        if max(progress.wanted, config.finalists) >= oracle.sums.size:
            # No column could go: all are compared by all rows.
            begin(oracle, residual)
            progress.used = residual.size
        else:
            narrow(oracle, rows, entries, residual, barred)
        more, value = _finish(oracle, design, residual, barred)
        dots += more
        if config.rule != DOUBLING or progress.share >= 1.0:
            break
        if not _replace(before, oracle.chosen[: progress.wanted]):
            break
        progress.share = min(1.0, 2.0 * progress.share)
    return oracle.chosen[0], value, progress.used, progress.entries, dots, progress.certain


@implements(steepest_columns, RowSubsetOracle)
def _columns(oracle, wanted):
    # It was progress before how many are wanted.
    return oracle.chosen[: oracle.progress[0].wanted]

"""Oracles that look at a part of the rows (Rakotomamonjy, Koco & Ralaivola 2016): which column has the largest abs(x_j'r)?

X'r = sum_i r_i x_i is accumulated row by row, until a rule says that the largest entry is likely to stay the largest. Only the
index is the answer: who needs the value makes one dot product. Both signs are handled by abs(.), as the sum of the column -x_j is
that of x_j mirrored: twice as many arms would take twice the work to the same answer.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import Floats, Ints, Rows, row, row_entries
from fwcore.dispatch import compiled_only
from fwcore.stream import new_stream
from fwcore.tournament import champion, changed, new_tree

RULES = ("stability", "error bound", "budget")

PARTIAL = np.dtype(
    [
        ("rule", np.int64),
        ("stable", np.int64),
        ("error", np.float64),
        ("budget", np.float64),
        ("by_size", np.bool_),
        ("used", np.int64),
        ("entries", np.int64),
        ("left", np.float64),
    ]
)


class Partial(NamedTuple):
    """What these oracles keep.

    ``norms``, ``largest`` (m,): l2 norms and largest sizes of the rows. ``keys``, ``order`` (m,), ``sums`` (p,), its ``tree``,
    ``room``, ``spare`` (p,): room. ``told`` (1,): the rule and its figures, whether rows are taken by abs(r_i) ||x_i|| and not
    uniformly, and of the last answer the rows used, the entries touched, and sum_i max abs(x_i) abs(r_i) over the rows that were
    not (eq. 17).
    """

    norms: Floats
    largest: Floats
    keys: Floats
    order: Ints
    sums: Floats
    tree: Floats
    room: Floats
    spare: Floats
    told: Any
    stream: NDArray[np.uint64]

    @classmethod
    def of(cls, rows: Rows, m: int, p: int, options: Any, seed: int) -> Partial:
        """For the rows of an m x p design and `fwcore.options.OracleOptions`; a pass over X."""
        norms, largest, room, told = np.zeros(m), np.zeros(m), np.zeros(p), np.zeros(1, PARTIAL)
        _sizes(rows, norms, largest, room)
        told["rule"], told["by_size"] = RULES.index(options.oracle_rule), options.by_size
        told["stable"], told["error"], told["budget"] = options.stable, options.error, options.budget
        return cls(norms, largest, np.zeros(m), np.arange(m), np.zeros(p), new_tree(p), room, np.zeros(p), told, new_stream(seed))


def steepest_of_rows(oracle, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    """(index, entries touched, dot products): the column that is not ``barred`` (p,) with the largest abs(x_j'residual), probably.

    The index is -1 where all that was seen is 0. ``entries`` is how many a full pass touches.
    """
    raise compiled_only("steepest_of_rows")


@njit(nogil=True, cache=True)
def _sizes(rows, norms, largest, room):  # type: ignore[no-untyped-def]
    for i in range(norms.size):
        _, values = row(rows, i, room)
        total = 0.0
        for k in range(values.size):
            total += values[k] * values[k]
            largest[i] = max(largest[i], abs(values[k]))
        norms[i] = np.sqrt(total)


@njit(nogil=True, cache=True)
def begin(held, residual):  # type: ignore[no-untyped-def]
    """Forget the last answer; all rows are left."""
    told = held.told[0]
    held.sums[:] = 0.0
    held.tree[:] = 0.0
    told.used, told.entries, told.left = 0, 0, 0.0
    for i in range(residual.size):
        told.left += held.largest[i] * abs(residual[i])


@njit(nogil=True, cache=True)
def by_decreasing_size(held, residual):  # type: ignore[no-untyped-def]
    """``order``: rows by abs(r_i) ||x_i||, the largest first."""
    for i in range(residual.size):
        held.keys[i] = -abs(residual[i]) * held.norms[i]
    held.order[:] = np.argsort(held.keys)


@njit(nogil=True, cache=True)
def add_row(held, rows, i, by, barred):  # type: ignore[no-untyped-def]
    """sums += by * x_i but for the columns that are barred, charged; the index of the largest."""
    told, sums, tree = held.told[0], held.sums, held.tree
    columns, values = row(rows, i, held.room)
    told.used += 1
    told.entries += row_entries(rows, i)
    if columns.size == sums.size:
        best, largest = 0, -1.0
        for j in range(sums.size):
            sums[j] += by * values[j]
            if abs(sums[j]) > largest and not barred[j]:
                best, largest = j, abs(sums[j])
        return best
    for k in range(columns.size):
        j = columns[k]
        if not barred[j]:
            old = sums[j]
            sums[j] = old + by * values[k]
            changed(tree, sums, j, old)
    return champion(tree, sums)


@njit(nogil=True, cache=True)
def ends(held, entries, calm):  # type: ignore[no-untyped-def]
    """Whether the rule holds, after ``calm`` rows that left the largest entry the largest."""
    told = held.told[0]
    if told.rule == 0:
        return calm >= told.stable
    if told.rule == 1:
        return told.left <= told.error
    return told.entries >= told.budget * entries


@njit(nogil=True, cache=True)
def answer(held, barred):  # type: ignore[no-untyped-def]
    """What `steepest_of_rows` returns: the largest sum."""
    best, largest = -1, 0.0
    for j in range(held.sums.size):
        if abs(held.sums[j]) > largest and not barred[j]:
            best, largest = j, abs(held.sums[j])
    return best, held.told[0].entries, 0

"""What the oracles on a part of the rows keep, and how columns leave."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import Floats, Ints, Rows, row
from fwcore.stream import new_stream
from fwcore.tournament import new_tree

KINDS = ("greedy rows", "random rows", "halving", "rejects")
RULES = ("stability", "error bound", "budget", "doubling")

PARTIAL = np.dtype(
    [
        ("kind", np.int64),
        ("rule", np.int64),
        ("stable", np.int64),
        ("error", np.float64),
        ("budget", np.float64),
        ("finalists", np.int64),
        ("judge", np.int64),
        ("by_size", np.bool_),
        ("wanted", np.int64),
        ("share", np.float64),
        ("count", np.int64),
        ("used", np.int64),
        ("entries", np.int64),
        ("begun", np.int64),
        ("left", np.float64),
        ("rival", np.float64),
        ("top", np.int64),
        ("floor", np.float64),
        ("ceiling", np.float64),
        ("certain", np.bool_),
    ]
)


class Partial(NamedTuple):
    """What these oracles keep.

    ``norms``, ``largest`` (m,): l2 norms and largest sizes of the rows. ``keys``, ``order`` (m,): what rows are taken by, and the
    order that they are taken in. ``alive``, ``sums`` (p,): the columns that are left, and their sums, in the first ``count``
    places. ``first`` (p,): where in the order a column of `rejects` begins. ``tree``, ``inside`` (p,): the tournament of all sums,
    and which are among the largest. ``chosen`` (p,): the last answer, in the first ``wanted`` places; -1 where fewer columns than
    wanted were seen not to be 0. ``room``, ``spare`` (p,).

    ``told`` (1,) holds which oracle it is, the rule and its figures, every how many answers are judged, whether rows are taken by
    abs(r_i) ||x_i|| and not uniformly, how many columns are wanted, and the share of the entries that may be looked at now; of the
    last answer the columns left, the rows used, the entries touched and those of them before the budget was doubled,
    sum_i max abs(x_i) abs(r_i) over the rows that were not used (eq. 17; infinite where rows are drawn with replacement), how large
    at most the products of columns are that are out, what was on top before, between which sizes nothing crosses, and whether it is
    certain.
    """

    norms: Floats
    largest: Floats
    keys: Floats
    order: Ints
    sums: Floats
    tree: Floats
    inside: NDArray[np.bool_]
    alive: Ints
    first: Ints
    chosen: Ints
    room: Floats
    spare: Floats
    told: Any
    stream: NDArray[np.uint64]

    @property
    def draws(self) -> bool:
        """Whether it may answer the same residual in another way."""
        kind = KINDS[self.told["kind"][0]]
        return kind == "random rows" or (kind != "greedy rows" and not self.told["by_size"][0])

    @classmethod
    def of(cls, rows: Rows, m: int, p: int, options: Any, seed: int) -> Partial:
        """For the rows of an m x p design and `fwcore.options.OracleOptions`; a pass over X."""
        norms, largest, room, told = np.zeros(m), np.zeros(m), np.zeros(p), np.zeros(1, PARTIAL)
        _sizes(rows, norms, largest, room)
        told["kind"], told["wanted"] = KINDS.index(options.oracle), 1
        told["rule"], told["by_size"] = RULES.index(options.oracle_rule), options.by_size
        for name in ("stable", "error", "budget", "finalists", "judge"):
            told[name] = getattr(options, name)
        columns = (np.zeros(p, np.bool_), np.zeros(p, np.int64), np.zeros(p, np.int64), np.full(p, -1))
        return cls(
            norms, largest, np.zeros(m), np.arange(m), np.zeros(p), new_tree(p), *columns, room, np.zeros(p), told, new_stream(seed)
        )


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
    """Forget the last answer; all columns and all rows are left."""
    told = held.told[0]
    held.sums[:] = 0.0
    for j in range(held.alive.size):
        held.alive[j] = j
    told.count, told.used, told.begun = held.alive.size, 0, told.entries
    told.left, told.rival, told.top = (held.largest * np.abs(residual)).sum(), -1.0, -1


@njit(nogil=True, cache=True)
def use(held, residual, k):  # type: ignore[no-untyped-def]
    """The row that is taken after k others, which is then no longer left."""
    told, i = held.told[0], held.order[k]
    told.used = k + 1
    told.left = told.left - held.largest[i] * abs(residual[i]) if k + 1 < residual.size else 0.0
    return i


@njit(nogil=True, cache=True)
def keep(held, barred, most):  # type: ignore[no-untyped-def]
    """Of the columns that are left keep the ``most`` with the largest sums, and how large those that go could be at most."""
    told, alive, sums = held.told[0], held.alive, held.sums
    for n in range(told.count):
        if barred[alive[n]]:
            sums[n] = 0.0
    if told.count <= most:
        return
    sizes, kept = np.abs(sums[: told.count]), 0
    level = np.partition(sizes, told.count - most)[told.count - most]
    ties = most - (sizes > level).sum()
    for n in range(told.count):
        if sizes[n] > level or (sizes[n] == level and ties > 0):
            ties -= np.int64(sizes[n] == level)
            alive[kept], sums[kept] = alive[n], sums[n]
            kept += 1
        elif not barred[alive[n]]:
            told.rival = max(told.rival, sizes[n] + told.left)
    told.count = most

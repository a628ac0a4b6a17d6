"""What the oracles on a part of the rows keep, and how columns leave."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import row
from fwcore.kernels.random import new_stream
from fwcore.kernels.records import zero_records
from fwcore.kernels.selection import level_of
from fwcore.kernels.tournament_tree import new_tree
from fwcore.kernels.types import Floats, Ints
from fwcore.option_kinds import RowCount

RULES = ("stability", "error-bound", "budget", "doubling", "curvature")
STABILITY, ERROR_BOUND, _, DOUBLING, CURVATURE = range(len(RULES))

CONFIG = np.dtype(
    [
        ("kind", np.int64),
        ("rule", np.int64),
        ("stable", np.int64),
        ("error", np.float64),
        ("budget", np.float64),
        ("finalists", np.int64),
        ("judge", np.int64),
        ("by_size", np.bool_),
    ]
)
PROGRESS = np.dtype(
    [
        ("wanted", np.int64),
        ("share", np.float64),
        ("answers", np.int64),
        ("unit", np.float64),
        ("count", np.int64),
        ("used", np.int64),
        ("entries", np.int64),
        ("begun", np.int64),
        ("ordered", np.int64),
        ("left", np.float64),
        ("rival", np.float64),
        ("top", np.int64),
        ("floor", np.float64),
        ("ceiling", np.float64),
        ("certain", np.bool_),
    ]
)


class RowSubsetOracle(NamedTuple):
    """What these oracles keep.

    ``norms``, ``largest`` (m,): l2 norms and largest sizes of the rows. ``keys``, ``order`` (m,):
    what rows are taken by, and the order that they are taken in. ``alive``, ``sums`` (p,): the
    columns that are left, and their sums, in the first ``count`` places. ``first`` (p,): where in
    the order a column of `rejects` begins. ``tree``, ``inside`` (p,): the tournament of all sums,
    and which are among the largest. ``chosen`` (p,): the last answer, in the first ``wanted``
    places; -1 where fewer columns than wanted were seen not to be 0. ``room``, ``spare`` (p,).

    ``config`` (1,) holds which oracle it is, the rule and its figures, every how many answers are
    judged, and whether rows are taken by abs(r_i) ||x_i|| and not uniformly. ``progress`` (1,)
    holds how many columns are wanted, the share of the entries that may be touched now, how many
    answers were given at this point, and C / (2 delta) of its ball; of the last answer the columns
    left, the rows used, the entries touched and those of them before the budget was doubled, the
    rows that are in their order, sum_i max abs(x_i) abs(r_i) over the rows that were not used (eq.
    17; infinite where rows are drawn with replacement), how large at most the products of columns
    are that are out, what was on top before, between which sizes nothing crosses, and whether it is
    certain. ``kinds`` is 0 ... number of row oracles - 1: by its type kernels know them all.
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
    config: Any
    progress: Any
    kinds: tuple[int, ...]
    draws: float
    stream: NDArray[np.uint64]

    @property
    def on_rows(self) -> bool:
        """Whether it has a use for a copy of the rows."""
        return True

    def ask_for(self, wanted: int) -> None:
        """How many columns are wanted."""
        self.progress["wanted"] = wanted

    def open_ball(self, unit: float) -> None:
        """Begin a point of the ball form; ``unit`` is C / (2 delta), for the curvature rule."""
        self.progress["unit"], self.progress["answers"] = unit, 0

    @classmethod
    def of(
        cls, rows: Any, m: int, p: int, options: Any, seed: int, kind: int, kinds: int, draws: bool
    ) -> RowSubsetOracle:
        """The ``kind``-th of ``kinds`` row oracles, for the rows of an m x p design and
        `fwcore.options.OracleOptions`; a pass over X. ``draws``: whether it may answer the same
        residual in another way.
        """
        norms, largest, room = np.zeros(m), np.zeros(m), np.zeros(p)
        _sizes(rows, norms, largest, room)
        config, progress = zero_records(1, CONFIG), zero_records(1, PROGRESS)
        config["kind"], progress["wanted"] = kind, 1
        config["rule"] = RULES.index(options.oracle_rule)
        config["stable"] = RowCount.rows(options.oracle_stable, m)
        for name in ("error", "budget", "finalists", "judge", "by_size"):
            config[name] = getattr(options, f"oracle_{name}")
        return cls(
            norms=norms,
            largest=largest,
            keys=np.zeros(m),
            order=np.arange(m),
            sums=np.zeros(p),
            tree=new_tree(p),
            inside=np.zeros(p, np.bool_),
            alive=np.zeros(p, np.int64),
            first=np.zeros(p, np.int64),
            chosen=np.full(p, -1),
            room=room,
            spare=np.zeros(p),
            config=config,
            progress=progress,
            kinds=tuple(range(kinds)),
            draws=float(draws),
            stream=new_stream(seed),
        )


@njit(nogil=True, cache=True)
def _sizes(rows, norms, largest, room):
    for i in range(norms.size):
        _, values = row(rows, i, room)
        total = 0.0
        for k in range(values.size):
            total += values[k] * values[k]
            largest[i] = max(largest[i], abs(values[k]))
        norms[i] = np.sqrt(total)


@njit(nogil=True, cache=True)
def begin(oracle, residual):
    """Forget the last answer; all columns and all rows are left."""
    progress = oracle.progress[0]
    oracle.sums[:] = 0.0
    for j in range(oracle.alive.size):
        oracle.alive[j] = j
    progress.count, progress.used, progress.begun = oracle.alive.size, 0, progress.entries
    progress.left, progress.rival, progress.top = 0.0, -1.0, -1
    progress.answers += 1
    for i in range(residual.size):
        progress.left += oracle.largest[i] * abs(residual[i])


@njit(nogil=True, cache=True)
def use(oracle, residual, k):
    """The row that is taken after k others, which is then no longer left."""
    progress, i = oracle.progress[0], oracle.order[k]
    progress.used = k + 1
    progress.left = (
        progress.left - oracle.largest[i] * abs(residual[i]) if k + 1 < residual.size else 0.0
    )
    return i


@njit(nogil=True, cache=True)
def keep(oracle, barred, most):
    """Of the columns that are left keep the ``most`` with the largest sums, and how large those
    that go could be at most.
    """
    progress, alive, sums = oracle.progress[0], oracle.alive, oracle.sums
    for n in range(progress.count):
        if barred[alive[n]]:
            sums[n] = 0.0
    if progress.count <= most:
        return
    sizes, kept = np.abs(sums[: progress.count]), 0
    level, ties = level_of(sizes, most)
    for n in range(progress.count):
        if sizes[n] > level or (sizes[n] == level and ties > 0):
            ties -= sizes[n] == level
            alive[kept], sums[kept] = alive[n], sums[n]
            kept += 1
        elif not barred[alive[n]]:
            progress.rival = max(progress.rival, sizes[n] + progress.left)
    progress.count = most

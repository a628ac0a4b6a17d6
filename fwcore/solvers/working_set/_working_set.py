"""The state of a run on a working set of columns, and what is done to it between kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import Lent
from fwcore.kernels.selection import keep_in_front
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.unpenalised import Free
from fwcore.problem import Problem
from fwcore.solvers.base import new_counters
from fwcore.solvers.working_set._control import new_control
from fwcore.solvers.working_set._engine import Engine, admit, load, operations, retain, wanted
from fwcore.solvers.working_set._looks import Looks
from fwcore.solvers.working_set._prices import Prices
from fwcore.solvers.working_set._screening import Screen

# A round looks at no more columns than one in so many, and makes a pass instead. Entries that stay
# at hand cost no more column by column.
_FEW, _MANY, _AT_HAND = 10, 5, 1 << 18


class WorkingSet(NamedTuple):
    """A run: the first ``size`` of ``columns`` (k,) are the working set; ``place`` (p,) is the
    position of a column in it, or -1. ``engine`` holds its coefficients.

    ``free`` is what has no penalty; ``image`` and ``residual`` (m,) are X a with that, and -l'
    there. ``found`` and ``slopes`` are room for the columns that a round looks at, ``chosen`` and
    ``values`` (k,) for the support; ``lent`` is what looks give back. ``it`` (1,) is a record of
    `fwcore.solvers.working_set._control.CONTROL`.
    """

    engine: Engine
    screen: Screen
    looks: Looks
    columns: Ints
    place: NDArray[np.int32]
    free: Free
    image: Floats
    residual: Floats
    found: Ints
    slopes: Floats
    chosen: Ints
    values: Floats
    lent: Lent
    it: Any
    counters: Any

    @classmethod
    def of(
        cls,
        problem: Problem,
        prices: Prices,
        engine: Engine,
        options: Any,
        ball: bool,
        ridge: float,
    ) -> WorkingSet:
        """An empty working set, a = 0; ``ridge`` is the weight of ||a||^2 / 2 as a multiple of
        lam.
        """
        it = new_control(problem, prices, options, engine, ball, ridge)
        image, residual = (array.copy() for array in problem.at_zero)
        counters = new_counters(problem, options)
        if not problem.loss.closed_line_search:
            # The pass that the first reference takes; of a parabola it is X'y.
            counters["dots"] += problem.p
            counters["entries"] += problem.entries
        # Every engine needs the slopes there.
        it["seen"] = counters["entries"]
        share = _MANY if problem.entries <= _AT_HAND else _FEW
        found, capacity = max(problem.p // share, 256), engine.capacity
        return cls(
            engine,
            Screen.of(problem, residual),
            Looks.of(problem),
            np.zeros(capacity, np.int64),
            np.full(problem.p, -1, np.int32),
            Free.of(problem.unpenalised.basis, image),
            image,
            residual,
            np.zeros(found, np.int64),
            np.zeros(found),
            np.zeros(capacity, np.int64),
            np.zeros(capacity),
            Lent.of(problem.design),
            it,
            counters,
        )

    @property
    def size(self) -> int:
        """Columns in the working set."""
        return int(self.it["size"][0])

    @property
    def cost(self) -> int:
        """Operations so far."""
        return int(self.it["cost"][0])

    def grown(self) -> WorkingSet:
        """The same with twice the room, or what is wanted if that is more."""
        n = self.columns.size
        more = max(int(self.it["room"][0]), min(2 * n, self.place.size)) - n
        columns, chosen, values = (
            np.concatenate([old, np.zeros(more, old.dtype)])
            for old in (self.columns, self.chosen, self.values)
        )
        return self._replace(
            engine=self.engine.grown(columns.size), columns=columns, chosen=chosen, values=values
        )

    def moved_to(self, problem: Problem, engine: Engine, everything: bool = False) -> WorkingSet:
        """The run with the support, or ``everything``, in another ``engine``, which is empty."""
        indices, values = self.support()
        if self.it["stale"][0]:
            self.image[:] = problem.fitted(indices, values)
            self.residual[:] = -problem.loss.derivative(self.image, problem.y)
            self.it["stale"] = False
        n, p, capacity = indices.size, self.place.size, engine.capacity
        joining = np.append(indices, np.delete(np.arange(p), indices)) if everything else indices
        while capacity < joining.size:
            capacity *= 2
        room = engine if capacity == engine.capacity else engine.grown(capacity)
        columns, place = np.zeros(capacity, np.int64), np.full_like(self.place, -1)
        columns[: joining.size], place[joining] = joining, np.arange(joining.size)
        self.it["size"], self.it["chosen"], self.it["least"], self.it["fresh"] = 0, n, -1.0, 0
        self.it["inside"] = min(float(self.it["inside"][0]), engine.loosest)
        self.it["loosest"], self.it["foresees"] = engine.loosest, engine.foresees
        self.it["rough"], self.it["finer"] = engine.rough, False
        if engine.rough or self.engine.rough:
            self.it["inside"], self.it["strictness"] = engine.loosest, 1.0
        coef = np.zeros(capacity)
        coef[:n] = values
        run = self._replace(
            engine=room, columns=columns, place=place, chosen=columns.copy(), values=coef
        )
        seen = problem.design, problem.sigma, problem.sqnorms
        _take_over(*seen, run, joining.size, values)
        self.it["begun"] = self.it["cost"]
        return run

    def support(self) -> tuple[Ints, Floats]:
        """Columns and coefficients of the last round, in the order of the columns."""
        n = self.it["chosen"][0]
        chosen = self.chosen[:n]
        order = chosen.argsort()
        values = self.values[order]
        if not values.all():
            order = order[values != 0.0]
            values = self.values[order]
        return chosen[order], values


@njit(nogil=True, cache=True)
def prune(run):
    """Leave of the working set the columns that are active, or steep enough to stay."""
    it = run.it[0]
    positions = np.empty(it.size, np.int64)
    n = wanted(run.engine, it.size, it.least, positions)
    _renumber(run.columns[: it.size], run.place, positions[:n])
    retain(run.engine, positions[:n])
    it.size, it.least = n, -1.0


@njit(nogil=True, cache=True)
def _renumber(columns, place, positions):
    for j in columns:
        place[j] = -1
    keep_in_front(columns, positions)
    for k in range(positions.size):
        place[columns[k]] = k


@njit(nogil=True, cache=True)
def _take_over(design, sigma, sqnorms, run, joining, values):
    it, counters, rows = run.it[0], run.counters[0], run.residual.size
    admit(run.engine, design, sigma, sqnorms, it, counters, run.columns, rows, joining)
    it.size = joining
    for k in range(values.size):
        run.engine.coef[k] = values[k]
    load(run.engine, run)
    count_cost(it, counters, run.engine)


@njit(nogil=True, inline="always")
def count_cost(it, counters, engine):
    """Sum up the operations so far."""
    entries = it.entry * (counters.entries - it.seen)
    it.cost = operations(engine) + entries + it.sweep * (counters.steps - it.kept)

"""The state of a run on a working set of columns, and what is done to it between kernels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.kernels.selection import keep_in_front
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.unpenalised import Free
from fwcore.problem import Problem
from fwcore.solvers.base import new_counters, start_point
from fwcore.solvers.working_set._engine import Engine, admit, load, operations, retain, wanted
from fwcore.solvers.working_set._looks import Looks
from fwcore.solvers.working_set._prices import Prices
from fwcore.solvers.working_set._screening import Screen

# A point begins less strictly than the last one ended.
_LESS, _LEAST = 1.5, 1e-6
_BALL = 0.3
# The level of the first ball, as a share of that of a = 0; and of any other that of the last, at
# least.
_FIRST, _NEXT = 0.9, 0.3
# Idle columns are kept at hand up to this number and that of the active ones, since many come back.
_IDLE = 512
# The share of the last point in how much supports grow.
_RECENT = 0.2

OPENED, FORESEE, MINIMISE, SCREEN, PASSED = 0, 1, 2, 3, 4
"""Phases of a round."""

CONTROL = np.dtype(
    [
        ("size", np.int64),
        ("ball", np.bool_),
        ("f0", np.float64),
        ("target", np.float64),
        ("ridge", np.float64),
        ("loosest", np.float64),
        ("foresees", np.bool_),
        ("idle", np.int64),
        ("entry", np.int64),
        ("sweep", np.int64),
        ("alone", np.bool_),
        ("strictness", np.float64),
        ("inside", np.float64),
        ("slack", np.float64),
        ("last", np.float64),
        ("before", np.float64),
        ("ahead", np.float64),
        ("level", np.float64),
        ("aim", np.float64),
        ("least", np.float64),
        ("rate", np.float64),
        ("highest", np.float64),
        ("spent", np.int64),
        ("phase", np.int64),
        ("total", np.float64),
        ("moved", np.float64),
        ("settled", np.bool_),
        ("loss", np.float64),
        ("l1", np.float64),
        ("square", np.float64),
        ("largest", np.float64),
        ("product", np.float64),
        ("nnz", np.int64),
        ("nnz_before", np.int64),
        ("growth", np.float64),
        ("points", np.int64),
        ("left", np.float64),
        ("everything", np.bool_),
        ("room", np.int64),
        ("chosen", np.int64),
        ("steepest", np.float64),
        ("stale", np.bool_),
        ("kept", np.int64),
        ("seen", np.int64),
        ("cost", np.int64),
        ("begun", np.int64),
    ]
)
"""What a run knows besides its arrays.

========== =========================================================================================
size       columns in the working set
ball       whether the form is the ball
f0         f(0)
target     the gap that ends a point
ridge      of an elastic net, as a multiple of the value of a point
loosest    what ``inside`` is at most: that of the engine
foresees   whether the engine does: columns join before they break the conditions
idle       columns kept besides the active ones, since many come back
entry      what an entry of X costs, beside one in the order of memory
sweep      what it costs to bound all columns
alone      whether a kernel makes a pass over X, rather than threads in turns
strictness a factor of ``slack``
inside     by how much slopes of the working set may be off, as a share of ``slack``
slack      by how much a column outside may be steeper than ``level``
last       the value of the last point that took a round
before     that of the one before it
ahead      the step to the present point as a share of the last; 0 where nothing is foreseen from it
level      the steepness of active columns: lam, or the multiplier of the ball
aim        the level that the point begins with
least      how steep idle columns must be to stay, before the first round; negative where all do
rate       how the level changes with the l1 norm
highest    the level of a = 0
spent      entries touched since the last pass
phase      of the round
total      sum of the residual at the last pass
moved      the largest change of a coefficient in the last round
settled    whether the engine came to an end in it
loss       f without the ridge, after it
l1         sum abs(a)
square     ||a||^2
largest    max abs(a)
product    y'R, of a parabola
nnz        coefficients that are not zero
nnz_before those when the last point was opened
growth     by how many they have grown of late, a point
points     opened so far
left       how many are to come, as far as is known
everything whether all columns are to join
room       columns that there is to be room for
chosen     entries of ``chosen`` and ``values`` that are in use
steepest   a bound on the steepness of all columns after it
stale      whether ``image`` and ``residual`` are of an earlier round
kept       points at which the coefficients of the last were accurate enough
seen       entries that tell no engine from another: those that columns outside were looked at for,
           passes among them, and those multiplied while at hand or for points to come
cost       operations so far by these prices and the engine's own, apart from entries that are
           ``seen``
begun      the cost when the point was opened
========== =========================================================================================
"""


class WorkingSet(NamedTuple):
    """A run: the first ``size`` of ``columns`` (k,) are the working set; ``place`` (p,) is the
    position of a column in it, or -1. ``engine`` holds its coefficients.

    ``free`` is what has no penalty; ``image`` and ``residual`` (m,) are X a with that, and -l'
    there. ``found`` and ``slopes`` are room for the columns that a round looks at, ``chosen`` and
    ``values`` (k,) for the support. ``it`` (1,) is a record of `CONTROL`.
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
    it: Any
    counters: Any

    @classmethod
    def of(
        cls,
        problem: Problem,
        engine: Engine,
        options: Any,
        ball: bool,
        ridge: float,
    ) -> WorkingSet:
        """An empty working set, a = 0; ``ridge`` is the weight of ||a||^2 / 2 as a multiple of
        lam.
        """
        it = np.zeros(1, CONTROL)
        it["ball"], it["f0"], it["target"] = ball, problem.f0, options.tol * problem.f0
        it["strictness"], it["inside"], it["loss"] = 1.0, engine.loosest, problem.f0
        it["least"], it["ridge"], it["idle"] = -1.0, ridge, _IDLE
        it["loosest"], it["foresees"] = engine.loosest, engine.foresees
        prices = Prices.of(problem)
        it["entry"], it["sweep"] = prices.entry, prices.sweep
        it["level"] = it["highest"] = it["steepest"] = problem.lam_max
        image = problem.fitted(np.zeros(0, np.int64), np.zeros(0))
        residual = -problem.loss.derivative(image, problem.y)
        it["product"] = image @ residual + 2.0 * problem.f0
        counters = new_counters(problem, options)
        if not problem.loss.closed_line_search:
            # The pass that the first reference takes; of a parabola it is X'y.
            counters["dots"] += problem.p
            counters["entries"] += problem.entries
        found, capacity = max(problem.p // 10, 256), engine.capacity
        run = cls(
            engine,
            Screen.of(problem),
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
            it,
            counters,
        )
        _take_over(problem.design, problem.sigma, problem.sqnorms, run, np.zeros(0))
        return run

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

    def moved_to(self, problem: Problem, engine: Engine) -> WorkingSet:
        """The run with the support in another ``engine``, which is empty."""
        indices, values = self.support()
        if self.it["stale"][0]:
            self.image[:] = problem.fitted(indices, values)
            self.residual[:] = -problem.loss.derivative(self.image, problem.y)
            self.it["stale"] = False
        n, capacity = indices.size, engine.capacity
        while capacity < n:
            capacity *= 2
        room = engine if capacity == engine.capacity else engine.grown(capacity)
        columns, place = np.zeros(capacity, np.int64), np.full_like(self.place, -1)
        columns[:n], place[indices] = indices, np.arange(n)
        self.it["size"], self.it["chosen"], self.it["least"] = 0, n, -1.0
        self.it["inside"] = min(float(self.it["inside"][0]), engine.loosest)
        self.it["loosest"], self.it["foresees"] = engine.loosest, engine.foresees
        coef = np.zeros(capacity)
        coef[:n] = values
        run = self._replace(
            engine=room, columns=columns, place=place, chosen=columns.copy(), values=coef
        )
        _take_over(problem.design, problem.sigma, problem.sqnorms, run, values)
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


@njit(nogil=True, inline="always")
def _aim(it, value):
    """The level of the point ``value``: foreseen from how it fell before, of a ball."""
    if not it.ball:
        return value
    foreseen = it.level + it.rate * (value - it.l1)
    return max(foreseen, _NEXT * it.level) if it.last else _FIRST * it.level


@njit(nogil=True, cache=True)
def open_point(control, counters, value):
    """Go to the point ``value``."""
    it = control[0]
    it.steepest += abs(it.ridge * value - counters[0].ridge) * it.largest
    it.growth += _RECENT * (it.nnz - it.nnz_before - it.growth)
    it.nnz_before, it.points, it.left = it.nnz, it.points + 1, max(0.0, it.left - 1.0)
    start_point(counters, value, it.ridge * value)
    it.begun, it.phase = it.cost, OPENED


@njit(nogil=True, cache=True)
def begin_rounds(it, value):
    """Get ready for the first round of the point ``value``."""
    # Where the gap is of the first order in slopes, a point begins more accurately.
    loosest = min(_BALL, it.loosest) if it.ball else it.loosest
    it.inside = min(loosest, _LESS * it.inside)
    it.strictness = min(1.0, _LESS * it.strictness)
    if min(it.inside, it.strictness) < _LEAST:
        # The last point ended in rounding error.
        it.inside, it.strictness = loosest, 1.0
    step = it.last - it.before
    far = step != 0.0 and it.before > 0.0 and not it.ball
    it.ahead = (value - it.last) / step if far else 0.0
    it.aim, it.phase = _aim(it, value), MINIMISE
    it.before, it.last = it.last, value
    if it.foresees:
        it.phase, it.slack = FORESEE, 0.0
        it.level = max(2.0 * it.aim - it.level, 0.0)
        it.least = it.level
    elif it.size > 2 * it.nnz + it.idle and not it.everything:
        it.least = 0.5 * it.level


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
def _take_over(design, sigma, sqnorms, run, values):
    admit(run.engine, design, sigma, sqnorms, run, values.size)
    run.it[0].size = values.size
    for k in range(values.size):
        run.engine.coef[k] = values[k]
    load(run.engine, run)
    count_cost(run)


@njit(nogil=True, inline="always")
def count_cost(run):
    """Sum up the operations so far."""
    it, counters = run.it[0], run.counters[0]
    entries = it.entry * (counters.entries - it.seen)
    it.cost = operations(run.engine) + entries + it.sweep * (counters.steps - it.kept)

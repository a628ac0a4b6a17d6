"""The engine of many active columns, and of losses that are no parabolas: proximal Newton steps,
each by coordinate descent with Anderson extrapolation.

Around the point a, f is modelled by 1/2 sum_i w_i (z_i - R_i / w_i)^2, with z the change of X a, R
= -l'(X a, y) and w_i = l''. Cyclic descent on that model over the working set keeps v = R - w z, so
that a visit costs one product with a column and one addition of it; the model of a parabola is f
itself. What has no penalty is minimised over in each cycle, and exactly after each round. Then a
backtracking line search on the penalised objective (Lee, Sun & Saunders 2014; Friedman, Hastie &
Tibshirani 2010 without the line search).

In the ball form lam is the level at which the l1 norm is the radius, see
`fwcore.solvers.working_set._level_search`.

Cycles converge linearly. From the last few a combination with coefficients that add up to 1 is
taken where it lowers the objective (Bertrand & Massias 2021). Where that does not settle a model,
be it that its condition is poor or that objectives differ by rounding error only, conjugate
gradients on the face of the active columns go on: they are stopped by slopes alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import col_axpy, col_dot, col_entries, weighted_axpy, weighted_square
from fwcore.kernels.dispatch import implements
from fwcore.kernels.soft_threshold import soft_threshold
from fwcore.kernels.types import Floats
from fwcore.kernels.unpenalised import weigh
from fwcore.kernels.vectors import add_constant, copy_into, total, total_size
from fwcore.losses import curvature_at, is_parabola
from fwcore.solvers.working_set._conjugate import descend_on_face, has_free, settle_free
from fwcore.solvers.working_set._engine import (
    admit,
    gather,
    go_along,
    go_back,
    load,
    minimise,
    most_joining,
)
from fwcore.solvers.working_set._extrapolation import MEMORY, remember
from fwcore.solvers.working_set._level_search import (
    begin_search,
    fits,
    learn,
    next_level,
    shrink_into,
)
from fwcore.solvers.working_set._line_search import search

_PLAIN = 5
"""Cycles that go by before any is remembered: where these settle nothing else is worth its cost."""
_FIRST_CAPACITY = 256
_CYCLES, _NEWTON = 100, 4
"""At most so many cycles and models a round, which is to be short."""
_ALONE, _ON_FACE = 40, 20
"""After so many cycles over the active columns, and steps on their face, the others get a turn."""
_STUCK = 0.3
"""Where a tour over the active columns leaves more than this share of what the last one left."""
_INEXACT = 0.1
"""A model is minimised until its slopes are off by this share of what they were off at first."""
_LEVELS, _OFF = 6, 0.25
"""Of the ball form: levels that a round tries, and how much of the slack their l1 norm may cost."""
_FLOOR = 1e-5
"""Least weight, as a share of the bound of the curvature: without one a column that only far-off
samples have would move without limit."""
_VISIT = 20
"""Operations of a visit besides those on the column."""

DESCENT = np.dtype(
    [
        ("left_sum", np.float64),
        ("first_sum", np.float64),
        ("kept", np.int64),
        ("work", np.int64),
    ]
)


class _DescentArrays(NamedTuple):
    """What kernels read."""

    coef: Floats
    slope: Floats
    curvature: Floats
    before: Floats
    last: Floats
    weights: Floats
    left: Floats
    change: Floats
    direction: Floats
    pull: Floats
    coefs: Floats
    lefts: Floats
    sums: Floats
    descent: Any


class Descent(_DescentArrays):
    """Coefficients of a working set with room for k columns.

    ``coef``, ``slope``, ``curvature`` (k,): the coefficients, x_j'v at the last visit, and squared
    norms, weighted by w. ``before`` (k,): the coefficients where the model was made. ``last`` (k,):
    those at the end of the last point. ``direction``,
    ``pull`` (k,): of steps on a face, and the negative gradient there. ``weights``, ``left`` (v),
    ``change`` (X times the change of a), (m,). ``coefs`` (6, k), ``lefts`` (6, m) and
    ``sums`` (6,): the last cycles. ``descent`` (1,): the sum of v now and where the model was made,
    how many cycles are remembered, and the operations that did not touch X.
    """

    __slots__ = ()

    exact = False
    loosest = 4.0
    foresees = True

    @classmethod
    def of(cls, m: int, capacity: int = _FIRST_CAPACITY) -> Descent:
        """No columns, a = 0."""
        coef, slope, curvature, before, last, direction, pull = np.zeros((7, capacity))
        left, change = np.zeros((2, m))
        return cls(
            coef,
            slope,
            curvature,
            before,
            last,
            np.ones(m),
            left,
            change,
            direction,
            pull,
            np.zeros((MEMORY + 1, capacity)),
            np.zeros((MEMORY + 1, m)),
            np.zeros(MEMORY + 1),
            np.zeros(1, DESCENT),
        )

    @property
    def capacity(self) -> int:
        """Columns that there is room for."""
        return int(self.coef.size)

    @property
    def operations(self) -> int:
        """Operations so far that did not touch X."""
        return int(self.descent["work"][0])

    def grown(self, capacity: int) -> Descent:
        """The same in arrays of a larger capacity."""
        new = Descent.of(self.left.size, capacity)
        for name in ("coef", "slope", "curvature", "last"):
            getattr(new, name)[: self.capacity] = getattr(self, name)
        new.descent[:] = self.descent
        return new

    def kept(self, positions: NDArray[Any]) -> None:
        """Keep these columns of the working set, all active ones among them, and renumber."""
        for vector in (self.coef, self.slope, self.curvature, self.last):
            vector[: positions.size] = vector[positions]

    def wanted(self, size: int, least: float) -> NDArray[Any]:
        """Which of the ``size`` columns are active, or steeper than ``least``."""
        return np.asarray((self.coef[:size] != 0.0) | (np.abs(self.slope[:size]) > least))


@njit(nogil=True, cache=True)
def _cycle(design, loss, engine, run, active):
    """Minimise the model over each column of the working set in turn, or over the ``active`` ones
    only: (by how much a slope was off at most, whether a coefficient became zero or left it).
    """
    counters, it = run.counters[0], engine.descent[0]
    lam, ridge, positive = run.it[0].level, counters.ridge, counters.positive
    coef, curvatures, columns, left = engine.coef, engine.curvature, run.columns, engine.left
    largest, visits, size, crossed = 0.0, 0, run.it[0].size, False
    settle_free(loss, engine, run)
    for k in range(size):
        old, curvature = coef[k], curvatures[k]
        if curvature == 0.0 or (active and old == 0.0):
            continue
        j = columns[k]
        slope = col_dot(design, j, left, it.left_sum)
        engine.slope[k] = slope
        visits += 1
        counters.entries += col_entries(design, j)
        new = soft_threshold(slope + curvature * old, lam, positive) / (curvature + ridge)
        if new == old:
            continue
        coef[k] = new
        crossed = crossed or new * old <= 0.0
        largest = max(largest, abs(new - old) * (curvature + ridge))
        if is_parabola(loss):
            it.left_sum += col_axpy(design, j, old - new, left)
        else:
            weighted_axpy(design, j, old - new, engine.weights, left)
    counters.dots += visits
    it.work += _VISIT * visits + size
    return largest, crossed


@njit(nogil=True, inline="always")
def _settle(design, loss, engine, run, slack, share):
    """Cycles until no slope of the working set is off by more than ``slack``, or than ``share`` of
    what it was at first, which is returned.
    """
    it, active, enough, first = engine.descent[0], True, slack, 0.0
    run.it[0].settled = False
    it.kept, plain, tours, last = 0, 0, 0, np.inf
    for _ in range(_CYCLES):
        largest, crossed = _cycle(design, loss, engine, run, active)
        plain += 1
        if tours == 0 and (plain == 1 or not active):
            # The first cycles over the active columns and over the others say how far off it was.
            first = max(first, largest)
            enough = max(slack, share * first)
        if active:
            active = largest > enough and plain < _ALONE
            if active and plain > _PLAIN:
                remember(engine, run)
            elif not active and largest > enough:
                if largest > _STUCK * last and not crossed:
                    descend_on_face(design, loss, engine, run, 0.5 * enough, _ON_FACE)
                last = largest
        elif largest <= enough:
            run.it[0].settled = True
            break
        else:
            active, tours, plain, it.kept = True, tours + 1, 0, 0
    return first


@njit(nogil=True, inline="always")
def _make_model(design, y, loss, engine, run):
    """The model around the coefficients, whose prediction and residual are those of ``run``."""
    it, size = engine.descent[0], run.it[0].size
    copy_into(run.residual, engine.left)
    it.left_sum = total(run.residual)
    it.first_sum = it.left_sum
    copy_into(engine.coef[:size], engine.before)
    if not is_parabola(loss):
        for i in range(y.size):
            curvature = curvature_at(loss, run.image[i], y[i], run.residual[i])
            engine.weights[i] = max(curvature, _FLOOR * loss.curvature_bound)
        for k in range(size):
            engine.curvature[k] = weighted_square(design, run.columns[k], engine.weights)
            run.counters[0].entries += col_entries(design, run.columns[k])
        run.counters[0].dots += size
    if has_free(loss, run):
        weigh(run.free, engine.weights, 0.0)


@njit(nogil=True, cache=True)
def _descend(engine, design, y, loss, run, slack):
    """Minimise with the level for its penalty; the largest change of a coefficient."""
    moved = 0.0
    for _ in range(1 if is_parabola(loss) else _NEWTON):
        _make_model(design, y, loss, engine, run)
        first = _settle(design, loss, engine, run, slack, 0.0 if is_parabola(loss) else _INEXACT)
        if not is_parabola(loss):
            search(design, y, loss, engine, run)
            run.it[0].settled = first <= slack
        for k in range(run.it[0].size):
            moved = max(moved, abs(engine.coef[k] - engine.before[k]))
        if first <= slack:
            break
    return moved


@njit(nogil=True, cache=True)
def _descend_in_ball(engine, design, y, loss, run, slack):
    """The same with the level at which the l1 norm is the radius."""
    it, radius, moved = run.it[0], run.counters[0].value, 0.0
    enough, search = _OFF * slack * radius, begin_search(it)
    for _ in range(_LEVELS):
        moved = max(moved, _descend(engine, design, y, loss, run, slack))
        norm = total_size(engine.coef[: it.size])
        search = learn(it, radius, norm, search)
        new = it.level if fits(it.level, norm - radius, enough) else next_level(it, radius, search)
        if new == it.level:
            break
        it.level, it.settled = new, False
        if is_parabola(loss):
            _take_back(engine, run)
    it.aim = it.level
    shrink_into(engine.coef[: it.size], radius)
    return moved


@njit(nogil=True, inline="always")
def _take_back(engine, run):
    """The residual of a parabola where the cycles ended: the next model begins there."""
    it = engine.descent[0]
    copy_into(engine.left, run.residual)
    add_constant(run.residual, (it.first_sum - it.left_sum) / run.residual.size)


@implements(minimise, Descent)
def _minimise(engine, design, y, loss, run, slack):
    if run.it[0].ball:
        return _descend_in_ball(engine, design, y, loss, run, slack)
    run.it[0].level = run.counters[0].value
    return _descend(engine, design, y, loss, run, slack)


@implements(go_along, Descent)
def _go_along(engine, run, ahead):
    guessed = False
    for k in range(run.it[0].size):
        old, before, engine.last[k] = engine.coef[k], engine.last[k], engine.coef[k]
        guess = old + ahead * (old - before)
        # A column that has just come or is about to go is no longer on a line.
        if before * old > 0.0 and guess * old > 0.0 and ahead > 0.0:
            engine.coef[k], guessed = guess, True
    return guessed


@implements(go_back, Descent)
def _go_back(engine, run):
    copy_into(engine.last[: run.it[0].size], engine.coef)


@implements(gather, Descent)
def _gather(engine, run):
    n = 0
    for k in range(run.it[0].size):
        if engine.coef[k] != 0.0:
            run.chosen[n], run.values[n] = run.columns[k], engine.coef[k]
            n += 1
    return n


@implements(load, Descent)
def _load(engine, run):
    pass


@implements(most_joining, Descent)
def _most_joining(engine, size):
    return max(64, size)


@implements(admit, Descent)
def _admit(engine, design, sigma, sqnorms, run, joining):
    for k in range(run.it[0].size, run.it[0].size + joining):
        engine.coef[k], engine.slope[k], engine.last[k] = 0.0, 0.0, 0.0
        engine.curvature[k] = sqnorms[run.columns[k]]

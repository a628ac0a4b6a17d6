"""Cycles of coordinate descent on a working set, and what they settle: a model, a level, a ball."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import (
    col_axpy,
    col_dot,
    col_entries,
    col_fetch,
    weighted_axpy,
    weighted_square,
)
from fwcore.kernels.soft_threshold import soft_threshold
from fwcore.kernels.unpenalised import weigh
from fwcore.kernels.vectors import add_constant, copy_into, total, total_size
from fwcore.losses import curvature_at, curvature_bound_at, is_parabola
from fwcore.solvers.working_set._blocks import cycle_in_blocks, learn_products, order_columns
from fwcore.solvers.working_set._conjugate import descend_on_face, has_free, settle_free
from fwcore.solvers.working_set._extrapolation import remember
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
_CYCLES, _NEWTON = 100, 4
"""At most so many cycles and models a round, which is to be short."""
_ALONE, _ON_FACE = 40, 20
"""After so many cycles over the active columns, and steps on their face, the others get a turn."""
_STUCK = 0.3
"""Where a tour over the active columns that did not come to its end leaves more than this share of
what the last such tour left."""
_INEXACT = 0.1
"""A model is minimised until its slopes are off by this share of what they were off at first."""
_TOUR = 0.1
"""A tour over the active columns leaves this share of what was off when it began: the others get a
turn then, and those that become active would undo what more had gained."""
_LEVELS, _OFF = 6, 0.25
"""Of the ball form: levels that a round tries, and how much of the slack their l1 norm may cost."""
_FLOOR = 1e-5
"""Least weight, as a share of the bound of the sample's curvature: without one a column that only
far-off samples have would move without limit."""
_DRIFT = 0.05
"""Weights that have changed by less than this share make a model that is as good."""
_AHEAD = 3
"""Columns between asking memory for one and its visit: the processor does not see where it is."""
_VISIT = 20
"""Operations of a visit besides those on the column."""


@njit(nogil=True, cache=True)
def _cycle(design, loss, engine, run, active):
    """Minimise the model over each column of the working set in turn, or over the ``active`` ones
    only: (by how much a slope was off at most, whether a coefficient became zero or left it).
    """
    if is_parabola(loss) and engine.products.shape[1] > 0:
        settle_free(loss, engine, run)
        return cycle_in_blocks(design, engine, run, active)
    counters, it = run.counters[0], engine.descent[0]
    lam, ridge, positive = run.it[0].level, counters.ridge, counters.positive
    coef, curvatures, columns, left = engine.coef, engine.curvature, run.columns, engine.left
    largest, visits, size, crossed = 0.0, 0, run.it[0].size, False
    settle_free(loss, engine, run)
    for k in range(size):
        if k + _AHEAD < size:
            col_fetch(design, columns[k + _AHEAD])
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
    what it was at first, which is returned: one over all columns, then a tour over the active ones,
    and so on.
    """
    it, active, enough, first = engine.descent[0], False, slack, -1.0
    run.it[0].settled = False
    plain, aim, last = 0, 0.0, np.inf
    for _ in range(_CYCLES):
        largest, crossed = _cycle(design, loss, engine, run, active)
        if not active:
            if first < 0.0:
                first, enough = largest, max(slack, share * largest)
            if largest <= enough:
                run.it[0].settled = True
                break
            active, plain, it.kept, aim = True, 0, 0, max(enough, _TOUR * largest)
            continue
        plain += 1
        active = largest > aim and plain < _ALONE
        if active and plain > _PLAIN:
            remember(engine, run)
        elif not active and largest > aim:
            if largest > _STUCK * last and not crossed:
                descend_on_face(design, loss, engine, run, 0.5 * enough, _ON_FACE)
            last = largest
    return first


@njit(nogil=True, inline="always")
def _make_model(design, y, loss, engine, run):
    """The model around the coefficients, whose prediction and residual are those of ``run``."""
    it, size = engine.descent[0], run.it[0].size
    copy_into(run.residual, engine.left)
    it.left_sum = total(run.residual)
    it.first_sum = it.left_sum
    copy_into(engine.coef[:size], engine.before)
    if is_parabola(loss) and engine.products.shape[1] > 0:
        learn_products(design, engine, run)
        order_columns(engine, run)
    if not is_parabola(loss):
        _weigh_samples(y, loss, engine, run)
        _find_curvatures(design, engine, run)
    if has_free(loss, run.free):
        weigh(run.free, engine.weights, 0.0)


@njit(nogil=True, inline="always")
def _weigh_samples(y, loss, engine, run):
    """The weights at the coefficients; the last ones stay where these are about the same."""
    weights, here, drifted = engine.weights, engine.change, 0
    image, residual = run.image, run.residual
    for i in range(y.size):
        curvature = curvature_at(loss, image[i], y[i], residual[i])
        here[i] = max(curvature, _FLOOR * curvature_bound_at(loss, y[i]))
    # Counted, since several at once are.
    for i in range(y.size):
        drifted += int(abs(here[i] - weights[i]) > _DRIFT * weights[i])
    if drifted > 0:
        copy_into(here, weights)
        engine.known[:] = False


@njit(nogil=True, inline="always")
def _find_curvatures(design, engine, run):
    """Squared norms by the weights, of columns for which they are not ``known``."""
    counters, columns, known = run.counters[0], run.columns, engine.known
    for k in range(run.it[0].size):
        if not known[k]:
            engine.curvature[k] = weighted_square(design, columns[k], engine.weights)
            known[k] = True
            counters.dots += 1
            counters.entries += col_entries(design, columns[k])


@njit(nogil=True, cache=True)
def descend(engine, design, y, loss, run, slack):
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
def descend_in_ball(engine, design, y, loss, run, slack):
    """The same with the level at which the l1 norm is the radius."""
    it, radius, moved = run.it[0], run.counters[0].value, 0.0
    enough, search = _OFF * slack * radius, begin_search(it)
    for _ in range(_LEVELS):
        moved = max(moved, descend(engine, design, y, loss, run, slack))
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

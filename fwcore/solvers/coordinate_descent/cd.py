"""Cyclic coordinate descent with an active set, strong rules and a final check of all columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import all_dots, col_axpy, col_dot, col_entries
from fwcore.kernels.duality_gap import squared_penalty_gap
from fwcore.kernels.records import zero_records
from fwcore.kernels.soft_threshold import soft_threshold
from fwcore.kernels.steepness import steepness
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import total
from fwcore.options import PenaltyOptions
from fwcore.problem import Problem
from fwcore.solvers.base import (
    Solver,
    check_gap,
    check_limit,
    check_move,
    new_counters,
    record,
    start_point,
)
from fwcore.solvers.coordinate_descent import _covariance as covariance
from fwcore.trace import Rows, new_rows

DESCENT = np.dtype(
    [
        ("residual_sum", np.float64),
        ("l1", np.float64),
        ("squares", np.float64),
        ("nnz", np.int64),
        ("working", np.int64),
        ("previous", np.float64),
        ("settled", np.float64),
        ("change", np.float64),
        ("phase", np.int64),
        ("kept", np.int64),
        ("visited", np.int64),
    ]
)

# A cycle over the non-zero columns, over the working set, a pass over all columns.
_ACTIVE, _WORKING, _ALL = 0, 1, 2


class CdState(NamedTuple):
    """A run of coordinate descent.

    ``coef``: (p,). ``residual``: (m,), stored part of y - X a. ``dots``: (p,), X'(y - X a) at the
    last pass. ``columns``: (p,), the first ``working`` entries are the working set, which
    ``listed`` marks. ``descent`` (1,): sum of residual, l1 norm, non-zeros, size of the working
    set, the previous lam, the change below which a cycle settles, the change of the last cycle, the
    phase. The rest is for `fwcore.solvers.coordinate_descent._covariance`: ``gram``: products of
    the ``kept`` columns of ``owner``, column j in ``slot``[j] or -1; ``active``, ``slopes``,
    ``before``: the ``visited`` columns, their x_j'R, and their coefficients in the residual;
    ``products``: the part of ``gram`` that is theirs, in their order; ``column`` (m,).
    """

    coef: Floats
    residual: Floats
    dots: Floats
    columns: Ints
    listed: NDArray[np.bool_]
    gram: Floats
    products: Floats
    slot: NDArray[np.int32]
    owner: Ints
    active: Ints
    slopes: Floats
    before: Floats
    column: Floats
    descent: Any
    counters: Any


class CoordinateDescent(Solver):
    """min 1/2 ||X a - y||^2 + (r / 2) ||a||^2 + lam * sum abs(a) by exact minimisation of one
    coordinate after the other.

    a_j = soft(x_j'R + ||x_j||^2 a_j, lam) / (||x_j||^2 + r), with R = y - X a and r = lam (1 /
    l1_ratio - 1), 0 for the Lasso. scikit-learn's ElasticNet has alpha = lam / (m l1_ratio).

    A step of the trace is a cycle over the non-zero columns (by covariance updates where that
    pays), a cycle over the working set, or a pass over all p columns; the working set is given by
    the sequential strong rule and extended by every column that breaks the optimality conditions in
    a pass, so that nothing rests on the rule. The gap of the trace, known after a pass, is the
    duality gap.
    """

    name = "cd"
    title = "Coordinate descent"
    reference = "Friedman, Hastie & Tibshirani 2010; strong rules: Tibshirani et al. 2012"
    form = "penalty"
    family = "Coordinate descent"
    needs = ("closed_line_search",)
    positive = True
    Options = PenaltyOptions

    def init(self, problem: Problem, options: Any, seed: int) -> CdState:
        descent = zero_records(1, DESCENT)
        descent["residual_sum"] = problem.y.sum()
        descent["previous"] = problem.lam_max
        descent["settled"] = (
            options.tol if options.rule == "moved" else np.sqrt(options.tol * problem.f0)
        )
        most = min(covariance.MOST, problem.p)
        return CdState(
            np.zeros(problem.p),
            problem.y.copy(),
            problem.sigma.copy(),
            np.zeros(problem.p, np.int64),
            np.zeros(problem.p, np.bool_),
            np.zeros((most, most)),
            np.empty((most, most)),
            np.full(problem.p, -1, np.int32),
            np.zeros(most, np.int64),
            np.zeros(most, np.int64),
            np.zeros(most),
            np.zeros(most),
            np.zeros(problem.m),
            descent,
            new_counters(problem, options),
        )

    def set_point(
        self, problem: Problem, state: CdState, options: Any, value: float, progress: float
    ) -> None:
        start_point(state.counters, value, options.ridge_weight(value))
        _open_point(problem.y, state)

    def advance(self, problem: Problem, state: CdState, n: int) -> Rows:
        rows = new_rows(n)
        done = _advance(
            problem.design,
            problem.y,
            problem.sigma,
            problem.sqnorms,
            2.0 * problem.f0,
            problem.entries,
            state,
            rows,
        )
        return rows[:done]

    def coefficients(self, state: CdState) -> tuple[Ints, Floats]:
        indices = np.flatnonzero(state.coef)
        return indices, state.coef[indices]


@njit(nogil=True, cache=True)
def _open_point(y, state):
    """Working set of a new lam: the support, and what the sequential strong rule keeps."""
    it, lam = state.descent[0], state.counters[0].value
    it.working = 0
    threshold = 2.0 * lam - it.previous
    for j in range(state.coef.size):
        steep = steepness(-state.dots[j], state.counters[0].positive)
        state.listed[j] = state.coef[j] != 0.0 or steep >= threshold
        if state.listed[j]:
            state.columns[it.working] = j
            it.working += 1
    it.previous = lam
    it.phase = _WORKING


@njit(nogil=True, inline="always")
def _cycle(design, sqnorms, state, lam):
    """Minimise over each column of the working set in turn (in the active phase, only over the
    non-zero ones); largest change.
    """
    it, counters = state.descent[0], state.counters[0]
    largest = 0.0
    for k in range(it.working):
        j = state.columns[k]
        old = state.coef[j]
        if sqnorms[j] == 0.0 or (it.phase == _ACTIVE and old == 0.0):
            continue
        slope = col_dot(design, j, state.residual, it.residual_sum) + sqnorms[j] * old
        counters.dots += 1
        counters.entries += col_entries(design, j)
        new = soft_threshold(slope, lam, counters.positive) / (sqnorms[j] + counters.ridge)
        if new != old:
            it.residual_sum += col_axpy(design, j, old - new, state.residual)
            it.l1 += abs(new) - abs(old)
            it.squares += new * new - old * old
            it.nnz += np.int64(new != 0.0) - np.int64(old != 0.0)
            state.coef[j] = new
            largest = max(largest, abs(new - old))
    return largest


@njit(nogil=True, inline="always")
def _residual_products(y, state):
    """||R||^2 + r ||a||^2 and R'y for the residual R = y - X a."""
    it = state.descent[0]
    ones = (total(y) - it.residual_sum) / y.size
    square, product = 0.0, 0.0
    for i in range(y.size):
        r = state.residual[i] + ones
        square += r * r
        product += r * y[i]
    return square + state.counters[0].ridge * it.squares, product


@njit(nogil=True, inline="always")
def _pass(design, y, state, lam, entries):
    """One look at all columns: (duality gap, columns that broke the conditions and joined the
    working set).
    """
    it, counters = state.descent[0], state.counters[0]
    all_dots(design, state.residual, it.residual_sum, state.dots)
    counters.dots += state.dots.size
    counters.entries += entries
    joined, steepest, ridge, positive = 0, 0.0, counters.ridge, counters.positive
    for j in range(state.dots.size):
        slope = ridge * state.coef[j] - state.dots[j]
        steepest = max(steepest, steepness(slope, positive))
        if steepness(-state.dots[j], positive) > lam and not state.listed[j]:
            state.listed[j] = True
            state.columns[it.working] = j
            it.working += 1
            joined += 1
    square, product = _residual_products(y, state)
    return squared_penalty_gap(square, product, lam, it.l1, steepest), joined


@njit(nogil=True, cache=True)
def _next_phase(it, joined, gap_is_large):
    """Active cycles until they settle, then one over the working set, then a pass; back wherever
    something moved.
    """
    if it.phase == _ALL:
        it.phase = _WORKING if joined > 0 else _ACTIVE
        if joined == 0 and gap_is_large:
            it.settled *= 0.3
    elif it.change > it.settled:
        it.phase = _ACTIVE
    else:
        it.phase += 1


@njit(nogil=True, cache=True)
def _advance(design, y, sigma, sqnorms, y_square, entries, state, rows):
    """Cycles and passes until ``rows`` is full or the point ends; the number of rows filled."""
    it, counters = state.descent[0], state.counters[0]
    for k in range(rows.size):
        row = rows[k]
        gap, joined, passed = np.nan, 0, it.phase == _ALL
        if passed:
            gap, joined = _pass(design, y, state, counters.value, entries)
        elif it.phase == _ACTIVE and (
            it.visited > 0 or covariance.start_phase(design, state, entries)
        ):
            it.change = covariance.cycle(sqnorms, state, counters.value)
        else:
            it.change = _cycle(design, sqnorms, state, counters.value)
        if it.visited > 0:
            row.objective = 0.5 * covariance.square(state, sigma, y_square)
        else:
            row.objective = 0.5 * _residual_products(y, state)[0]
        row.l1 = it.l1
        row.nnz = it.nnz
        record(counters, row, gap, it.change)
        # Only a pass without a violation may end a point.
        if passed and joined == 0:
            check_gap(counters, gap)
            check_move(counters, it.change)
        check_limit(counters)
        if counters.outcome == 0:
            _next_phase(it, joined, not gap <= counters.gap_at_most)
        if it.visited > 0 and (counters.outcome != 0 or it.phase != _ACTIVE):
            covariance.flush_residual(design, state)
        if counters.outcome != 0:
            return k + 1
    return rows.size

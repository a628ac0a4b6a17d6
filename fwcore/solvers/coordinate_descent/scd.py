"""Stochastic coordinate descent (Shalev-Shwartz & Tewari 2009, Algorithms 1 and 2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fwcore.design import AHEAD, col_dot, col_entries, col_fetch, col_place, prefetch
from fwcore.errors import ParameterError
from fwcore.kernels.duality_gap import penalty_gap
from fwcore.kernels.random import uniform_int
from fwcore.kernels.soft_threshold import soft_threshold
from fwcore.losses import Loss
from fwcore.options import Choice, Count, GapOptions
from fwcore.problem import Problem
from fwcore.solvers.base import check_gap, check_limit, check_move, record
from fwcore.solvers.coordinate_descent._split_weights import (
    BoundOptions,
    CoordinateSolver,
    CoordinateState,
    change,
    full_gradient,
    objective,
)
from fwcore.trace import Rows


class ScdOptions(GapOptions, BoundOptions):
    """Options of `StochasticCD`."""

    update = Choice(
        default="bound",
        choices={"bound": "one part, by a bound", "exact": "a coefficient, exactly"},
        label="Update",
        doc="bound: one of the 2p parts that are at least 0, to the minimum of the curvature "
        "bound. exact: one of the p "
        "coefficients, both parts at once, by soft-thresholding: the exact minimum for the "
        "squared loss (Frandi et al. 2016).",
    )
    updates = Count(
        default=0,
        bounds=(0, 2**24),
        label="Updates a step",
        doc="Coordinates that a step of the trace draws; 0: as many as columns.",
    )
    check = Count(default=3)


class StochasticCD(CoordinateSolver):
    """min f(a) + lam * sum abs(a), one random coordinate after the other.

    With a = w_+ - w_-, both at least 0, an update draws one of the 2p weights uniformly and adds

        eta = max(-w_j, -g_j / beta_j),  g_j = lam -+ x_j'R,  beta_j = curvature * ||x_j||^2,

    R = -l'(X a, y), curvature 1 (squared) or 1/4 (logistic): the minimum over w_j of a bound of the
    objective, which never rises. With ``bound`` printed beta is one number for all columns, as the
    paper has it. Predictions are kept, so that an update costs one dot product and
    one column, O(s). A step of the trace is a sweep of as many updates as there are columns, or as
    the option says. A point ends when as many updates as there are columns moved nothing by more
    than the tolerance, or at a duality gap small enough, which costs a pass over all columns and is
    looked at now and then where that is the rule.
    """

    name = "scd"
    title = "Stochastic coordinate descent"
    reference = "Shalev-Shwartz & Tewari 2009, Algorithms 1 and 2"
    Options = ScdOptions

    def init(self, problem: Problem, options: Any, seed: int) -> CoordinateState:
        if options.update == "exact" and options.bound == "printed":
            rule = "column: an exact update needs no other bound"
            raise ParameterError("bound", type(self).__name__, rule, options.bound)
        state = super().init(problem, options, seed)
        state.coordinates["exact"], state.coordinates["check"] = (
            options.update == "exact",
            options.check,
        )
        return state

    def updates(self, problem: Problem, options: Any) -> int:
        return int(options.updates) or problem.p

    def steps(self, problem: Problem, state: CoordinateState, rows: Rows) -> int:
        loss: Loss = problem.loss
        return int(
            _advance(problem.design, problem.y, loss, state.squares, problem.entries, state, rows)
        )


@njit(nogil=True, inline="always")
def _move_to(design, y, loss, state, j, old, new):
    """a_j = new, through zero by way of both parts, so that one of them stays 0."""
    if old != 0.0 and old * new <= 0.0:
        change(design, y, loss, state, np.sign(old), j, -abs(old))
        old = 0.0
    if new != 0.0:
        change(design, y, loss, state, np.sign(new), j, abs(new) - abs(old))


@njit(nogil=True, inline="always")
def _sweep(design, y, loss, sqnorms, state):
    """A step: as many updates as ``drawn`` has room for; the largest change. Columns are asked for
    before they are needed.
    """
    it, counters, weights, drawn = (
        state.coordinates[0],
        state.counters[0],
        state.weights,
        state.drawn,
    )
    lam, exact, moved, entries = counters.value, it.exact, 0.0, 0
    for k in range(drawn.size):
        # With a >= 0 there are no negative parts.
        if counters.positive:
            drawn[k] = 2 * uniform_int(state.stream, sqnorms.size)
        else:
            drawn[k] = uniform_int(state.stream, 2 * sqnorms.size)
    for k in range(drawn.size):
        if k + 2 * AHEAD < drawn.size:
            col_place(design, drawn[k + 2 * AHEAD] >> 1)
            prefetch(sqnorms, drawn[k + 2 * AHEAD] >> 1)
            prefetch(weights, drawn[k + 2 * AHEAD] >> 1)
        if k + AHEAD < drawn.size:
            col_fetch(design, drawn[k + AHEAD] >> 1)
        j, row = drawn[k] >> 1, drawn[k] & 1
        beta = loss.curvature_bound * sqnorms[j]
        entries += col_entries(design, j)
        # Calls take longer than a short column, so that only those that move something are made.
        dot = col_dot(design, j, state.residual, it.residual_sum)
        if beta == 0.0:
            continue
        if exact:
            old = weights[0, j] - weights[1, j]
            target = dot + beta * old
            new = soft_threshold(target, lam, counters.positive) / beta
            if new != old:
                _move_to(design, y, loss, state, j, old, new)
                moved = max(moved, abs(new - old))
            continue
        sign = 1.0 - 2.0 * row
        by = max(-weights[row, j], (sign * dot - lam) / beta)
        if by != 0.0:
            change(design, y, loss, state, sign, j, by)
            moved = max(moved, abs(by))
    counters.dots += drawn.size
    counters.entries += entries
    return moved


@njit(nogil=True, cache=True)
def _advance(design, y, loss, sqnorms, entries, state, rows):
    it, counters = state.coordinates[0], state.counters[0]
    for k in range(rows.size):
        moved = _sweep(design, y, loss, sqnorms, state)
        gap, checks = np.nan, (counters.point_steps + 1) % it.check == 0
        checks &= counters.gap_at_most >= 0.0
        if checks:
            steepest = full_gradient(design, state, entries)
            f = objective(y, state)
            gap = penalty_gap(
                loss,
                y,
                state.residual,
                it.residual_sum,
                it.y_sum,
                f,
                counters.value,
                it.l1,
                steepest,
                0.0,
            )
        row = rows[k]
        row.objective, row.l1, row.nnz = objective(y, state), it.l1, it.nnz
        # A few random updates that move nothing say little.
        it.updates_without_move = (
            it.updates_without_move + state.drawn.size if moved <= counters.moved_at_most else 0
        )
        record(counters, row, gap, moved)
        if checks:
            check_gap(counters, gap)
        if it.updates_without_move >= sqnorms.size:
            check_move(counters, moved)
        check_limit(counters)
        if counters.outcome != 0:
            return k + 1
    return rows.size

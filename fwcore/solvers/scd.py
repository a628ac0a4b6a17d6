"""Stochastic coordinate descent (Shalev-Shwartz & Tewari 2009, Algorithms 1 and 2)."""

from __future__ import annotations

from typing import Any

import numpy as np
import param
from numba import njit

from fwcore.design import col_dot, col_entries
from fwcore.losses import Loss
from fwcore.options import WalkOptions
from fwcore.problem import Problem
from fwcore.solvers.base import close_step
from fwcore.solvers.coordinates import CoordinateSolver, CoordinateState, change, look, objective
from fwcore.solvers.gaps import penalty_gap
from fwcore.stream import below
from fwcore.trace import Rows


class ScdOptions(WalkOptions):
    """Options of `StochasticCD`."""

    update = param.Selector(
        default="bound",
        objects=["bound", "exact"],
        label="Update",
        doc="bound: one of the 2p parts that are at least 0, to the minimum of the curvature bound. exact: one of the p "
        "coefficients, both parts at once, by soft-thresholding: the exact minimum for the squared loss (Frandi et al. 2016).",
    )
    updates = param.Integer(
        default=0,
        bounds=(0, 2**31 - 1),
        label="Updates a step",
        doc="Coordinates that a step of the trace draws; 0: as many as columns.",
    )


class StochasticCD(CoordinateSolver):
    """min f(a) + lam * sum abs(a), one random coordinate after the other.

    With a = w_+ - w_-, both at least 0, an update draws one of the 2p weights uniformly and adds

        eta = max(-w_j, -g_j / beta_j),  g_j = lam -+ x_j'R,  beta_j = curvature * ||x_j||^2,

    R = -l'(X a, y), curvature 1 (squared) or 1/4 (logistic): the minimum over w_j of a bound of the objective, which never rises.
    Predictions are kept, so that an update costs one dot product and one column, O(s). A step of the trace is a sweep of as many
    updates as there are columns; a sweep that moved nothing by more than the tolerance ends a point, or a duality gap small enough,
    which costs a pass over all columns and is looked at only where that is the rule.
    """

    name = "scd"
    title = "Stochastic coordinate descent"
    reference = "Shalev-Shwartz & Tewari 2009, Algorithms 1 and 2"
    Options = ScdOptions

    def init(self, problem: Problem, options: Any, seed: int) -> CoordinateState:
        state = super().init(problem, options, seed)
        state.coordinates["exact"] = options.update == "exact"
        state.coordinates["sweep"] = options.updates or problem.p
        return state

    def steps(self, problem: Problem, state: CoordinateState, rows: Rows) -> int:
        loss: Loss = problem.loss
        return int(_advance(problem.design, problem.y, loss, problem.sqnorms, problem.entries, state, rows))


@njit(nogil=True, cache=True)
def _one_part(design, y, loss, sqnorms, state, lam):  # type: ignore[no-untyped-def]
    """Draw one of the 2p weights and move it; by how much."""
    it, walk = state.coordinates[0], state.walk[0]
    drawn = below(state.stream, 2 * sqnorms.size)
    j, row = drawn >> 1, drawn & 1
    sign = 1.0 - 2.0 * row
    if sqnorms[j] == 0.0:
        return 0.0
    slope = lam - sign * col_dot(design, j, state.residual, it.residual_sum)
    walk.dots += 1
    walk.entries += col_entries(design, j)
    by = max(-state.weights[row, j], -slope / (loss.curvature * sqnorms[j]))
    if by != 0.0:
        change(design, y, loss, state, sign, j, by)
    return abs(by)


@njit(nogil=True, cache=True)
def _whole(design, y, loss, sqnorms, state, lam):  # type: ignore[no-untyped-def]
    """Draw one of the p coefficients and soft-threshold it; by how much it moved."""
    it, walk = state.coordinates[0], state.walk[0]
    j = below(state.stream, sqnorms.size)
    if sqnorms[j] == 0.0:
        return 0.0
    beta, old = loss.curvature * sqnorms[j], state.weights[0, j] - state.weights[1, j]
    target = col_dot(design, j, state.residual, it.residual_sum) + beta * old
    walk.dots += 1
    walk.entries += col_entries(design, j)
    new = np.sign(target) * max(abs(target) - lam, 0.0) / beta
    if new == old:
        return 0.0
    # Through zero by way of both parts, so that one of them stays 0.
    if old != 0.0 and old * new <= 0.0:
        change(design, y, loss, state, np.sign(old), j, -abs(old))
        old = 0.0
    if new != 0.0:
        change(design, y, loss, state, np.sign(new), j, abs(new) - abs(old))
    return abs(new - old)


@njit(nogil=True, cache=True)
def _advance(design, y, loss, sqnorms, entries, state, rows):  # type: ignore[no-untyped-def]
    it, walk = state.coordinates[0], state.walk[0]
    for k in range(rows.size):
        moved = 0.0
        for _ in range(it.sweep):
            if it.exact:
                moved = max(moved, _whole(design, y, loss, sqnorms, state, walk.value))
            else:
                moved = max(moved, _one_part(design, y, loss, sqnorms, state, walk.value))
        gap = np.nan
        if walk.gap_at_most >= 0.0:
            steepest = look(design, state, entries)
            gap = penalty_gap(loss, y, state.residual, it.residual_sum, it.y_sum, objective(y, state), walk.value, it.l1, steepest)
        row = rows[k]
        row.objective, row.l1, row.nnz = objective(y, state), it.l1, it.nnz
        close_step(walk, row, gap, moved)
        if walk.outcome != 0:
            return k + 1
    return rows.size

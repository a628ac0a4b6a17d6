"""Deterministic greedy coordinate descent, the twin of `scd` (Shalev-Shwartz & Tewari 2009, section
4).
"""

from __future__ import annotations

from numba import njit

from fwcore.kernels.duality_gap import penalty_gap
from fwcore.losses import Loss
from fwcore.problem import Problem
from fwcore.solvers.base import check_stop, record
from fwcore.solvers.coordinate_descent._split_weights import (
    BoundOptions,
    CoordinateSolver,
    CoordinateState,
    change,
    full_gradient,
    objective,
)
from fwcore.trace import Rows


class DeterministicCD(CoordinateSolver):
    """min f(a) + lam * sum abs(a), always at the coordinate with the largest guaranteed decrease.

    Of all 2p weights w >= 0 with a = w_+ - w_-, that for which the update of `StochasticCD` lowers
    its bound the most: -(g_j eta + 1/2 beta_j eta^2), eta = max(-w_j, -g_j / beta_j). A step costs
    a pass over all columns, whose duality gap is that of the iterate before the step.
    """

    name = "detcd"
    title = "Greedy coordinate descent"
    reference = "Shalev-Shwartz & Tewari 2009, section 4 (DETCD)"
    Options = BoundOptions

    def steps(self, problem: Problem, state: CoordinateState, rows: Rows) -> int:
        loss: Loss = problem.loss
        return int(
            _advance(problem.design, problem.y, loss, state.squares, problem.entries, state, rows)
        )


@njit(nogil=True, cache=True)
def _best(loss, sqnorms, state, lam):
    """The weight whose update lowers the bound the most: (column, 0 or 1, the update)."""
    best_j, best_row, best_by, best = 0, 0, 0.0, 0.0
    for j in range(sqnorms.size):
        if sqnorms[j] == 0.0:
            continue
        beta = loss.curvature_bound * sqnorms[j]
        for row in range(1 if state.counters[0].positive else 2):
            slope = lam - (1.0 - 2.0 * row) * state.dots[j]
            by = max(-state.weights[row, j], -slope / beta)
            decrease = -(slope * by + 0.5 * beta * by * by)
            if decrease > best:
                best_j, best_row, best_by, best = j, row, by, decrease
    return best_j, best_row, best_by


@njit(nogil=True, cache=True)
def _advance(design, y, loss, sqnorms, entries, state, rows):
    it, counters = state.coordinates[0], state.counters[0]
    for k in range(rows.size):
        lam = counters.value
        steepest = full_gradient(design, state, entries)
        gap = penalty_gap(
            loss,
            y,
            state.residual,
            it.residual_sum,
            it.y_sum,
            objective(y, state),
            lam,
            it.l1,
            steepest,
            0.0,
        )
        j, row, by = _best(loss, sqnorms, state, lam)
        # The gap vouches for the iterate before the step, so where it is small enough that iterate
        # stays.
        if by != 0.0 and gap > counters.gap_at_most:
            change(design, y, loss, state, 1.0 - 2.0 * row, j, by)
        rows[k].objective, rows[k].l1, rows[k].nnz = objective(y, state), it.l1, it.nnz
        record(counters, rows[k], gap, abs(by))
        check_stop(counters, gap, abs(by))
        if counters.outcome != 0:
            return k + 1
    return rows.size

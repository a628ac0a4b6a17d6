"""Stochastic Frank-Wolfe for finite sums (Negiar et al. 2020, Algorithm 1)."""

from __future__ import annotations

from typing import Any, NamedTuple

from fwcore.design import row
from fwcore.dispatch import implements
from fwcore.losses import descent_at
from fwcore.solvers.finite_sum import FiniteSumSolver, estimate, open_loop
from fwcore.solvers.sampled_gradient import charge, predict, push, settle, steepest_vertex


class Remembered(NamedTuple):
    """The derivative of a sample is kept until the sample is drawn again. ``ratio``: n / b."""

    ratio: float


class RowsFW(FiniteSumSolver):
    """min f(a) subject to sum abs(a) <= delta, refreshing the derivatives of b random samples in each step.

    alpha_i = l'(x_i'a, y_i) for the samples i of the batch, r = X'alpha with the alphas of all others as they were last, from
    alpha = 0; s is the vertex of r; a <- (1 - g) a + g s with g = 2 / (t + 2). The gap of its trace, r'a + delta max abs(r) (eq.
    31), tends to the true gap, but of a small batch it may be small by chance. With b = n it is `DeterministicFW` with that g.
    """

    name = "sfw_rows"
    title = "Stochastic Frank-Wolfe on rows"
    reference = "Négiar, Dresdner, Tsai, El Ghaoui, Locatello, Freund & Pedregosa 2020, Algorithm 1"

    def method(self, ratio: float, options: Any) -> Remembered:
        return Remembered(ratio)


@implements(open_loop, Remembered)
def _open_loop(method, state):  # type: ignore[no-untyped-def]
    return 2.0 / (state.iterate[0].turn + 2.0)


@implements(estimate, Remembered)
def _estimate(method, rows, y, loss, state):  # type: ignore[no-untyped-def]
    it = state.iterate[0]
    for k in range(it.batch):
        i = state.order[k]
        columns, values = row(rows, i, state.room)
        u = predict(columns, values, state)
        state.image[k] = u
        new = -descent_at(loss, u, y[i])
        change = new - state.table[i]
        state.table[i] = new
        it.along += change * u
        push(columns, values, change, state)
        charge(rows, i, state)
    settle(state)
    return steepest_vertex(state)

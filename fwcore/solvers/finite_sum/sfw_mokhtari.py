"""Stochastic conditional gradient with momentum (Mokhtari, Hassani & Karbasi 2018), as Negiar et
al. (2020) ran it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fwcore.design import row, row_entries
from fwcore.kernels.dispatch import implements
from fwcore.kernels.tournament_tree import FADE, rebuild
from fwcore.losses import negative_derivative_at
from fwcore.options import Choice, FiniteSumOptions
from fwcore.solvers.finite_sum._gradient import dot, push, steepest_vertex
from fwcore.solvers.finite_sum._loop import FiniteSumSolver, estimate
from fwcore.solvers.finite_sum._steps import open_loop


class MokhtariOptions(FiniteSumOptions):
    """Options of `MokhtariFW`."""

    momentum = Choice(
        default="mokhtari",
        choices={"mokhtari": "4 / (t + 8)^(2/3)", "negiar": "1 / t^(2/3)"},
        label="Weight of a batch",
        doc="How much of the estimate a batch replaces. mokhtari: 4 / (t + 8)^(2/3), as the "
        "method's paper has it. negiar: 1 / t^(2/3), as Negiar et al. write.",
    )


class Momentum(NamedTuple):
    """Batch gradients are averaged. ``ratio``: n / b; a batch weighs ``share`` / (t +
    ``shift``)^(2/3), at most 1.
    """

    ratio: float
    share: float
    shift: float


class MokhtariFW(FiniteSumSolver):
    """min f(a) subject to sum abs(a) <= delta, with an average of unbiased gradients of batches.

    At t = 0, 1, ...: r <- (1 - c) r + c (n / b) sum_i l'(x_i'a, y_i) x_i over the batch, c = 4 / (t
    + 8)^(2/3) (at most 1), or 1 / (t + 1)^(2/3); a <- (1 - g) a + g s with the vertex s of r and g
    = 2 / (t + 8). The first batch counts whole, unless the start is the gradient, where c is that
    of t = 1. The factors 1 - c are kept apart from r: see `fwcore.kernels.tournament_tree`.
    """

    name = "sfw_mokhtari"
    title = "Stochastic Frank-Wolfe with momentum"
    reference = "Mokhtari, Hassani & Karbasi 2018; Négiar et al. 2020, section 5"
    Options = MokhtariOptions

    def method(self, ratio: float, options: Any) -> Momentum:
        return (
            Momentum(ratio, 4.0, 8.0)
            if options.momentum == "mokhtari"
            else Momentum(ratio, 1.0, 1.0)
        )


@implements(open_loop, Momentum)
def _open_loop(method, state):
    return 2.0 / (state.iterate[0].turn + 8.0)


@implements(estimate, Momentum)
def _estimate(method, rows, y, loss, state):
    it, counters, stale = state.iterate[0], state.counters[0], False
    coef, slope, tree = state.coef, state.slope, state.tree
    first = it.turn == 0 and it.grads > 0
    counted = min(1.0, method.share / (it.turn + first + method.shift) ** (2.0 / 3.0))
    it.along *= 1.0 - counted
    it.weight *= 1.0 - counted
    if it.weight == 0.0:
        # The first batch counts whole, and there is nothing yet that it takes the place of.
        it.weight = 1.0
    elif it.weight < FADE:
        it.weight /= FADE
        it.age += 1.0
    for k in range(state.image.size):
        i = state.order[k]
        columns, values = row(rows, i, state.room)
        u = it.scale * dot(columns, values, coef)
        state.image[k] = u
        by = -counted * method.ratio * negative_derivative_at(loss, u, y[i])
        it.along += by * u
        stale |= push(columns, values, by / it.weight, slope, tree, it.age)
        counters.entries += row_entries(rows, i)
    it.grads += state.image.size
    if stale:
        rebuild(tree, slope)
    return steepest_vertex(tree, slope, it, counters.value)

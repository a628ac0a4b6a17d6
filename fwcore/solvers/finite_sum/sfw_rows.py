"""Stochastic Frank-Wolfe for finite sums (Negiar et al. 2020, Algorithm 1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fwcore import theory
from fwcore.kernels.dispatch import implements
from fwcore.kernels.types import Floats
from fwcore.problem import Problem
from fwcore.solvers.finite_sum._gradient import refresh, steepest_vertex
from fwcore.solvers.finite_sum._loop import FiniteSumSolver, estimate
from fwcore.solvers.finite_sum._steps import open_loop

# Typed: for a literal numba would compile what is called a second time.
_NONE = np.int64(0)


class Remembered(NamedTuple):
    """The derivative of a sample is kept until the sample is drawn again. ``ratio``: n / b, which
    its steps do not depend on.
    """

    ratio: float


class RowsFW(FiniteSumSolver):
    """min f(a) subject to sum abs(a) <= delta, refreshing the derivatives of b random samples in
    each step.

    alpha_i = l'(x_i'a, y_i) for the samples i of the batch, r = X'alpha with the alphas of all
    others as they were last, from alpha = 0; s is the vertex of r; a <- (1 - g) a + g s with g = 2
    / (t + 2), t = 1, 2, ... The gap of its trace, r'a + delta max abs(r) (eq. 31), tends to the
    true gap, but of a small batch it may be small by chance. With b = n it is `DeterministicFW`
    with that g.
    """

    name = "sfw_rows"
    title = "Stochastic Frank-Wolfe on rows"
    reference = "Négiar, Dresdner, Tsai, El Ghaoui, Locatello, Freund & Pedregosa 2020, Algorithm 1"
    first_turn = 1
    # The derivatives that it keeps are those of the point before.
    bound_goes_on = False

    def bound(self, problem: Problem, options: Any, value: float, steps: int) -> Floats | None:
        chosen = (options.step, options.direction, options.start)
        printed = chosen == ("open-loop", "toward", "zero")
        if not printed or not problem.loss.curvature_bound:
            return None
        return theory.sampled_rows(problem, value, steps, self.batch(problem, options))

    def method(self, ratio: float, options: Any) -> Remembered:
        return Remembered(ratio)


@implements(open_loop, Remembered)
def _open_loop(method, state):
    # Turns are counted from 0, t from 1.
    return 2.0 / (state.iterate[0].turn + 3.0)


@implements(estimate, Remembered)
def _estimate(method, rows, y, loss, state):
    refresh(rows, y, loss, state, _NONE, 0.0, 0.0)
    return steepest_vertex(state.tree, state.slope, state.iterate[0], state.counters[0].value)

"""Stochastic Frank-Wolfe with a substitute gradient (Lu & Freund 2018), as Negiar et al. (2020) ran
it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fwcore.kernels.dispatch import implements
from fwcore.options import Choice, FiniteSumOptions, StepRule
from fwcore.solvers.finite_sum._gradient import refresh, steepest_vertex
from fwcore.solvers.finite_sum._loop import FiniteSumSolver, estimate
from fwcore.solvers.finite_sum._steps import open_loop


class LuFreundOptions(FiniteSumOptions):
    """Options of `LuFreundFW`, whose paper starts from the gradient."""

    start = Choice(
        default="full-pass",
        choices={"zero": "from zero", "full-pass": "a full pass"},
        label="Start",
        doc="zero: from a gradient of 0. full-pass: from the gradient, a pass over the samples.",
    )
    # h forgets its errors no faster than a shrinks. Steps that get short by the gap of r stop both
    # before the gradient is right: on breast cancer a third of the way to the optimum, with e = q
    # g; and away and pairwise steps do not shrink a.
    step = StepRule(default="open-loop", precedence=-1)
    direction = Choice(default="toward", choices={"toward": "toward"}, precedence=-1)


class Averaged(NamedTuple):
    """Derivatives are taken at an average, sample by sample, of predictions of vertices. ``ratio``:
    n / b.
    """

    ratio: float


class LuFreundFW(FiniteSumSolver):
    """min f(a) subject to sum abs(a) <= delta, with derivatives at averaged predictions.

    With the vertex s of r, and for the samples i of the batch, h_i <- (1 - e) h_i + e x_i's,
    alpha_i = l'(h_i, y_i), r = X'alpha; a <- (1 - g) a + g s. With t = 0, 1, ... and q = n / b, g =
    2 (2 q + t) / ((t + 1) (4 q + t)) and e = 2 q / (2 q + t + 1). Its gap is that of r, before it
    is refreshed.

    It goes by these steps only: the average forgets by the series of e, and other steps may end
    before it is right.
    """

    name = "sfw_lu_freund"
    title = "Stochastic Frank-Wolfe, substitute gradient"
    reference = "Lu & Freund 2018; Négiar et al. 2020, section 5"
    Options = LuFreundOptions

    def method(self, ratio: float, options: Any) -> Averaged:
        return Averaged(ratio)


@implements(open_loop, Averaged)
def _open_loop(method, state):
    t, q = state.iterate[0].turn, method.ratio
    return 2.0 * (2.0 * q + t) / ((t + 1.0) * (4.0 * q + t))


@implements(estimate, Averaged)
def _estimate(method, rows, y, loss, state):
    it, q = state.iterate[0], method.ratio
    j, vertex, gap = steepest_vertex(state.tree, state.slope, it, state.counters[0].value)
    refresh(rows, y, loss, state, j, vertex, 2.0 * q / (2.0 * q + it.turn + 1.0))
    return j, vertex, gap

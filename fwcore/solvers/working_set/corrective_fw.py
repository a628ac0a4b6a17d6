"""Fully corrective Frank-Wolfe on a working set, certified at every point."""

from __future__ import annotations

from fwcore.kernels.types import Floats
from fwcore.problem import Problem
from fwcore.solvers.working_set._loop import WorkingSet, WorkingSetSolver


class CorrectiveFW(WorkingSetSolver):
    """min 1/2 ||X a - y||^2 subject to sum abs(a) <= delta, minimised again over the convex hull of
    all vertices found so far.

    The gap of the trace is an upper bound of the true Frank-Wolfe gap over all columns, in every
    round.
    """

    name = "corrective_fw"
    title = "Fully corrective Frank-Wolfe"
    reference = "Lacoste-Julien & Jaggi 2015, Algorithm 4; corrections: Wolfe 1976"
    form = "ball"

    def slack(self, problem: Problem, state: WorkingSet) -> float:
        # On a tight face a'f'(a) = -delta * level, so that the gap is delta * (steepest - level);
        # inside the ball the level is 0.
        return state.target / float(state.counters["value"][0])

    def gap(
        self, problem: Problem, value: float, residual: Floats, l1: float, steepest: float
    ) -> float:
        return value * steepest - float((problem.y - residual) @ residual)

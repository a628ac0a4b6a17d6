"""Fully corrective Frank-Wolfe on a working set, certified at every point."""

from __future__ import annotations

from typing import Any

from fwcore.problem import Problem
from fwcore.solvers.working_set._face import Face
from fwcore.solvers.working_set._solver import WorkingSetSolver


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

    def engine(self, problem: Problem, options: Any) -> Face:
        return Face.of()

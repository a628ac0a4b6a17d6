"""The penalised Lasso on a working set, certified at every point."""

from __future__ import annotations

from typing import Any

from fwcore.problem import Problem
from fwcore.solvers.working_set._face import Face
from fwcore.solvers.working_set._solver import CertifiedPenaltyOptions, WorkingSetSolver


class ActiveSet(WorkingSetSolver):
    """min 1/2 ||X a - y||^2 + (r / 2) ||a||^2 + lam * sum abs(a), minimised exactly over the
    columns found so far; r as of `CoordinateDescent`.

    The twin of `CorrectiveFW` for users of lam. The gap of the trace is an upper bound of the
    duality gap, in every round.
    """

    name = "active_set"
    title = "Active set"
    reference = "Osborne, Presnell & Turlach 2000"
    form = "penalty"
    Options = CertifiedPenaltyOptions

    def engine(self, problem: Problem, options: Any) -> Face:
        return Face.of()

"""The penalised Lasso on a working set, certified at every point."""

from __future__ import annotations

import numpy as np

from fwcore.judging import duality_gap
from fwcore.kernels.types import Floats
from fwcore.problem import Problem
from fwcore.solvers.working_set._loop import WorkingSet, WorkingSetSolver


class ActiveSet(WorkingSetSolver):
    """min 1/2 ||X a - y||^2 + lam * sum abs(a), minimised exactly over the columns found so far.

    The twin of `CorrectiveFW` for users of lam. The gap of the trace is an upper bound of the
    duality gap, in every round.
    """

    name = "active_set"
    title = "Active set"
    reference = "Osborne, Presnell & Turlach 2000"
    form = "penalty"

    def slack(self, problem: Problem, state: WorkingSet) -> float:
        # With s = lam / (lam + slack) the gap is 1/2 (1 - s)^2 ||R||^2 + (1 - s) lam sum abs(a),
        # where ||R||^2 <= 2 f(0).
        lam = float(state.counters["value"][0])
        l1 = float(np.abs(state.face.coef[: state.size]).sum())
        share = 0.5 * state.target
        return min(share / max(l1, 1e-300), lam * float(np.sqrt(share / problem.f0)))

    def gap(
        self, problem: Problem, value: float, residual: Floats, l1: float, steepest: float
    ) -> float:
        objective = 0.5 * float(residual @ residual)
        return duality_gap(problem.loss, problem.y, residual, objective, value, l1, steepest)

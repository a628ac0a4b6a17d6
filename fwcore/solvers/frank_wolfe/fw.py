"""Deterministic Frank-Wolfe for the Lasso (Frandi et al. 2016, Algorithm 1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fwcore import theory
from fwcore.kernels.types import Floats
from fwcore.options import BallOptions, OracleOptions, step_rule
from fwcore.oracles import Full
from fwcore.oracles.choice import allowed_error
from fwcore.problem import Problem
from fwcore.solvers.frank_wolfe._solver import FrankWolfeSolver


class FwOptions(BallOptions, OracleOptions):
    """Options of `DeterministicFW`."""

    step = step_rule()


class DeterministicFW(FrankWolfeSolver):
    """min f(a) subject to sum abs(a) <= delta, looking at every column in each step.

    Exact line search: in closed form for the squared loss, by Newton steps on the segment for the
    logistic loss (`fwcore.solvers.frank_wolfe._smooth`), where a step costs O(m) besides. The gap
    of its trace is the true Frank-Wolfe gap before the step.

    Its vertex may be asked of a part of the rows (``oracle``; Rakotomamonjy, Koco & Ralaivola
    2016): its slope is then exact, but it may not be the steepest, so that the gap is one of those
    that certify nothing.
    """

    name = "fw"
    title = "Frank-Wolfe"
    reference = "Frank & Wolfe 1956; Frandi et al. 2016, Algorithm 1"

    Options = FwOptions

    def bound(self, problem: Problem, options: Any, value: float, steps: int) -> Floats | None:
        error, known = allowed_error(options), self.step(options) in ("line-search", "open-loop")
        if error is None or not known:
            return None
        if self.ridge_weight(options) or not problem.loss.curvature_bound:
            return None
        return theory.frank_wolfe(problem, value, steps, error)

    def oracle(self, design: Any, sigma: Floats, options: Any, seed: int) -> Full:
        return Full(np.array([sigma.size]))

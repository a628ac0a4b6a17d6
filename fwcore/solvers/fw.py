"""Deterministic Frank-Wolfe for the Lasso (Frandi et al. 2016, Algorithm 1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fwcore.oracles import Full
from fwcore.problem import Problem
from fwcore.solvers.frank_wolfe import FrankWolfeSolver


class DeterministicFW(FrankWolfeSolver):
    """min 1/2 ||X a - y||^2 subject to sum abs(a) <= delta, looking at every column in each step.

    The gap of its trace is the true Frank-Wolfe gap before the step.
    """

    name = "fw"
    title = "Frank-Wolfe"
    reference = "Frank & Wolfe 1956; Frandi et al. 2016, Algorithm 1"

    def oracle(self, problem: Problem, options: Any, seed: int) -> Full:
        return Full(np.array([problem.p]))

"""Truncated stochastic gradient (Langford, Li & Zhang 2009), as Shalev-Shwartz & Tewari (2009) ran
it.
"""

from __future__ import annotations

from typing import Any

from fwcore.problem import Problem
from fwcore.solvers.mirror_descent._loop import MirrorSolver


class TruncatedGradient(MirrorSolver):
    """min f(a) + lam * sum abs(a), one random sample after the other.

    a <- a - eta m l'(x_i'a, y_i) x_i, and then a_j <- sign(a_j) max(0, abs(a_j) - eta lam) for
    every j: `Smidas` with the identity for a link.
    """

    name = "truncgrad"
    title = "Truncated gradient"
    reference = "Langford, Li & Zhang 2009; Shalev-Shwartz & Tewari 2009, section 4"

    def exponent(self, problem: Problem, options: Any) -> float:
        return 2.0

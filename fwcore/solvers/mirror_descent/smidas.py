"""Stochastic mirror descent made sparse (Shalev-Shwartz & Tewari 2009, Algorithm 3)."""

from __future__ import annotations

import math

from fwcore.problem import Problem
from fwcore.solvers.mirror_descent._loop import MirrorSolver


class Smidas(MirrorSolver):
    """min f(a) + lam * sum abs(a) by mirror descent with the p-norm link, one random sample after
    the other.

    For t in R^p and q = 2 ln p (at least 2), a_j = sign(t_j) abs(t_j)^(q-1) / ||t||_q^(q-2); a
    sample i moves t by -eta m l'(x_i'a, y_i) x_i, and then abs(t_j) shrinks by eta lam, no further
    than to zero. That is the algorithm of the paper, whose objective is the mean of the losses:
    with columns of mean square 1 its eta is this one.

    A step of the trace is a pass of as many samples as there are rows; its objective is an
    estimate, the mean loss of the samples before they were learnt. It settles within O(eta), not at
    the optimum: the true gap shows it.
    """

    name = "smidas"
    title = "SMIDAS"
    reference = "Shalev-Shwartz & Tewari 2009, Algorithm 3"

    def exponent(self, problem: Problem) -> float:
        return max(2.0, 2.0 * math.log(problem.p))

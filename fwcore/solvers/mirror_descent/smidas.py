"""Stochastic mirror descent made sparse (Shalev-Shwartz & Tewari 2009, Algorithm 3)."""

from __future__ import annotations

import math
from typing import Any

from fwcore.errors import ParameterError
from fwcore.options import Amount
from fwcore.problem import Problem
from fwcore.solvers.mirror_descent._loop import MirrorOptions, MirrorSolver


class SmidasOptions(MirrorOptions):
    """Options of `Smidas`."""

    exponent = Amount(
        default=0.0,
        bounds=(0.0, 1000.0),
        softbounds=(0.0, 30.0),
        label="Exponent of the link",
        doc="0: 2 ln p, as the paper has it. 2: the identity, which is the truncated gradient. "
        "Between them the link goes from additive to multiplicative updates.",
    )


class Smidas(MirrorSolver):
    """min f(a) + lam * sum abs(a) by mirror descent with the p-norm link, one random sample after
    the other.

    For t in R^p and q = 2 ln p (at least 2; option ``exponent``), a_j = sign(t_j) abs(t_j)^(q-1) /
    ||t||_q^(q-2); a sample i moves t by -eta m l'(x_i'a, y_i) x_i, and then abs(t_j) shrinks by eta
    lam, no further than to zero. That is the algorithm of the paper, whose objective is the mean of
    the losses: of a problem that is not standardised its eta is m times this one, and of one that
    is, in features of mean square 1, this one.

    A step of the trace is a pass of as many samples as there are rows; its objective is an
    estimate, the mean loss of the samples before they were learnt. It settles within O(eta), not at
    the optimum: the true gap shows it. With ``answer`` "random" the answer is an iterate that is
    drawn, as Theorem 2 has it; `fwcore.theory.mirror_step` gives its step size.
    """

    name = "smidas"
    title = "SMIDAS"
    reference = "Shalev-Shwartz & Tewari 2009, Algorithm 3"

    Options = SmidasOptions

    def exponent(self, problem: Problem, options: Any) -> float:
        if 0.0 < options.exponent < 2.0:
            rule = "0, or a number of at least 2"
            raise ParameterError("exponent", type(self).__name__, rule, options.exponent)
        return options.exponent or max(2.0, 2.0 * math.log(problem.p))

"""Stochastic Frank-Wolfe for the Lasso on sampled columns (Frandi et al. 2016, Algorithm 2)."""

from __future__ import annotations

import math
from typing import Any

from fwcore import sampling, theory
from fwcore.kernels.types import Floats
from fwcore.options import Amount, BallOptions, Choice, ColumnOracle, Count, SamplingRule, step_rule
from fwcore.oracles import COLUMN_ORACLES
from fwcore.problem import Problem
from fwcore.solvers.frank_wolfe._solver import FrankWolfeSolver

_EMPTY = {
    "redraw-support": "redraw, then the active columns",
    "redraw": "redraw, then end",
    "stop": "end the point, as printed",
}


class SfwOptions(BallOptions):
    """Options of `StochasticFW`."""

    step = step_rule()
    sampling = SamplingRule(default="1%", label="Sampling", doc="How many columns a step looks at.")
    draw = ColumnOracle(
        default="subset",
        label="Draw",
        doc="subset: kappa distinct columns. with-replacement: kappa times any column. blocks: as "
        "many whole blocks of "
        "neighbouring columns, of a copy of the design that is shuffled once, as make up "
        "kappa; memory is then read in order.",
    )
    block = Count(
        default=64,
        bounds=(1, 2**20),
        label="Block",
        doc="Columns of a block, where blocks are drawn.",
    )
    certify = Amount(
        default=0.0,
        bounds=(0.0, 0.9999),
        label="Certify with probability",
        doc="Where the gap is the rule. 0: the first small sampled gap ends the point, and "
        "certifies nothing. rho: so many in a row, at one iterate, that with this probability no "
        "point ends while as many columns as below have a larger gap. Each iterate that is "
        "examined at a point gets its share of the error, so that later ones are asked for more.",
    )
    overlooked = Count(
        default=1,
        bounds=(1, 2**31 - 1),
        label="Columns to be met",
        doc="Of as many columns with a larger gap one is met with the probability above. 1 asks "
        "for 4 / (share sampled) and more "
        "looks at a column: all columns are then seen sooner by fw.",
    )
    empty = Choice(
        default="redraw-support",
        choices=_EMPTY,
        label="Empty draws",
        doc="What a draw without a descent vertex does. redraw-support: it is repeated; when "
        "redraw-until columns were looked at, the step looks at the active columns too, and never "
        "ascends. redraw: it is repeated; then the step has length zero. stop: the step has "
        "length zero at once, as Algorithm 2 is printed. Where coefficients must settle, a step "
        "of length zero ends the point by chance.",
    )
    redraw_until = Count(
        default=194,
        bounds=(1, 2**31 - 1),
        label="Redraw until",
        doc="Columns that a step looks at in vain before it gives up drawing (194: with confidence "
        "0.98 one of the steepest 2 % is among them).",
    )


class StochasticFW(FrankWolfeSolver):
    """min f(a) subject to sum abs(a) <= delta, looking at kappa random columns in each step.

    The gap of its trace is the sampled gap: a maximum over a subset, so it never exceeds the true
    gap, and a small one certifies nothing; `fwcore.sampling.draws_to_certify` says how many in a
    row do with which confidence, and the option ``certify`` waits for as many at the first iterate
    of a point that has one, and for more at later ones. With kappa = p it is
    `DeterministicFW`, step by step.
    """

    name = "sfw"
    title = "Stochastic Frank-Wolfe"
    reference = "Frandi, Ñanculef, Lodi, Sartori & Suykens 2016, Algorithm 2"
    Options = SfwOptions

    def _draws(self, options: Any) -> Any:
        return next(oracle for oracle in COLUMN_ORACLES if oracle.name == options.draw)

    def oracle(self, design: Any, sigma: Floats, options: Any, seed: int) -> Any:
        return self._draws(options).drawn(design, sigma, options, seed)

    def variant(self, options: Any) -> dict[str, Any]:
        return super().variant(options) | {"draw": options.draw}

    def certificate(self, p: int, kappa: int, options: Any) -> tuple[float, float]:
        """As of `FrankWolfeSolver`; a block's columns come together, so that they count as one."""
        if options.certify == 0.0:
            return super().certificate(p, kappa, options)
        drawn = self._draws(options)
        columns = 1 if drawn.together else min(options.overlooked, p)
        miss = sampling.log_miss(p, kappa, columns, replace=drawn.replaces)
        return math.log1p(-options.certify), miss

    def bound(self, problem: Problem, options: Any, value: float, steps: int) -> Floats | None:
        plain = self.step(options) == "line-search" and options.sampling.kappa(
            problem.p, 0.0
        ) == options.sampling.kappa(problem.p, 1.0)
        if not plain or self.ridge_weight(options) or not problem.loss.curvature_bound:
            return None
        kappa = self.kappa(problem.p, options, 0.0)
        miss = sampling.log_miss(problem.p, kappa, 1, replace=self._draws(options).replaces)
        return theory.sampled_columns(problem, value, steps, -math.expm1(miss))

    def redraw_until(self, options: Any) -> int:
        return 1 if options.empty == "stop" else int(options.redraw_until)

    def asks_support(self, options: Any) -> bool:
        return bool(options.empty == "redraw-support")

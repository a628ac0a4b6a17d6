"""Stochastic Frank-Wolfe for the Lasso on sampled columns (Frandi et al. 2016, Algorithm 2)."""

from __future__ import annotations

from typing import Any

import param

from fwcore.design import Floats
from fwcore.options import BallOptions, SamplingRule
from fwcore.oracles import Blocks, Replaced, Sampled
from fwcore.solvers.frank_wolfe import FrankWolfeSolver


class SfwOptions(BallOptions):
    """Options of `StochasticFW`."""

    sampling = SamplingRule(default="1%", label="Sampling", doc="How many columns a step looks at.")
    draw = param.Selector(
        default="subset",
        objects=["subset", "with replacement", "blocks"],
        label="Draw",
        doc="subset: kappa distinct columns. with replacement: kappa times any column. blocks: as many whole blocks of "
        "neighbouring columns, of a copy of the design that is shuffled once, as make up kappa; memory is then read in order.",
    )
    block = param.Integer(default=64, bounds=(1, 2**20), label="Block", doc="Columns of a block, where blocks are drawn.")
    redraw_until = param.Integer(
        default=194,
        bounds=(1, 2**31 - 1),
        label="Redraw until",
        doc="A draw without a descent vertex is repeated until this many columns were looked at (194: with confidence 0.98 one "
        "of the steepest 2 % is among them); then the step looks at the active columns too.",
    )


class StochasticFW(FrankWolfeSolver):
    """min f(a) subject to sum abs(a) <= delta, looking at kappa random columns in each step.

    The gap of its trace is the sampled gap: a maximum over a subset, so it never exceeds the true gap, and a small one certifies
    nothing. With kappa = p it is `DeterministicFW`, step by step.
    """

    name = "sfw"
    title = "Stochastic Frank-Wolfe"
    reference = "Frandi, Ñanculef, Lodi, Sartori & Suykens 2016, Algorithm 2"
    Options = SfwOptions

    def oracle(self, design: Any, sigma: Floats, options: Any, seed: int) -> Sampled | Replaced | Blocks:
        if options.draw == "blocks":
            return Blocks.of(design, sigma, options.block, seed)
        return Replaced.of(seed) if options.draw == "with replacement" else Sampled.of(sigma.size, seed)

    def variant(self, options: Any) -> dict[str, Any]:
        return super().variant(options) | {"draw": options.draw}

    def redraw_until(self, options: Any) -> int:
        return int(options.redraw_until)

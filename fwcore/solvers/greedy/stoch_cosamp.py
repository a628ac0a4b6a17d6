"""Stochastic CoSaMP (Nguyen, Needell & Woolf 2014, StoGradMP)."""

from __future__ import annotations

from typing import Any

from fwcore.options import BatchSize, OracleOptions, judged_every
from fwcore.oracles import RowSubsetOracle
from fwcore.oracles.choice import row_subset_oracle
from fwcore.problem import Problem
from fwcore.solvers.greedy.cosamp import Cosamp, CosampLimits


class StochCosampOptions(CosampLimits):
    """Options of `StochCosamp`."""

    batch = BatchSize(
        default="10%", label="Batch", doc="Samples of an iteration, a percentage or a count."
    )
    oracle_judge = judged_every()


class StochCosamp(Cosamp):
    """`Cosamp` with the 2 k columns that are the steepest of the gradient of a batch, and fits on
    all rows.

    A batch is drawn with replacement, uniformly; where rows are sparse, until it holds its share of
    the entries. One of 100 % is the exact method.
    """

    name = "stoch_cosamp"
    title = "Stochastic CoSaMP"
    reference = "Nguyen, Needell & Woolf 2014 (StoGradMP)"
    Options = StochCosampOptions

    def counts_dots(self, options: Any) -> bool:
        return False

    def oracle(self, problem: Problem, options: Any, seed: int) -> RowSubsetOracle:
        batch = BatchSize.rows(options.batch, problem.m, type(self).__name__)
        asked = OracleOptions(
            oracle="random-rows",
            oracle_rule="budget",
            oracle_budget=max(1e-6, batch / problem.m),
            oracle_by_size=False,
            oracle_judge=options.oracle_judge,
        )
        return row_subset_oracle(problem, asked, seed)

    def variant(self, options: Any) -> dict[str, Any]:
        return {}

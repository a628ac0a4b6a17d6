"""Orthogonal matching pursuit (Pati, Rezaiifar & Krishnaprasad 1993; Rakotomamonjy et al. 2016,
Algorithm 1).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fwcore.kernels.types import Floats, Ints
from fwcore.options import Amount, OracleOptions, WalkOptions
from fwcore.oracles import FullPass
from fwcore.oracles.choice import Answer, asks_rows, last_answer, row_subset_oracle, variant_of
from fwcore.problem import Problem
from fwcore.solvers.base import RunState, Solver, new_counters, start_point
from fwcore.solvers.greedy._newton import NewtonEngine
from fwcore.solvers.greedy._qr import FactorisedEngine
from fwcore.trace import Rows, new_rows


class OmpOptions(OracleOptions):
    """Options of `OrthogonalMatchingPursuit`."""

    tol = Amount(
        default=1e-12,
        bounds=(0.0, 1.0),
        label="Nothing left",
        doc="No column joins once ||y - X a|| is at most this share of ||y||, or f(a) its square "
        "of f(0).",
    )


class OrthogonalMatchingPursuit(Solver):
    """min f(a) subject to at most k non-zeros, greedily.

    The column with the largest abs(x_j'r), r = -l'(X a, y), which is y - X a of the squared loss,
    or what an oracle on a part of the rows takes for it (``oracle``), joins the support, on which a
    then minimises f: by a QR factorisation that grows with it (Gram-Schmidt), or by Newton steps
    where the loss is not squared (`fwcore.solvers.greedy._restricted_fit`). Columns are of unit
    norm in a standardised problem; otherwise long ones are preferred, as is usual. A column that
    depends on the support is passed over. Supports are nested: a path over k is one run.
    """

    name = "omp"
    title = "Orthogonal matching pursuit"
    reference = (
        "Pati, Rezaiifar & Krishnaprasad 1993; Rakotomamonjy, Koco & Ralaivola 2016, Algorithm 1"
    )
    family = "Greedy"
    form = "support"
    needs = ("curvature_bound",)
    Options = OmpOptions

    def init(self, problem: Problem, options: Any, seed: int) -> RunState:
        counters = new_counters(problem, WalkOptions(max_steps=10**12))
        # X'y is the first of the passes, which are charged as they are made.
        counters["dots"] = counters["entries"] = 0
        full = FullPass(np.zeros(problem.p))
        oracle = row_subset_oracle(problem, options, seed) if asks_rows(options) else full
        engine = FactorisedEngine() if problem.loss.closed_line_search else NewtonEngine()
        return RunState(engine.new_state(problem, options.tol, full, oracle, counters), engine)

    def variant(self, options: Any) -> dict[str, Any]:
        return variant_of(options)

    def set_point(
        self, problem: Problem, state: RunState, options: Any, value: float, progress: float
    ) -> None:
        most = min(problem.m, problem.p)
        start_point(state.counters, value)
        state.arrays = state.engine.open_point(state.arrays, min(int(value), most), most)

    def advance(self, problem: Problem, state: RunState, n: int) -> Rows:
        rows = new_rows(n)
        seen: Any = problem.rows if state.arrays.oracle.on_rows else problem.design
        return rows[: state.engine.advance(problem, seen, state.arrays, rows)]

    def answer(self, state: RunState) -> Answer | None:
        return last_answer(state.arrays.oracle)

    def coefficients(self, state: RunState) -> tuple[Ints, Floats]:
        found: tuple[Ints, Floats] = state.engine.coefficients(state.arrays)
        return found

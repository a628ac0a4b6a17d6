"""Matching pursuit, the gradient pursuit with a line search (Mallat & Zhang 1993; Blumensath &
Davies 2008).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import col_dot, col_entries, image_of
from fwcore.kernels.records import zero_records
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import add_multiple, total, total_square
from fwcore.options import Amount, Count, OracleOptions, WalkOptions
from fwcore.oracles import FullPass, steepest_of_rows
from fwcore.oracles.choice import Answer, asks_rows, last_answer, row_subset_oracle, variant_of
from fwcore.problem import Problem
from fwcore.solvers.base import RunState, Solver, check_limit, new_counters, record, start_point
from fwcore.status import Status
from fwcore.trace import Rows, new_rows

_REACHED = int(Status.REACHED)
MATCHED = np.dtype(
    [("size", np.int64), ("wanted", np.int64), ("l1", np.float64), ("enough", np.float64)]
)


class MpOptions(OracleOptions):
    """Options of `MatchingPursuit`."""

    tol = Amount(
        default=1e-6,
        bounds=(0.0, 1.0),
        label="Nothing left",
        doc="A point ends once ||y - X a|| is at most this share of ||y||.",
    )
    max_steps = Count(
        default=10_000,
        bounds=(1, 10**12),
        label="Step limit",
        doc="Steps at which a path point is given up.",
    )


class Matching(NamedTuple):
    """A run: ``coef`` (p,), ``residual`` = y - X a and ``column`` (m,), room for a column.

    ``nothing`` (p,): no column is barred. ``oracle`` says which column is the steepest. ``matched``
    (1,): the non-zeros, how many are wanted, the l1 norm, and f(a) at which nothing is left.
    """

    coef: Floats
    residual: Floats
    column: Floats
    nothing: Any
    oracle: Any
    matched: Any
    counters: Any


class MatchingPursuit(Solver):
    """min f(a) subject to at most k non-zeros, one coordinate after the other.

    A step finds the column with the largest abs(x_j'r), r = y - X a, or what an oracle on a part of
    the rows takes for it (``oracle``), and minimises f over its coefficient alone: a_j grows by
    x_j'r / ||x_j||^2. Nothing is fitted again, so that a step is cheap and a column may come many
    times. A point ends where a column would join that is one too many, or nothing is left.
    """

    name = "mp"
    title = "Matching pursuit"
    reference = "Mallat & Zhang 1993; Rakotomamonjy, Koco & Ralaivola 2016, section II"
    family = "Greedy"
    form = "support"
    needs = ("closed_line_search",)
    Options = MpOptions

    def init(self, problem: Problem, options: Any, seed: int) -> RunState:
        counters = new_counters(problem, WalkOptions(max_steps=options.max_steps))
        # X'y is the first of the passes, which are charged as they are made.
        counters["dots"] = counters["entries"] = 0
        matched = zero_records(1, MATCHED)
        matched["enough"] = options.tol**2 * problem.f0
        full = FullPass(np.zeros(problem.p))
        oracle = row_subset_oracle(problem, options, seed) if asks_rows(options) else full
        room = (np.zeros(problem.p), problem.y.copy(), np.zeros(problem.m))
        nothing = np.zeros(problem.p, np.bool_)
        return RunState(Matching(*room, nothing, oracle, matched, counters))

    def variant(self, options: Any) -> dict[str, Any]:
        return variant_of(options)

    def set_point(
        self, problem: Problem, state: RunState, options: Any, value: float, progress: float
    ) -> None:
        start_point(state.counters, value)
        state.arrays.matched["wanted"] = int(value)

    def advance(self, problem: Problem, state: RunState, n: int) -> Rows:
        rows = new_rows(n)
        seen: Any = problem.rows if state.arrays.oracle.on_rows else problem.design
        known = (problem.design, seen, problem.sqnorms, problem.entries)
        return rows[: int(_advance(*known, state.arrays, rows))]

    def answer(self, state: RunState) -> Answer | None:
        return last_answer(state.arrays.oracle)

    def coefficients(self, state: RunState) -> tuple[Ints, Floats]:
        indices = np.flatnonzero(state.arrays.coef)
        return indices, state.arrays.coef[indices]


@njit(nogil=True, inline="always")
def _match(design, sqnorms, state, j):
    """Minimise over the coefficient of column j; by how much it changed."""
    it, counters, residual = state.matched[0], state.counters[0], state.residual
    step = col_dot(design, j, residual, total(residual)) / sqnorms[j]
    counters.dots += 1
    counters.entries += col_entries(design, j)
    image_of(design, np.full(1, j), np.ones(1), state.column)
    add_multiple(residual, -step, state.column)
    before = state.coef[j]
    state.coef[j] += step
    it.size += np.int64(state.coef[j] != 0.0) - np.int64(before != 0.0)
    it.l1 += abs(state.coef[j]) - abs(before)
    return abs(step)


@njit(nogil=True, cache=True)
def _advance(design, rows, sqnorms, entries, state, trace):
    """Steps until ``trace`` is full or the point ends; the number of its rows that were filled."""
    it, counters, residual = state.matched[0], state.counters[0], state.residual
    for n in range(trace.size):
        row, moved, ends = trace[n], 0.0, 0.5 * total_square(residual) <= it.enough
        if not ends:
            j, _, _, touched, dots, _ = steepest_of_rows(
                state.oracle, design, rows, entries, residual, state.nothing
            )
            counters.entries += touched
            counters.dots += dots
            ends = j < 0 or sqnorms[j] == 0.0
            ends = ends or (state.coef[j] == 0.0 and it.size >= it.wanted)
        if not ends:
            moved = _match(design, sqnorms, state, j)
        row.objective, row.l1, row.nnz = 0.5 * total_square(residual), it.l1, it.size
        record(counters, row, np.nan, moved)
        if ends:
            counters.outcome = _REACHED
        check_limit(counters)
        if counters.outcome != 0:
            return n + 1
    return trace.size

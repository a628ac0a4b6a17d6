"""Compressive sampling matching pursuit (Needell & Tropp 2009; Rakotomamonjy et al. 2016, Algorithm
2).
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.kernels.records import zero_records
from fwcore.kernels.selection import largest_first
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import largest_size, total_size
from fwcore.options import Amount, Count, Options, OracleOptions, WalkOptions
from fwcore.oracles import FullPass, steepest_columns, steepest_of_rows
from fwcore.oracles.choice import Answer, asks_rows, last_answer, row_subset_oracle, variant_of
from fwcore.problem import Problem
from fwcore.solvers.base import RunState, Solver, new_counters, record, start_point
from fwcore.solvers.greedy._restricted_fit import (
    Fit,
    new_fit,
    nonzeros,
    refresh_residual,
    solve_on,
    with_room,
)
from fwcore.status import Status
from fwcore.trace import Rows, new_rows

_REACHED = int(Status.REACHED)
ENDS = np.dtype(
    [("k", np.int64), ("steps", np.int64), ("enough", np.float64), ("settles", np.bool_)]
)


class CosampLimits(Options):
    """When a point of `Cosamp` ends."""

    tol = Amount(
        default=1e-3,
        bounds=(0.0, 1.0),
        label="Nothing left",
        doc="A point ends once ||y - X a|| is at most this share of ||y||; f(a) at most its "
        "square of f(0).",
    )
    turns = Count(
        default=0,
        bounds=(0, 10**6),
        softbounds=(0, 100),
        label="Iterations",
        doc="Of a point at most; 0: k, as in the paper.",
    )


class CosampOptions(CosampLimits, OracleOptions):
    """Options of `Cosamp`."""


class Sampling(NamedTuple):
    """What kernels see: the ``fit``, of at most 3 k columns; ``listed`` (p,): which they are;
    ``barred`` (p,): those of zeros.

    ``oracle`` says which columns are steep. ``ends`` (1,): k, the iterations of a point, f(a) at
    which nothing is left, and whether the oracle draws nothing, so that an iterate that stays will
    stay.
    """

    fit: Fit
    listed: NDArray[np.bool_]
    barred: NDArray[np.bool_]
    oracle: Any
    ends: Any
    counters: Any


class Cosamp(Solver):
    """min f(a) subject to at most k non-zeros, by columns that join and leave 2 k at a time.

    An iteration lets the 2 k columns with the largest abs(x_j'r), r = -l'(X a, y), or what an
    oracle on a part of the rows takes for them (``oracle``), join those of a, fits on all of them
    (`fwcore.solvers.greedy._restricted_fit`), and keeps the k largest coefficients as they are. A
    point ends after k iterations, once nothing is left to explain, or when the iterate stays, where
    the oracle does not draw. The next begins where it ended.
    """

    name = "cosamp"
    title = "CoSaMP"
    reference = "Needell & Tropp 2009; Rakotomamonjy, Koco & Ralaivola 2016, Algorithm 2"
    family = "Greedy"
    form = "support"
    needs = ("curvature_bound",)
    Options: ClassVar[type[Options]] = CosampOptions

    def oracle(self, problem: Problem, options: Any, seed: int) -> Any:
        """What finds the 2 k columns."""
        if not asks_rows(options):
            return FullPass(np.zeros(problem.p))
        return row_subset_oracle(problem, options, seed)

    def init(self, problem: Problem, options: Any, seed: int) -> RunState:
        counters, ends = new_counters(problem, WalkOptions(max_steps=10**12)), zero_records(1, ENDS)
        # X'y is the first of the passes, which are charged as they are made.
        counters["dots"] = counters["entries"] = 0
        oracle = self.oracle(problem, options, seed)
        ends["enough"], ends["settles"] = (
            options.tol**2 * problem.f0,
            not oracle.draws,
        )
        none = (np.zeros(problem.p, np.bool_), problem.sqnorms <= 0.0)
        return RunState(Sampling(new_fit(problem, 0), *none, oracle, ends, counters))

    def variant(self, options: Any) -> dict[str, Any]:
        return variant_of(options)

    def set_point(
        self, problem: Problem, state: RunState, options: Any, value: float, progress: float
    ) -> None:
        k, arrays = min(int(value), problem.p), state.arrays
        state.arrays = arrays._replace(fit=with_room(arrays.fit, min(3 * k, problem.p)))
        start_point(state.counters, value)
        arrays.ends["k"], arrays.ends["steps"] = k, options.turns or k
        arrays.oracle.ask_for(min(2 * k, problem.p))

    def advance(self, problem: Problem, state: RunState, n: int) -> Rows:
        rows, loss = new_rows(n), problem.loss
        seen: Any = problem.rows if state.arrays.oracle.on_rows else problem.design
        return rows[
            : _advance(
                problem.design,
                seen,
                problem.sqnorms,
                problem.y,
                loss,
                problem.entries,
                state.arrays,
                rows,
            )
        ]

    def coefficients(self, state: RunState) -> tuple[Ints, Floats]:
        return nonzeros(state.arrays.fit)

    def answer(self, state: RunState) -> Answer | None:
        return last_answer(state.arrays.oracle)


@njit(nogil=True, inline="always")
def _join(state, chosen):
    """The columns ``chosen`` join, with coefficients of 0."""
    fit, it = state.fit, state.fit.about[0]
    for j in chosen:
        if j >= 0 and not state.listed[j] and it.size < fit.columns.size:
            state.listed[j] = True
            fit.columns[it.size], fit.values[it.size] = j, 0.0
            it.size += 1


@njit(nogil=True, inline="always")
def _prune(state):
    """Keep the k largest coefficients."""
    fit, it, kept = state.fit, state.fit.about[0], 0
    sizes, places = np.abs(fit.values[: it.size]), np.arange(it.size)
    stay = min(state.ends[0].k, it.size)
    largest_first(sizes, places, stay)
    for k in range(it.size):
        state.listed[fit.columns[places[k]]] = k < stay and sizes[k] != 0.0
    for k in range(it.size):
        j, value = fit.columns[k], fit.values[k]
        if state.listed[j]:
            fit.columns[kept], fit.values[kept] = j, value
            kept += 1
    it.size = kept


@njit(nogil=True, inline="always")
def _moved(columns, values, fit):
    """The largest change of a coefficient since these were all."""
    largest = 0.0
    now, after, size = fit.columns, fit.values, fit.about[0].size
    for k in range(columns.size):
        change = values[k] - _value_of(columns[k], now, after, size)
        largest = max(largest, abs(change))
    for n in range(size):
        change = after[n] - _value_of(now[n], columns, values, columns.size)
        largest = max(largest, abs(change))
    return largest


@njit(nogil=True, cache=True)
def _value_of(j, columns, values, size):
    """The coefficient of column j, 0 where it is not among the first ``size``."""
    for n in range(size):
        if columns[n] == j:
            return values[n]
    return 0.0


@njit(nogil=True, inline="always")
def _iterate(design, seen, sqnorms, y, loss, entries, state):
    """One iteration; the largest change of a coefficient. What is looked at is charged."""
    fit, it, counters = state.fit, state.fit.about[0], state.counters[0]
    columns, values = fit.columns[: it.size].copy(), fit.values[: it.size].copy()
    _, _, _, touched, dots, _ = steepest_of_rows(
        state.oracle, design, seen, entries, fit.residual, state.barred
    )
    counters.entries += touched
    counters.dots += dots
    _join(state, steepest_columns(state.oracle, 2 * state.ends[0].k))
    solve_on(design, sqnorms, y, loss, fit, counters)
    _prune(state)
    refresh_residual(design, y, loss, fit, counters)
    return _moved(columns, values, fit)


@njit(nogil=True, cache=True)
def _advance(design, seen, sqnorms, y, loss, entries, state, rows):
    """Iterations until ``rows`` is full or the point ends; the number of rows filled."""
    it, counters, ends = state.fit.about[0], state.counters[0], state.ends[0]
    for n in range(rows.size):
        row, moved = rows[n], 0.0
        if it.objective > ends.enough:
            moved = _iterate(design, seen, sqnorms, y, loss, entries, state)
        row.objective, row.l1, row.nnz = (
            it.objective,
            total_size(state.fit.values[: it.size]),
            it.size,
        )
        record(counters, row, np.nan, moved)
        stays = ends.settles and (
            it.size == 0 or moved <= 1e-9 * largest_size(state.fit.values[: it.size])
        )
        if stays or it.objective <= ends.enough or counters.point_steps >= ends.steps:
            counters.outcome = _REACHED
            return n + 1
    return rows.size

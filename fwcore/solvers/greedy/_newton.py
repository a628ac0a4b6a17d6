"""Orthogonal matching pursuit for losses without a factorisation: the fit on the support is made
again, from the last.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import col_dot, col_entries
from fwcore.kernels.records import zero_records
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import total, total_size
from fwcore.oracles import FullPass, steepest_of_rows
from fwcore.problem import Problem
from fwcore.solvers.base import record
from fwcore.solvers.greedy._restricted_fit import (
    Fit,
    new_fit,
    nonzeros,
    solve_on,
    with_room,
)
from fwcore.status import Status
from fwcore.trace import Rows

_REACHED = int(Status.REACHED)
ENDS = np.dtype([("wanted", np.int64), ("enough", np.float64)])
# A column that depends on the support has a slope of 0 up to rounding, as a share of its norm and
# that of the residual.
_DEPENDENT = 1e-8


class SmoothPursuit(NamedTuple):
    """What kernels see: the ``fit``; ``listed`` (p,): what is in the support or depends on it; the
    exact oracle, and the one asked.

    ``ends`` (1,): the size wanted, and f(a) at which nothing is left.
    """

    fit: Fit
    listed: NDArray[np.bool_]
    full: FullPass
    oracle: Any
    ends: Any
    counters: Any


class NewtonEngine:
    """Makes the steps of a run whose fit on a support is found by Newton steps."""

    def new_state(
        self, problem: Problem, tol: float, full: FullPass, oracle: Any, counters: Any
    ) -> SmoothPursuit:
        """The state before the first point, a = 0."""
        ends = zero_records(1, ENDS)
        # As of the squared loss; and where a separable loss is so small the classes are separated,
        # and there is no fit.
        least = 1e-6 if problem.loss.separable else 0.0
        ends["enough"] = max(tol * tol, least) * problem.f0
        barred = problem.sqnorms <= 0.0
        return SmoothPursuit(new_fit(problem, 0), barred, full, oracle, ends, counters)

    def open_point(self, arrays: SmoothPursuit, wanted: int, most: int) -> SmoothPursuit:
        """The state with room for a support of ``wanted`` columns."""
        arrays.ends["wanted"] = wanted
        return arrays._replace(fit=with_room(arrays.fit, wanted))

    def advance(self, problem: Problem, seen: Any, arrays: SmoothPursuit, rows: Rows) -> int:
        """Steps until ``rows`` is full or the point ends; the number of rows filled."""
        loss: Any = problem.loss
        known = (problem.design, seen, problem.sqnorms, problem.y, loss, problem.entries)
        return int(_advance(*known, arrays, rows))

    def coefficients(self, arrays: SmoothPursuit) -> tuple[Ints, Floats]:
        """Indices in increasing order and values of the non-zero coefficients."""
        return nonzeros(arrays.fit)


@njit(nogil=True, inline="always")
def _grow(design, seen, sqnorms, entries, state):
    """Let the steepest column join that does not depend on the support; whether there is one. What
    is looked at is charged.
    """
    fit, it, counters, residual = (
        state.fit,
        state.fit.about[0],
        state.counters[0],
        state.fit.residual,
    )
    norm, residual_sum = np.sqrt(residual @ residual), total(residual)
    j, _, _, touched, dots, _ = steepest_of_rows(
        state.oracle, design, seen, entries, residual, state.listed
    )
    # Which columns are flat is known of the exact oracle only.
    asked_all = False
    while True:
        counters.entries += touched
        counters.dots += dots
        if j >= 0:
            counters.entries += col_entries(design, j)
            slope = abs(col_dot(design, j, residual, residual_sum))
            if slope > _DEPENDENT * norm * np.sqrt(sqnorms[j]):
                state.listed[j] = True
                fit.columns[it.size], fit.values[it.size] = j, 0.0
                it.size += 1
                return True
        # Long columns come first: all that have so small a slope for their length are out, and
        # others are left.
        if asked_all and not _bar_the_flat(state, sqnorms, norm):
            return False
        j, _, _, touched, dots, asked_all = steepest_of_rows(
            state.full, design, seen, entries, residual, state.listed
        )


@njit(nogil=True, cache=True)
def _bar_the_flat(state, sqnorms, norm):
    """Bar the columns that depend on the support, after a look at all; whether others are left."""
    left = False
    for j in range(sqnorms.size):
        if not state.listed[j]:
            steep = abs(state.full.dots[j]) > _DEPENDENT * norm * np.sqrt(sqnorms[j])
            state.listed[j] = not steep
            left |= steep
    return left


@njit(nogil=True, cache=True)
def _advance(design, seen, sqnorms, y, loss, entries, state, rows):
    """Steps, a column each, until ``rows`` is full or the support is as large as wanted; the number
    of rows filled.
    """
    fit, it, ends, counters = state.fit, state.fit.about[0], state.ends[0], state.counters[0]
    for n in range(rows.size):
        row, before = rows[n], fit.values[: it.size].copy()
        grown = (
            it.size < ends.wanted
            and it.objective > ends.enough
            and _grow(design, seen, sqnorms, entries, state)
        )
        if grown:
            solve_on(design, sqnorms, y, loss, fit, counters)
        values = fit.values[: it.size]
        row.objective, row.l1, row.nnz = it.objective, total_size(values), it.size
        moved = abs(values[-1]) if grown else 0.0
        for k in range(before.size):
            moved = max(moved, abs(values[k] - before[k]))
        record(counters, row, np.nan, moved)
        if not grown or it.size >= ends.wanted:
            counters.outcome = _REACHED
            return n + 1
    return rows.size

"""Orthogonal matching pursuit for losses without a factorisation: the fit on the support is made anew, from the last."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import col_dot, col_entries
from fwcore.oracles import FullPass, steepest_of_rows
from fwcore.problem import Problem
from fwcore.solvers.base import GrowingState, close_step
from fwcore.solvers.restricted_fit import Fit, new_fit, solve_on
from fwcore.status import Status
from fwcore.trace import Rows

_REACHED = int(Status.REACHED)
ENDS = np.dtype([("wanted", np.int64), ("enough", np.float64)])
# A column that depends on the support has a slope of 0 but for rounding, as a share of its norm and that of the residual.
_DEPENDENT = 1e-8


class SmoothPursuit(NamedTuple):
    """What kernels see: the ``fit``; ``listed`` (p,): what is in the support or depends on it; the exact oracle, and the one asked.

    ``ends`` (1,): the size wanted, and f(a) at which nothing is left.
    """

    fit: Fit
    listed: NDArray[np.bool_]
    full: FullPass
    oracle: Any
    ends: Any
    walk: Any


def new_state(problem: Problem, tol: float, full: FullPass, oracle: Any, walk: Any) -> GrowingState:
    """The state before the first point, a = 0."""
    ends = np.zeros(1, ENDS)
    # As of the squared loss; and where the loss is so small the classes are told apart, and there is no fit.
    ends["enough"] = max(tol * tol, 1e-6) * problem.f0
    return GrowingState(SmoothPursuit(new_fit(problem, 0), problem.sqnorms <= 0.0, full, oracle, ends, walk))


def steps(seen: Any, problem: Problem, state: GrowingState, rows: Rows) -> int:
    """Steps until ``rows`` is full or the point ends; the number of rows filled."""
    loss: Any = problem.loss
    return int(_advance(problem.design, seen, problem.sqnorms, problem.y, loss, problem.entries, state.held, rows))


@njit(nogil=True, cache=True)
def _grow(design, seen, sqnorms, entries, state):  # type: ignore[no-untyped-def]
    """Let the steepest column join that does not depend on the support; whether there is one. What is looked at is charged."""
    fit, it, walk, residual = state.fit, state.fit.about[0], state.walk[0], state.fit.residual
    norm, total = np.sqrt(residual @ residual), residual.sum()
    j, _, _, touched, dots, _ = steepest_of_rows(state.oracle, design, seen, entries, residual, state.listed)
    # Which columns are flat is known of the exact oracle only.
    asked_all = False
    while True:
        walk.entries += touched
        walk.dots += dots
        if j >= 0:
            walk.entries += col_entries(design, j)
            if abs(col_dot(design, j, residual, total)) > _DEPENDENT * norm * np.sqrt(sqnorms[j]):
                state.listed[j] = True
                fit.columns[it.size], fit.values[it.size] = j, 0.0
                it.size += 1
                return True
        # Long columns come first: all that have so small a slope for their length are out, and others are left.
        if asked_all and not _bar_the_flat(state, sqnorms, norm):
            return False
        j, _, _, touched, dots, asked_all = steepest_of_rows(state.full, design, seen, entries, residual, state.listed)


@njit(nogil=True, cache=True)
def _bar_the_flat(state, sqnorms, norm):  # type: ignore[no-untyped-def]
    """Bar the columns that depend on the support, after a look at all; whether others are left."""
    left = False
    for j in range(sqnorms.size):
        if not state.listed[j]:
            steep = abs(state.full.dots[j]) > _DEPENDENT * norm * np.sqrt(sqnorms[j])
            state.listed[j] = not steep
            left |= steep
    return left


@njit(nogil=True, cache=True)
def _advance(design, seen, sqnorms, y, loss, entries, state, rows):  # type: ignore[no-untyped-def]
    """Steps, a column each, until ``rows`` is full or the support is as large as wanted; the number of rows filled."""
    fit, it, ends, walk = state.fit, state.fit.about[0], state.ends[0], state.walk[0]
    for n in range(rows.size):
        row, before = rows[n], fit.values[: it.size].copy()
        grown = it.size < ends.wanted and it.objective > ends.enough and _grow(design, seen, sqnorms, entries, state)
        if grown:
            solve_on(design, sqnorms, y, loss, fit, walk)
        values = fit.values[: it.size]
        row.objective, row.l1, row.nnz = it.objective, np.abs(values).sum(), it.size
        close_step(walk, row, np.nan, np.nan)
        row.moved = max(np.abs(values[: before.size] - before).max() if before.size else 0.0, abs(values[-1]) if grown else 0.0)
        if not grown or it.size >= ends.wanted:
            walk.outcome = _REACHED
            return n + 1
    return rows.size

"""Orthogonal matching pursuit (Pati, Rezaiifar & Krishnaprasad 1993; Rakotomamonjy et al. 2016, Algorithm 1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import param
from numba import njit
from numpy.typing import NDArray

from fwcore.design import Floats, Ints, combine
from fwcore.options import OracleOptions, WalkOptions
from fwcore.oracles import FullPass, Partial, steepest_of_rows
from fwcore.oracles.choice import Answer, last_answer, variant_of
from fwcore.problem import Problem
from fwcore.solvers import smooth_omp
from fwcore.solvers.base import GrowingState, Solver, close_step, new_walk, start_point
from fwcore.solvers.restricted_fit import nonzeros, with_room
from fwcore.solvers.smooth_omp import SmoothPursuit
from fwcore.status import Status
from fwcore.trace import Rows, new_rows

_REACHED = int(Status.REACHED)
FIT = np.dtype([("size", np.int64), ("wanted", np.int64), ("norm", np.float64), ("objective", np.float64)])
# A column whose part outside of the span of the support is smaller than this share of it is a combination of the support.
_DEPENDENT = 1e-10
_LOST = 0.7


class OmpOptions(OracleOptions):
    """Options of `OrthogonalMatchingPursuit`."""

    tol = param.Number(
        default=1e-12,
        bounds=(0.0, 1.0),
        label="Nothing left",
        doc="No column joins once ||y - X a|| is at most this share of ||y||, or f(a) its square of f(0).",
    )


class Pursuit(NamedTuple):
    """What kernels see; k is the size of the support.

    ``support``, ``values`` (room,): in the order of joining. ``basis`` (room, m): q_1 ... q_k, orthonormal, which span the columns;
    ``triangle`` (room, room): column l holds those of x_l in them, ``along`` (room,) those of y. ``residual``, ``column``
    (m,). ``listed`` (p,): what is in the support or depends on it. ``fit`` (1,): the size, the size wanted, the norm
    at which nothing is left, and f(a). ``full`` and ``oracle`` say which column is the steepest, the one by a pass over all.
    """

    support: Ints
    values: Floats
    basis: Floats
    triangle: Floats
    along: Floats
    residual: Floats
    column: Floats
    listed: NDArray[np.bool_]
    fit: Any
    full: FullPass
    oracle: Any
    walk: Any


class OrthogonalMatchingPursuit(Solver):
    """min f(a) subject to at most k non-zeros, greedily.

    The column with the largest abs(x_j'r), r = -l'(X a, y), which is y - X a of the squared loss, or what an oracle on a part of
    the rows takes for it (``oracle``), joins the support, on which a then minimises f: by a QR factorisation that grows with it
    (Gram-Schmidt), or by Newton steps (logistic loss, `fwcore.solvers.restricted_fit`). Columns are of unit norm in a standardised
    problem; otherwise long ones are preferred, as is usual. A column that depends on the support is passed over. Supports are
    nested: a path over k is one run.
    """

    name = "omp"
    title = "Orthogonal matching pursuit"
    reference = "Pati, Rezaiifar & Krishnaprasad 1993; Rakotomamonjy, Koco & Ralaivola 2016, Algorithm 1"
    form = "support"
    losses = ("squared", "logistic")
    Options = OmpOptions

    def init(self, problem: Problem, options: Any, seed: int) -> GrowingState:
        m, p, fit = problem.m, problem.p, np.zeros(1, FIT)
        walk = new_walk(problem, WalkOptions(max_steps=10**12))
        # X'y is the first of the passes, which are charged as they are made.
        walk["dots"] = walk["entries"] = 0
        fit["norm"], fit["objective"] = options.tol * np.linalg.norm(problem.y), problem.f0
        empty = (np.zeros(0, np.int64), np.zeros(0), np.zeros((0, m)), np.zeros((0, 0)), np.zeros(0))
        full = FullPass(np.zeros(p))
        oracle = full if options.oracle == "exact" else Partial.of(problem.rows, m, p, options, seed)
        if problem.loss.name != "squared":
            return smooth_omp.new_state(problem, options.tol, full, oracle, walk)
        return GrowingState(Pursuit(*empty, problem.y.copy(), np.zeros(m), np.zeros(p, np.bool_), fit, full, oracle, walk))

    def variant(self, options: Any) -> dict[str, Any]:
        return variant_of(options)

    def set_point(self, problem: Problem, state: GrowingState, options: Any, value: float, progress: float) -> None:
        most = min(problem.m, problem.p)
        wanted = min(int(value), most)
        start_point(state.walk, value)
        if isinstance(state.held, SmoothPursuit):
            state.held = state.held._replace(fit=with_room(state.held.fit, wanted))
            state.held.ends["wanted"] = wanted
            return
        room = state.held.support.size
        if wanted > room:
            # At least doubled, so that a long path does not copy the basis at each point.
            more = max(wanted, min(2 * room, most)) - room
            held = state.held
            state.held = held._replace(
                support=np.pad(held.support, (0, more)),
                values=np.pad(held.values, (0, more)),
                basis=np.pad(held.basis, ((0, more), (0, 0))),
                triangle=np.pad(held.triangle, ((0, more), (0, more))),
                along=np.pad(held.along, (0, more)),
            )
        state.held.fit["wanted"] = wanted

    def advance(self, problem: Problem, state: GrowingState, n: int) -> Rows:
        rows = new_rows(n)
        # An exact oracle has no use for a copy of the rows.
        seen: Any = problem.design if isinstance(state.held.oracle, FullPass) else problem.rows
        if isinstance(state.held, SmoothPursuit):
            return rows[: smooth_omp.steps(seen, problem, state, rows)]
        return rows[: _advance(problem.design, seen, problem.sqnorms, problem.entries, state.held, rows)]

    def answer(self, state: GrowingState) -> Answer | None:
        return last_answer(state.held.oracle)

    def coefficients(self, state: GrowingState) -> tuple[Ints, Floats]:
        if isinstance(state.held, SmoothPursuit):
            return nonzeros(state.held.fit)
        size = int(state.held.fit["size"][0])
        order = np.argsort(state.held.support[:size])
        indices, values = state.held.support[:size][order], state.held.values[:size][order]
        return indices[values != 0], values[values != 0]


@njit(nogil=True, cache=True)
def _join(design, sqnorms, state, j):  # type: ignore[no-untyped-def]
    """Make column j a part of the factorisation; whether it does not depend on the support."""
    it, column, basis, triangle, residual = state.fit[0], state.column, state.basis, state.triangle, state.residual
    k = it.size
    column += combine(design, np.full(1, j), np.ones(1), column)
    triangle[: k + 1, k] = 0.0
    norm, before = np.sqrt(column @ column), np.inf
    # A second time where much of the column went, and with it the digits of what is left.
    while norm < _LOST * before:
        before = norm
        for i in range(k):
            part = basis[i] @ column
            triangle[i, k] += part
            column -= part * basis[i]
        norm = np.sqrt(column @ column)
    if norm <= _DEPENDENT * np.sqrt(sqnorms[j]):
        return False
    triangle[k, k], state.support[k] = norm, j
    basis[k] = column / norm
    state.along[k] = basis[k] @ residual
    residual -= state.along[k] * basis[k]
    it.size, it.objective = k + 1, 0.5 * (residual @ residual)
    return True


@njit(nogil=True, cache=True)
def _solve(triangle, along, values, size):  # type: ignore[no-untyped-def]
    """``values`` = the coefficients, by back substitution; the largest change of one."""
    moved = 0.0
    new = np.empty(size)
    for k in range(size - 1, -1, -1):
        total = along[k]
        for i in range(k + 1, size):
            total -= triangle[k, i] * new[i]
        new[k] = total / triangle[k, k]
    for k in range(size):
        moved = max(moved, abs(new[k] - values[k]))
        values[k] = new[k]
    return moved


@njit(nogil=True, cache=True)
def _grow(design, rows, sqnorms, entries, state):  # type: ignore[no-untyped-def]
    """Let the steepest column join that does not depend on the support; whether there is one. What is looked at is charged."""
    residual, walk, full = state.residual, state.walk[0], state.full
    if np.sqrt(residual @ residual) <= state.fit[0].norm:
        return False
    j, _, _, touched, dots, _ = steepest_of_rows(state.oracle, design, rows, entries, residual, state.listed)
    # An exact oracle that finds nothing has looked at everything.
    asked_all = dots == sqnorms.size
    while True:
        walk.entries += touched
        walk.dots += dots
        if j < 0 and asked_all:
            return False
        if j >= 0:
            state.listed[j] = True
            if _join(design, sqnorms, state, j):
                return True
        # What was seen was nothing, or depends on the support: all is looked at.
        j, _, _, touched, dots, asked_all = steepest_of_rows(full, design, rows, entries, residual, state.listed)


@njit(nogil=True, cache=True)
def _advance(design, rows_of_design, sqnorms, entries, state, rows):  # type: ignore[no-untyped-def]
    """Steps, a column each, until ``rows`` is full or the support is as large as wanted; the number of rows filled."""
    it, walk = state.fit[0], state.walk[0]
    for n in range(rows.size):
        row, moved = rows[n], 0.0
        grown = it.size < it.wanted and _grow(design, rows_of_design, sqnorms, entries, state)
        if grown:
            moved = _solve(state.triangle, state.along, state.values, it.size)
        row.objective, row.l1, row.nnz = it.objective, np.abs(state.values[: it.size]).sum(), it.size
        close_step(walk, row, np.nan, np.nan)
        row.moved = moved
        if not grown or it.size >= it.wanted:
            walk.outcome = _REACHED
            return n + 1
    return rows.size

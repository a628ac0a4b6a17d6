"""Orthogonal matching pursuit for f(a) = 1/2 ||X a - y||^2: a QR factorisation grows with the
support (Gram-Schmidt).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import image_of
from fwcore.kernels.records import zero_records
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import add_multiple, total_size
from fwcore.oracles import FullPass, steepest_of_rows
from fwcore.problem import Problem
from fwcore.solvers.base import record
from fwcore.status import Status
from fwcore.trace import Rows

_REACHED = int(Status.REACHED)
FIT = np.dtype(
    [("size", np.int64), ("wanted", np.int64), ("norm", np.float64), ("objective", np.float64)]
)
# A column whose part outside of the span of the support is smaller than this share of it is a
# combination of the support.
_DEPENDENT = 1e-10
_LOST = 0.7


class Pursuit(NamedTuple):
    """What kernels see; k is the size of the support.

    ``support``, ``values`` (room,): in the order of joining. ``basis`` (room, m): q_1 ... q_k,
    orthonormal, which span the columns; ``triangle`` (room, room): column l holds those of x_l in
    them, ``along`` (room,) those of y. ``residual``, ``column`` (m,). ``listed`` (p,): what is in
    the support or depends on it. ``fit`` (1,): the size, the size wanted, the norm at which nothing
    is left, and f(a). ``full`` and ``oracle`` say which column is the steepest, the one by a pass
    over all.
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
    counters: Any


class FactorisedEngine:
    """Makes the steps of a run whose fit on a support is a least-squares solution."""

    def new_state(
        self, problem: Problem, tol: float, full: FullPass, oracle: Any, counters: Any
    ) -> Pursuit:
        """The state before the first point, a = 0."""
        m, p, fit = problem.m, problem.p, zero_records(1, FIT)
        fit["norm"], fit["objective"] = tol * np.linalg.norm(problem.y), problem.f0
        return Pursuit(
            support=np.zeros(0, np.int64),
            values=np.zeros(0),
            basis=np.zeros((0, m)),
            triangle=np.zeros((0, 0)),
            along=np.zeros(0),
            residual=problem.y.copy(),
            column=np.zeros(m),
            listed=np.zeros(p, np.bool_),
            fit=fit,
            full=full,
            oracle=oracle,
            counters=counters,
        )

    def open_point(self, arrays: Pursuit, wanted: int, most: int) -> Pursuit:
        """The state with room for a support of ``wanted`` columns, of ``most`` at last."""
        room = arrays.support.size
        if wanted > room:
            # At least doubled, so that a long path does not copy the basis at each point.
            more = max(wanted, min(2 * room, most)) - room
            arrays = arrays._replace(
                support=np.pad(arrays.support, (0, more)),
                values=np.pad(arrays.values, (0, more)),
                basis=np.pad(arrays.basis, ((0, more), (0, 0))),
                triangle=np.pad(arrays.triangle, ((0, more), (0, more))),
                along=np.pad(arrays.along, (0, more)),
            )
        arrays.fit["wanted"] = wanted
        return arrays

    def advance(self, problem: Problem, seen: Any, arrays: Pursuit, rows: Rows) -> int:
        """Steps until ``rows`` is full or the point ends; the number of rows filled."""
        known = (problem.design, seen, problem.sqnorms, problem.entries)
        return int(_advance(*known, arrays, rows))

    def coefficients(self, arrays: Pursuit) -> tuple[Ints, Floats]:
        """Indices in increasing order and values of the non-zero coefficients."""
        size = int(arrays.fit["size"][0])
        order = np.argsort(arrays.support[:size])
        indices, values = arrays.support[:size][order], arrays.values[:size][order]
        return indices[values != 0], values[values != 0]


@njit(nogil=True, inline="always")
def _join(design, sqnorms, state, j):
    """Make column j a part of the factorisation; whether it does not depend on the support."""
    it, column, basis, triangle, residual = (
        state.fit[0],
        state.column,
        state.basis,
        state.triangle,
        state.residual,
    )
    k = it.size
    image_of(design, np.full(1, j), np.ones(1), column)
    triangle[: k + 1, k] = 0.0
    norm, before = np.sqrt(column @ column), np.inf
    # A second time where much of the column went, and with it the digits of what is left.
    while norm < _LOST * before:
        before = norm
        for i in range(k):
            part = basis[i] @ column
            triangle[i, k] += part
            add_multiple(column, -part, basis[i])
        norm = np.sqrt(column @ column)
    if norm <= _DEPENDENT * np.sqrt(sqnorms[j]):
        return False
    triangle[k, k], state.support[k] = norm, j
    for i in range(column.size):
        basis[k, i] = column[i] / norm
    state.along[k] = basis[k] @ residual
    add_multiple(residual, -state.along[k], basis[k])
    it.size, it.objective = k + 1, 0.5 * (residual @ residual)
    return True


@njit(nogil=True, inline="always")
def _solve(triangle, along, values, size):
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


@njit(nogil=True, inline="always")
def _grow(design, rows, sqnorms, entries, state):
    """Let the steepest column join that does not depend on the support; whether there is one. What
    is looked at is charged.
    """
    residual, counters, full = state.residual, state.counters[0], state.full
    if np.sqrt(residual @ residual) <= state.fit[0].norm:
        return False
    j, _, _, touched, dots, _ = steepest_of_rows(
        state.oracle, design, rows, entries, residual, state.listed
    )
    # An exact oracle that finds nothing has looked at everything.
    asked_all = dots == sqnorms.size
    while True:
        counters.entries += touched
        counters.dots += dots
        if j < 0 and asked_all:
            return False
        if j >= 0:
            state.listed[j] = True
            if _join(design, sqnorms, state, j):
                return True
        # What was seen was nothing, or depends on the support: all is looked at.
        j, _, _, touched, dots, asked_all = steepest_of_rows(
            full, design, rows, entries, residual, state.listed
        )


@njit(nogil=True, cache=True)
def _advance(design, rows, sqnorms, entries, state, trace):
    """Steps, a column each, until ``trace`` is full or the support is as large as wanted; the
    number of its rows that were filled.
    """
    it, counters = state.fit[0], state.counters[0]
    for n in range(trace.size):
        row, moved = trace[n], 0.0
        grown = it.size < it.wanted and _grow(design, rows, sqnorms, entries, state)
        if grown:
            moved = _solve(state.triangle, state.along, state.values, it.size)
        row.objective, row.l1, row.nnz = (
            it.objective,
            total_size(state.values[: it.size]),
            it.size,
        )
        record(counters, row, np.nan, moved)
        if not grown or it.size >= it.wanted:
            counters.outcome = _REACHED
            return n + 1
    return trace.size

"""Frank-Wolfe steps for losses without a closed line search: predictions are kept, and a step costs
O(m) besides its oracle.

f(a) = sum_i l(u_i, y_i), u = X a. At a vertex s = delta * sign * e_j, toward which the prediction
moves along v = X s - u,

    phi(g) = sum_i l(u_i + g v_i, y_i), phi'(0) = f'(a)'(s - a) = -(the Frank-Wolfe gap of the
    vertex),

is convex, and so is its sum with the (r / 2) ||a + g (s - a)||^2 of an elastic net.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import Design, Ridged, col_axpy, image_of
from fwcore.kernels.records import zero_records
from fwcore.kernels.scaled_iterate import SCALED, mix, mixed_squares
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import (
    add_constant,
    add_multiple,
    multiply,
    take,
    total,
    total_size,
    total_square,
)
from fwcore.losses import Loss, loss_at, negative_derivative_at
from fwcore.problem import Problem
from fwcore.solvers.base import check_stop, record
from fwcore.solvers.frank_wolfe._vertex import find_vertex, place_of
from fwcore.step_rules import Segment, step_length
from fwcore.trace import Rows

SMOOTH = np.dtype(
    [
        *SCALED,
        ("objective", np.float64),
        ("along", np.float64),
        ("squares", np.float64),
        ("estimate", np.float64),
    ]
)


class SmoothState(NamedTuple):
    """A run; see `fwcore.kernels.scaled_iterate`. ``image``: (m,), X a. ``residual``: (m,), -l'(X
    a, y).

    ``toward``: (m,), room for X s - X a. ``nothing``: (p,), zeros in the place of X'y. ``weight``
    (1,): -r * scale, for `fwcore.design.Ridged`. ``iterate`` (1,) holds besides f(a), f'(a)'a,
    ||a||^2 and what the step rule keeps.
    """

    coef: Floats
    image: Floats
    residual: Floats
    toward: Floats
    support: Ints
    listed: NDArray[np.bool_]
    nothing: Floats
    iterate: Any
    counters: Any
    oracle: Any
    rule: Any
    weight: Floats


class SmoothEngine:
    """Makes the steps of a run that keeps its predictions."""

    def new_state(self, problem: Problem, counters: Any) -> SmoothState:
        """The state before the first point, a = 0; oracle and rule are the solver's to fill in."""
        m, p, iterate = problem.m, problem.p, zero_records(1, SMOOTH)
        iterate["scale"] = 1.0
        return SmoothState(
            coef=np.zeros(p),
            image=np.zeros(m),
            residual=np.zeros(m),
            toward=np.zeros(m),
            support=np.zeros(p, np.int64),
            listed=np.zeros(p, np.bool_),
            nothing=np.zeros(p),
            iterate=iterate,
            counters=counters,
            oracle=None,
            rule=None,
            weight=counters["ridge"].copy(),
        )

    def target(self, problem: Problem) -> Floats:
        """What an oracle on rows takes the residual from."""
        return np.zeros(problem.m)

    def sigma(self, problem: Problem) -> Floats:
        """What an oracle on columns takes from its dot products."""
        return np.zeros(problem.p)

    def seen(self, problem: Problem, state: Any) -> Design:
        """The design whose dots make the gradient."""
        if state.counters["ridge"][0] == 0.0:
            return problem.design
        return Ridged(problem.design, state.coef, state.weight, np.arange(problem.p))

    def open_point(self, problem: Problem, state: SmoothState, value: float) -> None:
        """Recompute what follows from the coefficients, within the new ball."""
        loss: Loss = problem.loss
        _refresh(problem.design, problem.y, loss, state, value)

    def advance(self, problem: Problem, state: SmoothState, rows: Rows) -> int:
        """Steps until ``rows`` is full or the point ends; the number of rows filled."""
        loss: Loss = problem.loss
        return int(_advance(self.seen(problem, state), problem.y, loss, state, rows))


@njit(nogil=True, cache=True)
def _derive(y, loss, state):
    """f(a), the residual, and f'(a)'a, from the predictions."""
    it, ridge = state.iterate[0], state.counters[0].ridge
    it.objective, it.along = 0.5 * ridge * it.squares, ridge * it.squares
    state.weight[0] = -ridge * it.scale
    for i in range(y.size):
        it.objective += loss_at(loss, state.image[i], y[i])
        state.residual[i] = negative_derivative_at(loss, state.image[i], y[i])
        it.along -= state.residual[i] * state.image[i]


@njit(nogil=True, cache=True)
def _refresh(design, y, loss, state, radius):
    it = state.iterate[0]
    indices = state.support[: it.nnz]
    coefficients = take(state.coef, indices)
    norm = it.scale * total_size(coefficients)
    if norm > radius:
        it.scale *= radius / norm
    it.l1 = total_size(coefficients)
    multiply(coefficients, it.scale)
    image_of(design, indices, coefficients, state.image)
    it.squares = total_square(coefficients)
    _derive(y, loss, state)


@njit(nogil=True, inline="always")
def _step_toward(design, y, loss, state, j, slope, gap):
    """Go toward the vertex of column j, as far as the rule says; the largest change.

    With a ridge r, (r / 2) ||a + g d||^2 is a part of phi(g), d = s - a.
    """
    it, counters = state.iterate[0], state.counters[0]
    j, vertex = place_of(state, j, slope)
    for i in range(y.size):
        state.toward[i] = -state.image[i]
    added = col_axpy(design, j, vertex, state.toward)
    add_constant(state.toward, -(added / y.size))
    a_j = it.scale * state.coef[j]
    linear = counters.ridge * (vertex * it.scale * state.coef[j] - it.squares)
    square = counters.ridge * (vertex * vertex - it.squares) - 2.0 * linear
    curve = Segment(loss, y, state.image, state.toward, linear, square)
    length = it.squares + vertex * (vertex - 2.0 * a_j)
    planned = 2.0 / (counters.point_steps + 2.0)
    step = step_length(state.rule, curve, gap, planned, length, 1.0, it)
    it.squares = mixed_squares(it.squares, a_j, vertex, step)
    add_multiple(state.image, step, state.toward)
    moved, _, _ = mix(state, j, vertex, step)
    _derive(y, loss, state)
    return moved


@njit(nogil=True, cache=True)
def _advance(design, y, loss, state, rows):
    it, counters = state.iterate[0], state.counters[0]
    for k in range(rows.size):
        residual, along = state.residual, it.along
        j, slope, gap = find_vertex(
            design, state.nothing, state, -1.0, residual, total(residual), along, abs(along)
        )
        moved = 0.0
        # The gap vouches for the iterate before the step, so where it is small enough that iterate
        # stays.
        if gap > 0.0 and gap > counters.gap_at_most:
            moved = _step_toward(design, y, loss, state, j, slope, gap)
        row = rows[k]
        row.objective, row.l1, row.nnz = it.objective, it.scale * it.l1, it.nnz
        record(counters, row, gap, moved)
        check_stop(counters, gap, moved)
        if counters.outcome != 0:
            return k + 1
    return rows.size

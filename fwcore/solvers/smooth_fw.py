"""Frank-Wolfe steps for losses without a closed line search: predictions are kept, and a step costs O(m) besides its oracle.

f(a) = sum_i l(u_i, y_i), u = X a. At a vertex s = delta * sign * e_j, toward which the prediction moves along v = X s - u,

    phi(g) = sum_i l(u_i + g v_i, y_i),  phi'(0) = f'(a)'(s - a) = -(the Frank-Wolfe gap of the vertex),

is convex, and so is its sum with the (r / 2) ||a + g (s - a)||^2 of an elastic net; the minimiser in [0, 1] is found by
`fwcore.steps.minimum_on_segment`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import Floats, Ints, col_axpy, combine
from fwcore.losses import Loss, descent_at, loss_at
from fwcore.problem import Problem
from fwcore.solvers.base import close_step
from fwcore.solvers.scaled import SCALED, find_vertex, mix, mixed_squares
from fwcore.steps import minimum_on_segment
from fwcore.trace import Rows

SMOOTH = np.dtype([*SCALED, ("objective", np.float64), ("along", np.float64), ("squares", np.float64)])


class SmoothState(NamedTuple):
    """A run; see `fwcore.solvers.scaled`. ``image``: (m,), X a. ``residual``: (m,), -l'(X a, y).

    ``toward``: (m,), room for X s - X a. ``nothing``: (p,), zeros in the place of X'y. ``weight`` (1,): -r * scale, for
    `fwcore.design.Ridged`. ``iterate`` (1,) holds besides f(a), f'(a)'a and ||a||^2.
    """

    coef: Floats
    image: Floats
    residual: Floats
    toward: Floats
    support: Ints
    listed: NDArray[np.bool_]
    nothing: Floats
    iterate: Any
    walk: Any
    oracle: Any
    weight: Floats


def new_state(
    problem: Problem, coef: Floats, weight: Floats, walk: Any, oracle: Any, nothing: Floats, redraw_until: int
) -> SmoothState:
    """The state before the first point, a = 0."""
    iterate = np.zeros(1, SMOOTH)
    iterate["scale"], iterate["redraw_until"] = 1.0, redraw_until
    p, m = problem.p, problem.m
    vectors = (coef, np.zeros(m), np.zeros(m), np.zeros(m), np.zeros(p, np.int64), np.zeros(p, np.bool_))
    return SmoothState(*vectors, nothing, iterate, walk, oracle, weight)


def open_point(problem: Problem, state: SmoothState, radius: float) -> None:
    """Recompute what follows from the coefficients, which bounds the drift of the recursions, within the new ball."""
    loss: Loss = problem.loss
    _refresh(problem.design, problem.y, loss, state, radius)


def steps(seen: Any, problem: Problem, state: SmoothState, rows: Rows) -> int:
    """Steps until ``rows`` is full or the point ends; the number of rows filled."""
    loss: Loss = problem.loss
    return int(_advance(seen, problem.y, loss, state, rows))


@njit(nogil=True, cache=True)
def _derive(y, loss, state):  # type: ignore[no-untyped-def]
    """f(a), the residual, and f'(a)'a, from the predictions."""
    it, ridge = state.iterate[0], state.walk[0].ridge
    it.objective, it.along = 0.5 * ridge * it.squares, ridge * it.squares
    state.weight[0] = -ridge * it.scale
    for i in range(y.size):
        it.objective += loss_at(loss, state.image[i], y[i])
        state.residual[i] = descent_at(loss, state.image[i], y[i])
        it.along -= state.residual[i] * state.image[i]


@njit(nogil=True, cache=True)
def _refresh(design, y, loss, state, radius):  # type: ignore[no-untyped-def]
    it = state.iterate[0]
    indices = state.support[: it.nnz]
    norm = it.scale * np.abs(state.coef[indices]).sum()
    if norm > radius:
        it.scale *= radius / norm
    values = it.scale * state.coef[indices]
    state.image[:] += combine(design, indices, values, state.image)
    it.l1, it.squares = np.abs(state.coef[indices]).sum(), (values * values).sum()
    _derive(y, loss, state)


@njit(nogil=True, cache=True)
def _line_search(y, loss, state, j, vertex, gap):  # type: ignore[no-untyped-def]
    """The minimiser of phi in [0, 1]; with a ridge r, (r / 2) ||a + g d||^2 is a part of it, d = s - a."""
    it, ridge = state.iterate[0], state.walk[0].ridge
    linear = ridge * (vertex * it.scale * state.coef[j] - it.squares)
    square = ridge * (vertex * vertex - it.squares) - 2.0 * linear
    return minimum_on_segment(loss, y, state.image, state.toward, linear, square, gap)


@njit(nogil=True, cache=True)
def _advance(design, y, loss, state, rows):  # type: ignore[no-untyped-def]
    it, walk = state.iterate[0], state.walk[0]
    for k in range(rows.size):
        total = state.residual.sum()
        j, slope, gap = find_vertex(design, state.nothing, state, -1.0, state.residual, total, it.along, abs(it.along))
        vertex = -walk.value if slope > 0.0 else walk.value
        moved = 0.0
        # The gap vouches for the iterate before the step, so where it is small enough that iterate stays.
        if gap > 0.0 and gap > walk.gap_at_most:
            state.toward[:] = -state.image
            state.toward[:] -= col_axpy(design, j, vertex, state.toward) / y.size
            step = _line_search(y, loss, state, j, vertex, gap)
            it.squares = mixed_squares(it.squares, it.scale * state.coef[j], vertex, step)
            state.image[:] += step * state.toward
            moved, _, _ = mix(state, j, vertex, step)
            _derive(y, loss, state)
        row = rows[k]
        row.objective, row.l1, row.nnz = it.objective, it.scale * it.l1, it.nnz
        close_step(walk, row, gap, moved)
        if walk.outcome != 0:
            return k + 1
    return rows.size

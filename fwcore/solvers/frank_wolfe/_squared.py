"""Frank-Wolfe steps for f(a) = 1/2 ||X a - y||^2, on the l1 ball.

The iterate is ``scale * coef`` and its image ``scale * image``: shrinking all coefficients by 1 - l
is one multiplication, so a step costs one look of the oracle plus the non-zeros of one column, and
nothing of length p or m.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import Design, Ridged, col_axpy, combine, scale_image
from fwcore.kernels.records import zero_records
from fwcore.kernels.scaled_iterate import SCALED, mix, mixed_squares
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import take, total, total_size, total_square
from fwcore.problem import Problem
from fwcore.solvers.base import check_stop, record
from fwcore.solvers.frank_wolfe._vertex import find_vertex, place_of
from fwcore.step_rules import Parabola, gap_and_curvature, step_length
from fwcore.trace import Rows

ITERATE = np.dtype(
    [
        *SCALED,
        ("image_sum", np.float64),
        ("energy", np.float64),
        ("correlation", np.float64),
        ("squares", np.float64),
        ("estimate", np.float64),
    ]
)


class BallState(NamedTuple):
    """A run of Frank-Wolfe; see `fwcore.kernels.scaled_iterate`. X a = scale * (image + a multiple
    of ones).

    ``image``: shape (m,), and ``scratch``, room for another. ``iterate`` (1,) holds besides the sum
    of image, S = ||X a||^2, F = y'X a, ||a||^2 and what the step rule keeps. ``weight`` (1,): see
    `fwcore.design.Ridged`; S and the squared norms of the columns grow by the ridge, then.
    """

    coef: Floats
    image: Floats
    support: Ints
    listed: NDArray[np.bool_]
    iterate: Any
    counters: Any
    oracle: Any
    rule: Any
    scratch: Floats
    weight: Floats


class SquaredEngine:
    """Makes the steps of a run whose line search has a closed form.

    On a design that can be ``folded`` its image is so, too.
    """

    def __init__(self, folded: Any = None) -> None:
        self.folded = folded

    def new_state(self, problem: Problem, counters: Any) -> BallState:
        """The state before the first point, a = 0; oracle and rule are the solver's to fill in."""
        m, p, iterate = problem.m, problem.p, zero_records(1, ITERATE)
        iterate["scale"] = 1.0
        return BallState(
            coef=np.zeros(p),
            image=np.zeros(m),
            support=np.zeros(p, np.int64),
            listed=np.zeros(p, np.bool_),
            iterate=iterate,
            counters=counters,
            oracle=None,
            rule=None,
            scratch=np.empty(m),
            weight=counters["ridge"].copy(),
        )

    def target(self, problem: Problem) -> Floats:
        """What an oracle on rows takes the residual from."""
        return problem.y

    def sigma(self, problem: Problem) -> Floats:
        """What an oracle on columns takes from its dot products."""
        return problem.sigma

    def seen(self, problem: Problem, state: Any) -> Design:
        """The design whose dots make the gradient."""
        design = problem.design if self.folded is None else self.folded
        if state.counters["ridge"][0] == 0.0:
            return design
        return Ridged(design, state.coef, state.weight, np.arange(problem.p))

    def open_point(self, problem: Problem, state: BallState, value: float) -> None:
        """Recompute what follows from the coefficients, within the new ball."""
        refresh(problem.design, problem.y, state)
        if self.folded is not None:
            self.folded.fold(state.image)
        _rescale_to(state, value)

    def advance(self, problem: Problem, state: BallState, rows: Rows) -> int:
        """Steps until ``rows`` is full or the point ends; the number of rows filled."""
        seen = self.seen(problem, state)
        return int(_advance(seen, problem.sigma, problem.sqnorms, problem.f0, state, rows))


@njit(nogil=True, cache=True)
def refresh(design, y, state):
    """Recompute the image, S, F and the l1 norm from the coefficients, which bounds the drift of
    the recursions.
    """
    it = state.iterate[0]
    indices = state.support[: it.nnz]
    coefficients = take(state.coef, indices)
    ones = combine(design, indices, coefficients, state.image)
    it.image_sum = total(state.image)
    squares = total_square(coefficients)
    it.squares = it.scale * it.scale * squares
    it.energy = state.counters[0].ridge * it.scale * it.scale * squares
    it.correlation = 0.0
    for i in range(y.size):
        fitted = it.scale * (state.image[i] + ones)
        it.energy += fitted * fitted
        it.correlation += y[i] * fitted
    it.l1 = total_size(coefficients)


@njit(nogil=True, cache=True)
def _rescale_to(state, radius):
    """Rescale the iterate to l1 norm ``radius`` where that lowers the objective, and always where
    it lies outside the ball.
    """
    it = state.iterate[0]
    norm = it.scale * it.l1
    if norm == 0.0:
        return
    c = radius / norm
    change = 0.5 * (c * c - 1.0) * it.energy - (c - 1.0) * it.correlation
    if change < 0.0 or norm > radius:
        it.scale *= c
        it.energy *= c * c
        it.squares *= c * c
        it.correlation *= c


@njit(nogil=True, inline="always")
def move(design, sigma, state, j, gradient, sqnorm, vertex, step):
    """a <- (1 - step) a + step * vertex * e_j, with S, F and the image; return the largest change
    of a coefficient.
    """
    it = state.iterate[0]
    image_dot = gradient + sigma[j]
    keep = 1.0 - step
    it.energy = (
        keep * keep * it.energy
        + 2.0 * vertex * step * keep * image_dot
        + (vertex * step) ** 2 * sqnorm
    )
    it.correlation = keep * it.correlation + vertex * step * sigma[j]
    it.squares = mixed_squares(it.squares, it.scale * state.coef[j], vertex, step)
    moved, added, factor = mix(state, j, vertex, step)
    if factor != 1.0:
        scale_image(design, state.image, factor)
        it.image_sum *= factor
    it.image_sum += col_axpy(design, j, added, state.image)
    return moved


@njit(nogil=True, inline="always")
def descent_vertex(design, sigma, state):
    """`find_vertex` for the squared loss, whose gradient'a = S - F."""
    it = state.iterate[0]
    along, size = it.energy - it.correlation, it.energy + abs(it.correlation)
    return find_vertex(design, sigma, state, it.scale, state.image, it.image_sum, along, size)


@njit(nogil=True, inline="always")
def step_toward(design, sigma, sqnorms, state, j, gradient):
    """Go toward the vertex of column j, as far as the rule says; the largest change."""
    it, counters = state.iterate[0], state.counters[0]
    if counters.positive and gradient >= 0.0:
        j, vertex = place_of(state, j, gradient)
        image_dot = 0.0
    else:
        vertex = -counters.value if gradient > 0.0 else counters.value
        image_dot = gradient + sigma[j]
    sqnorm = sqnorms[j] + counters.ridge
    gap, curvature = gap_and_curvature(
        it.energy, it.correlation, gradient, image_dot, sqnorm, vertex
    )
    length = it.squares + vertex * (vertex - 2.0 * it.scale * state.coef[j])
    planned = 2.0 / (counters.point_steps + 2.0)
    step = step_length(state.rule, Parabola(curvature), gap, planned, length, 1.0, it)
    if step <= 0.0:
        return 0.0
    return move(design, sigma, state, j, gradient, sqnorm, vertex, step)


@njit(nogil=True, cache=True)
def _advance(design, sigma, sqnorms, f0, state, rows):
    """Steps until ``rows`` is full or the point ends; the number of rows filled (Frandi et al.
    2016, Algorithms 1 and 2).
    """
    it, counters = state.iterate[0], state.counters[0]
    for k in range(rows.size):
        j, gradient, gap = descent_vertex(design, sigma, state)
        moved = 0.0
        # The gap vouches for the iterate before the step, so where it is small enough that iterate
        # stays.
        if counters.outcome == 0 and gap > counters.gap_at_most:
            moved = step_toward(design, sigma, sqnorms, state, j, gradient)
        row = rows[k]
        row.objective = f0 + 0.5 * it.energy - it.correlation
        row.l1 = it.scale * it.l1
        row.nnz = it.nnz
        record(counters, row, gap, moved)
        check_stop(counters, gap, moved)
        if counters.outcome != 0:
            return k + 1
    return rows.size

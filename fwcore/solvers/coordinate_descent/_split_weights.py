"""What methods of one coordinate at a time share: an iterate whose predictions and derivatives
follow each change in O(s).

s are the stored entries of a column. The weights are those of Shalev-Shwartz & Tewari (2009): a_j =
w_j - w_{p + j}, both parts at least 0, so that abs(a_j) = w_j + w_{p + j} wherever one of them is
0, and the penalised objective is smooth on w >= 0.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import all_dots, col_axpy, col_entries, col_row, combine, largest_entry
from fwcore.kernels.random import new_stream
from fwcore.kernels.records import zero_records
from fwcore.kernels.steepness import steepness
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import nonzeros, take, total
from fwcore.losses import loss_at, negative_derivative_at
from fwcore.options import Choice, WalkOptions
from fwcore.problem import Problem
from fwcore.solvers.base import Solver, new_counters, start_point
from fwcore.trace import Rows, new_rows

COORDINATES = np.dtype(
    [
        ("residual_sum", np.float64),
        ("y_sum", np.float64),
        ("loss", np.float64),
        ("l1", np.float64),
        ("nnz", np.int64),
        ("updates_without_move", np.int64),
        ("check", np.int64),
        ("exact", np.bool_),
    ]
)


class CoordinateState(NamedTuple):
    """A run. ``weights``: (2, p), the positive and the negative parts. ``image`` and ``residual``:
    (m,), stored part v of X a and -l'(v, y). ``dots``: (p,), room for X'R. ``coordinates`` (1,):
    sum of residual (see `fwcore.design`), of y, of the losses at v, of all weights, the non-zero
    coefficients, updates since something moved, after how many steps the gap is looked at, and the
    kind of update. ``stream``: where random coordinates come from, and ``drawn`` (updates of a
    step,) room for them. ``squares`` (p,): what the curvature of the loss is multiplied with.
    """

    weights: Floats
    image: Floats
    residual: Floats
    dots: Floats
    coordinates: Any
    counters: Any
    stream: Any
    drawn: Ints
    squares: Floats


class BoundOptions(WalkOptions):
    """Options of the methods of Shalev-Shwartz & Tewari (2009)."""

    bound = Choice(
        default="column",
        choices={"column": "a column's own", "printed": "one for all columns"},
        label="Curvature bound",
        doc="column: of column j the curvature of the loss times ||x_j||^2. printed: the curvature "
        "times m max x_ij^2 for all columns, the one beta of the paper, whose features are in "
        "[-1, 1].",
    )


class CoordinateSolver(Solver):
    """Subclasses bring the kernel that makes steps."""

    family = "Coordinate descent"
    form = "penalty"
    positive = True
    needs: ClassVar[tuple[str, ...]] = ("curvature_bound",)

    @abstractmethod
    def steps(self, problem: Problem, state: CoordinateState, rows: Rows) -> int:
        """Steps until ``rows`` is full or the point ends; the number of rows filled."""

    def updates(self, problem: Problem, options: Any) -> int:
        """Random updates of a step."""
        return 0

    def squares(self, problem: Problem, options: Any) -> Floats:
        """||x_j||^2, or m max x_ij^2 for all columns but those that are 0."""
        if options.bound == "column":
            return problem.sqnorms
        most = problem.m * largest_entry(problem.design, problem.m, problem.p) ** 2
        return np.where(problem.sqnorms > 0.0, most, 0.0)

    def init(self, problem: Problem, options: Any, seed: int) -> CoordinateState:
        return CoordinateState(
            np.zeros((2, problem.p)),
            np.zeros(problem.m),
            np.zeros(problem.m),
            np.zeros(problem.p),
            zero_records(1, COORDINATES),
            new_counters(problem, options),
            new_stream(seed),
            np.zeros(self.updates(problem, options), np.int64),
            self.squares(problem, options),
        )

    def set_point(
        self, problem: Problem, state: CoordinateState, options: Any, value: float, progress: float
    ) -> None:
        start_point(state.counters, value)
        state.coordinates["updates_without_move"] = 0
        refresh(problem.design, problem.y, problem.loss, state)

    def advance(self, problem: Problem, state: CoordinateState, n: int) -> Rows:
        rows = new_rows(n)
        return rows[: self.steps(problem, state, rows)]

    def coefficients(self, state: CoordinateState) -> tuple[Ints, Floats]:
        values = state.weights[0] - state.weights[1]
        indices = np.flatnonzero(values)
        return indices, values[indices]


@njit(nogil=True, cache=True)
def refresh(design, y, loss, state):
    """Recompute everything from the weights, which bounds the drift of the recursions."""
    it = state.coordinates[0]
    a = state.weights[0] - state.weights[1]
    indices = nonzeros(a)
    ones = combine(design, indices, take(a, indices), state.image)
    it.y_sum = total(y)
    it.residual_sum = it.y_sum + y.size * ones
    it.loss = 0.0
    for i in range(y.size):
        it.loss += loss_at(loss, state.image[i], y[i])
        state.residual[i] = negative_derivative_at(loss, state.image[i], y[i])
    it.l1, it.nnz = total(state.weights.ravel()), indices.size


@njit(nogil=True, cache=True)
def change(design, y, loss, state, sign, j, by):
    """Add ``by`` to the weight of sign * x_j, and to all that follows from it."""
    it, row = state.coordinates[0], 0 if sign > 0 else 1
    before = state.weights[0, j] - state.weights[1, j]
    state.weights[row, j] += by
    after = state.weights[0, j] - state.weights[1, j]
    it.l1 += by
    it.nnz += np.int64(after != 0.0) - np.int64(before != 0.0)
    for k in range(col_entries(design, j)):
        i = col_row(design, j, k)
        it.loss -= loss_at(loss, state.image[i], y[i])
    it.residual_sum -= col_axpy(design, j, sign * by, state.image)
    for k in range(col_entries(design, j)):
        i = col_row(design, j, k)
        it.loss += loss_at(loss, state.image[i], y[i])
        state.residual[i] = negative_derivative_at(loss, state.image[i], y[i])


@njit(nogil=True, cache=True)
def objective(y, state):
    """f(a): the losses at the stored part, and what the multiple of ones that was left out adds.

    It is 0 unless columns are centred, which they are for the squared loss alone.
    """
    it = state.coordinates[0]
    ones = (it.residual_sum - it.y_sum) / y.size
    return it.loss - ones * it.residual_sum + 0.5 * y.size * ones * ones


@njit(nogil=True, cache=True)
def full_gradient(design, state, entries):
    """A pass over all columns: ``dots`` = X'R; the steepest."""
    it, counters = state.coordinates[0], state.counters[0]
    all_dots(design, state.residual, it.residual_sum, state.dots)
    counters.dots += state.dots.size
    counters.entries += entries
    steepest, positive = 0.0, counters.positive
    for j in range(state.dots.size):
        steepest = max(steepest, steepness(-state.dots[j], positive))
    return steepest

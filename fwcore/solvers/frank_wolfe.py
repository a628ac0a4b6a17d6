"""The iterate of Frank-Wolfe on the l1 ball and its step, shared by the deterministic and the stochastic method.

The iterate is ``scale * coef`` and its image ``scale * image``: shrinking all coefficients by 1 - l is one multiplication, so a
step costs one look of the oracle plus the non-zeros of one column, and nothing of length p or m.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import Floats, Ints, col_axpy, col_dot, col_entries, combine
from fwcore.options import WalkOptions
from fwcore.oracles import steepest
from fwcore.problem import Problem
from fwcore.solvers import smooth_fw
from fwcore.solvers.base import Solver, close_step, new_walk, start_point
from fwcore.solvers.smooth_fw import SmoothState
from fwcore.steps import exact_line_search
from fwcore.trace import Rows, new_rows

ITERATE = np.dtype(
    [
        ("scale", np.float64),
        ("image_sum", np.float64),
        ("energy", np.float64),
        ("correlation", np.float64),
        ("l1", np.float64),
        ("nnz", np.int64),
        ("redraw_until", np.int64),
    ]
)

# The scale is folded into the vectors long before it underflows.
_SMALLEST_SCALE = 1e-100
# A gap is a difference of larger numbers; below this share of them it is noise.
_ROUNDING = 1e-13


class BallState(NamedTuple):
    """A run of Frank-Wolfe. a = scale * coef, X a = scale * (image + a multiple of ones).

    ``coef``, ``support``, ``listed``: shape (p,); the first ``nnz`` entries of ``support`` are the indices with a coefficient, and
    ``listed`` marks them. ``image``: shape (m,), and ``scratch``, room for another. ``iterate`` (1,) holds scale, the sum of image,
    S = ||X a||^2, F = y'X a, sum abs(coef), nnz and the bound on empty draws, ``walk`` (1,) the book-keeping.
    """

    coef: Floats
    image: Floats
    support: Ints
    listed: NDArray[np.bool_]
    iterate: Any
    walk: Any
    oracle: Any
    scratch: Floats


class FrankWolfeSolver(Solver):
    """Frank-Wolfe with exact line search; subclasses say which oracle finds the vertex."""

    form = "ball"
    losses: ClassVar[tuple[str, ...]] = ("squared", "logistic")
    Options = WalkOptions

    def oracle(self, problem: Problem, sigma: Floats, options: Any, seed: int) -> Any:
        """The oracle of a run; ``sigma`` (p,) is what it takes from its dot products."""
        raise TypeError(f"{type(self).__name__} names no oracle")

    def kappa(self, problem: Problem, options: Any, progress: float) -> int:
        """Columns that a step looks at."""
        return problem.p

    def redraw_until(self, options: Any) -> int:
        """Columns that a step looks at in vain before it looks at the support too."""
        return 0

    def init(self, problem: Problem, options: Any, seed: int) -> BallState | SmoothState:
        self.kappa(problem, options, 0.0)
        if problem.loss.name != "squared":
            nothing = np.zeros(problem.p)
            oracle = self.oracle(problem, nothing, options, seed)
            return smooth_fw.new_state(problem, new_walk(problem, options), oracle, nothing, self.redraw_until(options))
        iterate = np.zeros(1, ITERATE)
        iterate["scale"] = 1.0
        iterate["redraw_until"] = self.redraw_until(options)
        return BallState(
            np.zeros(problem.p),
            np.zeros(problem.m),
            np.zeros(problem.p, np.int64),
            np.zeros(problem.p, np.bool_),
            iterate,
            new_walk(problem, options),
            self.oracle(problem, problem.sigma, options, seed),
            np.empty(problem.m),
        )

    def set_point(self, problem: Problem, state: Any, options: Any, value: float, progress: float) -> None:
        start_point(state.walk, value)
        state.walk["kappa"] = self.kappa(problem, options, progress)
        if isinstance(state, SmoothState):
            smooth_fw.open_point(problem, state, value)
            return
        refresh(problem.design, problem.y, state)
        _rescale_to(state, value)

    def advance(self, problem: Problem, state: Any, n: int) -> Rows:
        rows = new_rows(n)
        if isinstance(state, SmoothState):
            return rows[: smooth_fw.steps(problem, state, rows)]
        done = _advance(problem.design, problem.sigma, problem.sqnorms, problem.f0, state, rows)
        return rows[:done]

    def coefficients(self, state: Any) -> tuple[Ints, Floats]:
        if isinstance(state, SmoothState):
            return smooth_fw.coefficients(state)
        indices = np.sort(state.support[: state.iterate["nnz"][0]])
        values = state.iterate["scale"][0] * state.coef[indices]
        return indices[values != 0], values[values != 0]


@njit(nogil=True, cache=True)
def refresh(design, y, state):  # type: ignore[no-untyped-def]
    """Recompute the image, S, F and the l1 norm from the coefficients, which bounds the drift of the recursions."""
    it = state.iterate[0]
    indices = state.support[: it.nnz]
    coefficients = state.coef[indices]
    ones = combine(design, indices, coefficients, state.image)
    it.image_sum = state.image.sum()
    it.energy, it.correlation = 0.0, 0.0
    for i in range(y.size):
        fitted = it.scale * (state.image[i] + ones)
        it.energy += fitted * fitted
        it.correlation += y[i] * fitted
    it.l1 = np.abs(coefficients).sum()


@njit(nogil=True, cache=True)
def _rescale_to(state, radius):  # type: ignore[no-untyped-def]
    """Rescale the iterate to l1 norm ``radius`` where that lowers the objective, and always where it lies outside the ball."""
    it = state.iterate[0]
    norm = it.scale * it.l1
    if norm == 0.0:
        return
    c = radius / norm
    change = 0.5 * (c * c - 1.0) * it.energy - (c - 1.0) * it.correlation
    if change < 0.0 or norm > radius:
        it.scale *= c
        it.energy *= c * c
        it.correlation *= c


@njit(nogil=True, cache=True)
def _forget(state):  # type: ignore[no-untyped-def]
    """a = 0: a full step leaves nothing of the old iterate."""
    it = state.iterate[0]
    for k in range(it.nnz):
        state.coef[state.support[k]] = 0.0
        state.listed[state.support[k]] = False
    state.image[:] = 0.0
    it.scale, it.image_sum, it.l1, it.nnz = 1.0, 0.0, 0.0, 0


@njit(nogil=True, cache=True)
def _fold_scale(state):  # type: ignore[no-untyped-def]
    """Multiply the scale into the vectors, so that it is 1 again."""
    it = state.iterate[0]
    for k in range(it.nnz):
        state.coef[state.support[k]] *= it.scale
    state.image[:] = state.image * it.scale
    it.image_sum *= it.scale
    it.l1 *= it.scale
    it.scale = 1.0


@njit(nogil=True, cache=True)
def move(design, sigma, state, j, gradient, sqnorm, vertex, step):  # type: ignore[no-untyped-def]
    """a <- (1 - step) a + step * vertex * e_j, with S, F and the image; return the largest change of a coefficient.

    That is the change of a_j. Every other coefficient changes by step * abs(a_i), and in the ball abs(a_i) <= delta - abs(a_j),
    which is at most abs(vertex - a_j), as abs(vertex) = delta.
    """
    it = state.iterate[0]
    moved = step * abs(vertex - it.scale * state.coef[j])
    image_dot = gradient + sigma[j]
    keep = 1.0 - step
    it.energy = keep * keep * it.energy + 2.0 * vertex * step * keep * image_dot + (vertex * step) ** 2 * sqnorm
    it.correlation = keep * it.correlation + vertex * step * sigma[j]
    if keep == 0.0:
        _forget(state)
    else:
        it.scale *= keep
        if it.scale < _SMALLEST_SCALE:
            _fold_scale(state)
    added = vertex * step / it.scale
    if not state.listed[j]:
        state.listed[j] = True
        state.support[it.nnz] = j
        it.nnz += 1
    it.l1 += abs(state.coef[j] + added) - abs(state.coef[j])
    state.coef[j] += added
    it.image_sum += col_axpy(design, j, added, state.image)
    return moved


@njit(nogil=True, cache=True)
def _steepest_of_support(design, sigma, state, best, slope):  # type: ignore[no-untyped-def]
    """The steeper of (best, slope) and the columns of the support, whose best vertex never ascends; and the entries touched."""
    it = state.iterate[0]
    entries = 0
    for k in range(it.nnz):
        j = state.support[k]
        gradient = it.scale * col_dot(design, j, state.image, it.image_sum) - sigma[j]
        if abs(gradient) > abs(slope):
            best, slope = j, gradient
        entries += col_entries(design, j)
    return best, slope, entries


@njit(nogil=True, cache=True)
def find_vertex(design, sigma, state):  # type: ignore[no-untyped-def]
    """Ask the oracle until its vertex descends: (index, gradient, Frank-Wolfe gap of the vertex).

    A sample may hold no descent vertex, and that is not convergence: draw again, until ``redraw_until`` columns were looked at, and
    then look at the support too. For T containing the support, delta * max_T abs(gradient) >= -gradient'a, so the gap is then never
    negative.
    """
    it, walk = state.iterate[0], state.walk[0]
    looked = 0
    while True:
        j, slope, dots, entries = steepest(state.oracle, design, sigma, it.scale, state.image, it.image_sum, walk.kappa)
        looked += dots
        walk.dots += dots
        walk.entries += entries
        toward = walk.value * abs(slope)
        gap = it.energy - it.correlation + toward
        # The vertex of the last step has a gap of 0 but for rounding: to draw it again is to draw no descent vertex.
        if gap > _ROUNDING * (it.energy + abs(it.correlation) + toward) or dots >= sigma.size:
            return j, slope, gap
        walk.empty += 1
        if looked >= it.redraw_until:
            j, slope, entries = _steepest_of_support(design, sigma, state, j, slope)
            walk.dots += it.nnz
            walk.entries += entries
            return j, slope, it.energy - it.correlation + walk.value * abs(slope)


@njit(nogil=True, cache=True)
def _advance(design, sigma, sqnorms, f0, state, rows):  # type: ignore[no-untyped-def]
    """Steps until ``rows`` is full or the point ends; the number of rows filled (Frandi et al. 2016, Algorithms 1 and 2)."""
    it, walk = state.iterate[0], state.walk[0]
    for k in range(rows.size):
        j, gradient, gap = find_vertex(design, sigma, state)
        vertex = -walk.value if gradient > 0.0 else walk.value
        image_dot = gradient + sigma[j]
        step = exact_line_search(it.energy, it.correlation, gradient, image_dot, sqnorms[j], vertex)
        moved = 0.0
        # The gap vouches for the iterate before the step, so where it is small enough that iterate stays.
        if step > 0.0 and gap > walk.gap_at_most:
            moved = move(design, sigma, state, j, gradient, sqnorms[j], vertex, step)
        row = rows[k]
        row.objective = f0 + 0.5 * it.energy - it.correlation
        row.l1 = it.scale * it.l1
        row.nnz = it.nnz
        close_step(walk, row, gap, moved)
        if walk.outcome != 0:
            return k + 1
    return rows.size

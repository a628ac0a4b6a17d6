"""The iterate of Frank-Wolfe on the l1 ball and its step, shared by the deterministic and the stochastic method.

The iterate is ``scale * coef`` and its image ``scale * image``: shrinking all coefficients by 1 - l is one multiplication, so a
step costs one look of the oracle plus the non-zeros of one column, and nothing of length p or m.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore import sampling
from fwcore.design import Design, Floats, Ints, Ridged, col_axpy, combine
from fwcore.errors import ParameterError
from fwcore.options import BallOptions
from fwcore.oracles.choice import Answer, last_answer, through_rows, variant_of
from fwcore.problem import Problem
from fwcore.solvers import smooth_fw
from fwcore.solvers.base import Solver, close_step, new_walk, start_point
from fwcore.solvers.scaled import SCALED, coefficients, find_vertex, mix
from fwcore.solvers.smooth_fw import SmoothState
from fwcore.steps import exact_line_search
from fwcore.trace import Rows, new_rows

ITERATE = np.dtype([*SCALED, ("image_sum", np.float64), ("energy", np.float64), ("correlation", np.float64)])


class BallState(NamedTuple):
    """A run of Frank-Wolfe; see `fwcore.solvers.scaled`. X a = scale * (image + a multiple of ones).

    ``image``: shape (m,), and ``scratch``, room for another. ``iterate`` (1,) holds besides the sum of image, S = ||X a||^2 and
    F = y'X a. ``weight`` (1,): see `fwcore.design.Ridged`; S and the squared norms of the columns grow by the ridge, then.
    """

    coef: Floats
    image: Floats
    support: Ints
    listed: NDArray[np.bool_]
    iterate: Any
    walk: Any
    oracle: Any
    scratch: Floats
    weight: Floats


class FrankWolfeSolver(Solver):
    """Frank-Wolfe with exact line search; subclasses say which oracle finds the vertex.

    An elastic net is the same problem with the rows sqrt(r) I below X and zeros below y: S = ||X a||^2 + r ||a||^2, the gradient
    grows by r a and the squared norm of a column by r, and the step is that of the Lasso with these.
    """

    form = "ball"
    losses: ClassVar[tuple[str, ...]] = ("squared", "logistic")
    Options = BallOptions

    def _oracle(self, problem: Problem, seen: Any, sigma: Floats, options: Any, seed: int) -> Any:
        """The oracle of a run: one on a part of the rows where the options name it, else the solver's own."""
        if getattr(options, "oracle", "exact") == "exact":
            return self.oracle(seen, sigma, options, seed)
        if self.weight(options) or getattr(options, "sampling", "100%") != "100%":
            raise ParameterError("oracle", type(self).__name__, "exact with a ridge or sampled columns", options.oracle)
        target = problem.y if problem.loss.name == "squared" else np.zeros(problem.m)
        centred = bool(problem.design.offset.any())
        return through_rows(problem.rows, target, problem.p, centred, problem.entries, options, seed)

    def oracle(self, design: Any, sigma: Floats, options: Any, seed: int) -> Any:
        """The oracle of a run on ``design``; ``sigma`` (p,) is what it takes from its dot products."""
        raise TypeError(f"{type(self).__name__} names no oracle")

    def kappa(self, p: int, options: Any, progress: float) -> int:
        """Columns that a step looks at: all ``p`` where there is no sampling rule."""
        try:
            return sampling.parse(getattr(options, "sampling", "100%")).kappa(p, progress)
        except ParameterError as error:
            raise ParameterError(error.name, type(self).__name__, error.rule, error.got) from None

    def redraw_until(self, options: Any) -> int:
        """Columns that a step looks at in vain before it looks at the support too."""
        return 0

    def small_gaps_wanted(self, p: int, kappa: int, options: Any) -> int:
        """Small gaps in a row that end a point where the gap is the rule."""
        return 1

    def weight(self, options: Any) -> float:
        """The ridge of a path: none where options have none."""
        return float(getattr(options, "ridge", 0.0))

    def variant(self, options: Any) -> dict[str, Any]:
        return ({"ridge": 1.0} if self.weight(options) else {}) | variant_of(options)

    def init(self, problem: Problem, options: Any, seed: int) -> BallState | SmoothState:
        self.kappa(problem.p, options, 0.0)
        coef, weight, walk = np.zeros(problem.p), np.full(1, self.weight(options)), new_walk(problem, options)
        walk["ridge"] = weight
        seen = _seen(problem, coef, weight, walk)
        if problem.loss.name != "squared":
            nothing = np.zeros(problem.p)
            oracle = self._oracle(problem, seen, nothing, options, seed)
            return smooth_fw.new_state(problem, coef, weight, walk, oracle, nothing, self.redraw_until(options))
        iterate = np.zeros(1, ITERATE)
        iterate["scale"] = 1.0
        iterate["redraw_until"] = self.redraw_until(options)
        return BallState(
            coef,
            np.zeros(problem.m),
            np.zeros(problem.p, np.int64),
            np.zeros(problem.p, np.bool_),
            iterate,
            walk,
            self._oracle(problem, seen, problem.sigma, options, seed),
            np.empty(problem.m),
            weight,
        )

    def set_point(self, problem: Problem, state: Any, options: Any, value: float, progress: float) -> None:
        start_point(state.walk, value, self.weight(options))
        state.walk["kappa"] = kappa = self.kappa(problem.p, options, progress)
        state.walk["small_gaps_wanted"] = self.small_gaps_wanted(problem.p, kappa, options)
        if isinstance(state, SmoothState):
            smooth_fw.open_point(problem, state, value)
            return
        refresh(problem.design, problem.y, state)
        _rescale_to(state, value)

    def advance(self, problem: Problem, state: Any, n: int) -> Rows:
        rows = new_rows(n)
        if isinstance(state, SmoothState):
            seen = _seen(problem, state.coef, state.weight, state.walk)
            return rows[: smooth_fw.steps(seen, problem, state, rows)]
        seen = _seen(problem, state.coef, state.weight, state.walk)
        done = _advance(seen, problem.sigma, problem.sqnorms, problem.f0, state, rows)
        return rows[:done]

    def coefficients(self, state: Any) -> tuple[Ints, Floats]:
        return coefficients(state)

    def answer(self, state: Any) -> Answer | None:
        return last_answer(state.oracle)


def _seen(problem: Problem, coef: Floats, weight: Floats, walk: Any) -> Design | Ridged:
    """The design whose dots make the gradient."""
    return problem.design if walk["ridge"][0] == 0.0 else Ridged(problem.design, coef, weight, np.arange(problem.p))


@njit(nogil=True, cache=True)
def refresh(design, y, state):  # type: ignore[no-untyped-def]
    """Recompute the image, S, F and the l1 norm from the coefficients, which bounds the drift of the recursions."""
    it = state.iterate[0]
    indices = state.support[: it.nnz]
    coefficients = state.coef[indices]
    ones = combine(design, indices, coefficients, state.image)
    it.image_sum = state.image.sum()
    it.energy, it.correlation = state.walk[0].ridge * it.scale * it.scale * (coefficients * coefficients).sum(), 0.0
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
def move(design, sigma, state, j, gradient, sqnorm, vertex, step):  # type: ignore[no-untyped-def]
    """a <- (1 - step) a + step * vertex * e_j, with S, F and the image; return the largest change of a coefficient."""
    it = state.iterate[0]
    image_dot = gradient + sigma[j]
    keep = 1.0 - step
    it.energy = keep * keep * it.energy + 2.0 * vertex * step * keep * image_dot + (vertex * step) ** 2 * sqnorm
    it.correlation = keep * it.correlation + vertex * step * sigma[j]
    moved, added, factor = mix(state, j, vertex, step)
    if factor != 1.0:
        state.image[:] *= factor
        it.image_sum *= factor
    it.image_sum += col_axpy(design, j, added, state.image)
    return moved


@njit(nogil=True, cache=True)
def descent_vertex(design, sigma, state):  # type: ignore[no-untyped-def]
    """`fwcore.solvers.scaled.find_vertex` for the squared loss, whose gradient'a = S - F."""
    it = state.iterate[0]
    along, size = it.energy - it.correlation, it.energy + abs(it.correlation)
    return find_vertex(design, sigma, state, it.scale, state.image, it.image_sum, along, size)


@njit(nogil=True, cache=True)
def _advance(design, sigma, sqnorms, f0, state, rows):  # type: ignore[no-untyped-def]
    """Steps until ``rows`` is full or the point ends; the number of rows filled (Frandi et al. 2016, Algorithms 1 and 2)."""
    it, walk = state.iterate[0], state.walk[0]
    for k in range(rows.size):
        j, gradient, gap = descent_vertex(design, sigma, state)
        vertex = -walk.value if gradient > 0.0 else walk.value
        image_dot = gradient + sigma[j]
        sqnorm = sqnorms[j] + walk.ridge
        step = exact_line_search(it.energy, it.correlation, gradient, image_dot, sqnorm, vertex)
        moved = 0.0
        # The gap vouches for the iterate before the step, so where it is small enough that iterate stays.
        if step > 0.0 and gap > walk.gap_at_most:
            moved = move(design, sigma, state, j, gradient, sqnorm, vertex, step)
        row = rows[k]
        row.objective = f0 + 0.5 * it.energy - it.correlation
        row.l1 = it.scale * it.l1
        row.nnz = it.nnz
        close_step(walk, row, gap, moved)
        if walk.outcome != 0:
            return k + 1
    return rows.size

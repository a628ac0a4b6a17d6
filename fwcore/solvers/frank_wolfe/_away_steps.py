"""Steps away from the worst atom of the iterate, or pairwise: see `fwcore.kernels.atoms`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import col_axpy, col_dot, col_entries
from fwcore.kernels.atoms import longest_away, pair_length, slope_of, take_pairwise, worst_atom
from fwcore.kernels.dispatch import implements
from fwcore.kernels.scaled_iterate import GONE, drop, largest_coefficient
from fwcore.kernels.types import Floats
from fwcore.options import OracleOptions, SamplingRule, WalkOptions, step_rule
from fwcore.oracles import Full, Sampled
from fwcore.problem import Problem
from fwcore.solvers.base import check_stop, record
from fwcore.solvers.frank_wolfe._solver import FrankWolfeSolver
from fwcore.solvers.frank_wolfe._squared import (
    BallState,
    SquaredEngine,
    descent_vertex,
    move,
    refresh,
    step_toward,
)
from fwcore.solvers.frank_wolfe._vertex import place_of
from fwcore.step_rules import Parabola, step_length
from fwcore.trace import Rows

_REFRESH = 1000
_REDRAW_UNTIL = 194


class AwayOptions(WalkOptions, OracleOptions):
    """Options of the solvers with away steps."""

    step = step_rule()
    sampling = SamplingRule(
        default="100%",
        label="Sampling",
        doc="How many columns a step looks at for its steepest vertex.",
    )


class AwayEngine(SquaredEngine):
    """Makes steps away from the worst atom, or pairwise ones."""

    def __init__(self, pairwise: bool) -> None:
        super().__init__()
        self.pairwise = pairwise

    def advance(self, problem: Problem, state: BallState, rows: Rows) -> int:
        """Steps until ``rows`` is full or the point ends; the number of rows filled."""
        known = (problem.design, problem.y, problem.sigma, problem.sqnorms, problem.f0)
        return int(_advance(*known, state, self.pairwise, rows))


class AwaySolver(FrankWolfeSolver):
    """What the two methods share."""

    needs = ("closed_line_search",)
    Options = AwayOptions
    pairwise = False

    def engine(self, problem: Problem, options: Any) -> AwayEngine:
        return AwayEngine(self.pairwise)

    def oracle(self, design: Any, sigma: Floats, options: Any, seed: int) -> Any:
        if options.sampling.everything:
            return Full(np.array([sigma.size]))
        return Sampled.of(sigma.size, seed)

    def redraw_until(self, options: Any) -> int:
        return _REDRAW_UNTIL

    def variant(self, options: Any) -> dict[str, Any]:
        share = "100%" if options.sampling.everything else "50%"
        return super().variant(options) | {"sampling": share}


class ColumnSlopes(NamedTuple):
    """The gradient at columns of the support, a dot product each."""

    design: Any
    sigma: Floats


@implements(slope_of, ColumnSlopes)
def _slope_of(slopes, state, j):
    it, counters = state.iterate[0], state.counters[0]
    counters.dots += 1
    counters.entries += col_entries(slopes.design, j)
    return it.scale * col_dot(slopes.design, j, state.image, it.image_sum) - slopes.sigma[j]


@njit(nogil=True, cache=True)
def _grow(state, most, planned):
    """Away from the origin: 1 + l scales the iterate; the largest change of a coefficient."""
    it = state.iterate[0]
    slope = it.energy - it.correlation
    step = step_length(state.rule, Parabola(it.energy), -slope, planned, it.squares, most, it)
    largest = largest_coefficient(state)
    it.scale *= 1.0 + step
    it.energy *= (1.0 + step) ** 2
    it.squares *= (1.0 + step) ** 2
    it.correlation *= 1.0 + step
    return step * largest * it.scale / (1.0 + step)


@njit(nogil=True, cache=True)
def _step_away(design, sigma, sqnorms, state, k, gradient, vertex, weight):
    """a <- a + l (a - v) for the atom v, the k-th of the support or the origin; the largest change
    of a coefficient.
    """
    it, counters = state.iterate[0], state.counters[0]
    planned = 2.0 / (counters.point_steps + 2.0)
    if k < 0:
        # At most until it fills the ball.
        most = counters.value / (it.scale * it.l1) - 1.0 if it.l1 > 0.0 else 0.0
        return _grow(state, most, planned)
    j = state.support[k]
    image_dot = gradient + sigma[j]
    curvature = it.energy - 2.0 * vertex * image_dot + vertex * vertex * sqnorms[j]
    if weight >= 1.0 or curvature <= 0.0:
        return 0.0
    most = longest_away(weight)
    descent = vertex * gradient - (it.energy - it.correlation)
    length = it.squares + vertex * (vertex - 2.0 * it.scale * state.coef[j])
    step = step_length(state.rule, Parabola(curvature), descent, planned, length, most, it)
    moved = -move(design, sigma, state, j, gradient, sqnorms[j], vertex, -step)
    if step == most or abs(state.coef[j]) * it.scale <= GONE * counters.value:
        drop(state, k)
    return moved


@njit(nogil=True, cache=True)
def _step_pairwise(design, sigma, state, j, slope_j, k, slope_k, away, weight):
    """a <- a + l (s - v): weight from the k-th column of the support, or from the origin, to the
    vertex of column j; the largest change of a coefficient.
    """
    it, counters = state.iterate[0], state.counters[0]
    j, toward = place_of(state, j, slope_j)
    i = state.support[k] if k >= 0 else -1
    state.scratch[:] = 0.0
    image_sum = col_axpy(design, j, toward, state.scratch)
    if k >= 0:
        image_sum += col_axpy(design, i, -away, state.scratch)
    # ||X d||^2 = toward z_j'X d - away z_i'X d.
    curvature = toward * col_dot(design, j, state.scratch, image_sum)
    if k >= 0:
        curvature -= away * col_dot(design, i, state.scratch, image_sum)
    descent = away * slope_k - toward * slope_j
    if curvature <= 0.0 or descent <= 0.0 or (i == j and toward == away):
        return 0.0
    planned, length = 2.0 / (counters.point_steps + 2.0), pair_length(j, toward, i, away)
    step = step_length(state.rule, Parabola(curvature), descent, planned, length, weight, it)
    image_dot = toward * (slope_j + sigma[j]) - (away * (slope_k + sigma[i]) if k >= 0 else 0.0)
    it.energy += 2.0 * step * image_dot + step * step * curvature
    it.correlation += step * (toward * sigma[j] - (away * sigma[i] if k >= 0 else 0.0))
    for r in range(state.image.size):
        state.image[r] += step / it.scale * state.scratch[r]
    it.image_sum += step / it.scale * image_sum
    take_pairwise(state, k, away, j, toward, step, weight)
    return step * (abs(toward - away) if i == j else max(abs(toward), abs(away)))


@njit(nogil=True, cache=True)
def _advance(design, y, sigma, sqnorms, f0, state, pairwise, rows):
    """Steps until ``rows`` is full or the point ends; the number of rows filled."""
    it, counters = state.iterate[0], state.counters[0]
    for n in range(rows.size):
        if counters.point_steps % _REFRESH == _REFRESH - 1:
            refresh(design, y, state)
        j, gradient, gap = descent_vertex(design, sigma, state)
        moved = 0.0
        if gap > counters.gap_at_most:
            k, slope, vertex, weight = worst_atom(ColumnSlopes(design, sigma), state)
            away_gap = vertex * slope - (it.energy - it.correlation)
            if pairwise:
                moved = _step_pairwise(design, sigma, state, j, gradient, k, slope, vertex, weight)
            elif away_gap > gap and (k < 0 or it.nnz > 1):
                moved = _step_away(design, sigma, sqnorms, state, k, slope, vertex, weight)
            else:
                moved = step_toward(design, sigma, sqnorms, state, j, gradient)
        row = rows[n]
        row.objective = f0 + 0.5 * it.energy - it.correlation
        row.l1 = it.scale * it.l1
        row.nnz = it.nnz
        record(counters, row, gap, moved)
        check_stop(counters, gap, moved)
        if counters.outcome != 0:
            return n + 1
    return rows.size

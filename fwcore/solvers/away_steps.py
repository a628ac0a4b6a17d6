"""Steps away from a vertex of the iterate, shared by away-step and pairwise Frank-Wolfe.

The iterate is a convex combination of the vertices delta * sign(a_j) e_j, with weights abs(a_j) / delta, and of the origin, with
the rest. The worst of them has the largest slope; the away step goes from it through the iterate, the pairwise step moves its
weight to the steepest vertex. Both are as long as the exact line search says, and at most until the weight is used up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fwcore.design import Floats, col_axpy, col_dot, col_entries
from fwcore.options import OracleOptions, SamplingRule, WalkOptions
from fwcore.oracles import Full, Sampled
from fwcore.problem import Problem
from fwcore.solvers.base import close_step
from fwcore.solvers.frank_wolfe import BallState, FrankWolfeSolver, descent_vertex, move, refresh
from fwcore.solvers.scaled import GONE, drop, enlist
from fwcore.steps import exact_line_search
from fwcore.trace import Rows, new_rows

_REFRESH = 1000
_REDRAW_UNTIL = 194


class AwayOptions(WalkOptions, OracleOptions):
    """Options of the solvers with away steps."""

    sampling = SamplingRule(default="100%", label="Sampling", doc="How many columns a step looks at for its steepest vertex.")


class AwaySolver(FrankWolfeSolver):
    """What the two methods share."""

    losses = ("squared",)
    Options = AwayOptions
    pairwise = False

    def oracle(self, design: Any, sigma: Floats, options: Any, seed: int) -> Any:
        p = sigma.size
        return Full(np.array([p])) if self.kappa(p, options, 0.0) == self.kappa(p, options, 1.0) == p else Sampled.of(p, seed)

    def redraw_until(self, options: Any) -> int:
        return _REDRAW_UNTIL

    def variant(self, options: Any) -> dict[str, Any]:
        return super().variant(options) | {"sampling": "100%" if options.sampling == "100%" else "50%"}

    def advance(self, problem: Problem, state: BallState, n: int) -> Rows:
        rows = new_rows(n)
        done = _advance(problem.design, problem.y, problem.sigma, problem.sqnorms, problem.f0, state, self.pairwise, rows)
        return rows[:done]


@njit(nogil=True, cache=True)
def _worst_of_support(design, sigma, state):  # type: ignore[no-untyped-def]
    """(position in the support or -1 for the origin, gradient, slope of the atom): the atom with the largest slope; charged."""
    it, walk = state.iterate[0], state.walk[0]
    # The origin is an atom while the ball is not filled, and its slope is 0.
    room = walk.value - it.scale * it.l1
    worst, slope, at = -1, 0.0 if room > GONE * walk.value else -np.inf, 0.0
    for k in range(it.nnz):
        j = state.support[k]
        gradient = it.scale * col_dot(design, j, state.image, it.image_sum) - sigma[j]
        walk.dots += 1
        walk.entries += col_entries(design, j)
        along = walk.value * gradient * np.sign(state.coef[j])
        if along > slope and state.coef[j] != 0.0:
            worst, slope, at = k, along, gradient
    return worst, at, slope


@njit(nogil=True, cache=True)
def _step_away(design, sigma, sqnorms, state, k, gradient, along):  # type: ignore[no-untyped-def]
    """a <- a + l (a - v) for the atom v, the k-th of the support or the origin; return the largest change of a coefficient."""
    it, walk = state.iterate[0], state.walk[0]
    slope = it.energy - it.correlation
    if k < 0:
        # 1 + l scales the iterate, at most until it fills the ball.
        most = walk.value / (it.scale * it.l1) - 1.0 if it.l1 > 0.0 else 0.0
        step = min(most, -slope / it.energy) if it.energy > 0.0 else 0.0
        largest = 0.0
        for i in range(it.nnz):
            largest = max(largest, abs(state.coef[state.support[i]]))
        it.scale *= 1.0 + step
        it.energy *= (1.0 + step) ** 2
        it.correlation *= 1.0 + step
        return step * largest * it.scale / (1.0 + step)
    j = state.support[k]
    vertex = walk.value * np.sign(state.coef[j])
    share = it.scale * abs(state.coef[j]) / walk.value
    image_dot = gradient + sigma[j]
    curvature = it.energy - 2.0 * vertex * image_dot + vertex * vertex * sqnorms[j]
    if share >= 1.0 or curvature <= 0.0:
        return 0.0
    most = share / (1.0 - share)
    step = min(most, (along - slope) / curvature)
    moved = -move(design, sigma, state, j, gradient, sqnorms[j], vertex, -step)
    if step == most or abs(state.coef[j]) * it.scale <= GONE * walk.value:
        drop(state, k)
    return moved


@njit(nogil=True, cache=True)
def _step_across(design, sigma, sqnorms, state, j, slope_j, k, slope_k):  # type: ignore[no-untyped-def]
    """a <- a + l (s - v): weight from the k-th column of the support, or from the origin, to the vertex of column j."""
    it, walk = state.iterate[0], state.walk[0]
    toward = -walk.value if slope_j > 0.0 else walk.value
    away, i = 0.0, -1
    if k >= 0:
        i = state.support[k]
        away = walk.value * np.sign(state.coef[i])
    state.scratch[:] = 0.0
    image_sum = col_axpy(design, j, toward, state.scratch)
    if k >= 0:
        image_sum += col_axpy(design, i, -away, state.scratch)
    # ||X d||^2 = toward z_j'X d - away z_i'X d.
    curvature = toward * col_dot(design, j, state.scratch, image_sum)
    share = 1.0 - it.scale * it.l1 / walk.value
    if k >= 0:
        curvature -= away * col_dot(design, i, state.scratch, image_sum)
        share = it.scale * abs(state.coef[i]) / walk.value
    descent = away * slope_k - toward * slope_j
    if curvature <= 0.0 or descent <= 0.0 or (i == j and toward == away):
        return 0.0
    step = min(share, descent / curvature)
    image_dot = toward * (slope_j + sigma[j]) - (away * (slope_k + sigma[i]) if k >= 0 else 0.0)
    it.energy += 2.0 * step * image_dot + step * step * curvature
    it.correlation += step * (toward * sigma[j] - (away * sigma[i] if k >= 0 else 0.0))
    for r in range(state.image.size):
        state.image[r] += step / it.scale * state.scratch[r]
    it.image_sum += step / it.scale * image_sum
    if k >= 0:
        it.l1 -= abs(state.coef[i])
        state.coef[i] -= step * away / it.scale
        it.l1 += abs(state.coef[i])
        if step == share:
            drop(state, k)
    enlist(state, j)
    it.l1 -= abs(state.coef[j])
    state.coef[j] += step * toward / it.scale
    it.l1 += abs(state.coef[j])
    return step * walk.value * (2.0 if i == j else 1.0)


@njit(nogil=True, cache=True)
def _advance(design, y, sigma, sqnorms, f0, state, pairwise, rows):  # type: ignore[no-untyped-def]
    """Steps until ``rows`` is full or the point ends; the number of rows filled."""
    it, walk = state.iterate[0], state.walk[0]
    for n in range(rows.size):
        if walk.point_steps % _REFRESH == _REFRESH - 1:
            refresh(design, y, state)
        j, gradient, gap = descent_vertex(design, sigma, state)
        moved = 0.0
        if gap > walk.gap_at_most:
            k, slope_k, along = _worst_of_support(design, sigma, state)
            away_gap = along - (it.energy - it.correlation)
            if pairwise:
                moved = _step_across(design, sigma, sqnorms, state, j, gradient, k, slope_k)
            elif away_gap > gap and (k < 0 or it.nnz > 1):
                moved = _step_away(design, sigma, sqnorms, state, k, slope_k, along)
            else:
                vertex = -walk.value if gradient > 0.0 else walk.value
                step = exact_line_search(it.energy, it.correlation, gradient, gradient + sigma[j], sqnorms[j], vertex)
                if step > 0.0:
                    moved = move(design, sigma, state, j, gradient, sqnorms[j], vertex, step)
        row = rows[n]
        row.objective = f0 + 0.5 * it.energy - it.correlation
        row.l1 = it.scale * it.l1
        row.nnz = it.nnz
        close_step(walk, row, gap, moved)
        if walk.outcome != 0:
            return n + 1
    return rows.size

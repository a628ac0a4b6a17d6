"""The steps of `fwcore.solvers.finite_sum`: toward the vertex s of r, away from the worst atom, or
pairwise (`fwcore.kernels.atoms`; named by Negiar et al. 2020 as future work), by a step rule.

What a rule sees of the line is a batch: its losses, and for short steps a bound of the curvature
from the batches of a pass. Finding the worst atom looks at all non-zero coefficients.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import row
from fwcore.kernels.atoms import longest_away, pair_length, slope_of, take_pairwise, worst_atom
from fwcore.kernels.dispatch import compiled_only, implements
from fwcore.kernels.scaled_iterate import (
    GONE,
    drop,
    largest_coefficient,
    mix,
    mixed_squares,
)
from fwcore.kernels.types import Floats
from fwcore.kernels.vectors import multiply
from fwcore.losses import loss_at, negative_derivative_at
from fwcore.options import DIRECTIONS
from fwcore.solvers.finite_sum._gradient import entry_of, gradient_at
from fwcore.step_rules import (
    change_at,
    curvature_of,
    minimum_of,
    minimum_on_segment,
    needs_curve,
    step_length,
)

_AWAY, _PAIRWISE = DIRECTIONS.index("away"), DIRECTIONS.index("pairwise")
# Typed: for a literal numba would compile what is called a second time.
_ITERATE = np.int64(-1)


def open_loop(method, state):
    """The step size of the method's paper at this turn."""
    raise compiled_only("open_loop")


class EstimatedSlopes(NamedTuple):
    """The estimate r of the gradient, which costs nothing to read."""

    slope: Floats
    tree: Floats


@implements(slope_of, EstimatedSlopes)
def _slope_of(slopes, state, j):
    return gradient_at(slopes.tree, slopes.slope, state.iterate[0], j)


class BatchCurve(NamedTuple):
    """The losses of a batch along a direction, ``image`` + g ``toward``, and n / b, their weight.

    ``bound``: of phi'', from the batches of a pass.
    """

    loss: Any
    response: Floats
    image: Floats
    toward: Floats
    weight: float
    bound: float


@implements(curvature_of, BatchCurve)
def _curvature_of(curve):
    return curve.bound


@implements(change_at, BatchCurve)
def _change_at(curve, descent, g):
    change = 0.0
    for k in range(curve.image.size):
        u, y = curve.image[k], curve.response[k]
        change += loss_at(curve.loss, u + g * curve.toward[k], y) - loss_at(curve.loss, u, y)
    return curve.weight * change


@implements(minimum_of, BatchCurve)
def _minimum_of(curve, descent, most):
    image, toward, own = curve.image, curve.toward, 0.0
    for k in range(image.size):
        toward[k] *= most
        own += negative_derivative_at(curve.loss, image[k], curve.response[k]) * toward[k]
    if own <= 0.0:
        return 0.0
    return most * minimum_on_segment(curve.loss, curve.response, image, toward, 0.0, 0.0, own, 1.0)


@njit(nogil=True, cache=True)
def _look_along(rows, y, loss, state, j, vertex, i, away, length):
    """The batch along d = vertex e_j - away e_i, or vertex e_j - a where i is `_ITERATE`, ||d||^2 =
    ``length``.
    """
    it, square = state.iterate[0], 0.0
    for k in range(state.image.size):
        sample = state.order[k]
        columns, values = row(rows, sample, state.room)
        start = state.image[k] if i == _ITERATE else away * entry_of(columns, values, i)
        state.toward[k] = vertex * entry_of(columns, values, j) - start
        state.response[k] = y[sample]
        square += loss.curvature_bound * state.toward[k] * state.toward[k]
    share = it.batch / y.size
    # A batch may hardly meet the segment: the mean over a pass of batches does.
    seen = max(1.0 / (it.turn + 1.0), share)
    it.lipschitz += seen * (square / (share * length) - it.lipschitz) if length > 0.0 else 0.0
    bound = it.lipschitz * length
    return BatchCurve(loss, state.response, state.image, state.toward, 1.0 / share, bound)


@njit(nogil=True, inline="always")
def _no_curve(loss, state):
    """What stands for the curve where the rule looks at none."""
    return BatchCurve(loss, state.response, state.image, state.toward, 1.0, 0.0)


@njit(nogil=True, inline="always")
def _pairwise_step(rows, y, loss, state, j, vertex):
    """A pairwise step: (weight that moved, largest change of a coefficient)."""
    it = state.iterate[0]
    slopes = EstimatedSlopes(state.slope, state.tree)
    k, slope, away, most = worst_atom(slopes, state)
    i = state.support[k] if k >= 0 else j
    if i == j and away == vertex:
        return 0.0, 0.0
    slope = slope_of(slopes, state, i)
    descent = away * slope - vertex * slope_of(slopes, state, j)
    length, curve = pair_length(j, vertex, i, away), _no_curve(loss, state)
    if needs_curve(state.rule):
        curve = _look_along(rows, y, loss, state, j, vertex, i, away, length)
    planned = open_loop(state.method, state)
    step = step_length(state.rule, curve, descent, planned, length, most, it)
    it.along -= step * descent
    take_pairwise(state, k, away, j, vertex, step, most)
    return step, step * abs(vertex) * (2.0 if i == j and k >= 0 else 1.0)


@njit(nogil=True, inline="always")
def _away(state, j, vertex, gap):
    """Away from the worst atom or toward the vertex, whichever descends more: (column, vertex,
    descent, longest step, sign).
    """
    it, slopes = state.iterate[0], EstimatedSlopes(state.slope, state.tree)
    k, _, size, weight = worst_atom(slopes, state)
    if it.nnz == 0 or weight >= 1.0 - GONE:
        return j, vertex, gap, 1.0, 1.0
    # Away from the origin a grows, whatever the column.
    i = state.support[max(k, 0)]
    descent = size * slope_of(slopes, state, i) - it.along
    if gap >= descent:
        return j, vertex, gap, 1.0, 1.0
    return i, size, descent, longest_away(weight), -1.0


@njit(nogil=True, inline="always")
def _end_away(state, j, vertex, step, most, moved):
    """Drop column j where its weight is used up; the largest change of a coefficient, which is
    ``moved`` except for the origin.
    """
    it = state.iterate[0]
    if vertex == 0.0:
        return step / (1.0 + step) * it.scale * largest_coefficient(state)
    if step == most:
        k = 0
        while state.support[k] != j:
            k += 1
        drop(state, k)
    return moved


@njit(nogil=True, inline="always")
def take_step(rows, y, loss, state, j, vertex, gap):
    """Make the step to the vertex delta * sign * e_j whose stochastic gap is ``gap``: (its length,
    largest change).
    """
    it, descent, most, sign = state.iterate[0], gap, 1.0, 1.0
    if it.direction == _PAIRWISE:
        return _pairwise_step(rows, y, loss, state, j, vertex)
    if it.direction == _AWAY:
        j, vertex, descent, most, sign = _away(state, j, vertex, gap)
    a_j = it.scale * state.coef[j]
    length = vertex * vertex - 2.0 * vertex * a_j + it.squares
    curve = _no_curve(loss, state)
    if needs_curve(state.rule):
        curve = _look_along(rows, y, loss, state, j, vertex, _ITERATE, 0.0, length)
        multiply(state.toward, sign)
    planned = open_loop(state.method, state)
    step = step_length(state.rule, curve, descent, planned, length, most, it)
    by = sign * step
    it.squares = mixed_squares(it.squares, a_j, vertex, by)
    slope = gradient_at(state.tree, state.slope, it, j)
    it.along = (1.0 - by) * it.along + by * vertex * slope
    moved, _, _ = mix(state, j, vertex, by)
    return step, moved if sign > 0.0 else _end_away(state, j, vertex, step, most, -moved)

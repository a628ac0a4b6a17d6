"""The steps of `fwcore.solvers.finite_sum`: toward the vertex s of r, or pairwise, and how long.

Toward: a <- a + g (s - a), g in [0, 1]. Pairwise (Lacoste-Julien & Jaggi 2015; named by Negiar et al. 2020 as future work): the
iterate is a convex combination of vertices delta sign(a_j) e_j, with weights abs(a_j) / delta, and of the origin with the rest; g
of weight goes from the one v with the largest slope r'v to s, at most all that v has. Finding v looks at all non-zero coefficients.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import row
from fwcore.dispatch import compiled_only
from fwcore.losses import descent_at
from fwcore.solvers.sampled_gradient import entry_of
from fwcore.solvers.scaled import GONE, drop, enlist, mix, mixed_squares
from fwcore.steps import minimum_on_segment


def open_loop(method, state):  # type: ignore[no-untyped-def]
    """The step size of the method's paper at this turn."""
    raise compiled_only("open_loop")


@njit(nogil=True, cache=True)
def _worst_atom(state):  # type: ignore[no-untyped-def]
    """(position in the support or -1 for the origin, delta * sign, weight) of the atom with the largest slope."""
    it, delta = state.iterate[0], state.walk[0].value
    room = 1.0 - it.scale * it.l1 / delta
    worst, slope, vertex, weight = -1, 0.0 if room > GONE else -np.inf, 0.0, max(0.0, room)
    for k in range(it.nnz):
        j = state.support[k]
        sign = np.sign(state.coef[j])
        if sign != 0.0 and sign * it.weight * state.slope[j] > slope:
            worst, slope, vertex = k, sign * it.weight * state.slope[j], sign * delta
            weight = it.scale * abs(state.coef[j]) / delta
    return worst, vertex, weight


@njit(nogil=True, cache=True)
def _look_along(rows, y, loss, state, j, vertex, i, away):  # type: ignore[no-untyped-def]
    """``toward`` = x'd of the batch, d = vertex e_j - away e_i, or vertex e_j - a where i < 0; the curvature bound along d."""
    square = 0.0
    for k in range(state.image.size):
        sample = state.order[k]
        columns, values = row(rows, sample, state.room)
        start = state.image[k] if i < 0 else away * entry_of(columns, values, i)
        state.toward[k] = vertex * entry_of(columns, values, j) - start
        state.response[k] = y[sample]
        square += loss.curvature * state.toward[k] * state.toward[k]
    return square


@njit(nogil=True, cache=True)
def _length(rows, y, loss, state, square, length, descent, most):  # type: ignore[no-untyped-def]
    """The step along ``toward``, at most ``most``; ``length`` = ||d||^2, ``descent`` = -r'd."""
    it = state.iterate[0]
    if it.step == 1:
        share = it.batch / y.size
        # A batch may hardly meet the segment: the mean over a pass of batches does.
        seen = max(1.0 / (it.turn + 1.0), share)
        it.lipschitz += seen * (square / (share * length) - it.lipschitz) if length > 0.0 else 0.0
        bound = it.lipschitz * length
        return min(most, descent / bound) if descent > 0.0 and bound > 0.0 else 0.0
    descent = 0.0
    for k in range(it.batch):
        descent += descent_at(loss, state.image[k], state.response[k]) * state.toward[k]
    if descent <= 0.0:
        return 0.0
    return min(most, minimum_on_segment(loss, state.response, state.image, state.toward, 0.0, 0.0, descent))


@njit(nogil=True, cache=True)
def _across(rows, y, loss, state, j, vertex):  # type: ignore[no-untyped-def]
    """A pairwise step: (weight that moved, largest change of a coefficient)."""
    it = state.iterate[0]
    k, away, most = _worst_atom(state)
    i = state.support[k] if k >= 0 else j
    if i == j and away == vertex:
        return 0.0, 0.0
    descent = it.weight * (away * state.slope[i] - vertex * state.slope[j])
    step = min(most, open_loop(state.method, state)) if it.step == 0 else 0.0
    if it.step > 0:
        square = _look_along(rows, y, loss, state, j, vertex, i, away)
        length = (vertex - away) ** 2 if i == j else vertex * vertex + away * away
        step = _length(rows, y, loss, state, square, length, descent, most)
    it.along -= step * descent
    if k >= 0:
        _add(state, i, -step * away)
        if step == most:
            drop(state, k)
    enlist(state, j)
    _add(state, j, step * vertex)
    return step, step * abs(vertex) * (2.0 if i == j and k >= 0 else 1.0)


@njit(nogil=True, cache=True)
def _add(state, j, by):  # type: ignore[no-untyped-def]
    """a_j += by, with the norms."""
    it, old = state.iterate[0], state.coef[j]
    state.coef[j] += by / it.scale
    it.l1 += abs(state.coef[j]) - abs(old)
    it.squares += it.scale * it.scale * (state.coef[j] * state.coef[j] - old * old)


@njit(nogil=True, cache=True)
def go(rows, y, loss, state, j, vertex, gap):  # type: ignore[no-untyped-def]
    """Make the step to the vertex delta * sign * e_j whose stochastic gap is ``gap``: (its length, largest change)."""
    it = state.iterate[0]
    if it.pairwise:
        return _across(rows, y, loss, state, j, vertex)
    step = open_loop(state.method, state) if it.step == 0 else 0.0
    if it.step > 0:
        square = _look_along(rows, y, loss, state, j, vertex, -1, 0.0)
        length = vertex * vertex - 2.0 * vertex * it.scale * state.coef[j] + it.squares
        step = _length(rows, y, loss, state, square, length, gap, 1.0)
    it.squares = mixed_squares(it.squares, it.scale * state.coef[j], vertex, step)
    it.along = (1.0 - step) * it.along + step * vertex * it.weight * state.slope[j]
    moved, _, _ = mix(state, j, vertex, step)
    return step, moved

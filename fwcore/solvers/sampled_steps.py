"""The steps of `fwcore.solvers.finite_sum`: toward the vertex s of r, away from another, or pairwise, and how long.

Toward: a <- a + g (s - a), g in [0, 1]. Away and pairwise (Lacoste-Julien & Jaggi 2015; named by Negiar et al. 2020 as future
work): the iterate is a convex combination of vertices delta sign(a_j) e_j, with weights abs(a_j) / delta, and of the origin with
the rest; v is the one of them with the largest slope r'v. Away: a <- a + g (a - v) where r'(v - a) > r'(a - s), at most until the
weight w of v is used up, g = w / (1 - w); else toward. Pairwise: g of weight goes from v to s, at most w. Finding v looks at all
non-zero coefficients.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import row
from fwcore.dispatch import compiled_only
from fwcore.losses import descent_at
from fwcore.solvers.sampled_gradient import entry_of, gradient_at
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
        along = sign * gradient_at(state.tree, state.slope, it, j)
        if sign != 0.0 and along > slope:
            worst, slope, vertex = k, along, sign * delta
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
        state.toward[k] *= most
        descent += descent_at(loss, state.image[k], state.response[k]) * state.toward[k]
    if descent <= 0.0:
        return 0.0
    return most * minimum_on_segment(loss, state.response, state.image, state.toward, 0.0, 0.0, descent)


@njit(nogil=True, cache=True)
def _across(rows, y, loss, state, j, vertex):  # type: ignore[no-untyped-def]
    """A pairwise step: (weight that moved, largest change of a coefficient)."""
    it = state.iterate[0]
    k, away, most = _worst_atom(state)
    i = state.support[k] if k >= 0 else j
    if i == j and away == vertex:
        return 0.0, 0.0
    tree, slope = state.tree, state.slope
    descent = away * gradient_at(tree, slope, it, i) - vertex * gradient_at(tree, slope, it, j)
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
def _away(state, j, vertex, gap):  # type: ignore[no-untyped-def]
    """Away from the worst atom or toward the vertex, whichever descends more: (column, vertex, descent, longest step, sign)."""
    it = state.iterate[0]
    k, size, weight = _worst_atom(state)
    if it.nnz == 0 or weight >= 1.0 - GONE:
        return j, vertex, gap, 1.0, 1.0
    # Away from the origin a grows, whatever the column.
    i = state.support[max(k, 0)]
    descent = size * gradient_at(state.tree, state.slope, it, i) - it.along
    if gap >= descent:
        return j, vertex, gap, 1.0, 1.0
    return i, size, descent, weight / (1.0 - weight), -1.0


@njit(nogil=True, cache=True)
def _end_away(state, j, vertex, step, most, moved):  # type: ignore[no-untyped-def]
    """Drop column j where its weight is used up; the largest change of a coefficient, which is ``moved`` but for the origin."""
    it = state.iterate[0]
    if vertex == 0.0:
        return step / (1.0 + step) * it.scale * np.abs(state.coef[state.support[: it.nnz]]).max()
    if step == most:
        drop(state, np.flatnonzero(state.support[: it.nnz] == j)[0])
    return moved


@njit(nogil=True, cache=True)
def go(rows, y, loss, state, j, vertex, gap):  # type: ignore[no-untyped-def]
    """Make the step to the vertex delta * sign * e_j whose stochastic gap is ``gap``: (its length, largest change)."""
    it, descent, most, sign = state.iterate[0], gap, 1.0, 1.0
    if it.direction == 2:
        return _across(rows, y, loss, state, j, vertex)
    if it.direction == 1:
        j, vertex, descent, most, sign = _away(state, j, vertex, gap)
    step, a_j = min(most, open_loop(state.method, state)) if it.step == 0 else 0.0, it.scale * state.coef[j]
    if it.step > 0:
        square = _look_along(rows, y, loss, state, j, vertex, -1, 0.0)
        state.toward[:] *= sign
        length = vertex * vertex - 2.0 * vertex * a_j + it.squares
        step = _length(rows, y, loss, state, square, length, descent, most)
    by = sign * step
    it.squares = mixed_squares(it.squares, a_j, vertex, by)
    it.along = (1.0 - by) * it.along + by * vertex * gradient_at(state.tree, state.slope, it, j)
    moved, _, _ = mix(state, j, vertex, by)
    return step, moved if sign > 0.0 else _end_away(state, j, vertex, step, most, -moved)

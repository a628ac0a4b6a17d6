"""The atoms of an iterate on the l1 ball, and which of them is the worst to hold on to.

The iterate is a convex combination of the vertices delta * sign(a_j) e_j, with weights abs(a_j) /
delta, and of the origin, with the rest. The worst atom v has the largest slope f'(a)'v. An away
step goes from it through the iterate, a <- a + g (a - v), at most until its weight w is used up, g
= w / (1 - w); a pairwise step moves its weight to another vertex, at most w (Guelat & Marcotte
1986; Lacoste-Julien & Jaggi 2015). States are those of `fwcore.kernels.scaled_iterate`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import compiled_only
from fwcore.kernels.scaled_iterate import GONE, add_to, drop, enlist


def slope_of(slopes, state, j):
    """f'(a)_j, or what is known of it; what that costs is charged."""
    raise compiled_only("slope_of")


@njit(nogil=True, cache=True)
def worst_atom(slopes, state):
    """(position in the support or -1 for the origin, gradient, delta * sign, weight) of the worst
    atom.
    """
    it, delta = state.iterate[0], state.counters[0].value
    # The origin is an atom while the ball is not filled, and its slope is 0.
    room = 1.0 - it.scale * it.l1 / delta
    worst, at, vertex, weight = -1, 0.0, 0.0, max(0.0, room)
    steepest = 0.0 if room > GONE else -np.inf
    for k in range(it.nnz):
        j = state.support[k]
        sign = np.sign(state.coef[j])
        gradient = slope_of(slopes, state, j)
        along = delta * gradient * sign
        if sign != 0.0 and along > steepest:
            worst, steepest, at, vertex = k, along, gradient, delta * sign
            weight = it.scale * abs(state.coef[j]) / delta
    return worst, at, vertex, weight


@njit(nogil=True, cache=True)
def longest_away(weight):
    """The longest away step from an atom of this weight."""
    return weight / (1.0 - weight)


@njit(nogil=True, cache=True)
def pair_length(j, vertex, i, away):
    """||vertex e_j - away e_i||^2."""
    return (vertex - away) ** 2 if i == j else vertex * vertex + away * away


@njit(nogil=True, cache=True)
def take_pairwise(state, k, away, j, vertex, step, weight):
    """a <- a + step (vertex e_j - away e_i), i the k-th column of the support; from the origin
    where k is -1. An atom whose ``weight`` is used up is dropped.
    """
    if k >= 0:
        add_to(state, state.support[k], -step * away)
        if step == weight:
            drop(state, k)
    enlist(state, j)
    add_to(state, j, step * vertex)

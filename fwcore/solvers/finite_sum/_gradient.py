"""A gradient that is kept up to date by batches of rows, and its largest entry: what a turn of
`fwcore.solvers.finite_sum._loop` does.

States are `fwcore.solvers.finite_sum._loop.SumState`: r = weight * slope, except for the age of a
block (`fwcore.kernels.tournament_tree`), and ``along`` = r'a. What is called once a sample takes
the arrays that it needs: to hand over a whole state costs more than a short row.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import row, row_entries
from fwcore.kernels.selection import place_among
from fwcore.kernels.shuffle import draw_next
from fwcore.kernels.tournament_tree import SHIFT, age_of, argmax_abs, changed, faded, rebuild, renew
from fwcore.kernels.vectors import largest_size
from fwcore.losses import negative_derivative_at


@njit(nogil=True, cache=True)
def dot(columns, values, v):
    """x'v of a row."""
    total = 0.0
    for k in range(columns.size):
        total += values[k] * v[columns[k]]
    return total


@njit(nogil=True, cache=True)
def entry_of(columns, values, j):
    """x_j of a row whose columns are sorted."""
    k = j if columns.size > j and columns[j] == j else place_among(columns, j)
    return values[k] if k < columns.size and columns[k] == j else 0.0


@njit(nogil=True, cache=True)
def gradient_at(tree, slope, it, j):
    """r_j."""
    return faded(it.weight * slope[j], it.age - age_of(tree, j))


@njit(nogil=True, cache=True)
def push(columns, values, by, slope, tree, age):
    """slope += by * x of a row; whether the tree stays as it was, as all columns changed and it is
    made again after the batch.
    """
    leaves = tree.shape[0] >> 1
    if columns.size == slope.size:
        for first in range(0, slope.size, 1 << SHIFT):
            # A short row may have renewed some of them.
            if tree[leaves + (first >> SHIFT), 1] != age:
                renew(tree, slope, first, age)
        for j in range(slope.size):
            slope[j] += by * values[j]
        return True
    for k in range(columns.size):
        j = columns[k]
        leaf = leaves + (j >> SHIFT)
        if tree[leaf, 1] != age:
            renew(tree, slope, j, age)
        old = slope[j]
        new = old + by * values[k]
        slope[j] = new
        largest = tree[leaf, 0]
        if abs(new) > largest or abs(old) == largest:
            changed(tree, slope, j, old)
    return False


@njit(nogil=True, cache=True)
def steepest_vertex(tree, slope, it, delta):
    """(index, delta * sign, r'a + delta * max abs(r)): eq. 31 of Negiar et al. No gap where r has
    seen nothing.
    """
    j = argmax_abs(tree, slope)
    r = gradient_at(tree, slope, it, j)
    return j, -delta if r > 0.0 else delta, it.along + delta * abs(r) if it.grads > 0 else np.nan


@njit(nogil=True, cache=True)
def draw(order, batch, stream):
    """The next batch: the first entries of a permutation that each draw shuffles a little further;
    all rows in their order.
    """
    n = order.size
    for k in range(batch if batch < n else 0):
        draw_next(order, k, stream)


@njit(nogil=True, cache=True)
def refresh(rows, y, loss, state, j, vertex, learnt):
    """For the samples of the batch: ``table`` = derivatives at the predictions of a, and r =
    X'table; charged.

    The part of Algorithm 1 of Negiar et al. that comes before its vertex. With ``learnt`` > 0
    derivatives are taken at ``average``, into which the prediction of ``vertex`` * e_j goes by that
    share (Lu & Freund).
    """
    it, counters, stale = state.iterate[0], state.counters[0], False
    coef, slope, tree, table = state.coef, state.slope, state.tree, state.table
    for k in range(state.image.size):
        i = state.order[k]
        columns, values = row(rows, i, state.room)
        u = it.scale * dot(columns, values, coef)
        at = u
        if learnt > 0.0:
            at = state.average[i] + learnt * (
                vertex * entry_of(columns, values, j) - state.average[i]
            )
            state.average[i] = at
        new = -negative_derivative_at(loss, at, y[i])
        change = new - table[i]
        state.image[k], table[i] = u, new
        it.along += change * u
        stale |= push(columns, values, change, slope, tree, 0.0)
        counters.entries += row_entries(rows, i)
    it.grads += state.image.size
    if stale:
        rebuild(tree, slope)


@njit(nogil=True, inline="always")
def true_gap(rows, y, loss, state):
    """f'(a)'a + delta * max abs(f'(a)): a pass over X, charged; r stays."""
    gradient, along = state.spare, 0.0
    for j in range(gradient.size):
        gradient[j] = 0.0
    for i in range(y.size):
        columns, values = row(rows, i, state.room)
        u = state.iterate[0].scale * dot(columns, values, state.coef)
        derivative = -negative_derivative_at(loss, u, y[i])
        along += derivative * u
        for k in range(columns.size):
            gradient[columns[k]] += derivative * values[k]
        state.counters[0].entries += row_entries(rows, i)
    state.iterate[0].grads += y.size
    return along + state.counters[0].value * largest_size(gradient)


@njit(nogil=True, inline="always")
def fill(rows, y, loss, state):
    """Make r the gradient at a = 0, and ``table`` its derivatives: a pass over X, charged."""
    slope, table = state.slope, state.table
    for i in range(y.size):
        columns, values = row(rows, i, state.room)
        table[i] = -negative_derivative_at(loss, 0.0, y[i])
        for k in range(columns.size):
            slope[columns[k]] += table[i] * values[k]
        state.counters[0].entries += row_entries(rows, i)
    state.iterate[0].grads += y.size
    rebuild(state.tree, slope)

"""A gradient that is kept up to date by batches of rows, and its largest entry: what a turn of `fwcore.solvers.finite_sum` does.

States are `fwcore.solvers.finite_sum.SumState`: r = weight * slope, and ``along`` = r'a.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import row, row_entries
from fwcore.losses import descent_at
from fwcore.stream import below
from fwcore.tournament import champion, changed, rebuild


@njit(nogil=True, cache=True)
def predict(columns, values, state):  # type: ignore[no-untyped-def]
    """x'a of a row."""
    u = 0.0
    for k in range(columns.size):
        u += values[k] * state.coef[columns[k]]
    return u * state.iterate[0].scale


@njit(nogil=True, cache=True)
def entry_of(columns, values, j):  # type: ignore[no-untyped-def]
    """x_j of a row whose columns are sorted."""
    k = j if columns.size > j and columns[j] == j else np.searchsorted(columns, j)
    return values[k] if k < columns.size and columns[k] == j else 0.0


@njit(nogil=True, cache=True)
def charge(rows, i, state):  # type: ignore[no-untyped-def]
    """Count a derivative and the entries of its row."""
    state.iterate[0].grads += 1
    state.walk[0].entries += row_entries(rows, i)


@njit(nogil=True, cache=True)
def push(columns, values, by, state):  # type: ignore[no-untyped-def]
    """slope += by * x of a row; `settle` then tells the tree."""
    it = state.iterate[0]
    for k in range(columns.size):
        j = columns[k]
        if not state.marked[j]:
            state.marked[j] = True
            state.before[j] = state.slope[j]
            state.touched[it.touched] = j
            it.touched += 1
        state.slope[j] += by * values[k]


@njit(nogil=True, cache=True)
def settle(state):  # type: ignore[no-untyped-def]
    """Tell the tree of the columns that were pushed."""
    it = state.iterate[0]
    all_at_once = 4 * it.touched > state.slope.size
    for k in range(it.touched):
        j = state.touched[k]
        state.marked[j] = False
        if not all_at_once:
            changed(state.tree, state.slope, j, state.before[j])
    if all_at_once:
        rebuild(state.tree, state.slope)
    it.touched = 0


@njit(nogil=True, cache=True)
def steepest_vertex(state):  # type: ignore[no-untyped-def]
    """(index, delta * sign, r'a + delta * max abs(r)): eq. 31 of Negiar et al."""
    it, walk = state.iterate[0], state.walk[0]
    j = champion(state.tree, state.slope)
    r = it.weight * state.slope[j]
    return j, -walk.value if r > 0.0 else walk.value, it.along + walk.value * abs(r)


@njit(nogil=True, cache=True)
def draw(state):  # type: ignore[no-untyped-def]
    """The next batch: the first entries of a permutation that each draw shuffles a little further; all rows in their order."""
    n, b = state.order.size, state.iterate[0].batch
    for k in range(b if b < n else 0):
        other = k + below(state.stream, n - k)
        state.order[k], state.order[other] = state.order[other], state.order[k]


@njit(nogil=True, cache=True)
def fill(rows, y, loss, state):  # type: ignore[no-untyped-def]
    """Fill the table at a, so that r is the gradient: a pass over X, charged."""
    it = state.iterate[0]
    for i in range(y.size):
        columns, values = row(rows, i, state.room)
        u = predict(columns, values, state)
        state.table[i] = -descent_at(loss, u, y[i])
        it.along += state.table[i] * u
        push(columns, values, state.table[i], state)
        charge(rows, i, state)
    settle(state)


@njit(nogil=True, cache=True)
def true_gap(rows, y, loss, state):  # type: ignore[no-untyped-def]
    """f'(a)'a + delta * max abs(f'(a)): a pass over X, charged."""
    gradient, along, steepest = state.spare, 0.0, 0.0
    gradient[:] = 0.0
    for i in range(y.size):
        columns, values = row(rows, i, state.room)
        u = predict(columns, values, state)
        derivative = -descent_at(loss, u, y[i])
        along += derivative * u
        for k in range(columns.size):
            gradient[columns[k]] += derivative * values[k]
        charge(rows, i, state)
    for j in range(gradient.size):
        steepest = max(steepest, abs(gradient[j]))
    return along + state.walk[0].value * steepest

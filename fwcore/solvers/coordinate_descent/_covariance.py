"""Covariance updates (Friedman, Hastie & Tibshirani 2010, section 2.2): cycles over the active
columns that do not touch X.

While only active columns are visited, x_k'R changes by -(x_k'x_j) times the change of a_j: with
these products at hand a visit costs as many operations as there are active columns, and the
residual can wait. Worthwhile only where they are fewer than the entries of a column. States are
`fwcore.solvers.coordinate_descent.cd.CdState`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import col_axpy, col_dot, col_entries
from fwcore.kernels.soft_threshold import soft_threshold

MOST = 256
"""Columns whose products with each other are kept."""


@njit(nogil=True, cache=True)
def start_phase(design, state, entries):
    """Begin to visit active columns alone, if that pays: their slopes, and the products that are
    missing; whether it does.
    """
    it, counters = state.descent[0], state.counters[0]
    if it.nnz == 0 or it.nnz > state.owner.size or it.nnz * state.coef.size > entries:
        return False
    count = 0
    for k in range(it.working):
        if state.coef[state.columns[k]] != 0.0:
            state.active[count] = state.columns[k]
            count += 1
    if it.kept + count > state.owner.size:
        # Those that are active now are what matters.
        state.slot[state.owner[: it.kept]] = -1
        it.kept = 0
    for k in range(count):
        j = state.active[k]
        if state.slot[j] < 0:
            _keep(design, state, j)
        state.slopes[k] = col_dot(design, j, state.residual, it.residual_sum)
        state.before[k] = state.coef[j]
        counters.entries += col_entries(design, j)
    for k in range(count):
        products = state.gram[state.slot[state.active[k]]]
        for i in range(count):
            state.products[k, i] = products[state.slot[state.active[i]]]
    counters.dots += count
    it.visited = count
    return True


@njit(nogil=True, cache=True)
def _keep(design, state, j):
    """Give column j a slot, and multiply it with all that have one."""
    it, counters = state.descent[0], state.counters[0]
    slot = it.kept
    state.owner[slot], state.slot[j] = j, slot
    it.kept += 1
    state.column[:] = 0.0
    total = col_axpy(design, j, 1.0, state.column)
    for other in range(it.kept):
        product = col_dot(design, state.owner[other], state.column, total)
        state.gram[slot, other] = product
        state.gram[other, slot] = product
        counters.entries += col_entries(design, state.owner[other])
    counters.dots += it.kept


@njit(nogil=True, cache=True)
def cycle(sqnorms, state, lam):
    """Minimise over each active column in turn; the largest change."""
    it, ridge, largest = state.descent[0], state.counters[0].ridge, 0.0
    positive = state.counters[0].positive
    for k in range(it.visited):
        j = state.active[k]
        old = state.coef[j]
        if old == 0.0:
            continue
        target = state.slopes[k] + sqnorms[j] * old
        new = soft_threshold(target, lam, positive) / (sqnorms[j] + ridge)
        if new == old:
            continue
        products = state.products[k]
        for i in range(it.visited):
            state.slopes[i] -= (new - old) * products[i]
        it.l1 += abs(new) - abs(old)
        it.squares += new * new - old * old
        it.nnz -= np.int64(new == 0.0)
        state.coef[j] = new
        largest = max(largest, abs(new - old))
    return largest


@njit(nogil=True, cache=True)
def square(state, sigma, y_square):
    """||R||^2 + r ||a||^2 = ||y||^2 - a'X'y - a'X'R + r ||a||^2."""
    it, total = state.descent[0], y_square
    for k in range(it.visited):
        j = state.active[k]
        total -= state.coef[j] * (sigma[j] + state.slopes[k])
    return total + state.counters[0].ridge * it.squares


@njit(nogil=True, cache=True)
def flush_residual(design, state):
    """Bring the residual up to date."""
    it = state.descent[0]
    for k in range(it.visited):
        j = state.active[k]
        by = state.before[k] - state.coef[j]
        if by != 0.0:
            it.residual_sum += col_axpy(design, j, by, state.residual)
            state.counters[0].entries += col_entries(design, j)
    it.visited = 0

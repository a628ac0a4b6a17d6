"""Cycles of coordinate descent, block by block: of columns that are too long to stay at hand.

A visit of a column waits for its m entries. Neighbours in the design are often alike, be they
wavelengths, genes or times, so that each has to be visited many times before all have settled. So
the slopes of a block of neighbours are taken together, the products of its columns with each other
are kept, and the block is swept by these until little moves, before the residual is changed.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import col_axpy, col_dot, col_entries
from fwcore.kernels.soft_threshold import soft_threshold
from fwcore.kernels.vectors import total

WIDTH = 32
"""Columns of a block, which are neighbours in the design."""
LONG = 512
"""Entries of a column that take longer to visit than a block to sweep."""
_SWEEPS = 8
# A sweep that moves slopes by no more than this share of what the first did is the last.
_LITTLE = 0.1


@njit(nogil=True, cache=True)
def learn_products(design, engine, run):
    """The products of the columns that are new with those of their block."""
    image, counters = engine.change, run.counters[0]
    for k in range(run.it[0].size):
        if engine.known[k]:
            continue
        j = run.columns[k]
        image[:] = 0.0
        col_axpy(design, j, 1.0, image)
        image_sum = total(image)
        first = j - j % WIDTH
        for other in range(first, min(first + WIDTH, run.place.size)):
            n = run.place[other]
            if n < 0 or not (n == k or engine.known[n]):
                continue
            product = col_dot(design, other, image, image_sum)
            engine.products[k, other % WIDTH] = engine.products[n, j % WIDTH] = product
            counters.entries += col_entries(design, other)
            counters.dots += 1
        engine.known[k] = True


@njit(nogil=True, cache=True)
def order_columns(engine, run):
    """The working set in the order of the design, into ``order``."""
    n = 0
    for j in range(run.place.size):
        if run.place[j] >= 0:
            engine.order[n] = run.place[j]
            n += 1


@njit(nogil=True, cache=True)
def _next_block(engine, run, start, active, block):
    """Positions of the columns to visit of the block that begins at ``start`` in the order, into
    ``block``: (how many, where the next begins).
    """
    size, n = run.it[0].size, 0
    number = run.columns[engine.order[start]] // WIDTH
    while start < size and run.columns[engine.order[start]] // WIDTH == number:
        k = engine.order[start]
        if engine.curvature[k] != 0.0 and (engine.coef[k] != 0.0 or not active):
            block[n] = k
            n += 1
        start += 1
    return n, start


@njit(nogil=True, cache=True)
def cycle_in_blocks(design, engine, run, active):
    """A cycle of a parabola over the working set, or over its ``active`` columns only: (by how
    much a slope was off at most, whether a coefficient became zero or left it).
    """
    it, counters, size = engine.descent[0], run.counters[0], run.it[0].size
    block, olds = np.empty(WIDTH, np.int64), np.empty(WIDTH)
    largest, crossed, start = 0.0, False, 0
    while start < size:
        n, start = _next_block(engine, run, start, active, block)
        for a in range(n):
            k = block[a]
            olds[a] = engine.coef[k]
            engine.slope[k] = col_dot(design, run.columns[k], engine.left, it.left_sum)
            counters.entries += col_entries(design, run.columns[k])
        counters.dots += n
        off, first_off = 0.0, 0.0
        for sweep in range(_SWEEPS):
            off, away = _sweep(engine, run, block, n)
            crossed = crossed or away
            it.work += n * n
            if sweep == 0:
                first_off = off
            if n == 1 or off <= _LITTLE * first_off:
                break
        largest = max(largest, first_off)
        for a in range(n):
            k = block[a]
            if engine.coef[k] != olds[a]:
                change = olds[a] - engine.coef[k]
                it.left_sum += col_axpy(design, run.columns[k], change, engine.left)
    it.work += size
    return largest, crossed


@njit(nogil=True, cache=True)
def _sweep(engine, run, block, n):
    """Minimise over each of the ``n`` columns of a block in turn, by slopes that are kept: (by how
    much one was off at most, whether a coefficient became zero or left it).
    """
    lam, ridge, positive = run.it[0].level, run.counters[0].ridge, run.counters[0].positive
    largest, crossed = 0.0, False
    for a in range(n):
        k = block[a]
        old, curvature = engine.coef[k], engine.curvature[k]
        new = soft_threshold(engine.slope[k] + curvature * old, lam, positive) / (curvature + ridge)
        if new == old:
            continue
        engine.coef[k] = new
        crossed = crossed or new * old <= 0.0
        largest = max(largest, abs(new - old) * (curvature + ridge))
        place = run.columns[k] % WIDTH
        for b in range(n):
            engine.slope[block[b]] += (old - new) * engine.products[block[b], place]
    return largest, crossed

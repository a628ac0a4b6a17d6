"""The dual vector of mirror descent: its link, and truncations that a step does not pay for.

Truncations are owed until a coordinate is next touched, and ||t||_q^q = sum_j max(0, h_j - c)^q,
where c is the sum of all truncations and h_j = abs(t_j) + c at the last touch, follows c by a
Taylor series about the last c at which it was summed. A step so costs O(non-zeros of x_i), and now
and then O(non-zeros of t). States are `fwcore.solvers.mirror_descent._loop.MirrorState`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Terms of the Taylor series, and its relative error where it is still believed.
TERMS, ERROR = 8, 1e-10
# A sum that fell by more than this since it was last computed is rounding error to more digits than
# are wanted.
_FALL = 1e-6


@njit(nogil=True, cache=True)
def forget(state):
    """Start again from zero; what was charged stays."""
    it = state.mirror[0]
    for vector in (state.dual, state.touched, state.coef, state.sums):
        vector[:] = 0.0
    state.listed[:] = False
    it.clock, it.base, it.unit, it.highest, it.listed, it.l1, it.nnz = 0.0, 0.0, 1.0, 0.0, 0, 0.0, 0


@njit(nogil=True, cache=True)
def _size(state, j):
    """abs(t_j), all truncations made."""
    return max(0.0, abs(state.dual[j]) - (state.mirror[0].clock - state.touched[j]))


@njit(nogil=True, cache=True)
def _count(state, above, times):
    """Add to the sums, ``times`` over, a height that is so far above the base."""
    it = state.mirror[0]
    if above <= 0.0:
        return
    ratio = above / it.unit
    power = times * ratio**it.q
    for k in range(state.sums.size):
        state.sums[k] += power
        power /= ratio
    it.highest = max(it.highest, state.sums[0])


@njit(nogil=True, cache=True)
def sum_up(state):
    """Make the truncations that are owed, forget what became zero, and sum with the clock as the
    base.
    """
    it = state.mirror[0]
    kept, largest = 0, 0.0
    for k in range(it.listed):
        j = state.support[k]
        size = _size(state, j)
        state.dual[j], state.touched[j] = np.sign(state.dual[j]) * size, it.clock
        state.listed[j] = size > 0.0
        if size > 0.0:
            state.support[kept] = j
            kept += 1
            largest = max(largest, size)
    it.listed, it.base, it.highest = kept, it.clock, 0.0
    it.unit = largest if largest > 0.0 else 1.0
    state.sums[:] = 0.0
    for k in range(kept):
        _count(state, abs(state.dual[state.support[k]]), 1.0)


@njit(nogil=True, cache=True)
def keep(state):
    """``kept`` = a."""
    it = state.mirror[0]
    sum_up(state)
    factor = it.unit * state.sums[0] ** -((it.q - 2.0) / it.q) if it.listed > 0 else 0.0
    for j in range(state.kept.size):
        size = abs(state.dual[j])
        state.kept[j] = np.sign(state.dual[j]) * (
            size if it.q == 2.0 else factor * (size / it.unit) ** (it.q - 1.0)
        )


@njit(nogil=True, cache=True)
def _power_sum(state):
    """(||t||_q / unit)^q, by the series where it holds."""
    it = state.mirror[0]
    by, total, power = (it.clock - it.base) / it.unit, 0.0, 1.0
    for k in range(state.sums.size):
        total += state.series[k] * power * state.sums[k]
        power *= -by
    if state.sums[0] < _FALL * it.highest or total <= 0.0 or by > it.reach * total ** (1.0 / it.q):
        sum_up(state)
        return state.sums[0]
    return total


@njit(nogil=True, cache=True)
def predict(columns, values, state):
    """x'a of a row."""
    it = state.mirror[0]
    linear, full = it.q == 2.0, columns.size == state.dual.size
    total = 0.0 if linear or full else _power_sum(state)
    u, sums, largest = 0.0, 0.0, 0.0
    for k in range(columns.size):
        j = columns[k]
        size = _size(state, j)
        if size > 0.0:
            power = size if linear else (size / it.unit) ** (it.q - 1.0)
            u += values[k] * np.sign(state.dual[j]) * power
            sums += power * size / it.unit
            largest = max(largest, size)
    if linear:
        return u
    if full:
        # All of the dual vector was just looked at.
        total = sums
    u *= it.unit * total ** -((it.q - 2.0) / it.q) if total > 0.0 else 0.0
    if full and largest > 0.0:
        it.unit = largest
    return u


@njit(nogil=True, cache=True)
def learn(columns, values, state, push):
    """t <- t + push * x, and the truncation."""
    it = state.mirror[0]
    summing = it.q != 2.0 and columns.size < state.dual.size
    for k in range(columns.size):
        j = columns[k]
        after = np.sign(state.dual[j]) * _size(state, j) + push * values[k]
        if summing:
            _count(state, abs(state.dual[j]) + state.touched[j] - it.base, -1.0)
            _count(state, abs(after) + it.clock - it.base, 1.0)
        state.dual[j], state.touched[j] = after, it.clock
        if not state.listed[j]:
            state.listed[j] = True
            state.support[it.listed] = j
            it.listed += 1
    if not summing:
        # The sums are of no use to a full row, and the next one that is not full makes them again.
        it.highest = np.inf
    it.clock += it.eta * state.counters[0].value

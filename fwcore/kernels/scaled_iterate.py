"""An iterate a = scale * coef with a list of its support: what the Frank-Wolfe solvers of every
loss have in common.

Shrinking all coefficients by 1 - l is one multiplication, so that a step costs nothing of length p.
States have ``coef``, ``support`` and ``listed``, (p,): the first ``nnz`` entries of ``support`` are
the indices with a coefficient, and ``listed`` marks them; ``iterate``, one record with the `SCALED`
fields; ``counters``, the book-keeping; and ``oracle``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fwcore.kernels.types import Floats, Ints

SCALED = [
    ("scale", np.float64),
    ("l1", np.float64),
    ("nnz", np.int64),
    ("redraw_until", np.int64),
    ("asks_support", np.bool_),
]
"""The scale, sum abs(coef), non-zeros, the columns that are looked at in vain before a step draws
no more, and whether it looks at the support then.
"""

# The scale is folded into the vectors long before it underflows, or overflows by steps away.
_SMALLEST_SCALE = 1e-100
GONE = 1e-14
"""A share of the ball that is rounding error."""


def coefficients(state: Any) -> tuple[Ints, Floats]:
    """Indices in increasing order and values of the non-zero coefficients."""
    indices = np.sort(state.support[: state.iterate["nnz"][0]])
    values = state.iterate["scale"][0] * state.coef[indices]
    return indices[values != 0], values[values != 0]


@njit(nogil=True, inline="always")
def enlist(state, j):
    """Make sure that column j is in the support."""
    it = state.iterate[0]
    if not state.listed[j]:
        state.listed[j] = True
        state.support[it.nnz] = j
        it.nnz += 1


@njit(nogil=True, cache=True)
def drop(state, k):
    """Take the k-th column of the support out of it: its coefficient is zero up to rounding."""
    it = state.iterate[0]
    j = state.support[k]
    it.l1 -= abs(state.coef[j])
    state.coef[j], state.listed[j] = 0.0, False
    it.nnz -= 1
    state.support[k] = state.support[it.nnz]


@njit(nogil=True, inline="always")
def mixed_squares(squares, a_j, vertex, step):
    """||(1 - step) a + step * vertex * e_j||^2, from ||a||^2 and a_j."""
    return (1.0 - step) ** 2 * squares + step * vertex * (2.0 * (1.0 - step) * a_j + step * vertex)


@njit(nogil=True, cache=True)
def largest_coefficient(state):
    """max abs(coef_j), before it is scaled."""
    largest = 0.0
    for k in range(state.iterate[0].nnz):
        largest = max(largest, abs(state.coef[state.support[k]]))
    return largest


@njit(nogil=True, cache=True)
def add_to(state, j, by):
    """a_j += by, of a listed column, with the norms."""
    it, old = state.iterate[0], state.coef[j]
    state.coef[j] += by / it.scale
    it.l1 += abs(state.coef[j]) - abs(old)
    it.squares += it.scale * it.scale * (state.coef[j] * state.coef[j] - old * old)


@njit(nogil=True, cache=True)
def mix(state, j, vertex, step):
    """a <- (1 - step) a + step * vertex * e_j: (largest change of a coefficient, what coef_j got,
    factor).

    Vectors that share the scale are to be multiplied by the factor: 1, except where the scale
    starts again from 1. The largest change is that of a_j. Every other coefficient changes by
    step * abs(a_i), and in the ball abs(a_i) <= delta - abs(a_j), which is at most
    abs(vertex - a_j), as abs(vertex) = delta.
    """
    it = state.iterate[0]
    moved, factor = step * abs(vertex - it.scale * state.coef[j]), 1.0
    it.scale *= 1.0 - step
    if it.scale < _SMALLEST_SCALE or it.scale > 1.0 / _SMALLEST_SCALE:
        # 0 after a full step, which leaves nothing of the old iterate.
        factor, it.scale = it.scale, 1.0
        it.l1 *= factor
        for k in range(it.nnz):
            state.coef[state.support[k]] *= factor
            state.listed[state.support[k]] = factor > 0.0
        it.nnz = it.nnz if factor > 0.0 else 0
    enlist(state, j)
    added = vertex * step / it.scale
    it.l1 += abs(state.coef[j] + added) - abs(state.coef[j])
    state.coef[j] += added
    return moved, added, factor

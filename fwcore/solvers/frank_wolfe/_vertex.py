"""The vertex of a Frank-Wolfe step: the oracle is asked until its vertex descends.

The vertices of the l1 ball are -delta e_j and +delta e_j; with a >= 0 they are 0 and +delta e_j.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import support_dots
from fwcore.kernels.steepness import steepness
from fwcore.oracles import steepest
from fwcore.solvers.base import check_empty

# A gap is a difference of larger numbers; below this share of them it is noise.
_ROUNDING = 1e-13
# A share of them that is above all noise.
_CERTAIN = 1e-9


@njit(nogil=True, inline="always")
def _steepest_of_support(design, sigma, state, scale, image, image_sum, best, slope):
    """The steeper of (best, slope) and the columns of the support, whose best vertex never ascends;
    charged.
    """
    it, counters = state.iterate[0], state.counters[0]
    positive, largest = counters.positive, steepness(slope, counters.positive)
    support, dots = state.support[: it.nnz], np.empty(it.nnz)
    counters.entries += support_dots(design, support, state.coef, image, image_sum, dots)
    for k in range(it.nnz):
        gradient = scale * dots[k] - sigma[support[k]]
        size = steepness(gradient, positive)
        if size > largest:
            best, slope, largest = support[k], gradient, size
    counters.dots += it.nnz
    return best, slope


@njit(nogil=True, inline="always")
def find_vertex(design, sigma, state, scale, image, image_sum, along, size):
    """Ask the oracle until its vertex descends: (index, gradient_j, Frank-Wolfe gap of the vertex).

    gradient_j = ``scale`` * z_j'``image`` - sigma_j, and ``along`` = gradient'a, a difference of
    numbers of ``size``. A sample may hold no descent vertex, and that is not convergence: draw
    again, until ``redraw_until`` columns were looked at. Then, where it ``asks_support``, look at
    the support too: for T containing the support, delta * max_T abs(gradient) >= -gradient'a, so
    the gap is never negative. Else the iterate itself is the best there is, with a gap of 0; that
    ends the point where small moves do.
    """
    it, counters = state.iterate[0], state.counters[0]
    looked, positive = 0, counters.positive
    # No vertex of a column that is less steep descends, and the support has one that is not.
    least = max(0.0, -along - _CERTAIN * size) / counters.value
    while True:
        j, slope, dots, entries = steepest(
            state.oracle, design, sigma, scale, image, image_sum, counters.kappa, positive, least
        )
        looked += dots
        counters.dots += dots
        counters.entries += entries
        toward = counters.value * steepness(slope, positive)
        gap = along + toward
        # The vertex of the last step has a gap of 0 up to rounding: to draw it again is to draw
        # no descent vertex.
        if gap > _ROUNDING * (size + toward) or dots >= sigma.size:
            return j, slope, gap
        counters.empty += 1
        if looked < it.redraw_until:
            continue
        if it.asks_support:
            j, slope = _steepest_of_support(design, sigma, state, scale, image, image_sum, j, slope)
            return j, slope, along + counters.value * steepness(slope, positive)
        check_empty(counters)
        return j, slope, 0.0


@njit(nogil=True, inline="always")
def place_of(state, j, slope):
    """(column, its coordinate) of the vertex that descends most along column j.

    Where that is the origin, which has no column, the column of the largest coefficient stands for
    it: no coefficient moves by more.
    """
    counters = state.counters[0]
    if not counters.positive:
        return j, -counters.value if slope > 0.0 else counters.value
    if slope < 0.0:
        return j, counters.value
    largest = -1.0
    for k in range(state.iterate[0].nnz):
        size = abs(state.coef[state.support[k]])
        if size > largest:
            j, largest = state.support[k], size
    return j, 0.0

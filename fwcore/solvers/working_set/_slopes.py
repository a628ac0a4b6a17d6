"""Slopes of the columns of a working set at the minimiser on a face, see
`fwcore.solvers.working_set._corrections`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.fours import add_dots, add_multiples
from fwcore.kernels.steepness import steepness


@njit(nogil=True, inline="always")
def _steepest(gradient, size, positive):
    best, steepest = 0, 0.0
    for k in range(size):
        steep = steepness(gradient[k], positive)
        if steep > steepest:
            best, steepest = k, steep
    return best, steepest


@njit(nogil=True, cache=True, fastmath=FAST)
def slopes(face):
    """gradient = G a - b on the working set, at the minimiser on the face; return (steepest
    position, its steepness).
    """
    it, g, coef = face.face[0], face.gradient, face.coef
    size = it.size
    few = 2 * it.active < size
    it.work += size * (it.active if few else size - it.active)
    for k in range(size):
        g[k] = -face.dots[k]
    for i in range(it.active if few else 0):
        w = face.order[i]
        row, c = face.gram[w], coef[w]
        for k in range(size):
            g[k] += c * row[k]
        g[w] += it.ridge * c
    for k in range(0 if few else size):
        row = face.gram[k]
        if face.sign[k] != 0.0:
            g[k] = -face.sign[k] * it.level
            continue
        for i in range(size):
            g[k] += row[i] * coef[i]
    return _steepest(g, size, it.positive)


@njit(nogil=True, cache=True)
def slopes_of_many(face):
    """The same of so many columns that G has to be waited for."""
    it, g, n = face.face[0], face.gradient[: face.face[0].size], 0
    if 2 * it.active < it.size:
        model_slopes(face)
        return _steepest(g, it.size, it.positive)
    outside = np.empty(it.size - it.active, np.int64)
    it.work += it.size * outside.size
    for k in range(it.size):
        g[k] = -face.dots[k]
        if face.sign[k] == 0.0:
            outside[n], n = k, n + 1
        else:
            g[k] = -face.sign[k] * it.level
    add_dots(face.gram, outside[:n], face.coef[: it.size], g)
    return _steepest(g, it.size, it.positive)


@njit(nogil=True, cache=True)
def model_slopes(face):
    """gradient = G a + r a - b on the working set, wherever the coefficients are."""
    it, g, order = face.face[0], face.gradient[: face.face[0].size], face.order
    it.work += it.size * it.active
    for k in range(it.size):
        g[k] = -face.dots[k]
    add_multiples(face.gram, order[: it.active], face.coef, g)
    for w in order[: it.active]:
        g[w] += it.ridge * face.coef[w]

"""What columns were when they were last looked at, which the next residuals hardly change.

Columns that the references of a run can't rule out are looked at, round by round the same ones:
most are far below the threshold, but their bounds are not. The slope of such a column at an earlier
residual r, which was computed, gives another,

    |x_j'R| <= |x_j'r| + ||x_j|| ||R - r||,

as tight as r is near.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.masks import BLOCK, NONE, lowest, mask_above, without_lowest
from fwcore.kernels.steepness import steepness
from fwcore.kernels.types import Floats
from fwcore.kernels.vectors import copy_into
from fwcore.problem import Problem

_REMEMBERED = 8
# Of a design with fewer entries a row, a distance costs more than products do.
_ENTRIES_A_ROW = 100
# More than rounding to float32 may take off.
_UP = 1.0 + 2.0**-23


class Looks(NamedTuple):
    """The last looks of a run, at most eight; of designs with short rows none are remembered.

    ``residuals`` (looks, m) are theirs; ``steepness`` (p,), float32, that of a column in its last
    look, rounded up, and ``number`` (p,), int32, which look that was, 0 if there was none; ``made``
    (1,) is the number of the next.
    """

    residuals: Floats
    steepness: NDArray[np.float32]
    number: NDArray[np.int32]
    made: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem) -> Looks:
        """None so far."""
        many = _REMEMBERED if problem.entries >= _ENTRIES_A_ROW * problem.m else 0
        p = problem.p if many else 0
        steep, number = np.zeros(p, np.float32), np.zeros(p, np.int32)
        return cls(np.zeros((many, problem.m)), steep, number, np.array([_REMEMBERED + 1]))


@njit(nogil=True, cache=True, fastmath=FAST)
def _distance(v, w):
    square = 0.0
    for i in range(v.size):
        square += (v[i] - w[i]) * (v[i] - w[i])
    return np.sqrt(square)


@njit(nogil=True, cache=True)
def leave_out(looks, norms, residual, threshold, found):
    """Bring the columns ``found`` that may be steeper than ``threshold`` to the front; how many.
    Their l2 ``norms`` are rounded up.
    """
    residuals, known, number, made = looks.residuals, looks.steepness, looks.number, looks.made[0]
    many, left, far = residuals.shape[0], 0, np.empty(_REMEMBERED)
    if many == 0:
        return found.size
    for k in range(many):
        far[k] = _distance(residuals[k], residual)
    block = np.empty(BLOCK)
    for first in range(0, found.size, BLOCK):
        block[:] = -np.inf
        for i in range(min(BLOCK, found.size - first)):
            j = found[first + i]
            look = number[j]
            bound = known[j] + norms[j] * far[look % _REMEMBERED]
            block[i] = bound if made - look <= many else np.inf
        mask = mask_above(block, threshold)
        while mask != NONE:
            found[left], mask = found[first + lowest(mask)], without_lowest(mask)
            left += 1
    return left


@njit(nogil=True, cache=True)
def remember_look(looks, residual, found, slopes, positive):
    """Keep the ``slopes`` of the columns ``found``."""
    residuals, known, number, made = looks.residuals, looks.steepness, looks.number, looks.made
    many = residuals.shape[0]
    if many == 0 or found.size == 0:
        return
    copy_into(residual, residuals[made[0] % many])
    for k in range(found.size):
        known[found[k]] = np.float32(_UP * steepness(-slopes[k], positive))
        number[found[k]] = made[0]
    made[0] += 1

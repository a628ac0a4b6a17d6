"""kappa random columns, drawn again at each step: a uniform subset (Frandi et al. 2016, Algorithm
2), or with replacement.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import (
    AHEAD,
    FAR,
    REACH,
    col_fetch,
    col_head,
    col_place,
    col_reach,
    first_met,
    gradient_above,
    most_steep,
    prefetch,
)
from fwcore.kernels.dispatch import implements
from fwcore.kernels.random import new_stream, uniform_int
from fwcore.kernels.shuffle import draw_next
from fwcore.kernels.steepness import steepness
from fwcore.kernels.types import Floats
from fwcore.oracles.protocol import steepest

# Columns of a draw that are sifted before those that are left are read.
_SIFTED = 4096


class _SampledFields(NamedTuple):
    """What kernels read."""

    order: NDArray[np.int32]
    stream: NDArray[np.uint64]


class Sampled(_SampledFields):
    """Without replacement: ``order`` (p,) is a permutation that persists; a draw costs kappa swaps
    at its front.

    Whatever permutation is found, the front after kappa random swaps is a uniform subset, so
    nothing is ever reset.
    """

    __slots__ = ()

    name = "subset"
    title = "distinct columns"
    replaces = False
    together = False

    @classmethod
    def drawn(cls, design: Any, sigma: Floats, options: Any, seed: int) -> Sampled:
        """The oracle of a run; see `fwcore.oracles.COLUMN_ORACLES`."""
        return cls.of(sigma.size, seed)

    @classmethod
    def of(cls, p: int, seed: int) -> Sampled:
        """The oracle for p columns, reproducible by its seed."""
        return cls(np.arange(p, dtype=np.int32), new_stream(seed))


class _ReplacedFields(NamedTuple):
    """What kernels read."""

    stream: NDArray[np.uint64]


class Replaced(_ReplacedFields):
    """With replacement: a column is drawn kappa / p times on average, and seen with probability 1 -
    (1 - 1/p)^kappa.
    """

    __slots__ = ()

    name = "with-replacement"
    title = "columns with replacement"
    replaces = True
    together = False

    @classmethod
    def drawn(cls, design: Any, sigma: Floats, options: Any, seed: int) -> Replaced:
        """The oracle of a run; see `fwcore.oracles.COLUMN_ORACLES`."""
        return cls.of(seed)

    @classmethod
    def of(cls, seed: int) -> Replaced:
        """The oracle, reproducible by its seed."""
        return cls(new_stream(seed))


@implements(steepest, Sampled)
def _steepest(oracle, design, sigma, scale, image, image_sum, kappa, positive, least):
    order = oracle.order
    best, slope, largest, entries = order[0], 0.0, 0.0, 0
    found = np.empty(min(_SIFTED, kappa), np.int64)
    for k in range(kappa):
        draw_next(order, k, oracle.stream)
    for start in range(0, kappa, _SIFTED):
        last, above = min(start + _SIFTED, kappa), max(largest, least)
        count = _sift(design, order, start, last, scale, image_sum, above, found)
        for k in range(count):
            _ask_ahead(design, sigma, found, k, count, image)
            j, above = found[k], max(largest, least)
            gradient, touched = gradient_above(design, j, scale, image, image_sum, sigma, above)
            entries += touched
            # Ties go to the smaller index: with kappa = p the choice is that of the full oracle.
            size = steepness(gradient, positive)
            if size > largest or (size == largest and j < best):
                best, slope, largest = j, gradient, size
    return best, slope, kappa, entries


@njit(nogil=True, inline="always")
def _sift(design, order, start, last, scale, image_sum, above, found):
    """Write those of order[start:last] to ``found`` that may be as steep as ``above``; how many."""
    count = 0
    for k in range(start, last):
        if k + 2 * AHEAD < last:
            col_head(design, order[k + 2 * AHEAD])
        found[count] = order[k]
        count += most_steep(design, order[k], scale, image_sum) >= above
    return count


@njit(nogil=True, inline="always")
def _ask_ahead(design, sigma, found, k, count, image):
    """Ask memory for what is to be read of the columns that come after the k-th of ``found``."""
    if k + 2 * AHEAD < count:
        col_place(design, found[k + 2 * AHEAD])
        prefetch(sigma, found[k + 2 * AHEAD])
    if k + AHEAD < count:
        col_fetch(design, found[k + AHEAD])
    if image.size >= FAR and k + REACH < count:
        col_reach(design, found[k + REACH], first_met(design, image))


@implements(steepest, Replaced)
def _steepest_replaced(oracle, design, sigma, scale, image, image_sum, kappa, positive, least):
    best, slope, largest, entries = 0, 0.0, 0.0, 0
    for _ in range(kappa):
        j, above = uniform_int(oracle.stream, sigma.size), max(largest, least)
        gradient, touched = gradient_above(design, j, scale, image, image_sum, sigma, above)
        entries += touched
        size = steepness(gradient, positive)
        if size > largest:
            best, slope, largest = j, gradient, size
    return best, slope, kappa, entries

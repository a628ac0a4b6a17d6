"""kappa random columns, drawn again at each step: a uniform subset (Frandi et al. 2016, Algorithm
2), or with replacement.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fwcore.design import (
    AHEAD,
    FAR,
    REACH,
    col_dot,
    col_entries,
    col_fetch,
    col_place,
    col_reach,
    most_steep,
    prefetch,
)
from fwcore.kernels.dispatch import implements
from fwcore.kernels.random import new_stream, uniform_int
from fwcore.kernels.shuffle import draw_next
from fwcore.kernels.steepness import steepness
from fwcore.kernels.types import Floats
from fwcore.oracles.protocol import steepest


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
def _steepest(oracle, design, sigma, scale, image, image_sum, kappa, positive):
    order = oracle.order
    best, slope, largest, entries = order[0], 0.0, 0.0, 0
    far = image.size >= FAR
    for k in range(kappa):
        draw_next(order, k, oracle.stream)
    for k in range(kappa):
        if k + 2 * AHEAD < kappa:
            col_place(design, order[k + 2 * AHEAD])
            prefetch(sigma, order[k + 2 * AHEAD])
        if k + AHEAD < kappa:
            ahead = order[k + AHEAD]
            if most_steep(design, ahead, scale, image_sum, sigma[ahead]) >= largest:
                col_fetch(design, ahead)
        if far and k + REACH < kappa:
            ahead = order[k + REACH]
            if most_steep(design, ahead, scale, image_sum, sigma[ahead]) >= largest:
                col_reach(design, ahead, image)
        j = order[k]
        if most_steep(design, j, scale, image_sum, sigma[j]) < largest:
            continue
        gradient = scale * col_dot(design, j, image, image_sum) - sigma[j]
        entries += col_entries(design, j)
        # Ties go to the smaller index: with kappa = p the choice is that of the full oracle.
        size = steepness(gradient, positive)
        if size > largest or (size == largest and j < best):
            best, slope, largest = j, gradient, size
    return best, slope, kappa, entries


@implements(steepest, Replaced)
def _steepest_replaced(oracle, design, sigma, scale, image, image_sum, kappa, positive):
    best, slope, largest, entries = 0, 0.0, 0.0, 0
    for _ in range(kappa):
        j = uniform_int(oracle.stream, sigma.size)
        gradient = scale * col_dot(design, j, image, image_sum) - sigma[j]
        entries += col_entries(design, j)
        size = steepness(gradient, positive)
        if size > largest:
            best, slope, largest = j, gradient, size
    return best, slope, kappa, entries

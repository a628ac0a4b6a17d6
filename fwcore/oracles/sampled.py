"""kappa random columns, drawn anew at each step: a uniform subset (Frandi et al. 2016, Algorithm 2), or with replacement."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fwcore.design import AHEAD, col_dot, col_entries, col_fetch, col_place, prefetch
from fwcore.dispatch import implements
from fwcore.oracles.protocol import steepest
from fwcore.stream import below, new_stream


class Sampled(NamedTuple):
    """Without replacement: ``order`` (p,) is a permutation that persists; a draw costs kappa swaps at its front.

    Whatever permutation is found, the front after kappa random swaps is a uniform subset, so nothing is ever reset.
    """

    order: NDArray[np.int32]
    stream: NDArray[np.uint64]

    @classmethod
    def of(cls, p: int, seed: int) -> Sampled:
        """The oracle for p columns, reproducible by its seed."""
        return cls(np.arange(p, dtype=np.int32), new_stream(seed))


class Replaced(NamedTuple):
    """With replacement: a column is drawn kappa / p times on average, and seen with probability 1 - (1 - 1/p)^kappa."""

    stream: NDArray[np.uint64]

    @classmethod
    def of(cls, seed: int) -> Replaced:
        """The oracle, reproducible by its seed."""
        return cls(new_stream(seed))


@implements(steepest, Sampled)
def _steepest(oracle, design, sigma, scale, image, image_sum, kappa):  # type: ignore[no-untyped-def]
    order = oracle.order
    best, slope, entries = order[0], 0.0, 0
    for k in range(kappa):
        other = k + below(oracle.stream, order.size - k)
        j = order[other]
        order[other] = order[k]
        order[k] = j
    for k in range(kappa):
        if k + 2 * AHEAD < kappa:
            col_place(design, order[k + 2 * AHEAD])
            prefetch(sigma, order[k + 2 * AHEAD])
        if k + AHEAD < kappa:
            col_fetch(design, order[k + AHEAD])
        j = order[k]
        gradient = scale * col_dot(design, j, image, image_sum) - sigma[j]
        entries += col_entries(design, j)
        # Ties go to the smaller index: with kappa = p the choice is that of the full oracle.
        if abs(gradient) > abs(slope) or (abs(gradient) == abs(slope) and j < best):
            best, slope = j, gradient
    return best, slope, kappa, entries


@implements(steepest, Replaced)
def _steepest_replaced(oracle, design, sigma, scale, image, image_sum, kappa):  # type: ignore[no-untyped-def]
    best, slope, entries = 0, 0.0, 0
    for _ in range(kappa):
        j = below(oracle.stream, sigma.size)
        gradient = scale * col_dot(design, j, image, image_sum) - sigma[j]
        entries += col_entries(design, j)
        if abs(gradient) > abs(slope):
            best, slope = j, gradient
    return best, slope, kappa, entries

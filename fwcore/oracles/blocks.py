"""Contiguous circular blocks of a once-permuted design: memory is read in order."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import LINE, col_fetch, col_place, gradient_above, prefetch
from fwcore.kernels.dispatch import implements
from fwcore.kernels.random import new_stream, uniform_int
from fwcore.kernels.shuffle import draw_next
from fwcore.kernels.steepness import steepness
from fwcore.kernels.types import Floats
from fwcore.oracles.protocol import steepest


class _BlocksFields(NamedTuple):
    """What kernels read."""

    design: Any
    sigma: Floats
    columns: NDArray[np.int32]
    order: NDArray[np.int32]
    width: NDArray[np.int64]
    stream: NDArray[np.uint64]


class Blocks(_BlocksFields):
    """``design`` and ``sigma`` hold the columns in the order of ``columns`` (p,), a random
    permutation made once.

    The circle of columns is cut into blocks of ``width`` from a random place on, and a draw takes
    whole blocks without replacement, the last one in part, until it has kappa columns. As every
    rotation is as likely, every column has probability kappa / p, which is all that Lemma 1 of
    Frandi et al. (2016) asks. ``order`` is a persistent permutation of the blocks; ``width`` holds
    one int.
    """

    __slots__ = ()

    name = "blocks"
    title = "blocks of neighbouring columns"
    replaces = False
    together = True

    @classmethod
    def drawn(cls, design: Any, sigma: Floats, options: Any, seed: int) -> Blocks:
        """The oracle of a run; see `fwcore.oracles.COLUMN_ORACLES`."""
        return cls.of(design, sigma, options.block, seed)

    @classmethod
    def of(cls, design: Any, sigma: Floats, width: int, seed: int) -> Blocks:
        """The oracle with its own copy of the design, reproducible by its seed."""
        columns = np.random.default_rng(seed).permutation(sigma.size).astype(np.int32)
        blocks = np.arange(-(-sigma.size // width), dtype=np.int32)
        return cls(
            design.permuted(columns),
            sigma[columns],
            columns,
            blocks,
            np.array([width]),
            new_stream(seed),
        )


@implements(steepest, Blocks)
def _steepest(oracle, design, sigma, scale, image, image_sum, kappa, positive, least):
    X, products, order, width, p = (
        oracle.design,
        oracle.sigma,
        oracle.order,
        oracle.width[0],
        oracle.sigma.size,
    )
    best, slope, largest = 0, 0.0, 0.0
    entries, left, drawn = 0, kappa, 0
    rotation = uniform_int(oracle.stream, p)
    # While a block is looked at the columns of the next are asked for, and where those of the one
    # after next are.
    ahead, beyond = _draw(oracle, 0, rotation), _draw(oracle, 1, rotation)
    while left > 0:
        first, ahead, beyond = ahead, beyond, _draw(oracle, drawn + 2, rotation)
        # The last block of the circle may be narrower.
        last = first + min(width, left, p - order[drawn] * width)
        drawn += 1
        for k in range(first, last):
            there = k - first
            if there % LINE == 0 and beyond + there < p:
                col_place(X, beyond + there)
                prefetch(products, beyond + there)
            if ahead + there < p:
                col_fetch(X, ahead + there)
            j = k - (p if k >= p else 0)
            above = max(largest, least)
            gradient, touched = gradient_above(X, j, scale, image, image_sum, products, above)
            entries += touched
            size = steepness(gradient, positive)
            if size > largest:
                best, slope, largest = j, gradient, size
        left -= last - first
    return np.int64(oracle.columns[best]), slope, kappa, entries


@njit(nogil=True, inline="always")
def _draw(oracle, k, rotation):
    """First column of the k-th block of a draw; p where there is none."""
    if k >= oracle.order.size:
        return oracle.sigma.size
    first = draw_next(oracle.order, k, oracle.stream) * oracle.width[0] + rotation
    return first - (oracle.sigma.size if first >= oracle.sigma.size else 0)

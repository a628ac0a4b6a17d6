"""Random orders, shuffled no further than they are used (Fisher & Yates 1938)."""

from __future__ import annotations

from numba import njit

from fwcore.kernels.random import uniform_int


@njit(nogil=True, cache=True)
def draw_next(order, k, stream):
    """Swap a random entry of order[k:] to place k, and return it.

    Whatever permutation ``order`` (n,) is, its front after k swaps is a uniform subset in uniform
    order, so that nothing ever has to be reset.
    """
    other = k + uniform_int(stream, order.size - k)
    chosen = order[other]
    order[other] = order[k]
    order[k] = chosen
    return chosen

"""The order in which oracles take rows."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.selection import largest_first
from fwcore.kernels.shuffle import draw_next

_FIRST = 64


@njit(nogil=True, inline="always")
def shuffle(oracle):
    """A uniformly random order."""
    for k in range(oracle.order.size):
        draw_next(oracle.order, k, oracle.stream)
    oracle.progress[0].ordered = oracle.order.size


@njit(nogil=True, inline="always")
def weigh(oracle, residual):
    """``keys`` = abs(r_i) ||x_i||, by which `sort_further` takes rows; none of them is in its place
    yet.
    """
    for i in range(residual.size):
        oracle.keys[i] = abs(residual[i]) * oracle.norms[i]
    oracle.progress[0].ordered = 0


@njit(nogil=True, cache=True)
def sort_further(oracle, wanted):
    """Bring at least ``wanted`` rows in their order.

    Most answers need few rows, and to sort all of them would cost more than to look at those.
    """
    m, done = oracle.order.size, oracle.progress[0].ordered
    while done < wanted:
        more = min(m - done, max(_FIRST, 2 * done, wanted - done))
        rest, keys = oracle.order[done:], np.empty(m - done)
        for k in range(rest.size):
            keys[k] = oracle.keys[rest[k]]
        largest_first(keys, rest, more)
        done += more
    oracle.progress[0].ordered = done

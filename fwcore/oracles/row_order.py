"""The order in which oracles take rows."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.shuffle import draw_next
from fwcore.kernels.vectors import copy_into

_FIRST = 64


@njit(nogil=True, cache=True)
def shuffle(order, stream):
    """A uniformly random order."""
    for k in range(order.size):
        draw_next(order, k, stream)


@njit(nogil=True, cache=True)
def weigh(oracle, residual):
    """``keys`` = abs(r_i) ||x_i||, by which `sort_further` takes rows; none of them is in its place
    yet.
    """
    for i in range(residual.size):
        oracle.keys[i] = abs(residual[i]) * oracle.norms[i]
    return 0


@njit(nogil=True, cache=True)
def sort_further(oracle, done, wanted):
    """Bring at least ``wanted`` rows in decreasing order, ``done`` of them are; how many are now.

    Most answers need few rows, and to sort all of them would cost more than to look at those.
    """
    m = oracle.order.size
    while done < wanted:
        more = min(m - done, max(_FIRST, 2 * done, wanted - done))
        rest = oracle.order[done:]
        keys = -oracle.keys[rest]
        if more < rest.size:
            copy_into(rest[np.argpartition(keys, more)], rest)
            keys = -oracle.keys[rest]
        copy_into(rest[:more][np.argsort(keys[:more])], rest[:more])
        done += more
    return done

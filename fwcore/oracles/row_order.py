"""The order in which oracles take rows."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.stream import below

_FIRST = 64


@njit(nogil=True, cache=True)
def shuffle(order, stream):  # type: ignore[no-untyped-def]
    """A uniformly random order."""
    for k in range(order.size):
        other = k + below(stream, order.size - k)
        order[k], order[other] = order[other], order[k]


@njit(nogil=True, cache=True)
def weigh(held, residual):  # type: ignore[no-untyped-def]
    """``keys`` = abs(r_i) ||x_i||, by which `sort_further` takes rows; none of them is in its place yet."""
    for i in range(residual.size):
        held.keys[i] = abs(residual[i]) * held.norms[i]
    return 0


@njit(nogil=True, cache=True)
def sort_further(held, done, wanted):  # type: ignore[no-untyped-def]
    """Bring at least ``wanted`` rows in decreasing order, ``done`` of them are; how many are now.

    Most answers need few rows, and to sort all of them would cost more than to look at those.
    """
    m = held.order.size
    while done < wanted:
        more = min(m - done, max(_FIRST, 2 * done, wanted - done))
        rest = held.order[done:]
        keys = -held.keys[rest]
        if more < rest.size:
            rest[:] = rest[np.argpartition(keys, more)]
            keys = -held.keys[rest]
        rest[:more] = rest[:more][np.argsort(keys[:more])]
        done += more
    return done

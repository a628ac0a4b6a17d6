"""A reproducible stream of integers for kernels: SplitMix64 (Steele, Lea & Flood 2014).

numba's own generators keep their state in the thread, so a run that is paused and resumed by
another worker would not repeat. Here the state is one 64-bit word in an array that belongs to the
run.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


def new_stream(seed: int) -> NDArray[np.uint64]:
    """State of a stream, shape (1,); seeds are spread by NumPy's SeedSequence."""
    return np.random.SeedSequence(seed).generate_state(1, np.uint64).astype(np.uint64)


@njit(nogil=True, cache=True)
def uniform_int(stream, bound):
    """Uniform integer in [0, bound), 1 <= bound < 2^31; by multiplication, biased draws rejected
    (Lemire 2019).
    """
    while True:
        stream[0] += np.uint64(0x9E3779B97F4A7C15)
        z = stream[0]
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        product = ((z ^ (z >> np.uint64(31))) >> np.uint64(32)) * np.uint64(bound)
        low = product & np.uint64(0xFFFFFFFF)
        # The exact limit costs a division and is below bound, so that it is seldom asked for.
        if low >= np.uint64(bound) or low >= np.uint64(0x100000000) % np.uint64(bound):
            return np.int64(product >> np.uint64(32))

"""Four vectors at a time: where all have to be waited for, they come sooner together than one after
the other.
"""

from __future__ import annotations

from numba import njit

from fwcore.kernels.dispatch import FAST


@njit(nogil=True, cache=True, fastmath=FAST)
def dots_of_four(first, second, third, fourth, v):
    """The products of four vectors with ``v`` (n,)."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    for i in range(v.size):
        a += first[i] * v[i]
        b += second[i] * v[i]
        c += third[i] * v[i]
        d += fourth[i] * v[i]
    return a, b, c, d


@njit(nogil=True, inline="always")
def _four_of(places, at):
    """Four of the ``places``; the last takes the place of those that there are not."""
    last = places.size - 1
    j, k, n = min(at + 1, last), min(at + 2, last), min(at + 3, last)
    return places[at], places[j], places[k], places[n]


@njit(nogil=True, cache=True)
def add_dots(vectors, places, v, out):
    """out_k <- out_k + vectors_k'v for the k in ``places``; those of ``vectors`` are rows."""
    for at in range(0, places.size, 4):
        i, j, k, n = _four_of(places, at)
        dots = dots_of_four(vectors[i], vectors[j], vectors[k], vectors[n], v)
        for step in range(min(4, places.size - at)):
            out[places[at + step]] += dots[step]


@njit(nogil=True, cache=True)
def add_multiples(vectors, places, factors, out):
    """out <- out + the sum of factors_k vectors_k over the k in ``places``, shape (n,)."""
    for at in range(0, places.size, 4):
        i, j, k, n = _four_of(places, at)
        left = places.size - at
        b = factors[j] if left > 1 else 0.0
        c = factors[k] if left > 2 else 0.0
        d = factors[n] if left > 3 else 0.0
        _add_four((factors[i], b, c, d), vectors[i], vectors[j], vectors[k], vectors[n], out)


@njit(nogil=True, cache=True, fastmath=FAST)
def _add_four(multiples, first, second, third, fourth, out):
    a, b, c, d = multiples
    for i in range(out.size):
        out[i] += a * first[i] + b * second[i] + c * third[i] + d * fourth[i]

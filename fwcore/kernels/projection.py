"""Euclidean projection on the l1 ball in expected linear time (Duchi et al. 2008; Condat 2016)."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.vectors import copy_into


@njit(nogil=True, cache=True)
def _depth(v, top, radius, kept):
    """The t with sum_j max(t - d_j, 0) = radius, where d_j = top - abs(v_j) >= 0 is how far v_j is
    below the largest, ``top``.

    Of any set S of entries, (radius + sum_S d) / |S| bounds t from above. One pass keeps in
    ``kept`` (room of the shape of v) the entries below a bound that shrinks on the way (Condat
    2016); then those that the bound of all kept excludes leave, until none does (Michelot 1986).
    Distances from the largest, not the values themselves, since those may be huge next to the
    radius.
    """
    n, held, t = 0, 0.0, radius
    for j in range(v.size):
        d = top - abs(v[j])
        if d < t:
            kept[n] = d
            n += 1
            held += d
            t = min(t, (radius + held) / n)
    while True:
        left, held = 0, 0.0
        for k in range(n):
            if kept[k] < t:
                kept[left] = kept[k]
                held += kept[k]
                left += 1
        t = (radius + held) / left
        if left == n:
            return t
        n = left


@njit(nogil=True, cache=True)
def project_l1(v, radius, out):
    """out = argmin ||u - v|| subject to sum abs(u) <= radius, radius > 0; ``out`` (p,) must not be
    ``v``.
    """
    total, top = 0.0, 0.0
    for j in range(v.size):
        total += abs(v[j])
        top = max(top, abs(v[j]))
    if total <= radius:
        copy_into(v, out)
        return
    t = _depth(v, top, radius, out)
    for j in range(v.size):
        out[j] = np.sign(v[j]) * max(t - (top - abs(v[j])), 0.0)

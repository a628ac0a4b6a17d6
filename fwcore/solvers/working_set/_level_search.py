"""The level of the ball form: the lam at which the minimiser with a penalty has the l1 norm delta.

On a working set the norm falls as lam grows, in straight pieces for a parabola, so that a secant
comes near in two or three steps; a bracket keeps it from going astray. A ball that holds nothing
back has the level 0, of which it is enough to come near.
"""

from __future__ import annotations

from numba import njit

from fwcore.kernels.vectors import multiply, total_size

# No level is tried that is below this share of all before: a loss may have no minimum at 0.
_LOWER = 0.1


@njit(nogil=True, inline="always")
def begin_search(it):
    """Go to the level that is foreseen; (the highest that is too low, 0 where none is known, the
    lowest that is too high, the level before, its norm).
    """
    it.level = it.aim
    return 0.0, it.highest, it.highest, 0.0


@njit(nogil=True, inline="always")
def fits(level, off, enough):
    """Whether the norm is as it should be, up to ``enough`` of the gap."""
    return level * abs(off) <= enough if level > 0.0 else off <= 0.0


@njit(nogil=True, cache=True)
def next_level(it, radius, norm, search):
    """Go on from a level that gave ``norm``; what is known then, as `begin_search` has it."""
    low, high, before, norm_before = search
    level, off = it.level, norm - radius
    if (level - before) * (norm - norm_before) < 0.0:
        it.rate = (level - before) / (norm - norm_before)
    low, high = (level, high) if off > 0.0 else (low, level)
    new = level - off * it.rate
    if low == 0.0:
        new = max(new, _LOWER * level)
    it.level = new if low < new < high else 0.5 * (low + high)
    return low, high, level, norm


@njit(nogil=True, cache=True)
def shrink_into(coef, radius):
    """Scale coefficients that lie outside of the ball onto it."""
    norm = total_size(coef)
    if norm > radius:
        multiply(coef, radius / norm)

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
    lowest that is too high, the level before, its norm). A secant from a = 0 is taken where no
    other is known.
    """
    it.level = it.aim
    return 0.0, it.highest, it.highest if it.rate == 0.0 else it.level, 0.0


@njit(nogil=True, cache=True)
def learn(it, radius, norm, search):
    """Take the ``norm`` of the present level into account; what is known then, in the same way."""
    low, high, before, norm_before = search
    if (it.level - before) * (norm - norm_before) < 0.0:
        it.rate = (it.level - before) / (norm - norm_before)
    if norm > radius:
        return it.level, high, it.level, norm
    return low, it.level, it.level, norm


@njit(nogil=True, inline="always")
def fits(level, off, enough):
    """Whether the norm is as it should be, up to ``enough`` of the gap."""
    return level * abs(off) <= enough if level > 0.0 else off <= 0.0


@njit(nogil=True, cache=True)
def next_level(it, radius, search):
    """The level to go on with; the present one where rounding lets no other be told apart."""
    low, high, level, norm = search
    new = level - (norm - radius) * it.rate
    if it.rate != 0.0 and new == level:
        return level
    if low == 0.0:
        new = max(new, _LOWER * level)
    return new if low < new < high else 0.5 * (low + high)


@njit(nogil=True, cache=True)
def shrink_into(coef, radius):
    """Scale coefficients that lie outside of the ball onto it."""
    norm = total_size(coef)
    if norm > radius:
        multiply(coef, radius / norm)

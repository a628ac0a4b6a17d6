"""How many small gaps in a row end a point where a small one may be a matter of luck."""

from __future__ import annotations

import math

from numba import njit

# 6 / (pi^2 j^2) of the error for the j-th iterate that is examined: these sum to 1.
_LOG_SHARE = math.log(6.0 / math.pi**2)


@njit(nogil=True, cache=True)
def draws_in_streak(log_error, log_miss, streak):
    """The fewest draws N with N log_miss <= log(error * 6 / (pi^2 streak^2)), at least 1.

    ``log_miss`` is the logarithm of the probability that a draw misses what it should meet, -inf
    where none does.
    """
    wanted = (log_error + _LOG_SHARE - 2.0 * math.log(streak)) / log_miss
    return max(1, math.ceil(wanted * (1.0 - 1e-12)))

"""What a draw of columns misses, and how many draws miss nothing (Frandi et al. 2016, eqs. 11 and
12).
"""

from __future__ import annotations

import math

import numpy as np

from fwcore.errors import ParameterError
from fwcore.sampling.rules import OWNER, check_share

# As many factors are as quickly multiplied as looked up.
_MOST_FACTORS = 10**6


def log_miss(p: int, kappa: int, columns: int, *, replace: bool = False) -> float:
    """Logarithm of the probability that kappa of p columns hold none of ``columns`` given ones;
    -inf where they cannot miss them all.

    That of `miss_probability`, or kappa ln(1 - columns / p) where columns are drawn with
    replacement. A sum of the logarithms of its factors: a difference of factorials has no digits
    left for large p.

    >>> round(math.exp(log_miss(100, 2, 10)), 4)
    0.8091
    """
    if replace:
        return kappa * math.log1p(-columns / p) if columns < p else -math.inf
    few, many = sorted((kappa, columns))
    if few + many > p:
        return -math.inf
    if few > _MOST_FACTORS:
        from scipy.special import gammaln

        return float(
            gammaln(p - few + 1)
            - gammaln(p - few - many + 1)
            - gammaln(p + 1)
            + gammaln(p - many + 1)
        )
    return float(np.log1p(-many / (p - np.arange(few, dtype=np.float64))).sum())


def miss_probability(p: int, kappa: int, relevant: int) -> float:
    """P(none of ``relevant`` columns is among ``kappa`` drawn from p without replacement) (eq. 11).

    C(p - s, kappa) / C(p, kappa), at most (1 - s / p)^kappa, the bound from which eq. 12 follows.

    >>> round(miss_probability(10_000, 100, 32), 3)
    0.725
    """
    return float(min(1.0, math.exp(log_miss(p, kappa, relevant))))


def draws_to_certify(
    p: int, kappa: int, rho: float, columns: int = 1, *, replace: bool = False, streak: int = 0
) -> int:
    """The fewest draws of kappa columns that all miss ``columns`` given ones with a probability of
    at most 1 - rho.

    If so many draws at one iterate all have a sampled gap of at most eps, then with confidence rho
    fewer than ``columns`` columns have a vertex whose gap is larger: the smallest N with q^N <= 1 -
    rho, where q is `miss_probability` (Frandi et al. 2016, eq. 11), or (1 - columns / p)^kappa
    where they are drawn with replacement (eq. 12). For one column N * kappa exceeds p by far where
    kappa is small: a full pass is cheaper then, and certain.

    A run examines many iterates, and each may end it by chance. With ``streak`` = j the j-th of
    them gets the share 6 / (pi^2 j^2) of 1 - rho, so that all of them together end it too early
    with a probability of at most 1 - rho: what the option ``certify`` of ``sfw`` waits for.

    Raises
    ------
    ParameterError
        rho is not in (0, 1), or kappa or columns not in [1, p].

    >>> draws_to_certify(10_000, 100, 0.95)
    299
    """
    check_share("rho", rho)
    for name, value in (("kappa", kappa), ("columns", columns)):
        if not 1 <= value <= p:
            raise ParameterError(name, OWNER, f"an int in [1, {p}]", value)
    if streak < 0:
        raise ParameterError("streak", OWNER, "an int of at least 0", streak)
    log_q = log_miss(p, kappa, columns, replace=replace)
    if streak:
        # numba takes long to import, and rules alone do not need it.
        from fwcore.kernels.streaks import draws_in_streak

        return int(draws_in_streak(math.log1p(-rho), log_q, streak))
    return max(1, math.ceil(math.log1p(-rho) / log_q * (1 - 1e-12)))

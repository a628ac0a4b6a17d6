"""Means and norms of products from two passes: over them, and over those of squared features."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design.common import sealed
from fwcore.design.passes import full_pass
from fwcore.design.primitives import col_moments
from fwcore.design.products import Products
from fwcore.kernels.lanes import lined_zeros
from fwcore.kernels.types import Floats

# A variance is the difference of two sums; one below this share of them has lost digits.
_CANCELS = 0.1
# Sums of squares below it have lost digits in them.
_SMALL = 1e-280


def moments(design: Products) -> tuple[Floats, Floats]:
    """See `Products.moments`."""
    m, p = design.shape
    plain = sealed(design._replace(offset=np.zeros(p), scale=np.ones(p)))
    squares = lined_zeros(design.base.shape[0], design.base.shape[1], np.float64)
    # Where a square is not finite, the sums of its columns are made once more, one by one.
    with np.errstate(over="ignore"):
        np.square(design.base, out=squares)
    ones, mean, norm = np.ones(m), np.empty(p), np.empty(p)
    full_pass(plain, ones, float(m), mean)
    full_pass(sealed(plain._replace(base=squares)), ones, float(m), norm)
    _finish(design, m, mean, norm)
    return mean, norm


@njit(nogil=True, cache=True)
def _finish(design, m, mean, norm):
    """From the sums of the columns and of their squares to means and norms, in place."""
    for j in range(mean.size):
        centre = mean[j] / m
        spread = norm[j] - m * centre * centre
        if spread > max(_CANCELS * norm[j], _SMALL):
            mean[j], norm[j] = centre, np.sqrt(spread)
        else:
            mean[j], norm[j] = col_moments(design, j)

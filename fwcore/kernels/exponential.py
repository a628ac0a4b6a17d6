"""The exponential function in plain arithmetic, of which compilers take several at once."""

from __future__ import annotations

import numpy as np
from numba import njit

_PER_OCTAVE = 1.4426950408889634
# log 2 in two parts, the first with so few digits that its multiples are exact.
_OCTAVE, _REST = 6.93145751953125e-1, 1.42860682030941723212e-6
# Below it there are no normal numbers.
_LEAST = -708.0
_BIAS, _MANTISSA = 1023, 52


# Sums keep their order here, whatever the kernels that call it allow themselves.
@njit(nogil=True, cache=True, fastmath={"contract"}, forceinline=True)
def exp_of_negative(x):
    """exp(x) of x <= 0 to the last digit or the one before; of x < -708 that of -708.

    With k the integer nearest to x / log 2 it is 2^k exp(x - k log 2), the latter by its Taylor
    series to the 13th power, whose remainder is below 1e-17. NaN stays NaN.
    """
    x = _LEAST if x < _LEAST else x
    k = np.floor(x * _PER_OCTAVE + 0.5)
    r = x - k * _OCTAVE - k * _REST
    value = 1.0 / 6227020800.0
    value = value * r + 1.0 / 479001600.0
    value = value * r + 1.0 / 39916800.0
    value = value * r + 1.0 / 3628800.0
    value = value * r + 1.0 / 362880.0
    value = value * r + 1.0 / 40320.0
    value = value * r + 1.0 / 5040.0
    value = value * r + 1.0 / 720.0
    value = value * r + 1.0 / 120.0
    value = value * r + 1.0 / 24.0
    value = value * r + 1.0 / 6.0
    value = value * r + 0.5
    value = value * r + 1.0
    value = value * r + 1.0
    return value * np.int64((np.int64(k) + _BIAS) << _MANTISSA).view(np.float64)

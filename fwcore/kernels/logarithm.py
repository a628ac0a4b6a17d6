"""The logarithm in plain arithmetic, of which compilers take several at once."""

from __future__ import annotations

import numpy as np
from numba import njit

# log 2 in two parts, the first with so few digits that its multiples are exact.
_OCTAVE, _REST = 6.93145751953125e-1, 1.42860682030941723212e-6
_BIAS, _MANTISSA = 1023, 52
_FRACTION, _ONE = (1 << _MANTISSA) - 1, _BIAS << _MANTISSA
_ROOT = 1.4142135623730951


# Sums keep their order here, whatever the kernels that call it allow themselves.
@njit(nogil=True, cache=True, fastmath={"contract"}, forceinline=True, error_model="numpy")
def log_of_share(x):
    """log(x) of x in [0, 1] to the last digits; of x below the normal numbers, 0 among them, a
    number near -709. NaN does not stay NaN.

    With x = 2^k (1 + f) / (1 - f) and abs(f) < 0.172 it is k log 2 + 2 (f + f^3 / 3 + ...), to the
    21st power, whose remainder is below 1e-17.
    """
    bits = np.float64(x).view(np.int64)
    k = (bits >> _MANTISSA) - _BIAS
    part = np.int64((bits & _FRACTION) | _ONE).view(np.float64)
    high = part > _ROOT
    part = 0.5 * part if high else part
    octaves = np.float64(k + 1 if high else k)
    f = (part - 1.0) / (part + 1.0)
    s = f * f
    value = 1.0 / 21.0
    value = value * s + 1.0 / 19.0
    value = value * s + 1.0 / 17.0
    value = value * s + 1.0 / 15.0
    value = value * s + 1.0 / 13.0
    value = value * s + 1.0 / 11.0
    value = value * s + 1.0 / 9.0
    value = value * s + 1.0 / 7.0
    value = value * s + 1.0 / 5.0
    value = value * s + 1.0 / 3.0
    return octaves * _OCTAVE + (octaves * _REST + 2.0 * (f + f * s * value))

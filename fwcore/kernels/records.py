"""Records of numbers, of which kernels and Python write single fields."""

from __future__ import annotations

from typing import Any

import numpy as np


def zero_records(n: int, dtype: np.dtype[Any]) -> Any:
    """``n`` records of zeros, of the ``dtype``, which holds no objects."""
    # `numpy.zeros` looks at each field: of fifty that takes as long as a point of a small path.
    return np.ndarray(n, dtype, bytearray(n * dtype.itemsize))

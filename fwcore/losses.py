"""Losses l(u, y) of a prediction u, summed over samples.

Each has ``value``, ``derivative`` in u and ``curvature``, a bound on the second derivative.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fwcore.design import Floats


class Squared(NamedTuple):
    """l(u, y) = 1/2 (u - y)^2."""

    name: str = "squared"
    curvature: float = 1.0

    def value(self, prediction: Floats, y: Floats) -> float:
        """sum_i 1/2 (u_i - y_i)^2; both of shape (m,)."""
        residual = prediction - y
        return 0.5 * float(residual @ residual)

    def derivative(self, prediction: Floats, y: Floats) -> Floats:
        """u - y, shape (m,)."""
        return np.asarray(prediction - y)


LOSSES = {"squared": Squared()}

"""What is known of a problem before any column has a coefficient."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from fwcore.design import sealed
from fwcore.kernels.types import Floats

_NOTHING = np.zeros(0, np.int64), np.zeros(0)


class ProblemStart:
    """The part of `fwcore.problem.Problem` that is about a = 0, where every path begins."""

    @cached_property
    def at_zero(self: Any) -> tuple[Floats, Floats]:
        """Predictions and residual of a = 0, of shape (m,); not to be written to."""
        fitted = self.fitted(*_NOTHING)
        residual = -self.loss.derivative(fitted, self.y)
        return sealed((fitted, residual))

    @cached_property
    def f0(self: Any) -> float:
        """f(0), the unit of relative gaps: 1/2 ||y||^2, or m log 2 without an intercept."""
        return float(self.loss.value(self.at_zero[0], self.y))

    @cached_property
    def lam_max(self: Any) -> float:
        """max abs(f'(0)), the smallest lam whose penalised solution is zero: max abs(X'y) of the
        squared loss, half of it of the logistic loss without intercept. With a >= 0, max(-f'(0)).
        """

        def correlate(v: Floats) -> Floats:
            return np.asarray(-self.gradient(v))

        if self.unpenalised.any:
            return float(self.steepest(self.gradient(self.at_zero[1])))
        return float(self.steepest(-self.loss.initial_slope(self.sigma, self.y, correlate)))

"""Gaps as methods see them, inside their kernels; what is compared comes from the judge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.extending import overload

from fwcore.losses import Logistic, Squared


def dual_at(loss, residual, y, ones, shrink):  # type: ignore[no-untyped-def]
    """Dual value of shrink * (residual - ones); see `fwcore.losses`."""
    raise TypeError("dual_at is for compiled kernels; use loss.dual")


@overload(dual_at, jit_options={"nogil": True}, strict=False)
def _dual_at(loss, residual, y, ones, shrink):  # type: ignore[no-untyped-def]
    kind: Any = getattr(loss, "instance_class", None)
    if kind is Squared:

        def squared(loss, residual, y, ones, shrink):  # type: ignore[no-untyped-def]
            square, product = 0.0, 0.0
            for i in range(y.size):
                r = residual[i] - ones
                square += r * r
                product += r * y[i]
            return shrink * product - 0.5 * shrink * shrink * square

        return squared
    if kind is not Logistic:
        return None

    def logistic(loss, residual, y, ones, shrink):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in range(y.size):
            t = min(max(shrink * y[i] * residual[i], 0.0), 1.0)
            if 0.0 < t < 1.0:
                total -= t * np.log(t) + (1.0 - t) * np.log(1.0 - t)
        return total

    return logistic


@njit(nogil=True, cache=True)
def penalty_gap(loss, y, residual, residual_sum, y_sum, objective, lam, l1, steepest):  # type: ignore[no-untyped-def]
    """Duality gap where f(a) = objective and ``steepest`` = max abs(X'R); ``residual`` is the stored part of R."""
    shrink = min(1.0, lam / steepest) if steepest > 0.0 else 1.0
    ones = (residual_sum - y_sum) / y.size
    return objective + lam * l1 - dual_at(loss, residual, y, ones, shrink)

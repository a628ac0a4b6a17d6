"""Losses l(u, y) of a prediction u, summed over samples.

Each is a NamedTuple that kernels take as an argument: `loss_at`, `descent_at` and `dual_at` are compiled for its type. Of a whole
vector of predictions ``value``, ``derivative`` and ``dual`` are the same things.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, xlogy

from fwcore.design import Floats
from fwcore.dispatch import compiled_only, implements


class Squared(NamedTuple):
    """l(u, y) = 1/2 (u - y)^2. ``curvature`` bounds the second derivative in u; ``first`` = -l'(0, y) / y."""

    curvature: float = 1.0
    first: float = 1.0

    @property
    def name(self) -> str:
        """How it is called."""
        return "squared"

    def value(self, prediction: Floats, y: Floats) -> float:
        """sum_i 1/2 (u_i - y_i)^2; both of shape (m,)."""
        residual = prediction - y
        return 0.5 * float(residual @ residual)

    def derivative(self, prediction: Floats, y: Floats) -> Floats:
        """u - y, shape (m,)."""
        return np.asarray(prediction - y)

    def dual(self, residual: Floats, y: Floats, shrink: float) -> float:
        """Dual value of shrink * R, where R = -l'(u): shrink R'y - 1/2 shrink^2 ||R||^2."""
        return shrink * float(residual @ y) - 0.5 * shrink**2 * float(residual @ residual)

    def error(self, prediction: Floats, y: Floats) -> float:
        """Mean squared error."""
        return float(np.mean((prediction - y) ** 2))


class Logistic(NamedTuple):
    """l(u, y) = log(1 + exp(-y u)) for y in {-1, +1}; ``curvature`` and ``first`` as of `Squared`."""

    curvature: float = 0.25
    first: float = 0.5

    @property
    def name(self) -> str:
        """How it is called."""
        return "logistic"

    def value(self, prediction: Floats, y: Floats) -> float:
        """sum_i log(1 + exp(-y_i u_i)); both of shape (m,)."""
        return float(np.logaddexp(0.0, -y * prediction).sum())

    def derivative(self, prediction: Floats, y: Floats) -> Floats:
        """-y / (1 + exp(y u)), shape (m,)."""
        return np.asarray(-y * expit(-y * prediction))

    def dual(self, residual: Floats, y: Floats, shrink: float) -> float:
        """Dual value of shrink * R, where R = -l'(u): -sum_i (t log t + (1 - t) log(1 - t)), t = shrink * y_i R_i in [0, 1]."""
        t = np.clip(shrink * y * residual, 0.0, 1.0)
        return -float((xlogy(t, t) + xlogy(1.0 - t, 1.0 - t)).sum())

    def error(self, prediction: Floats, y: Floats) -> float:
        """Share of the samples on the wrong side; a prediction of 0 counts as one."""
        return float(np.mean(prediction * y <= 0.0))


Loss: TypeAlias = Squared | Logistic
LOSSES: dict[str, Loss] = {"squared": Squared(), "logistic": Logistic()}


def loss_at(loss, u, y):  # type: ignore[no-untyped-def]
    """l(u, y) of one sample."""
    raise compiled_only("loss_at")


def descent_at(loss, u, y):  # type: ignore[no-untyped-def]
    """-l'(u, y) of one sample: the residual y - u of the squared loss."""
    raise compiled_only("descent_at")


def dual_at(loss, r, y, shrink):  # type: ignore[no-untyped-def]
    """What one sample with r = -l'(u, y) adds to the dual value of shrink * r."""
    raise compiled_only("dual_at")


@implements(loss_at, Squared)
def _squared(loss, u, y):  # type: ignore[no-untyped-def]
    return 0.5 * (u - y) * (u - y)


@implements(descent_at, Squared)
def _squared_descent(loss, u, y):  # type: ignore[no-untyped-def]
    return y - u


@implements(dual_at, Squared)
def _squared_dual(loss, r, y, shrink):  # type: ignore[no-untyped-def]
    return shrink * r * y - 0.5 * shrink * shrink * r * r


@implements(loss_at, Logistic)
def _logistic(loss, u, y):  # type: ignore[no-untyped-def]
    margin = y * u
    # The exponential of a positive number may overflow.
    return np.log1p(np.exp(-margin)) if margin > 0.0 else np.log1p(np.exp(margin)) - margin


@implements(descent_at, Logistic)
def _logistic_descent(loss, u, y):  # type: ignore[no-untyped-def]
    margin = y * u
    if margin > 0.0:
        small = np.exp(-margin)
        return y * small / (1.0 + small)
    return y / (1.0 + np.exp(margin))


@implements(dual_at, Logistic)
def _logistic_dual(loss, r, y, shrink):  # type: ignore[no-untyped-def]
    t = min(max(shrink * y * r, 0.0), 1.0)
    return -t * np.log(t) - (1.0 - t) * np.log(1.0 - t) if 0.0 < t < 1.0 else 0.0

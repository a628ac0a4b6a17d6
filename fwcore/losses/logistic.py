"""The logistic loss of two classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import FAST, implements
from fwcore.kernels.exponential import exp_of_negative
from fwcore.kernels.logarithm import log_of_share
from fwcore.kernels.types import Floats
from fwcore.losses.base import (
    Correlate,
    curvature_at,
    dual_at,
    dual_of,
    is_parabola,
    is_separable,
    loss_and_residual,
    loss_at,
    negative_derivative_at,
    refuse_options,
    summed,
)

# Factors of at most 2, whose product does not overflow.
_FACTORS = 512


class _LogisticFields(NamedTuple):
    """What kernels read."""

    curvature_bound: float = 0.25


class Logistic(_LogisticFields):
    """l(u, y) = log(1 + exp(-y u)) for y in {-1, +1}; see `fwcore.losses.base.Loss`."""

    __slots__ = ()

    name = "logistic"
    formula = "<i>f</i>(<i>a</i>) = Σ log(1 + exp(−<i>y<sub>i</sub> x<sub>i</sub></i>'<i>a</i>))"
    tex = r"f(a) = \sum_i \log(1 + \exp(-y_i x_i^\top a))"
    error_name = "share misclassified"
    error_formula = r"\frac1m \#\{i : y_i u_i \le 0\}"
    error_unit = "a share of the rows"
    error_power = 0
    option = ""
    response = "-1 or +1 in every row"
    centred = False
    closed_line_search = False
    separable = True

    @property
    def text(self) -> str:
        return self.name

    @classmethod
    def parse(cls, options: str) -> Logistic:
        refuse_options(cls.name, options)
        return cls()

    def takes(self, y: Floats) -> bool:
        return bool((np.abs(y) == 1.0).all())

    def units(self, y: Floats) -> tuple[float, float]:
        return 0.0, 1.0

    def fitted(self, y: Floats, scale: float, weights: Floats | None = None) -> Logistic:
        return self

    def value(self, prediction: Floats, y: Floats, weights: Floats | None = None) -> float:
        """sum_i log(1 + exp(-y_i u_i))."""
        return summed(np.logaddexp(0.0, -y * prediction), weights)

    def derivative(self, prediction: Floats, y: Floats) -> Floats:
        """-y / (1 + exp(y u))."""
        from scipy.special import expit

        return np.asarray(-y * expit(-y * prediction))

    def dual(
        self, residual: Floats, y: Floats, shrink: float, weights: Floats | None = None
    ) -> float:
        """-sum_i (t log t + (1 - t) log(1 - t)), t = shrink * y_i R_i in [0, 1]."""
        from scipy.special import xlogy

        t = np.clip(shrink * y * residual, 0.0, 1.0)
        return -summed(xlogy(t, t) + xlogy(1.0 - t, 1.0 - t), weights)

    def initial_slope(self, sigma: Floats, y: Floats, correlate: Correlate) -> Floats:
        return 0.5 * sigma

    def error(self, prediction: Floats, y: Floats) -> float:
        """Share of the samples on the wrong side; a prediction of 0 counts as one."""
        return float(np.mean(prediction * y <= 0.0))


@implements(loss_at, Logistic)
def _loss(loss, u, y):
    margin = y * u
    # The exponential of a positive number may overflow.
    return np.log1p(np.exp(-margin)) if margin > 0.0 else np.log1p(np.exp(margin)) - margin


@implements(negative_derivative_at, Logistic)
def _negative_derivative(loss, u, y):
    margin = y * u
    if margin > 0.0:
        small = np.exp(-margin)
        return y * small / (1.0 + small)
    return y / (1.0 + np.exp(margin))


@implements(curvature_at, Logistic)
def _curvature(loss, u, y, r):
    return abs(r) * (1.0 - abs(r))


@implements(dual_at, Logistic)
def _dual(loss, r, y, shrink):
    t = min(max(shrink * y * r, 0.0), 1.0)
    return -t * np.log(t) - (1.0 - t) * np.log(1.0 - t) if 0.0 < t < 1.0 else 0.0


@implements(dual_of, Logistic)
def _dual_of(loss, residual, ones, y, shrink):
    """Two logarithms a sample, several at once."""
    value = 0.0
    for i in range(y.size):
        t = min(max(shrink * y[i] * (residual[i] - ones), 0.0), 1.0)
        value -= t * log_of_share(t) + (1.0 - t) * log_of_share(1.0 - t)
    return value


# A division that could raise an error would have samples go one by one.
@njit(nogil=True, cache=True, fastmath=FAST, error_model="numpy")
def _part(prediction, y, residual):
    """The loss of at most `_FACTORS` samples, several at once."""
    product, wrong = 1.0, 0.0
    for i in range(y.size):
        margin = y[i] * prediction[i]
        small = exp_of_negative(-abs(margin))
        product *= 1.0 + small
        wrong += margin if margin < 0.0 else 0.0
        residual[i] = y[i] * (small if margin > 0.0 else 1.0) / (1.0 + small)
    return np.log(product) - wrong


@implements(loss_and_residual, Logistic)
def _loss_and_residual(loss, prediction, y, residual):
    """One exponential a sample; one logarithm of many, of the product of their 1 + exp(-|y u|)."""
    value = 0.0
    for first in range(0, y.size, _FACTORS):
        part = slice(first, first + _FACTORS)
        value += _part(prediction[part], y[part], residual[part])
    return value


@implements(is_parabola, Logistic)
def _is_parabola(loss):
    return False


@implements(is_separable, Logistic)
def _is_separable(loss):
    return True

"""The squared loss."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fwcore.kernels.dispatch import implements
from fwcore.kernels.types import Floats
from fwcore.losses.base import (
    Correlate,
    curvature_at,
    dual_at,
    is_parabola,
    is_separable,
    loss_at,
    negative_derivative_at,
    refuse_options,
    times,
)


class _SquaredFields(NamedTuple):
    """What kernels read."""

    curvature_bound: float = 1.0


class Squared(_SquaredFields):
    """l(u, y) = 1/2 (u - y)^2; see `fwcore.losses.base.Loss`."""

    __slots__ = ()

    name = "squared"
    formula = "<i>f</i>(<i>a</i>) = ½‖<i>Xa</i> − <i>y</i>‖²"
    tex = r"f(a) = \tfrac12 \|X a - y\|^2"
    error_name = "mean squared error"
    error_formula = r"\frac1m \sum_i (u_i - y_i)^2"
    error_unit = "the unit of y, squared"
    error_power = 2
    option = ""
    response = "numbers"
    centred = True
    closed_line_search = True
    separable = False

    @property
    def text(self) -> str:
        return self.name

    @classmethod
    def parse(cls, options: str) -> Squared:
        refuse_options(cls.name, options)
        return cls()

    def takes(self, y: Floats) -> bool:
        return True

    def units(self, y: Floats) -> tuple[float, float]:
        return float(y.mean()), float(np.sqrt(y.size))

    def fitted(self, y: Floats, scale: float, weights: Floats | None = None) -> Squared:
        return self

    def value(self, prediction: Floats, y: Floats, weights: Floats | None = None) -> float:
        """sum_i 1/2 (u_i - y_i)^2."""
        residual = prediction - y
        return 0.5 * float(times(residual, weights) @ residual)

    def derivative(self, prediction: Floats, y: Floats) -> Floats:
        """u - y."""
        return np.asarray(prediction - y)

    def dual(
        self, residual: Floats, y: Floats, shrink: float, weights: Floats | None = None
    ) -> float:
        """shrink R'y - 1/2 shrink^2 ||R||^2."""
        left = times(residual, weights)
        return shrink * float(left @ y) - 0.5 * shrink**2 * float(left @ residual)

    def initial_slope(self, sigma: Floats, y: Floats, correlate: Correlate) -> Floats:
        return sigma

    def error(self, prediction: Floats, y: Floats) -> float:
        """Mean squared error."""
        return float(np.mean((prediction - y) ** 2))


@implements(loss_at, Squared)
def _loss(loss, u, y):
    return 0.5 * (u - y) * (u - y)


@implements(negative_derivative_at, Squared)
def _negative_derivative(loss, u, y):
    return y - u


@implements(curvature_at, Squared)
def _curvature(loss, u, y, r):
    return 1.0


@implements(dual_at, Squared)
def _dual(loss, r, y, shrink):
    return shrink * r * y - 0.5 * shrink * shrink * r * r


@implements(is_parabola, Squared)
def _is_parabola(loss):
    return True


@implements(is_separable, Squared)
def _is_separable(loss):
    return False

"""The Huber loss: squared near the response, absolute where it is far off."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fwcore.errors import ParameterError
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
    summed,
    times,
)

# Of a normal sample, 1.4826 times the median absolute deviation is the standard deviation.
_NORMAL = 1.482602218505602
_THRESHOLD = 1.345
# Sums of weights that differ by less are half of all.
_EVEN = 1e-12


class _HuberFields(NamedTuple):
    """What kernels read."""

    curvature_bound: float = 1.0
    threshold: float = _THRESHOLD
    multiple: float = _THRESHOLD


class Huber(_HuberFields):
    """l(u, y) = 1/2 r^2 where abs(r) <= t, else t abs(r) - 1/2 t^2, with r = y - u (Huber 1964).

    ``threshold`` is t in the scale of the solvers. ``multiple`` is t in units of a robust scale of
    y, 1.4826 times its median absolute deviation from its median; the default of 1.345 has 95 % of
    the efficiency of least squares on normal errors. y is centred at its median. Columns are not
    centred: an intercept is asked for by `Problem.from_arrays`.
    """

    __slots__ = ()

    name = "huber"
    formula = (
        "<i>f</i>(<i>a</i>) = Σ <i>h</i>(<i>y<sub>i</sub></i> − <i>x<sub>i</sub></i>'<i>a</i>)"
    )
    tex = r"f(a) = \sum_i h_t(y_i - x_i^\top a)"
    error_name = "mean absolute error"
    error_formula = r"\frac1m \sum_i |u_i - y_i|"
    error_unit = "the unit of y"
    error_power = 1
    option = "Threshold, in robust scales of y"
    response = "numbers"
    centred = False
    closed_line_search = False
    separable = False

    @property
    def text(self) -> str:
        return self.name if self.multiple == _THRESHOLD else f"{self.name}:{self.multiple:.10g}"

    @classmethod
    def parse(cls, options: str) -> Huber:
        try:
            multiple = float(options) if options else _THRESHOLD
        except ValueError:
            multiple = float("nan")
        if not 0.0 < multiple < float("inf"):
            rule = "'huber' or 'huber:T' with a positive threshold T"
            raise ParameterError("loss", "Problem", rule, f"huber:{options}")
        return cls(1.0, multiple, multiple)

    def takes(self, y: Floats) -> bool:
        return True

    def units(self, y: Floats) -> tuple[float, float]:
        return float(np.median(y)), float(np.sqrt(y.size))

    def fitted(self, y: Floats, scale: float, weights: Floats | None = None) -> Huber:
        deviations = np.abs(y - _median(y, weights))
        spread = _NORMAL * _median(deviations, weights)
        # Where more than half of y is alike, the mean deviation is the next best measure; where
        # all is, its size.
        spread = spread or float(np.average(deviations, weights=weights)) or float(abs(y).max())
        return self._replace(threshold=self.multiple * spread / scale)

    def value(self, prediction: Floats, y: Floats, weights: Floats | None = None) -> float:
        """sum_i h_t(y_i - u_i)."""
        size = np.abs(y - prediction)
        near = np.minimum(size, self.threshold)
        return summed(near * (size - 0.5 * near), weights)

    def derivative(self, prediction: Floats, y: Floats) -> Floats:
        """u - y, cut off at -t and t."""
        return np.clip(prediction - y, -self.threshold, self.threshold)

    def dual(
        self, residual: Floats, y: Floats, shrink: float, weights: Floats | None = None
    ) -> float:
        """shrink R'y - 1/2 shrink^2 ||R||^2, as of the squared loss: no entry of R exceeds t."""
        left = times(residual, weights)
        return shrink * float(left @ y) - 0.5 * shrink**2 * float(left @ residual)

    def initial_slope(self, sigma: Floats, y: Floats, correlate: Correlate) -> Floats:
        return correlate(np.clip(y, -self.threshold, self.threshold))

    def error(self, prediction: Floats, y: Floats) -> float:
        """Mean absolute error."""
        return float(np.mean(np.abs(prediction - y)))


def _median(values: Floats, weights: Floats | None) -> float:
    """The median, in which a value of weight 2 counts as two."""
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order]) / weights.sum()
    first = int(np.searchsorted(below, 0.5 - _EVEN))
    after = first + int(below[first] <= 0.5 + _EVEN)
    return float(0.5 * (values[order[first]] + values[order[min(after, values.size - 1)]]))


@implements(loss_at, Huber)
def _loss(loss, u, y):
    size = abs(y - u)
    near = min(size, loss.threshold)
    return near * (size - 0.5 * near)


@implements(negative_derivative_at, Huber)
def _negative_derivative(loss, u, y):
    return min(max(y - u, -loss.threshold), loss.threshold)


@implements(curvature_at, Huber)
def _curvature(loss, u, y, r):
    return 1.0 if abs(r) < loss.threshold else 0.0


@implements(dual_at, Huber)
def _dual(loss, r, y, shrink):
    return shrink * r * y - 0.5 * shrink * shrink * r * r


@implements(is_parabola, Huber)
def _is_parabola(loss):
    return False


@implements(is_separable, Huber)
def _is_separable(loss):
    return False

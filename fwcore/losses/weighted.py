"""A loss whose samples have weights."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np

from fwcore.kernels.dispatch import implements
from fwcore.kernels.types import Floats
from fwcore.losses.base import (
    Correlate,
    Loss,
    curvature_at,
    curvature_bound_at,
    dual_at,
    is_parabola,
    is_separable,
    loss_at,
    negative_derivative_at,
    times,
)

SAMPLE = np.dtype([("response", np.float64), ("weight", np.float64)])


class _WeightedFields(NamedTuple):
    """What kernels read."""

    curvature_bound: float
    base: Any
    weights: Floats


class Weighted(_WeightedFields):
    """f = sum_i w_i l(u_i, y_i), with w_i > 0 and l another loss; see `fwcore.losses.base.Loss`.

    Made by `fwcore.Problem.from_arrays`, not by name. Kernels get a record of a response and its
    weight in the place of y_i (`samples`). No column is centred: an intercept is asked for. Errors
    are those of the other loss, without weights, since test rows have none.
    """

    __slots__ = ()

    name = "weighted"
    option = ""
    centred = False
    closed_line_search = False

    @classmethod
    def of(cls, base: Loss, weights: Floats) -> Weighted:
        """``base`` with ``weights`` of shape (m,), positive."""
        return cls(base.curvature_bound * float(weights.max()), base, weights)

    @property
    def formula(self) -> str:
        return f"{self.base.formula}, with weights of the rows"

    @property
    def tex(self) -> str:
        return rf"{self.base.tex} \text{{, with weights of the rows}}"

    @property
    def error_name(self) -> str:
        return str(self.base.error_name)

    @property
    def error_formula(self) -> str:
        return str(self.base.error_formula)

    @property
    def error_unit(self) -> str:
        return str(self.base.error_unit)

    @property
    def error_power(self) -> int:
        return int(self.base.error_power)

    @property
    def response(self) -> str:
        return str(self.base.response)

    @property
    def separable(self) -> bool:
        return bool(self.base.separable)

    @property
    def text(self) -> str:
        """The loss, and a digest of the weights: no text gives them back."""
        told = hashlib.blake2b(np.ascontiguousarray(self.weights).data, digest_size=8)
        return f"{self.base.text}, weights {told.hexdigest()}"

    def samples(self, y: Floats) -> Any:
        """What kernels get for the response y, shape (m,)."""
        records = np.empty(y.size, SAMPLE)
        records["response"], records["weight"] = y, self.weights
        return records

    def takes(self, y: Floats) -> bool:
        return bool(self.base.takes(y))

    def units(self, y: Floats) -> tuple[float, float]:
        offset, scale = self.base.units(y)
        return offset, scale

    def fitted(self, y: Floats, scale: float, weights: Floats | None = None) -> Weighted:
        return self._replace(base=self.base.fitted(y, scale, times(self.weights, weights)))

    def value(self, prediction: Floats, y: Floats, weights: Floats | None = None) -> float:
        """sum_i w_i l(u_i, y_i)."""
        return float(self.base.value(prediction, y, times(self.weights, weights)))

    def derivative(self, prediction: Floats, y: Floats) -> Floats:
        """w_i l'(u_i, y_i)."""
        return np.asarray(self.weights * self.base.derivative(prediction, y))

    def dual(
        self, residual: Floats, y: Floats, shrink: float, weights: Floats | None = None
    ) -> float:
        """Dual value of shrink * R, R_i = -w_i l'(u_i)."""
        each = times(self.weights, weights)
        return float(self.base.dual(residual / self.weights, y, shrink, each))

    def initial_slope(self, sigma: Floats, y: Floats, correlate: Correlate) -> Floats:
        return correlate(-self.derivative(np.zeros(y.size), y))

    def error(self, prediction: Floats, y: Floats) -> float:
        return float(self.base.error(prediction, y))


@implements(loss_at, Weighted)
def _loss(loss, u, y):
    return y.weight * loss_at(loss.base, u, y.response)


@implements(negative_derivative_at, Weighted)
def _negative_derivative(loss, u, y):
    return y.weight * negative_derivative_at(loss.base, u, y.response)


@implements(curvature_at, Weighted)
def _curvature(loss, u, y, r):
    # r / w may be rounded to the other side of a kink.
    plain = negative_derivative_at(loss.base, u, y.response)
    return y.weight * curvature_at(loss.base, u, y.response, plain)


@implements(curvature_bound_at, Weighted)
def _curvature_bound(loss, y):
    return y.weight * loss.base.curvature_bound


@implements(dual_at, Weighted)
def _dual(loss, r, y, shrink):
    return y.weight * dual_at(loss.base, r / y.weight, y.response, shrink)


@implements(is_parabola, Weighted)
def _is_parabola(loss):
    return False


@implements(is_separable, Weighted)
def _is_separable(loss):
    return is_separable(loss.base)

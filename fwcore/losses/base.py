"""What a loss l(u, y) of a prediction u is, and the primitives that kernels call on it.

A loss is a NamedTuple that kernels take as an argument. The primitives are compiled for its type;
the methods of the class are the same functions of whole vectors, which the judge uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from fwcore.errors import ParameterError
from fwcore.kernels.dispatch import compiled_only, otherwise
from fwcore.kernels.types import Floats

Correlate = Callable[[Floats], Floats]


class Loss(Protocol):
    """One loss, summed over samples: f(a) = sum_i l(x_i'a, y_i).

    Attributes
    ----------
    name : str
        How it is called in a call, on the command line and in a URL.
    formula, tex : str
        f(a) for the page, as HTML, and for print.
    error_name, error_formula, error_unit : str
        What `error` is called, its formula in TeX, and its unit in terms of that of y.
    error_power : int
        The error of y in other units: it grows with this power of the unit.
    option : str
        What may follow its name after a colon, as a label; empty where nothing may.
    response : str
        What y must be, as the end of a sentence.
    centred : bool
        Whether y and the columns are centred by `Problem.from_arrays`; of parabolas only.
    closed_line_search : bool
        Whether f is a parabola along every segment.
    separable : bool
        Whether its infimum may lie at infinity, as where classes are separable.
    curvature_bound : float
        Bound of the second derivative in u, 0 where there is none; a field, which kernels read.

    >>> from fwcore import find_loss
    >>> loss = find_loss("huber:2")
    >>> loss.error_name, loss.text
    ('mean absolute error', 'huber:2')
    """

    name: str
    formula: str
    tex: str
    error_name: str
    error_formula: str
    error_unit: str
    error_power: int
    option: str
    response: str
    centred: bool
    closed_line_search: bool
    separable: bool

    @property
    def curvature_bound(self) -> float:
        """See above."""
        ...

    @property
    def text(self) -> str:
        """The loss with its options as one word; `fwcore.losses.find_loss` reads it back."""
        ...

    @classmethod
    def parse(cls, options: str) -> Loss:
        """The loss with the options after the colon of its text; raises ParameterError."""
        ...

    def takes(self, y: Floats) -> bool:
        """Whether y of shape (m,) is a response for this loss."""
        ...

    def units(self, y: Floats) -> tuple[float, float]:
        """Offset and scale of a standardised problem: solvers see (y - offset) / scale."""
        ...

    def fitted(self, y: Floats, scale: float, weights: Floats | None = None) -> Loss:
        """The loss for the response y in the units given, of which solvers see y / scale; with
        weights of the samples, if they have any.
        """
        ...

    def value(self, prediction: Floats, y: Floats, weights: Floats | None = None) -> float:
        """sum_i w_i l(u_i, y_i), all of shape (m,); the weights are 1 where none are given."""
        ...

    def derivative(self, prediction: Floats, y: Floats) -> Floats:
        """l'(u_i, y_i), shape (m,)."""
        ...

    def dual(
        self, residual: Floats, y: Floats, shrink: float, weights: Floats | None = None
    ) -> float:
        """Dual value of shrink * R, where R = -l'(u); with weights, of shrink * w * R."""
        ...

    def initial_slope(self, sigma: Floats, y: Floats, correlate: Correlate) -> Floats:
        """-f'(0) of shape (p,), up to its sign; ``sigma`` = X'y, ``correlate(v)`` = X'v."""
        ...

    def error(self, prediction: Floats, y: Floats) -> float:
        """The error of predictions, see ``error_name``."""
        ...


def summed(each: Floats, weights: Floats | None) -> float:
    """The sum over samples, with their weights if there are any."""
    return float(each.sum() if weights is None else weights @ each)


def times(each: Floats, weights: Floats | None) -> Floats:
    """What each sample has, by its weight if there are any."""
    return each if weights is None else np.asarray(weights * each)


def refuse_options(name: str, options: str) -> None:
    """Raise `ParameterError` where text follows the name of a loss that has no options."""
    if options:
        raise ParameterError(
            "loss", "Problem", f"{name!r}, which has no options", f"{name}:{options}"
        )


def loss_at(loss, u, y):
    """l(u, y) of one sample."""
    raise compiled_only("loss_at")


def negative_derivative_at(loss, u, y):
    """-l'(u, y) of one sample: the residual y - u of the squared loss."""
    raise compiled_only("negative_derivative_at")


def curvature_at(loss, u, y, r):
    """l''(u, y) of one sample, whose r = `negative_derivative_at` is known already."""
    raise compiled_only("curvature_at")


def curvature_bound_at(loss, y):
    """A bound of l''(u, y) of one sample, for every u."""
    raise compiled_only("curvature_bound_at")


@otherwise(curvature_bound_at)
def _curvature_bound_at(loss, y):
    return loss.curvature_bound


def dual_at(loss, r, y, shrink):
    """What one sample with r = -l'(u, y) adds to the dual value of shrink * r."""
    raise compiled_only("dual_at")


def dual_of(loss, residual, ones, y, shrink):
    """The sum of `dual_at` over all samples, where r_i = residual_i - ones."""
    raise compiled_only("dual_of")


@otherwise(dual_of)
def _dual_of(loss, residual, ones, y, shrink):
    value = 0.0
    for i in range(y.size):
        value += dual_at(loss, residual[i] - ones, y[i], shrink)
    return value


def loss_and_residual(loss, prediction, y, residual):
    """The sum of the losses, and -l' of each sample into ``residual``; arrays of shape (m,)."""
    raise compiled_only("loss_and_residual")


@otherwise(loss_and_residual)
def _loss_and_residual(loss, prediction, y, residual):
    value = 0.0
    for i in range(y.size):
        value += loss_at(loss, prediction[i], y[i])
        residual[i] = negative_derivative_at(loss, prediction[i], y[i])
    return value


def is_parabola(loss):
    """Whether l is quadratic in u; known when a kernel is compiled."""
    raise compiled_only("is_parabola")


def is_separable(loss):
    """Whether the infimum of f may lie at infinity; known when a kernel is compiled."""
    raise compiled_only("is_separable")

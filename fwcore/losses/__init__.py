"""Losses, one a file; a new one is a file and a name in `LOSSES`.

What solvers, the judge, the page and the tables know of a loss is what `fwcore.losses.base.Loss`
lists: nobody asks for a loss by its name.
"""

from __future__ import annotations

from typing import Any

from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats
from fwcore.losses.base import (
    Loss,
    curvature_at,
    curvature_bound_at,
    dual_at,
    dual_of,
    is_parabola,
    is_separable,
    loss_and_residual,
    loss_at,
    negative_derivative_at,
)
from fwcore.losses.huber import Huber
from fwcore.losses.logistic import Logistic
from fwcore.losses.squared import Squared
from fwcore.losses.weighted import Weighted

__all__ = [
    "DEFAULT_LOSS",
    "LOSSES",
    "Loss",
    "Weighted",
    "curvature_at",
    "curvature_bound_at",
    "dual_at",
    "dual_of",
    "find_loss",
    "is_parabola",
    "is_separable",
    "is_weighted",
    "loss_and_residual",
    "loss_at",
    "loss_for",
    "negative_derivative_at",
    "register_loss",
    "samples_of",
    "unregister_loss",
]

LOSSES: dict[str, type[Loss]] = {loss.name: loss for loss in (Squared, Logistic, Huber)}
DEFAULT_LOSS = Squared.name


def loss_for(task: str) -> str:
    """The name of the loss of a task by default: "classification", or regression.

    >>> loss_for("classification"), loss_for("regression")
    ('logistic', 'squared')
    """
    return Logistic.name if task == "classification" else DEFAULT_LOSS


def find_loss(text: str) -> Loss:
    """The loss that ``text`` names: ``squared``, ``logistic``, ``huber``, ``huber:2``.

    Raises
    ------
    ParameterError
        There is none, or its options are not understood.

    >>> find_loss("logistic").error_name
    'share misclassified'
    """
    name, _, options = str(text).partition(":")
    if name not in LOSSES:
        raise ParameterError.unknown("loss", "Problem", text, LOSSES)
    return LOSSES[name].parse(options)


def samples_of(loss: Loss, y: Floats) -> Any:
    """What kernels take for the response y of shape (m,): y itself, or records of a response and
    its weight.
    """
    return loss.samples(y) if isinstance(loss, Weighted) else y


def is_weighted(loss: Loss) -> bool:
    """Whether the samples have weights."""
    return isinstance(loss, Weighted)


def register_loss(loss: type[Loss]) -> None:
    """Add a loss to this process; its primitives are those of `fwcore.losses.base`.

    Raises
    ------
    ParameterError
        Its name is taken, or its columns are centred though it is no parabola.

    >>> from fwcore.losses import LOSSES, Squared
    >>> class Renamed(Squared):
    ...     name = "renamed"
    >>> register_loss(Renamed)
    >>> "renamed" in LOSSES
    True
    >>> unregister_loss("renamed")
    """
    if loss.centred and not loss.closed_line_search:
        # What centring takes from a column is carried apart, as a multiple of ones: see
        # `solvers.coordinate_descent._split_weights.objective`.
        rule = "False where closed_line_search is"
        raise ParameterError("centred", loss.__name__, rule, True)
    if loss.name in LOSSES:
        raise ParameterError("name", loss.__name__, f"none of {[*LOSSES]}", loss.name)
    LOSSES[loss.name] = loss


def unregister_loss(name: str) -> None:
    """Take back what `register_loss` added.

    >>> unregister_loss("squarred")
    >>> sorted(LOSSES)
    ['huber', 'logistic', 'squared']
    """
    LOSSES.pop(name, None)

"""What the judge of `fwcore.problem` says, and the formulas that it goes by: in NumPy, apart from
the kernels whose answers it judges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fwcore import design as designs
from fwcore.design import Design
from fwcore.kernels.types import Floats, Ints
from fwcore.losses import Loss


class Verdict(NamedTuple):
    """What the judge says of a point.

    ``objective`` is f(a), without lam times the l1 norm, but with the ridge of an elastic net;
    ``true_gap`` as in `Problem.judge`; ``train_error`` and ``test_error`` are the error of the
    loss, in the units of the y that was given (NaN without test rows); ``train_misclassified``
    and ``test_misclassified`` are the share of the rows whose label -1 or +1 the sign of the
    prediction is not, NaN of other responses; ``l1`` = sum abs(a); ``nnz`` counts a_j != 0.

    >>> import numpy as np
    >>> from fwcore import datasets
    >>> problem = datasets.load("diabetes")
    >>> nothing = np.zeros(0, np.int64), np.zeros(0)
    >>> verdict = problem.judge(*nothing, "ball", 1.0)
    >>> verdict.objective == problem.f0, verdict.true_gap > 0
    (True, True)
    """

    objective: float
    true_gap: float
    train_error: float
    test_error: float
    l1: float
    nnz: int
    train_misclassified: float = float("nan")
    test_misclassified: float = float("nan")


def duality_gap(
    loss: Loss,
    y: Floats,
    residual: Floats,
    objective: float,
    lam: float,
    l1: float,
    steepest: float,
    quadratic: float = 0.0,
    along: float = 0.0,
) -> float:
    """Gap of the penalised form; ``objective`` = f(a), ``l1`` = sum abs(a), ``residual`` = R and
    ``steepest`` = max abs(f'(a)).

    f(a) + lam * l1 minus the dual value of s R, s = min(1, lam / steepest); ``quadratic`` is r
    ||a||^2 of an elastic net. ``along`` is (Z c)'R of what has no penalty: 0 but for rounding of R,
    which is magnified where c is large. At the same c, the bound holds for any R.
    """
    shrink = min(1.0, lam / steepest) if steepest > 0 else 1.0
    gap = objective + lam * l1 - loss.dual(residual, y, shrink)
    return gap + 0.5 * shrink * shrink * quadratic + shrink * along


def misclassified(prediction: Floats, labels: Floats) -> float:
    """Share of the rows on the wrong side; a prediction of 0 counts as one."""
    return float(np.mean(prediction * labels <= 0.0))


def image(design: Design, indices: Ints, coefficients: Floats) -> Floats:
    out = np.empty(design.shape[0])
    designs.image_of(design, indices, coefficients, out)
    return out

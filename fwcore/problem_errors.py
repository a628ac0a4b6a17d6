"""A problem's errors: of predictions for its own rows, for test rows, and in classes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from fwcore.design import Design
from fwcore.judging import image, misclassified
from fwcore.kernels.types import Floats, Ints

_NAN = float("nan")
# Labels that were centred and scaled are back but for rounding.
_LABEL = 1e-9


class ProblemErrors:
    """The part of `fwcore.problem.Problem` that predicts."""

    @cached_property
    def labels(self: Any) -> bool:
        """Whether every response is -1 or +1 in the units given, so that a sign is a class."""
        return bool((np.abs(np.abs(self.given) - 1.0) <= _LABEL).all())

    def train_error(self: Any, indices: Ints, coefficients: Floats) -> float:
        """Error on the training rows, as in `Verdict`, at the cost of the columns given."""
        return float(self._train_error(self.fitted(indices, coefficients)))

    def test_error(self: Any, indices: Ints, coefficients: Floats) -> float:
        """Error on the test rows, as in `Verdict`; NaN without test rows."""
        return float(self._test_errors(indices, coefficients)[0])

    def _train_error(self: Any, fitted: Floats) -> float:
        return float(self.y_scale**self.loss.error_power * self.loss.error(fitted, self.y))

    def _train_misclassified(self: Any, fitted: Floats) -> float:
        if not self.labels:
            return _NAN
        return misclassified(self.y_offset + self.y_scale * fitted, self.given)

    @property
    def given(self: Any) -> Floats:
        """The response of the training rows in the units given."""
        return np.asarray(self.y_offset + self.y_scale * self.y)

    def _test_errors(self: Any, indices: Ints, coefficients: Floats) -> tuple[float, float]:
        """Error and share misclassified on the test rows; NaN without test rows or labels."""
        if self.test_design is None or self.test_y is None:
            return _NAN, _NAN
        prediction = self.predict(self.test_design, indices, coefficients)
        wrong = misclassified(prediction, self.test_y) if self.labels else _NAN
        return self.loss.error(prediction, self.test_y), wrong

    def predict(self: Any, design: Design, indices: Ints, coefficients: Floats) -> Floats:
        """Of the rows of ``design`` or ``test_design``, in the units of the y that was given."""
        seen, free = image(design, indices, coefficients), self.unpenalised
        if free.any:
            fitted = image(self.design, indices, coefficients)
            own = free.coefficients(self.loss, fitted, self.y)
            seen += free.predicted(seen.size, design is self.test_design, own)
        return np.asarray(self.y_offset + self.y_scale * seen)

"""Estimators of the losses that are no parabolas: two classes, and numbers among outliers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from fwcore.estimators.base import DTYPES, Certified, CertifiedRegressor
from fwcore.estimators.numbers import require_number
from fwcore.estimators.rows import Rows
from fwcore.kernels.types import Floats
from fwcore.losses import Loss, find_loss


class _Smooth(Certified, ABC):
    """What they share: the intercept is minimised over, since columns are not centred."""

    @abstractmethod
    def _loss(self) -> Loss:
        """The loss, not yet fitted to a response."""

    def _error_of(self, rows: Rows) -> Callable[[Floats, Rows], float]:
        loss = self._fitted_loss(rows.counted())

        def error(prediction: Floats, some: Rows) -> float:
            total = len(some.y) if some.weights is None else some.weights.sum()
            return float(loss.value(prediction, some.y, some.weights) / total)

        return error


class FWHuber(_Smooth, CertifiedRegressor):
    """min 1/m sum_i h_t(y_i - x_i'w - b) + alpha (l1_ratio ||D w||_1 + (1 - l1_ratio) / 2
    ||D w||^2).

    h_t(r) is 1/2 r^2 up to t and t abs(r) - 1/2 t^2 beyond (Huber 1964), so that what is far off
    does not pull. b is not penalised.

    Parameters
    ----------
    alpha : float
    threshold : float
        t in units of a robust scale of y, 1.4826 times its median absolute deviation.
    l1_ratio : float in [1e-6, 1]
    penalty_factor, fit_intercept, positive, solver, tol, max_iter, random_state
        As of `FWElasticNet`.

    Attributes
    ----------
    coef_, intercept_, dual_gap_, n_iter_, path_
        As of `FWElasticNet`.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> y[:20] += 1e4
    >>> model = FWHuber(alpha=0.05).fit(X, y)
    >>> bool(100 < model.intercept_ < 250)
    True
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        threshold: float = 1.345,
        l1_ratio: float = 1.0,
        penalty_factor: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self._hold(locals())

    threshold: float

    def _check(self) -> None:
        require_number("threshold", self.threshold, type(self).__name__)
        super()._check()

    def _loss(self) -> Loss:
        return find_loss(f"huber:{float(self.threshold)!r}")


class FWLogistic(ClassifierMixin, _Smooth):
    """min 1/m sum_i log(1 + exp(-y_i (x_i'w + b))) + alpha (l1_ratio ||D w||_1 + (1 - l1_ratio) / 2
    ||D w||^2), of two classes, y_i = +1 of the second; b is not penalised.

    scikit-learn's LogisticRegression has C = 1 / (m alpha).

    Parameters
    ----------
    alpha : float
    l1_ratio : float in [1e-6, 1]
    penalty_factor, fit_intercept, positive, solver, tol, max_iter, random_state
        As of `FWElasticNet`.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, p)
    intercept_ : ndarray of shape (1,)
    dual_gap_, n_iter_, path_
        As of `FWElasticNet`.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FWLogistic(alpha=0.01).fit(X / X.std(axis=0), y)
    >>> bool(model.score(X / X.std(axis=0), y) > 0.95)
    True
    """

    def __init__(
        self,
        alpha: float = 0.01,
        *,
        l1_ratio: float = 1.0,
        penalty_factor: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self._hold(locals())

    def _loss(self) -> Loss:
        return find_loss("logistic")

    def _validated(self, X: Any, y: Any) -> tuple[Any, Floats]:
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype=DTYPES)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        found = self.classes_.size
        if found > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"{found} classes were given."
            )
        if found < 2:
            raise ValueError(f"y must have two classes. Got one class, {self.classes_[0]!r}.")
        return X, np.where(y == self.classes_[1], 1.0, -1.0)

    def _keep(self, rows: Rows, coef: Floats) -> None:
        super()._keep(rows, coef)
        self.coef_, self.intercept_ = self.coef_[None], np.array([self.intercept_])

    def decision_function(self, X: Any) -> Floats:
        """X w + b, of shape (m,): the logarithm of the odds of the second class."""
        return self._linear(X)

    def predict(self, X: Any) -> Any:
        """The more probable class of each row."""
        second = self._linear(X) > 0.0
        return self.classes_[second.astype(int)]

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of both classes, of shape (m, 2)."""
        second = scipy.special.expit(self._linear(X))
        return np.column_stack([1.0 - second, second])

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of `predict_proba`."""
        u = self._linear(X)
        return np.column_stack([-np.logaddexp(0.0, u), -np.logaddexp(0.0, -u)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

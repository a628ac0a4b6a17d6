"""alpha by cross-validation: one grid for all folds, each walked with warm starts."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import check_cv

from fwcore.estimators import paths
from fwcore.estimators.linear import CertifiedRegressor
from fwcore.kernels.types import Floats


class FWElasticNetCV(CertifiedRegressor):
    """`FWElasticNet` at the alpha of least mean squared error over folds.

    Parameters
    ----------
    l1_ratio : float in (0, 1]
    eps : float
        The least alpha of the grid over the largest.
    alphas : int or array
        How many, or the grid itself.
    cv : int, splitter or iterable of (train, test)
    one_standard_error : bool
        Take the largest alpha whose mean error is within one standard error of the least: a sparser
        model that predicts about as well.
    n_jobs : int, optional
        Folds at a time, as joblib counts them.
    fit_intercept, positive, solver, tol, max_iter, random_state
        As of `FWElasticNet`.

    Attributes
    ----------
    alpha_ : float
    alphas_ : ndarray of shape (n,)
        Decreasing.
    mse_path_ : ndarray of shape (n, folds)
    coef_, intercept_, dual_gap_, n_iter_, path_
        Of all rows at ``alpha_``, as of `FWElasticNet`.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = FWElasticNetCV(l1_ratio=0.9, alphas=20).fit(X, y)
    >>> model.mse_path_.shape
    (20, 5)
    """

    def __init__(
        self,
        *,
        l1_ratio: float = 0.5,
        eps: float = paths.EPS,
        alphas: Any = paths.ALPHAS,
        cv: Any = None,
        one_standard_error: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self._hold(locals())

    eps: float
    alphas: Any
    cv: Any
    one_standard_error: bool
    n_jobs: int | None

    def fit(self, X: Any, y: Any, callback: Any = None) -> Any:
        """Choose alpha over the folds, then fit to all rows; as `FWElasticNet.fit`."""
        given = X
        X, y = self._validated(X, y)
        paths.require_number("l1_ratio", self.l1_ratio, type(self).__name__, 1.0)
        if self._is_flat(X, y):
            self.alphas_, self.mse_path_ = np.zeros(0), np.zeros((0, 0))
            self.alpha_ = 1.0
        else:
            problem = self._problem(X, y)
            ratio = self.l1_ratio
            self.alphas_ = paths.alpha_grid(problem, ratio, self.alphas, self.eps)
            folds = [*check_cv(self.cv).split(X, y)]
            rows = X.tocsr() if hasattr(X, "tocsr") else X
            errors = Parallel(n_jobs=self.n_jobs)(
                delayed(self._errors)(rows, y, train, test) for train, test in folds
            )
            self.mse_path_ = np.array(errors).T
            self.alpha_ = float(self.alphas_[self._chosen()])
        return super().fit(given, y, callback)

    def _asked(self, m: int) -> tuple[str, float]:
        return "penalty", m * self.alpha_ * self.l1_ratio

    def _errors(self, X: Any, y: Floats, train: Any, test: Any) -> Floats:
        """Mean squared errors on the rows ``test`` of the path on the rows ``train``."""
        X_train, y_train = X[train], y[train]
        coefs = np.zeros((X.shape[1], self.alphas_.size))
        if not self._is_flat(X_train, y_train):
            problem = self._problem(X_train, y_train)
            owner = type(self).__name__
            solver = paths.solver_of(self.solver, "penalty", problem, self.l1_ratio, owner)
            result = paths.walk(
                problem,
                solver,
                self.alphas_ * problem.m * self.l1_ratio,
                l1_ratio=self.l1_ratio,
                tol=self.tol,
                max_steps=self.max_iter,
            )
            coefs = result.coefs.toarray()
        intercepts = np.zeros(self.alphas_.size)
        if self.fit_intercept:
            mean = np.asarray(X_train.mean(axis=0)).ravel()
            intercepts = y_train.mean() - mean @ coefs
        left = y[test][:, None] - X[test] @ coefs - intercepts
        return np.asarray((left**2).mean(axis=0))

    def _chosen(self) -> int:
        mean = self.mse_path_.mean(axis=1)
        best = int(mean.argmin())
        if not self.one_standard_error:
            return best
        error = self.mse_path_[best].std(ddof=1) / np.sqrt(self.mse_path_.shape[1])
        return int(np.flatnonzero(mean <= mean[best] + error)[0])


class FWLassoCV(FWElasticNetCV):
    """`FWLasso` at the alpha of least mean squared error over folds; all else as of
    `FWElasticNetCV`.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = FWLassoCV(cv=4, alphas=30, one_standard_error=True).fit(X, y)
    >>> model.alpha_ > 0, model.mse_path_.shape
    (True, (30, 4))
    """

    l1_ratio = 1.0

    def __init__(
        self,
        *,
        eps: float = paths.EPS,
        alphas: Any = paths.ALPHAS,
        cv: Any = None,
        one_standard_error: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self._hold(locals())

"""alpha by cross-validation: one grid for all folds, each walked with warm starts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

from fwcore.errors import ParameterError
from fwcore.estimators import paths
from fwcore.estimators.base import Certified, CertifiedRegressor, sentence_of
from fwcore.estimators.numbers import by_names_of, require_alphas, require_flag
from fwcore.estimators.rows import Rows
from fwcore.estimators.smooth import FWHuber, FWLogistic
from fwcore.kernels.types import Floats
from fwcore.status import Status


class ByFolds(Certified):
    """What they share: the error of each alpha over folds, and the fit at the one that is chosen.

    Of the squared loss the error is the mean squared one; of others, the mean loss.
    """

    eps: float
    alphas: Any
    cv: Any
    one_standard_error: bool
    n_jobs: int | None

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, callback: Any = None, **params: Any
    ) -> Any:
        """Choose alpha over the folds, then fit to all rows; X, y, ``sample_weight`` and
        ``callback`` are as of `FWElasticNet.fit`. ``params``, such as groups, are for the splitter,
        where scikit-learn's metadata routing is enabled and the splitter requests them.

        Raises
        ------
        ValueError
            As of `FWElasticNet.fit`; or params are given where routing is not enabled.
        TypeError
            Params are given that nobody requests.
        """
        for_folds = {}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
            for_folds = routed.splitter.split
        elif params:
            rule = "left out, unless metadata routing is enabled (sklearn.set_config)"
            raise ParameterError(min(params), type(self).__name__, rule, params[min(params)])
        return self._fit_and_tell(X, y, sample_weight, callback, **for_folds)

    def get_metadata_routing(self) -> MetadataRouter:
        """Who is given what `fit` is: the splitter, see scikit-learn's guide on metadata
        routing.
        """
        to_split = MethodMapping().add(caller="fit", callee="split")
        router = MetadataRouter(owner=self).add_self_request(self)
        # Folds that are listed request nothing, and may be read but once.
        splitter = self.cv if hasattr(self.cv, "split") else check_cv()
        return router.add(splitter=splitter, method_mapping=to_split)

    def _check(self) -> None:
        super()._check()
        require_flag("one_standard_error", self.one_standard_error, type(self).__name__)

    def _check_size(self, owner: str) -> None:
        require_alphas(self.alphas, self.eps, owner)

    def _fit(self, given: Rows, callback: Any, **for_folds: Any) -> list[str]:
        with by_names_of(type(self).__name__):
            told = self._choose(given, **for_folds)
        return told + super()._fit(given, callback)

    def _choose(self, given: Rows, **for_folds: Any) -> list[str]:
        """`alpha_`, and the errors that lead to it; what there is to warn of."""
        counted, told = given.counted(), list[str]()
        cv = check_cv(self.cv, given.y, classifier=is_classifier(self))
        if self._is_flat(counted):
            self.alphas_, self.error_path_ = np.zeros(0), np.zeros((0, 0))
            self.alpha_ = 1.0
        else:
            problem = self._problem(counted)
            self.alphas_ = paths.alpha_grid(problem, float(self.l1_ratio), self.alphas, self.eps)
            by_rows = given.X.tocsr() if hasattr(given.X, "tocsr") else given.X
            rows = given._replace(X=by_rows)
            folds = list(cv.split(given.X, given.y, **for_folds))
            if len(folds) < 1 + self.one_standard_error:
                rule = "of a fold or more, and of two for a standard error"
                raise ParameterError("cv", type(self).__name__, rule, f"{len(folds)}")
            seeds = check_random_state(self.random_state).randint(2**31 - 1, size=len(folds))
            # Kernels let go of the interpreter, and threads share X and what is registered.
            found = Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(self._errors)(rows, train, test, int(seed))
                for (train, test), seed in zip(folds, seeds, strict=True)
            )
            self.error_path_ = np.array([errors for errors, _ in found]).T
            self.alpha_ = float(self.alphas_[self._chosen()])
            if given_up := [status for _, status in found if not status.converged]:
                told = [f"In {len(given_up)} of {len(folds)} folds: {sentence_of(max(given_up))}"]
        return told

    def _asked(self, m: int) -> float:
        return m * self.alpha_ * float(self.l1_ratio)

    def _errors(self, rows: Rows, train: Any, test: Any, seed: int) -> tuple[Floats, Status]:
        """Errors on the rows ``test`` of the path on the rows ``train``, and what became of it."""
        learnt, held_out = rows.some(train), rows.some(test)
        if not (learnt.any_weight and held_out.any_weight):
            rule = "folds that leave rows with a weight on both sides"
            raise ParameterError("cv", type(self).__name__, rule, "one without")
        learnt = learnt.counted()
        if is_classifier(self) and not np.ptp(learnt.y):
            rule = "folds that leave rows of both classes to learn from"
            raise ParameterError("cv", type(self).__name__, rule, "one with a single class")
        status = Status.SMALL_GAP
        coefs: Iterator[Floats] = itertools.repeat(np.zeros(rows.penalised.size), self.alphas_.size)
        if not self._is_flat(learnt):
            problem, to = self._problem(learnt), self._to()
            solver = paths.solver_of(self.solver, problem, "penalty")
            grid = self.alphas_ * problem.m * to["l1_ratio"]
            result = paths.walk(problem, solver, grid, **to, seed=seed)
            status, coefs = result.status, paths.columns(result)
        error = self._error_of(rows)
        models = map(self._completer(learnt), coefs)
        errors = np.array([error(held_out.X @ coef + b, held_out) for coef, b in models])
        return errors, status

    def _chosen(self) -> int:
        mean = self.error_path_.mean(axis=1)
        best = int(mean.argmin())
        if not self.one_standard_error:
            return best
        error = self.error_path_[best].std(ddof=1) / np.sqrt(self.error_path_.shape[1])
        return int(np.flatnonzero(mean <= mean[best] + error)[0])


class FWElasticNetCV(ByFolds, CertifiedRegressor):
    """`FWElasticNet` at the alpha of least mean squared error over folds.

    Parameters
    ----------
    l1_ratio : float in [1e-6, 1]
    eps : float
        The least alpha of the grid over the largest.
    alphas : int or array
        How many, or the grid itself.
    cv : int, splitter or iterable of (train, test)
    one_standard_error : bool
        Take the largest alpha whose mean error is within one standard error of the least: a sparser
        model that predicts about as well.
    n_jobs : int, optional
        Folds at a time, as joblib counts them; in threads, unless joblib is told otherwise.
    tol : float
        As of `FWElasticNet`; finer, so that the same rows in another form, as with weights, lead to
        the same alpha. Meant for solver="auto": others may take many more steps for it.
    penalty_factor, fit_intercept, positive, solver, max_iter, random_state
        As of `FWElasticNet`.

    Attributes
    ----------
    alpha_ : float
        1 where no column descends, so that zeros are the answer for every alpha.
    alphas_ : ndarray of shape (n,)
        Decreasing; empty where no column descends.
    error_path_, mse_path_ : ndarray of shape (n, folds)
        Mean squared errors on the rows that were left out.
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
        penalty_factor: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: str = "auto",
        tol: float = 1e-10,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self._hold(locals())

    @property
    def mse_path_(self) -> Floats:
        """The errors by scikit-learn's name."""
        return self.error_path_


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
        penalty_factor: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: str = "auto",
        tol: float = 1e-10,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self._hold(locals())


class FWHuberCV(ByFolds, FWHuber):
    """`FWHuber` at the alpha of least mean Huber loss over folds. Errors have one threshold, that
    of all rows; the fit of a fold has that of its own rows.

    Parameters
    ----------
    threshold, l1_ratio
        As of `FWHuber`.
    eps, alphas, cv, one_standard_error, n_jobs, tol
        As of `FWElasticNetCV`.
    penalty_factor, fit_intercept, positive, solver, max_iter, random_state
        As of `FWElasticNet`.

    Attributes
    ----------
    alpha_, alphas_, error_path_
        As of `FWElasticNetCV`; the errors are mean losses.
    coef_, intercept_, dual_gap_, n_iter_, path_
        Of all rows at ``alpha_``, as of `FWElasticNet`.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> y[::20] += 1e4
    >>> model = FWHuberCV(alphas=8, cv=3).fit(X, y)
    >>> model.error_path_.shape, bool(100 < model.intercept_ < 250)
    ((8, 3), True)
    """

    def __init__(
        self,
        *,
        threshold: float = 1.345,
        l1_ratio: float = 1.0,
        eps: float = paths.EPS,
        alphas: Any = paths.ALPHAS,
        cv: Any = None,
        one_standard_error: bool = False,
        n_jobs: int | None = None,
        penalty_factor: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: str = "auto",
        tol: float = 1e-10,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self._hold(locals())


class FWLogisticCV(ByFolds, FWLogistic):
    """`FWLogistic` at the alpha of least mean logistic loss over folds, which keep the shares of
    the classes.

    Parameters
    ----------
    l1_ratio : float in [1e-6, 1]
    eps, alphas, cv, one_standard_error, n_jobs, tol
        As of `FWElasticNetCV`.
    penalty_factor, fit_intercept, positive, solver, max_iter, random_state
        As of `FWElasticNet`.

    Attributes
    ----------
    alpha_, alphas_, error_path_
        As of `FWElasticNetCV`; the errors are mean losses.
    classes_, coef_, intercept_, dual_gap_, n_iter_, path_
        Of all rows at ``alpha_``, as of `FWLogistic`.

    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = FWLogisticCV(alphas=8, eps=1e-2, cv=3).fit(X / X.std(axis=0), y)
    >>> bool(model.score(X / X.std(axis=0), y) > 0.95), model.error_path_.shape
    (True, (8, 3))
    """

    def __init__(
        self,
        *,
        l1_ratio: float = 1.0,
        eps: float = paths.EPS,
        alphas: Any = paths.ALPHAS,
        cv: Any = None,
        one_standard_error: bool = False,
        n_jobs: int | None = None,
        penalty_factor: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: str = "auto",
        tol: float = 1e-10,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self._hold(locals())

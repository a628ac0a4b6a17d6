"""What the estimators share: checks, the path to what is asked for, its gap, and predictions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from fwcore.estimators import paths
from fwcore.estimators.certificate import gap_of, off_the_best
from fwcore.estimators.numbers import (
    as_numbers,
    by_names_of,
    require_flag,
    require_ratio,
    require_size,
)
from fwcore.estimators.rows import (
    ROUNDING,
    Completer,
    Rows,
    divided,
    factors_of,
    nothing_descends,
    problem_of,
    units_of,
)
from fwcore.kernels.types import Floats
from fwcore.losses import Loss, find_loss
from fwcore.path_result import PathResult
from fwcore.problem import Problem
from fwcore.status import Status
from fwcore.unpenalised import Unpenalised

DTYPES = [np.float64, np.float32]


class Certified(BaseEstimator):
    """What the estimators share: the path that is walked to the form and value that a subclass asks
    for, and its gap. scikit-learn reads their parameters from their signatures.

    Of the squared loss; others say what their problem is, when zeros are its answer for every
    alpha, and what intercept belongs to coefficients.
    """

    alpha: float
    l1_ratio: float = 1.0
    penalty_factor: Any
    fit_intercept: bool
    positive: bool
    solver: str
    tol: float
    max_iter: int
    random_state: Any
    coef_: Floats
    intercept_: Any

    def _hold(self, given: Mapping[str, Any]) -> None:
        """Keep the parameters as they are given, unchecked, as scikit-learn asks."""
        for name in self._get_param_names():
            setattr(self, name, given[name])

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        callback: Callable[[Any], None] | None = None,
    ) -> Any:
        """Fit to rows X of shape (m, p) and responses y of shape (m,).

        ``sample_weight`` of shape (m,), not negative: means over rows are weighted by it, so that a
        row of weight 2 counts as two of weight 1. ``callback`` is called with each
        `fwcore.Snapshot` of the path to alpha.

        Raises
        ------
        ValueError
            X, y or weights do not fit; where a parameter does not, it is a `ParameterError`.
        """
        return self._fit_and_tell(X, y, sample_weight, callback)

    def _fit_and_tell(
        self, X: Any, y: Any, sample_weight: Any, callback: Any, **for_folds: Any
    ) -> Any:
        with by_names_of(type(self).__name__):
            self._check()
        for told in self._fit(self._prepared(X, y, sample_weight), callback, **for_folds):
            warnings.warn(told, ConvergenceWarning, stacklevel=3)
        return self

    def _missed(self, path: PathResult) -> str:
        """Why the gap of the last point is not what was asked for; nothing where it is."""
        last = path.points[-1]
        status = Status(int(last["status"]))
        if not status.converged:
            return sentence_of(status)
        # A solver that samples stops by an estimate. What rounding to float32 adds is not meant.
        met = last["true_gap"] <= (self.tol + ROUNDING) * path.f0
        return "" if met else "The stopping rule held before tol was met."

    def _fit(self, given: Rows, callback: Callable[[Any], None] | None) -> list[str]:
        """Fit to the rows; what there is to warn of."""
        rows, problem = given.counted(), None
        form, value = self._form, self._asked(len(rows.y))
        self.path_: PathResult | None = None
        self.n_iter_, self.dual_gap_, coef = 0, 0.0, np.zeros(rows.penalised.size)
        with by_names_of(type(self).__name__):
            if not self._is_flat(rows):
                problem = self._problem(rows)
                coef = self._walked(problem, form, value, callback)
        self._keep(rows, coef)
        if rows.precision != np.float64 and (self.path_ is not None or rows.free.size):
            # Rounded coefficients have a gap of their own.
            self.dual_gap_ = self._gap_of_kept(rows, problem, form, value) / len(rows.y)
        told = self._missed(self.path_) if self.path_ is not None else ""
        return [f"{told} The duality gap is {self.dual_gap_:.3g}."] if told else []

    def _prepared(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """The rows, checked, with columns over their factors, whose coefficients D w have the plain
        penalty, or none.
        """
        X, y = self._validated(X, y)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
        if self.penalty_factor is None:
            return Rows(X, y, weights, precision=X.dtype)
        owner = type(self).__name__
        factors = factors_of(self.penalty_factor, X.shape[1], bool(self.positive), owner)
        free = np.flatnonzero(factors == 0.0)
        return Rows(divided(X, factors), y, weights, free, X.dtype)

    def _validated(self, X: Any, y: Any) -> tuple[Any, Floats]:
        """X and y as the problem takes them."""
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype=DTYPES, y_numeric=True)
        return X, np.asarray(y, dtype=np.float64)

    def _loss(self) -> Loss:
        """The loss, not yet fitted to a response."""
        return find_loss("squared")

    def _fitted_loss(self, rows: Rows) -> Loss:
        """That of rows which all count alike."""
        return self._loss().fitted(rows.y, 1.0, rows.weights)

    def _loss_of(self, rows: Rows) -> Any:
        """That of the rows, by their weights."""
        return rows.loss_of(self._fitted_loss(rows))

    def _is_flat(self, rows: Rows) -> bool:
        return nothing_descends(rows, self._loss(), self.fit_intercept, self.positive)

    def _problem(self, rows: Rows) -> Problem:
        plain, intercept = self._loss(), bool(self.fit_intercept)
        return problem_of(rows, plain, intercept=intercept, positive=bool(self.positive))

    @property
    def _form(self) -> str:
        """That of the problem."""
        return "penalty"

    def _asked(self, m: int) -> float:
        """Its lam or delta."""
        return m * float(self.alpha) * float(self.l1_ratio)

    def _check(self) -> None:
        """Raise an error where a parameter does not fit, whatever X and y are."""
        owner = type(self).__name__
        self._check_size(owner)
        require_ratio(self.l1_ratio, owner)
        for name in ("fit_intercept", "positive"):
            require_flag(name, getattr(self, name), owner)
        check_random_state(self.random_state)
        paths.require_walkable(self.solver, self._form, self._loss(), owner, **self._to())

    def _check_size(self, owner: str) -> None:
        require_size("alpha", self.alpha, owner)

    def _to(self) -> dict[str, Any]:
        """What a path is walked to, as `paths.walk` takes it."""
        ratio = float(self.l1_ratio)
        return {"l1_ratio": ratio, "tol": self.tol, "max_steps": self.max_iter}

    def _walked(self, problem: Problem, form: str, value: float, callback: Any) -> Floats:
        if form == "penalty" and value >= problem.lam_max:
            return np.zeros(problem.p)
        grid = np.array([value]) if form == "ball" else paths.lam_grid_to(problem, value)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        self.path_ = paths.walk(
            problem,
            paths.solver_of(self.solver, problem, form),
            grid,
            **self._to(),
            seed=seed,
            callback=callback,
        )
        self.n_iter_ = max(1, int(self.path_.points["steps"][-1]))
        self.dual_gap_ = float(paths.gaps_of(self.path_, problem)[-1])
        return paths.column(self.path_)

    def _keep(self, rows: Rows, coef: Floats) -> None:
        units = self._units(rows)
        penalised = units[rows.penalised]
        kept = _towards_zero(coef / penalised, rows.precision)
        own, self.intercept_ = self._completer(rows)(penalised * kept)
        self.coef_ = (own / units).astype(rows.precision)
        if self.fit_intercept and rows.free.size and rows.precision != np.float64:
            # The best for what is kept of the columns without a penalty, too.
            constant, image = (
                Unpenalised.constant(len(rows.y), True),
                rows.image(units * self.coef_),
            )
            best = constant.coefficients(self._loss_of(rows), image, rows.y)
            self.intercept_ = float(best[0])

    def _gap_of_kept(self, rows: Rows, problem: Problem | None, form: str, value: float) -> float:
        """The gap of `coef_` and `intercept_`, in the units of the problem; where no column
        descends, of which there is none, by how much they are off zeros.
        """
        coef = self._units(rows) * np.ravel(self.coef_)
        shift = float(np.ravel(self.intercept_)[0]) if self.fit_intercept else None
        if problem is None:
            return off_the_best(rows, self._loss(), coef, shift)
        ridge = value * (1.0 / float(self.l1_ratio) - 1.0) if form == "penalty" else 0.0
        return gap_of(problem, rows, self._loss(), (coef, shift), form, value, ridge)

    def _units(self, rows: Rows) -> Floats:
        """What the columns of the rows were divided by."""
        if self.penalty_factor is None:
            return np.ones(rows.X.shape[1])
        return units_of(as_numbers(self.penalty_factor))

    def _completer(self, rows: Rows) -> Completer:
        return rows.completer(self._loss_of(rows), self.fit_intercept)

    def _error_of(self, rows: Rows) -> Callable[[Floats, Rows], float]:
        """The mean error of predictions for some of the rows."""
        return lambda prediction, some: float(
            np.average((some.y - prediction) ** 2, weights=some.weights)
        )

    def _linear(self, X: Any) -> Floats:
        """X w + b, of shape (m,)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse=["csr", "csc"], dtype=DTYPES, reset=False)
        return np.asarray(X @ np.ravel(self.coef_) + self.intercept_)

    @property
    def penalty(self) -> str:
        """ "l1" or "elasticnet": where features are selected scikit-learn asks for it."""
        return "l1" if self.l1_ratio == 1.0 else "elasticnet"

    @property
    def sparse_coef_(self) -> scipy.sparse.csr_array:
        """The coefficients, of shape (1, p)."""
        return scipy.sparse.csr_array(np.atleast_2d(self.coef_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def sentence_of(status: Status) -> str:
    """What became of a point, by the names that parameters have here."""
    return status.sentence.replace("max_steps", "max_iter")


def _towards_zero(values: Floats, precision: Any) -> Any:
    """The ``values`` in a precision, none of them larger: what was in a ball stays in it."""
    kept = values.astype(precision)
    return np.where(np.abs(kept) > np.abs(values), np.nextafter(kept, kept.dtype.type(0)), kept)


class CertifiedRegressor(RegressorMixin, Certified):
    """Those that predict numbers."""

    def predict(self, X: Any) -> Floats:
        """X w + b, of shape (m,)."""
        return self._linear(X)

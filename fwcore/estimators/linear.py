"""Linear models by the solvers of this package, as scikit-learn's are used."""

from __future__ import annotations

from typing import Any

from fwcore.estimators.base import CertifiedRegressor
from fwcore.estimators.numbers import require_size


class FWElasticNet(CertifiedRegressor):
    """min 1/(2 m) ||y - X w - b||^2 + alpha (l1_ratio ||D w||_1 + (1 - l1_ratio) / 2 ||D w||^2).

    Parameters
    ----------
    alpha : float
    l1_ratio : float in [1e-6, 1]
    penalty_factor : array of shape (p,), optional
        The diagonal of D: how much more each coefficient is penalised, and 0 of one that has no
        penalty at all; of others at least 1e-12. All 1 where it is left out. The adaptive Lasso
        takes 1 / (abs(w) + e) of a first fit w, with a small e (Zou 2006, eq. 4). With
        positive=True all of them are positive.
    fit_intercept : bool
        b, which is not penalised; sparse X is centred implicitly, never made dense.
    positive : bool
        w >= 0.
    solver : str
        A name of `fwcore.all_solvers` of the penalty form, or "auto": a certified one. Any that
        knows the loss, and what else is asked for: weights, free columns and the intercept of
        other losses than the squared are known to certified and certified_ball only.
    tol : float
        The duality gap is at most tol times the objective at zero. Other libraries measure theirs
        in units of their own; `dual_gap_` is what it comes to.
    max_iter : int
        Steps at which a point of the path to alpha is given up; `dual_gap_` tells what was reached.
        Other libraries count theirs.
    random_state : int, RandomState or None
        Of solvers that draw.

    Attributes
    ----------
    coef_ : ndarray of shape (p,)
    intercept_ : float
    dual_gap_ : float
        How far the objective is from its least value at most: certified over all columns, whatever
        the solver.
    n_iter_ : int
        Steps of the solver.
    path_ : PathResult or None
        The path that was walked to alpha, whose coefficients are D w of the columns that have a
        penalty; None where all are zero for certain.
    n_features_in_, feature_names_in_

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = FWElasticNet(alpha=0.1, l1_ratio=0.9).fit(X, y)
    >>> model.coef_.shape, model.dual_gap_ < 1e-2
    ((10,), True)
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        l1_ratio: float = 0.5,
        penalty_factor: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self._hold(locals())


class FWLasso(CertifiedRegressor):
    """min 1/(2 m) ||y - X w - b||^2 + alpha ||D w||_1, or subject to ||D w||_1 <= delta.

    Parameters
    ----------
    alpha : float
        Not asked for where delta is given.
    delta : float, optional
        The constraint instead of the penalty: the form that Frank-Wolfe methods solve.
    penalty_factor, fit_intercept, positive, solver, tol, max_iter, random_state
        As of `FWElasticNet`; with delta, the solver is of the ball form.

    Attributes
    ----------
    coef_, intercept_, dual_gap_, n_iter_, path_, n_features_in_, feature_names_in_
        As of `FWElasticNet`.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = FWLasso(delta=1000.0).fit(X, y)
    >>> bool(abs(model.coef_).sum() <= 1000.0 + 1e-6)
    True
    """

    def __init__(
        self,
        alpha: float = 1.0,
        *,
        delta: float | None = None,
        penalty_factor: Any = None,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self._hold(locals())

    delta: float | None

    @property
    def _form(self) -> str:
        return "penalty" if self.delta is None else "ball"

    def _asked(self, m: int) -> float:
        return super()._asked(m) if self.delta is None else float(self.delta)

    def _check_size(self, owner: str) -> None:
        name = "alpha" if self.delta is None else "delta"
        require_size(name, getattr(self, name), owner)

"""From scikit-learn's units to the solvers', and back; paths of the squared loss.

scikit-learn divides the sum of squares by 2 m, so that lam = m * alpha * l1_ratio here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse

from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats, Ints
from fwcore.losses import Loss, Weighted
from fwcore.path import Walk
from fwcore.path_result import PathResult
from fwcore.problem import Problem
from fwcore.solvers import Solver, certified_solver, find_solver
from fwcore.unpenalised import Unpenalised, require_bounded

ALPHAS, EPS = 100, 1e-3
"""Points of a path of alphas, and its least alpha over its largest; as scikit-learn's."""
_POINTS_A_DECADE = 8
ROUNDING = 1e-12


Completer: TypeAlias = Callable[[Floats], tuple[Floats, float]]
"""All coefficients (p,) and the intercept, for those that have a penalty."""


class Rows(NamedTuple):
    """Rows to learn from: ``X`` (m, p), ``y`` (m,), and ``weights`` (m,) unless all are alike;
    the columns ``free`` have no penalty.
    """

    X: Any
    y: Floats
    weights: Floats | None = None
    free: Ints = np.zeros(0, np.int64)

    @property
    def any_weight(self) -> bool:
        """Whether any has a weight."""
        return len(self.y) > 0 and (self.weights is None or bool(self.weights.any()))

    def some(self, chosen: Any) -> Rows:
        """Those that are chosen."""
        weights = None if self.weights is None else self.weights[chosen]
        return self._replace(X=self.X[chosen], y=self.y[chosen], weights=weights)

    def counted(self) -> Rows:
        """Those that have a weight; the weights with a mean of 1, so that a sum of them is m."""
        if self.weights is None:
            return self
        rows = self
        if not self.weights.all():
            kept = np.flatnonzero(self.weights)
            by_rows = self.X.tocsr() if scipy.sparse.issparse(self.X) else self.X
            rows = self._replace(X=by_rows).some(kept)
        weights = np.asarray(rows.weights)
        alike = bool(np.ptp(weights) == 0.0)
        return rows._replace(weights=None if alike else weights / weights.mean())

    @property
    def mean_response(self) -> float:
        """The mean of y."""
        return float(self.y.mean() if self.weights is None else self.weights @ self.y / self.y.size)

    @property
    def column_means(self) -> Floats:
        """The means of the columns, of shape (p,)."""
        if self.weights is None:
            return np.asarray(self.X.mean(axis=0), dtype=np.float64).ravel()
        return np.asarray(self.X.T @ self.weights).ravel() / self.y.size

    def loss_of(self, plain: Loss) -> Any:
        """A loss that was fitted to the rows, by their weights."""
        return plain if self.weights is None else Weighted.of(plain, self.weights)

    @property
    def penalised(self) -> Ints:
        """The columns that have a penalty."""
        return np.delete(np.arange(self.X.shape[1]), self.free)

    def unpenalised(self, intercept: bool) -> Unpenalised:
        """What has none."""
        return Unpenalised.among(self.X, self.free, intercept)

    def completer(self, loss: Loss, intercept: bool) -> Completer:
        """What gives, beside penalised coefficients, the best of others."""
        penalised, unpenalised = self.penalised, self.unpenalised(intercept)

        def completed(given: Floats) -> tuple[Floats, float]:
            coef = np.zeros(self.X.shape[1])
            coef[penalised] = given
            # Of all columns, those in single precision would be copied into double.
            active = np.flatnonzero(coef)
            fitted = self.X[:, active] @ coef[active]
            best = unpenalised.coefficients(loss, fitted, self.y)
            coef[self.free] = best[int(intercept) :]
            return coef, float(best[0]) if intercept else 0.0

        return completed


def problem_of(rows: Rows, *, centred: bool, positive: bool) -> Problem:
    """The problem of the squared loss with columns as they are, or centred for an intercept."""
    if rows.weights is None and not rows.free.size:
        standardize = "centre" if centred else False
        return Problem.from_arrays(rows.X, rows.y, standardize=standardize, positive=positive)
    X, y = rows.X, rows.y
    if centred:
        # The same problem, whose intercept is near 0: far from it sums lose their last digits.
        X, y = X if scipy.sparse.issparse(X) else X - rows.column_means, y - rows.mean_response
    how: dict[str, Any] = {"weights": rows.weights, "intercept": bool(centred)}
    how["unpenalised"] = rows.free
    return Problem.from_arrays(X, y, standardize=False, positive=positive, **how)


def is_flat(rows: Rows, loss: Loss, centred: bool, positive: bool) -> bool:
    """Whether no column descends at all: then every alpha has zeros for its answer, and there is no
    path to walk. The ``loss`` is a parabola unless columns have no penalty.
    """
    if rows.free.size:
        return is_spanned(rows, loss, centred)
    left = rows.y - rows.mean_response if centred else rows.y
    if not np.abs(left).max() > 1e-14 * np.abs(rows.y).max():
        return True
    left = left if rows.weights is None else rows.weights * left
    mean = rows.column_means if centred else 0.0
    slopes = np.asarray(rows.X.T @ left).ravel() - mean * left.sum()
    return not (slopes.max() if positive else np.abs(slopes).max()) > 0.0


def is_spanned(rows: Rows, loss: Loss, intercept: bool) -> bool:
    """Whether the best of what has no penalty leaves no other column a slope but for rounding.

    Raises
    ------
    ParameterError
        There is no best: it separates the classes.
    """
    free, nothing = rows.unpenalised(intercept), np.zeros(rows.y.size)
    require_bounded(free, loss, rows.y)
    left = loss.derivative(free.best(loss, nothing, rows.y), rows.y)
    if np.abs(left).max() <= ROUNDING * np.abs(loss.derivative(nothing, rows.y)).max():
        return True
    slopes = np.abs(rows.X.T @ left)[rows.penalised]
    sizes = (abs(rows.X).T @ np.abs(left))[rows.penalised]
    return bool((slopes <= ROUNDING * sizes).all())


def solver_of(name: str, form: str, problem: Problem, l1_ratio: float, owner: str) -> Solver:
    """The solver that was asked for, or for "auto" one whose every point is certified.

    Raises
    ------
    ParameterError
        It solves another form, or does not know the elastic net.
    """
    if name == "auto":
        return certified_solver(problem, form)
    solver = find_solver(name)
    if solver.form != form:
        parameter = "delta" if solver.form == "ball" else "alpha"
        rule = f"one of the {form} form; {solver.title} solves the {solver.form} form ({parameter})"
        raise ParameterError("solver", owner, rule, name)
    if l1_ratio != 1.0 and "l1_ratio" not in solver.Options.declared():
        raise ParameterError("solver", owner, "one that walks elastic nets, as cd does", name)
    return solver


def walk(
    problem: Problem,
    solver: Solver,
    grid: Floats,
    *,
    l1_ratio: float = 1.0,
    tol: float,
    max_steps: int,
    seed: int = 0,
    callback: Any = None,
) -> PathResult:
    """Walk to a gap of tol * f(0) at each point, as far as the solver stops by its gap."""
    wanted = {"rule": "gap", "tol": tol, "max_steps": max_steps}
    wanted |= {"l1_ratio": l1_ratio} if l1_ratio != 1.0 else {}
    declared = solver.Options.declared()
    options = {name: value for name, value in wanted.items() if name in declared}
    walked = Walk(problem, solver, grid, options, seed=seed)
    for snapshot in walked.snapshots():
        if callback is not None:
            callback(snapshot)
    return walked.result()


def lam_grid_to(problem: Problem, lam: float) -> Floats:
    """From where all is zero down to lam by equal ratios: each solution begins at the last."""
    ratio = problem.lam_max / lam
    if ratio <= 1.0:
        return np.array([lam])
    points = 1 + math.ceil(_POINTS_A_DECADE * math.log10(ratio))
    return np.asarray(problem.lam_max * ratio ** -(np.arange(1, points + 1) / points))


def alpha_grid(problem: Problem, l1_ratio: float, alphas: Any, eps: float) -> Floats:
    """The alphas of a path, decreasing: so many, or these.

    Raises
    ------
    ParameterError
        They are neither a positive int nor positive numbers.
    """
    if isinstance(alphas, (int, np.integer)) and not isinstance(alphas, bool) and alphas > 0:
        largest = problem.lam_max / (problem.m * l1_ratio)
        return np.geomspace(largest, eps * largest, int(alphas))
    grid = np.sort(np.asarray(alphas, dtype=float).ravel())[::-1]
    if not grid.size or not (grid > 0).all():
        raise ParameterError("alphas", "a path", "a positive int, or positive numbers", alphas)
    return grid


def lasso_path(
    X: Any,
    y: Any,
    *,
    eps: float = EPS,
    alphas: Any = ALPHAS,
    l1_ratio: float = 1.0,
    positive: bool = False,
    solver: str = "auto",
    tol: float = 1e-6,
    max_iter: int = 100_000,
    return_n_iter: bool = False,
    seed: int = 0,
) -> tuple[Any, ...]:
    """min 1/(2 m) ||y - X w||^2 + alpha (l1_ratio ||w||_1 + (1 - l1_ratio) / 2 ||w||^2) for a
    sequence of alphas, as scikit-learn's ``lasso_path``: without an intercept, too; its hints, such
    as ``precompute``, are not asked for.

    Parameters
    ----------
    X : array or sparse matrix of shape (m, p)
    y : array of shape (m,)
    eps : float
        The least alpha over the largest, where ``alphas`` is an int.
    alphas : int or array
        How many, or the path itself.
    l1_ratio : float in (0, 1]
    positive : bool
        w >= 0.
    solver : str
        A name of `fwcore.all_solvers` of the penalty form, or "auto".
    tol : float
        The duality gap of each point is at most tol * ||y||^2 / (2 m).
    max_iter : int
        Steps at which a point is given up.
    return_n_iter : bool
        Return n_iters, too.
    seed : int
        Of solvers that draw.

    Returns
    -------
    alphas : ndarray of shape (n,)
        Decreasing.
    coefs : ndarray of shape (p, n)
    dual_gaps : ndarray of shape (n,)
        Certified over all columns, in the units of the objective above.
    n_iters : ndarray of shape (n,)
        Steps of each point, where ``return_n_iter``.

    Raises
    ------
    ParameterError
        Anything does not fit; before anything runs.

    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> alphas, coefs, gaps = lasso_path(X, y - y.mean(), alphas=5)
    >>> coefs.shape, bool((gaps < 1e-2).all())
    ((10, 5), True)
    """
    problem = problem_of(Rows(X, y), centred=False, positive=positive)
    chosen = solver_of(solver, "penalty", problem, l1_ratio, "lasso_path")
    grid = alpha_grid(problem, l1_ratio, alphas, eps)
    result = walk(
        problem,
        chosen,
        grid * problem.m * l1_ratio,
        l1_ratio=l1_ratio,
        tol=tol,
        max_steps=max_iter,
        seed=seed,
    )
    found = grid, result.coefs.toarray(), gaps_of(result, problem)
    return (*found, np.diff(result.points["steps"], prepend=0)) if return_n_iter else found


def gaps_of(result: PathResult, problem: Problem) -> Floats:
    """The judge's gaps in scikit-learn's units; rounding may take them below zero."""
    return np.asarray(np.maximum(result.points["true_gap"], 0.0) / problem.m)


def column(result: PathResult, point: int = -1) -> Floats:
    """The coefficients of a point."""
    coefs: scipy.sparse.csc_array[Any] = result.coefs[:, [point]]
    return np.asarray(coefs.toarray()[:, 0])


def require_number(name: str, value: Any, owner: str, high: float = np.inf) -> None:
    """Raise `ParameterError` unless it is a number in (0, high]."""
    number = isinstance(value, (int, float, np.integer, np.floating))
    if isinstance(value, bool) or not number or not 0.0 < value <= high:
        rule = "a positive number" if high == np.inf else f"a number in (0, {high:g}]"
        raise ParameterError(name, owner, rule, value)


def factors_of(given: Any, p: int, positive: bool, owner: str) -> Floats:
    """Factors of p columns; those of 0 have no penalty.

    Raises
    ------
    ParameterError
        They are not.
    """
    factors = np.asarray(given, dtype=float)
    if factors.shape != (p,) or not ((factors >= 0.0) & np.isfinite(factors)).all():
        rule = f"{p} numbers that are not negative, one for each column of X"
        raise ParameterError("penalty_factor", owner, rule, given)
    if not factors.any() or (positive and not factors.all()):
        rule = "positive for some of the columns" + ", and with positive=True for all" * positive
        raise ParameterError("penalty_factor", owner, rule, given)
    return factors


def units_of(factors: Floats) -> Floats:
    """What the columns are divided by: their factors, or 1 where they have no penalty."""
    return np.where(factors > 0.0, factors, 1.0)


def divided(X: Any, factors: Floats) -> Any:
    """X with each column divided by its factor, as sparse as it was and in its own precision."""
    shares = (1.0 / units_of(factors)).astype(X.dtype)
    return X @ scipy.sparse.diags_array(shares) if scipy.sparse.issparse(X) else X * shares

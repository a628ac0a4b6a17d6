"""Paths of the squared loss in scikit-learn's units, and what estimators ask of any path."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse

from fwcore.arrays import checked_matrix, checked_vector, require
from fwcore.errors import ParameterError
from fwcore.estimators.numbers import as_numbers, by_names_of, listed, require_alphas, require_ratio
from fwcore.estimators.rows import Rows, nothing_descends, problem_of
from fwcore.kernels.types import Floats
from fwcore.losses import Loss, find_loss
from fwcore.options import build
from fwcore.path import Walk
from fwcore.path_result import PathResult
from fwcore.problem import Problem
from fwcore.solvers import Solver, all_solvers, certified_solver, find_solver

ALPHAS, EPS = 100, 1e-3
"""Points of a path of alphas, and its least alpha over its largest; as scikit-learn's."""
_POINTS_A_DECADE = 8
_ROUNDING = 1e-12


def require_walkable(
    name: str, form: str, loss: Loss, owner: str, *, l1_ratio: float, tol: Any, max_steps: Any
) -> None:
    """Raise `ParameterError` where a solver solves another form, or does not know the loss or the
    elastic net, or what it is to stop at does not fit; whatever X and y are.
    """
    solver = _certified(form) if name == "auto" else find_solver(name)
    if solver.form != form:
        parameter = {"ball": "delta", "penalty": "alpha"}.get(solver.form, "no estimator")
        rule = f"one of the {form} form; {solver.title} solves the {solver.form} form ({parameter})"
        raise ParameterError("solver", owner, rule, name)
    if solver.lacks(loss):
        rule = f"one that knows the {loss.text} loss, as certified does"
        raise ParameterError("solver", owner, rule, name)
    if l1_ratio != 1.0 and "l1_ratio" not in solver.Options.declared():
        raise ParameterError("solver", owner, "one that walks elastic nets, as cd does", name)
    build(solver.Options, owner, _options(solver, l1_ratio, tol, max_steps))


def _certified(form: str) -> Solver:
    return next(solver for solver in all_solvers() if solver.certified and solver.form == form)


def solver_of(name: str, problem: Problem, form: str) -> Solver:
    """The solver that was asked for, or for "auto" one whose every point is certified."""
    return certified_solver(problem, form) if name == "auto" else find_solver(name)


def _options(solver: Solver, l1_ratio: float, tol: Any, max_steps: Any) -> dict[str, Any]:
    wanted = {"rule": "gap", "tol": tol, "max_steps": max_steps}
    wanted |= {"l1_ratio": l1_ratio} if l1_ratio != 1.0 else {}
    declared = solver.Options.declared()
    return {name: value for name, value in wanted.items() if name in declared}


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
    walked = Walk(problem, solver, grid, _options(solver, l1_ratio, tol, max_steps), seed=seed)
    for snapshot in walked.snapshots():
        if callback is not None:
            callback(snapshot)
    return walked.result()


def lam_grid_to(problem: Problem, lam: float) -> Floats:
    """From where all is zero down to lam by equal ratios: each solution begins at the last."""
    ratio = problem.lam_max / lam
    # Two points need two numbers between them.
    if ratio <= 1.0 + _ROUNDING:
        return np.array([lam])
    points = 1 + math.ceil(_POINTS_A_DECADE * math.log10(ratio))
    return np.asarray(problem.lam_max * ratio ** -(np.arange(1, points + 1) / points))


def alpha_grid(problem: Problem, l1_ratio: float, alphas: Any, eps: float) -> Floats:
    """The alphas of a path, decreasing: so many, or these."""
    if isinstance(alphas, (int, np.integer)):
        largest = problem.lam_max / (problem.m * l1_ratio)
        return np.geomspace(largest, float(eps) * largest, int(alphas))
    return np.sort(listed(alphas))[::-1]


def lasso_path(
    X: Any,
    y: Any,
    *,
    eps: float = EPS,
    n_alphas: int | None = None,
    alphas: Any = None,
    precompute: Any = "auto",
    Xy: Any = None,
    copy_X: bool = True,
    coef_init: Any = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    l1_ratio: float = 1.0,
    solver: str = "auto",
    tol: float = 1e-6,
    max_iter: int = 100_000,
    seed: int = 0,
) -> tuple[Any, ...]:
    """min 1/(2 m) ||y - X w||^2 + alpha (l1_ratio ||w||_1 + (1 - l1_ratio) / 2 ||w||^2) for a
    sequence of alphas, as scikit-learn's ``lasso_path``: without an intercept, too.

    Parameters
    ----------
    X : array or sparse matrix of shape (m, p)
    y : array of shape (m,)
    eps : float
        The least alpha over the largest, where ``alphas`` is an int.
    n_alphas : int
        How many alphas, by the older name of an int in ``alphas``.
    alphas : int or array
        How many, 100 unless either says, or the path itself.
    precompute : "auto", bool or array of shape (p, p)
        As ``Xy``, ``copy_X`` and ``coef_init``, how scikit-learn gets to a solution: they are taken
        so that calls of its function run, and change nothing here. A solver decides itself which
        products of columns it computes.
    Xy : array of shape (p,)
    copy_X : bool
        X is never written to.
    coef_init : array of shape (p,)
        Where to begin: a path begins at its largest alpha from zero, and ends by its gap wherever
        it began.
    verbose : bool or int
        A dot a point on the standard error stream; more than 1: a line on the output.
    return_n_iter : bool
        Return n_iters, too.
    positive : bool
        w >= 0.
    l1_ratio : float in [1e-6, 1]
    solver : str
        A name of `fwcore.all_solvers` of the penalty form, or "auto".
    tol : float
        The duality gap of each point is at most tol * ||y||^2 / (2 m).
    max_iter : int
        Steps at which a point is given up.
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
    owner = "lasso_path"
    alphas = _one_of(n_alphas, alphas)
    require_ratio(l1_ratio, owner)
    require_alphas(alphas, eps, owner)
    plain, l1_ratio = find_loss("squared"), float(l1_ratio)
    with by_names_of(owner):
        to: dict[str, Any] = {"l1_ratio": l1_ratio, "tol": tol, "max_steps": max_iter}
        require_walkable(solver, "penalty", plain, owner, **to)
        rows = Rows(checked_matrix("X", X), checked_vector("y", y))
        fits = len(rows.y) == rows.X.shape[0]
        require(fits, "y", f"of length {rows.X.shape[0]}, the rows of X", len(rows.y))
        _require_hints(rows.X.shape[1], precompute, Xy, copy_X, coef_init, verbose)
        if nothing_descends(rows, plain, False, positive):
            return _zeros(rows.X.shape[1], alphas, return_n_iter)
        problem = problem_of(rows, plain, intercept=False, positive=positive)
        grid = alpha_grid(problem, l1_ratio, alphas, eps)
        result = walk(
            problem,
            solver_of(solver, problem, "penalty"),
            grid * problem.m * l1_ratio,
            **to,
            seed=seed,
            callback=_teller(int(verbose), grid.size) if verbose else None,
        )
    found = grid, result.coefs.toarray(), gaps_of(result, problem)
    return (*found, np.diff(result.points["steps"], prepend=0)) if return_n_iter else found


def _one_of(n_alphas: Any, alphas: Any) -> Any:
    """What was given of both, of which one is enough."""
    if n_alphas is None:
        return ALPHAS if alphas is None else alphas
    whole = isinstance(n_alphas, (int, np.integer)) and not isinstance(n_alphas, bool)
    if alphas is not None or not whole or n_alphas < 1:
        rule = "a positive int, and None where alphas are given"
        raise ParameterError("n_alphas", "lasso_path", rule, n_alphas)
    return n_alphas


def _require_hints(
    p: int, precompute: Any, Xy: Any, copy_X: Any, coef_init: Any, verbose: Any
) -> None:
    """Raise `ParameterError` unless they are such as scikit-learn takes."""
    hints = (("precompute", precompute, (p, p)), ("Xy", Xy, (p,)), ("coef_init", coef_init, (p,)))
    for name, given, shape in hints:
        numbers = as_numbers(given)
        array = numbers.shape == shape and np.isfinite(numbers).all()
        plain, rule = given is None, "None"
        if name == "precompute":
            auto = isinstance(given, str) and given == "auto"
            plain, rule = auto or isinstance(given, (bool, np.bool_)), '"auto", a bool'
        require(plain or array, name, f"{rule} or finite numbers of shape {shape}", given)
    require(isinstance(copy_X, (bool, np.bool_)), "copy_X", "a bool", copy_X)
    fits = isinstance(verbose, (bool, np.bool_, int, np.integer)) and verbose >= 0
    require(fits, "verbose", "a bool or an int of at least 0", verbose)


def _teller(verbose: int, points: int) -> Callable[[Any], None]:
    """What tells of each point that has ended."""
    ended = itertools.count(1)

    def tell(snapshot: Any) -> None:
        if snapshot.verdict is None:
            return
        if verbose > 1:
            print(f"Path: {next(ended):03d} out of {points:03d}")
        else:
            print(".", end="", file=sys.stderr)

    return tell


def _zeros(p: int, alphas: Any, return_n_iter: bool) -> tuple[Any, ...]:
    """The path where no column descends: the alphas of an int are scikit-learn's, all alike."""
    if isinstance(alphas, (int, np.integer)):
        grid = np.full(int(alphas), np.finfo(float).resolution)
    else:
        grid = np.sort(listed(alphas))[::-1]
    n = grid.size
    found = grid, np.zeros((p, n)), np.zeros(n)
    return (*found, np.zeros(n, np.int64)) if return_n_iter else found


def gaps_of(result: PathResult, problem: Problem) -> Floats:
    """The judge's gaps in scikit-learn's units; rounding may take them below zero."""
    return np.asarray(np.maximum(result.points["true_gap"], 0.0) / problem.m)


def columns(result: PathResult) -> Iterator[Floats]:
    """The coefficients of each point; those of all would be as many numbers as X may have."""
    return (column(result, point) for point in range(result.points.size))


def column(result: PathResult, point: int = -1) -> Floats:
    """The coefficients of a point."""
    coefs: scipy.sparse.csc_array[Any] = result.coefs[:, [point]]
    return np.asarray(coefs.toarray()[:, 0])

"""Our solvers against public implementations of the same algorithm: time to the same accuracy, one
thread, compiled.

``cd`` and scikit-learn's ``lasso_path``, which leave out columns by strong rules and by gap safe
rules; ``scd`` (exact) and scikit-learn's coordinate descent with random selection; ``fista`` and
skglm's ``FISTA``; ``omp`` and scikit-learn's. LARS is scikit-learn's own.

skglm's FISTA computes the norm of X by a full SVD at every point, and stops by a rule that compares
the gradient of one point with the subdifferential at another: it is given the norm, and the same
budget of iterations at every point, from 30 on; ``their tolerance`` is one over it. Ours stops
point by point.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg
from certified import relative_gaps, walked
from peers import timed
from problems import CASES, available
from report import Asked, Rows, Tables

from fwcore import Problem

POINTS = 20
_ACCURACY = 1e-4
_LADDER = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
_BUDGETS = (1 / 30, 1 / 100, 1 / 300, 1 / 1000, 1 / 3000)


def _sklearn(selection: str) -> Callable[..., Any]:
    from sklearn.linear_model import lasso_path

    def run(X: Any, y: Any, lam: Any, tolerance: float) -> Any:
        given = {"selection": selection, "random_state": 0}
        return timed(
            lambda: lasso_path(X, y, alphas=lam / y.size, tol=tolerance, max_iter=100_000, **given)[
                1
            ]
        )

    return run


def _skglm_fista(X: Any, y: Any, lam: Any, tolerance: float) -> Any:
    from numba import float64
    from skglm.datafits import Quadratic
    from skglm.penalties import L1
    from skglm.solvers import FISTA

    class KnownNorm(Quadratic):  # type: ignore[misc]
        def __init__(self, square: float) -> None:
            self.square = square

        def get_spec(self) -> Any:
            return (*super().get_spec(), ("square", float64))

        def params_to_dict(self) -> dict[str, float]:
            return {"square": self.square}

        def get_global_lipschitz(self, X: Any, y: Any) -> float:
            return self.square / len(y)

    norm = float(scipy.sparse.linalg.svds(X, k=1, return_singular_vectors=False, random_state=0)[0])

    def run() -> Any:
        w, found = np.zeros(X.shape[1]), []
        solver = FISTA(max_iter=round(1 / tolerance), tol=0.0)
        for value in lam:
            w = solver.solve(X, y, KnownNorm(norm**2), L1(value / y.size), w_init=w, Xw_init=X @ w)[
                0
            ]
            found.append(scipy.sparse.csc_array(w[:, None]))
        return scipy.sparse.hstack(found)

    # The first of two runs compiles.
    return min(timed(run), timed(run), key=lambda found: found.cpu)


PAIRS = (
    ("cd", "scikit-learn lasso_path, cyclic", _sklearn("cyclic")),
    ("scd", "scikit-learn lasso_path, random", _sklearn("random")),
    ("fista", "skglm FISTA", _skglm_fista),
)
_PATIENCE = 20.0


def _row(
    name: str, solver: str, theirs: str, run: Callable[..., Any], problem: Problem, X: Any
) -> dict[str, Any]:
    lam = np.geomspace(problem.lam_max / 1.2, problem.lam_max / 20, POINTS)
    options = {"rule": "gap"} | ({"update": "exact"} if solver == "scd" else {})
    ours = walked(problem, solver, lam, {**options, "tol": _ACCURACY})[0]
    y = problem.y.copy()
    run(np.asfortranarray(np.eye(6)), np.arange(6.0), np.array([1.0]), 1e-2)
    # Their tolerances are of another unit: the first of a ladder whose worst gap is no larger than
    # ours may be.
    reached, seconds, gap = float("nan"), float("nan"), float("nan")
    for tolerance in _BUDGETS if solver == "fista" else _LADDER:
        found = run(X, y, lam, tolerance)
        gap = relative_gaps(problem, "penalty", lam, found.coefs).max()
        if gap <= _ACCURACY:
            reached, seconds = tolerance, min(found.cpu, run(X, y, lam, tolerance).cpu)
        if gap <= _ACCURACY or found.cpu > _PATIENCE:
            break
    cpu = min(ours.cpu, walked(problem, solver, lam, {**options, "tol": _ACCURACY})[0].cpu)
    own = relative_gaps(problem, "penalty", lam, ours.coefs).max()
    return _told(name, solver, theirs, (own, gap), reached, (cpu, seconds))


def _told(
    problem: str,
    ours: str,
    theirs: str,
    gaps: tuple[float, float],
    tolerance: float,
    cpu: tuple[float, float],
) -> dict[str, Any]:
    return {
        "problem": problem,
        "ours": ours,
        "theirs": theirs,
        "our gap": gaps[0],
        "their gap": gaps[1],
        "their tolerance": tolerance,
        "our cpu": cpu[0],
        "their cpu": cpu[1],
        "ours / theirs": cpu[0] / cpu[1],
    }


def _pursuit() -> dict[str, Any]:
    """``omp`` and scikit-learn's at 2,000 x 4,000, 100 columns: the largest difference of a
    coefficient stands for the gaps.
    """
    from sklearn.linear_model import orthogonal_mp

    random = np.random.default_rng(0)
    X = random.standard_normal((2000, 4000))
    X /= np.linalg.norm(X, axis=0)
    problem = Problem.from_arrays(
        X,
        X[:, :100] @ random.standard_normal(100) + random.standard_normal(2000) / 20,
        standardize=False,
    )
    theirs = min(
        (
            timed(lambda: orthogonal_mp(X, problem.y, n_nonzero_coefs=100)[:, None])
            for _ in range(3)
        ),
        key=lambda t: t.cpu,
    )
    ours = min((walked(problem, "omp", [100], {})[0] for _ in range(3)), key=lambda t: t.cpu)
    apart = float(abs(ours.coefs - theirs.coefs).max())
    return _told(
        "dense 2,000 x 4,000",
        "omp",
        "scikit-learn orthogonal_mp",
        (apart, apart),
        float("nan"),
        (ours.cpu, theirs.cpu),
    )


def measure() -> Rows:
    """Each pair on two generated problems and, where its files are at hand, on ARCENE."""
    random, problems = np.random.default_rng(0), {}
    for m, p in ((500, 2000), (200, 5000)):
        X = random.standard_normal((m, p))
        y = X[:, :20] @ random.standard_normal(20) + random.standard_normal(m)
        problems[f"dense {m} x {p:,}"] = Problem.from_arrays(X, y)
    if available("arcene"):
        problems["arcene"] = CASES["arcene"]().problem
    return [_pursuit()] + [
        _row(name, ours, theirs, run, problem, problem.design.matrix())
        for name, problem in problems.items()
        for ours, theirs, run in PAIRS
    ]


def tables(_: Asked) -> Tables:
    yield "The same algorithm elsewhere: 20 values of lam, worst gap at most 1e-4", measure()

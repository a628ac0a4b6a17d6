"""Time to a certified path of the logistic loss: 100 values of lam to lam max / 20, no intercept.

Peers get the columns of unit norm that ours have, and lam in their own units. glmnet, celer and
adelie walk the path themselves, skglm is given the last solution, liblinear has no warm start and
starts each point at zero.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse
from certified import Judges, from_arrays, our_method, peer_methods
from ladder import Method, measured
from peers import FINE, glmnet, halved, of_python
from report import Asked, Tables

from fwcore import Problem, datasets
from fwcore.solvers.external.adelie import library

_POINTS, _SPAN = 100, 20.0


def _celer(X: Any, y: Any, lam: Any, tolerance: float) -> Any:
    from celer.homotopy import celer_path

    return celer_path(X, y, "logreg", alphas=lam, tol=tolerance, max_iter=1000, use_PN=True)[1]


def _skglm(X: Any, y: Any, lam: Any, tolerance: float) -> Any:
    from skglm.datafits import Logistic
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton

    solver = ProxNewton(tol=tolerance, max_iter=1000, fit_intercept=False, warm_start=True)
    w, found = np.zeros(X.shape[1]), []
    for value in lam:
        penalty = L1(value / y.size)
        w = solver.solve(X, y, Logistic(), penalty, w_init=w.copy(), Xw_init=X @ w)[0]
        found.append(w)
    return np.column_stack(found)


def _adelie(X: Any, y: Any, lam: Any, tolerance: float) -> Any:
    adelie = library()
    if scipy.sparse.issparse(X):
        design = adelie.matrix.sparse(scipy.sparse.csc_matrix(X))
    else:
        design = adelie.matrix.dense(X)
    state = adelie.grpnet(
        design,
        adelie.glm.binomial((y + 1.0) / 2.0),
        lmda_path=lam / y.size,
        intercept=False,
        tol=tolerance,
        irls_tol=tolerance,
        early_exit=False,
        progress_bar=False,
        max_iters=10**7,
    )
    return state.betas.T


def _liblinear(X: Any, y: Any, lam: Any, tolerance: float) -> Any:
    from sklearn.linear_model import LogisticRegression

    found = []
    for value in lam:
        model = LogisticRegression(
            l1_ratio=1.0,
            C=1.0 / value,
            solver="liblinear",
            fit_intercept=False,
            tol=tolerance,
            max_iter=10_000,
            random_state=0,
        )
        found.append(model.fit(X, y).coef_[0])
    return np.column_stack(found)


PEERS = (
    *glmnet("binomial", "Newton", "modified.Newton"),
    of_python("celer", halved(3, 6), _celer),
    of_python("skglm", halved(3, 7), _skglm),
    of_python("adelie", FINE, _adelie),
    of_python("liblinear", halved(2, 5), _liblinear, "scikit-learn"),
)


def _labelled(name: str) -> Problem:
    made = datasets.read(name)
    return Problem.from_arrays(made.X, made.y, name=name, loss="logistic")


def _expression() -> Problem:
    """The shape of leukemia, 72 x 7,129: blocks of correlated columns, ten of which tell."""
    random = np.random.default_rng(0)
    X = np.repeat(random.standard_normal((72, 360)), 20, axis=1)[:, :7129]
    X = 0.8 * X + 0.6 * random.standard_normal(X.shape)
    u = X[:, ::713][:, :10].sum(axis=1) + random.standard_normal(72)
    return Problem.from_arrays(X, np.where(u > 0, 1.0, -1.0), loss="logistic", name="expression")


CASES: dict[str, Callable[[], Problem]] = {
    "arcene": partial(_labelled, "arcene"),
    "dorothea": partial(_labelled, "dorothea"),
    "rcv1-sample": partial(_labelled, "rcv1-sample"),
    "classic": partial(_labelled, "classic"),
    "expression": _expression,
}


def _methods(problem: Problem, wants_peer: Callable[[str], bool]) -> list[Method]:
    lam = np.geomspace(problem.lam_max, problem.lam_max / _SPAN, _POINTS)
    X = problem.design.exported()[0]
    X = scipy.sparse.csc_array(X) if scipy.sparse.issparse(X) else X
    judges = Judges(problem, X)
    ours = [our_method(name, judges, name, lam) for name in ("certified", "fista")]
    ours.insert(1, from_arrays("certified", judges, X, lam))
    return [*ours, *peer_methods(PEERS, judges, X, lam, wants_peer)]


def tables(asked: Asked) -> Tables:
    """A table a case whose files are at hand."""
    for name, made in CASES.items():
        at_hand = name == "expression" or datasets.available(datasets.find(name))
        if at_hand and asked.wants_case(name):
            title = f"{name}: {_POINTS} values of lam to lam max / {_SPAN:g}"
            yield title, measured(name, lambda made=made: _methods(made(), asked.wants_peer))

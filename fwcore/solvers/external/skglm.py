"""skglm: working sets with Anderson acceleration."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from fwcore.kernels.types import Floats
from fwcore.solvers.external._process import LibrarySolver


def coefficients(
    X: Any, y: Floats, lams: Floats, tolerance: float, start: Floats | None, offset: Floats | None
) -> Floats:
    """See `fwcore.solvers.external`; columns are centred by an intercept, which comes to the same
    for a centred y.
    """
    from skglm.datafits import Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD

    X = scipy.sparse.csc_matrix(X) if scipy.sparse.issparse(X) else X
    p, intercept = X.shape[1], offset is not None
    solver = AndersonCD(tol=tolerance, max_iter=100, fit_intercept=intercept, warm_start=True)
    w = np.zeros(p + intercept)
    if start is not None:
        w[:p] = start
        if offset is not None:
            w[p] = -offset @ start
    found = np.empty((p, lams.size))
    for k, lam in enumerate(lams):
        fitted = X @ w[:p] + (w[p] if intercept else 0.0)
        w = solver.solve(X, y, Quadratic(), L1(lam / y.size), w_init=w, Xw_init=fitted)[0]
        found[:, k] = w[:p]
    return found


class Skglm(LibrarySolver):
    """min 1/2 ||X a - y||^2 + lam * sum abs(a) by ``skglm.solvers.AndersonCD``, whose alpha is lam
    / m.
    """

    name = "skglm"
    title = "skglm"
    reference = "Bertrand, Klopfenstein, Bannier, Gidel & Massias 2022"
    package = "skglm"
    install = "pip install skglm"
    module = __name__

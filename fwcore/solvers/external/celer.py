"""celer: working sets by dual extrapolation."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from fwcore.kernels.types import Floats
from fwcore.solvers.external._process import LibrarySolver


def coefficients(
    X: Any, y: Floats, lams: Floats, tolerance: float, start: Floats | None, offset: Floats | None
) -> Floats:
    """See `fwcore.solvers.external`."""
    from celer import celer_path

    centred: dict[str, Any] = (
        {} if offset is None else {"X_offset": offset, "X_scale": np.ones(offset.size)}
    )
    X = scipy.sparse.csc_matrix(X) if scipy.sparse.issparse(X) else X
    given = {"tol": tolerance, "max_iter": 100, "max_epochs": 50_000, "coef_init": start}
    return np.asarray(celer_path(X, y, "lasso", alphas=lams / y.size, **given, **centred)[1])


class Celer(LibrarySolver):
    """min 1/2 ||X a - y||^2 + lam * sum abs(a) by ``celer.celer_path``, whose alpha is lam / m."""

    name = "celer"
    title = "celer"
    reference = "Massias, Gramfort & Salmon 2018"
    package = "celer"
    install = "pip install celer"
    module = __name__

"""scikit-learn's coordinate descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from fwcore.kernels.types import Floats
from fwcore.solvers.external._process import LibrarySolver


def coefficients(
    X: Any, y: Floats, lams: Floats, tolerance: float, start: Floats | None, offset: Floats | None
) -> Floats:
    """See `fwcore.solvers.external`."""
    from sklearn.linear_model import lasso_path

    centred: dict[str, Any] = (
        {} if offset is None else {"X_offset": offset, "X_scale": np.ones(offset.size)}
    )
    found = lasso_path(
        X,
        y,
        alphas=lams / y.size,
        tol=tolerance,
        max_iter=100_000,
        coef_init=start,
        copy_X=False,
        **centred,
    )
    return np.asarray(found[1])


class ScikitLearn(LibrarySolver):
    """min 1/2 ||X a - y||^2 + lam * sum abs(a) by ``sklearn.linear_model.lasso_path``, whose alpha
    is lam / m.
    """

    name = "sklearn"
    title = "scikit-learn, coordinate descent"
    reference = "Pedregosa et al. 2011; Friedman, Hastie & Tibshirani 2010"
    package = "sklearn"
    install = "pip install scikit-learn"
    module = __name__

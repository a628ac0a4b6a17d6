"""adelie: glmnet's algorithm for groups, in C++."""

from __future__ import annotations

import os
from typing import Any

import scipy.sparse

from fwcore.kernels.types import Floats
from fwcore.solvers.external._process import LibrarySolver


def library() -> Any:
    """adelie, which binds the process to one core as it is imported: everybody after it would be
    held to one thread.
    """
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    import adelie

    if cores is not None:
        os.sched_setaffinity(0, cores)
    return adelie


def coefficients(
    X: Any, y: Floats, lams: Floats, tolerance: float, start: Floats | None, offset: Floats | None
) -> Any:
    """See `fwcore.solvers.external`; columns are centred by an intercept. It takes no start: each
    call begins at zero.
    """
    adelie = library()
    design = (
        adelie.matrix.sparse(scipy.sparse.csc_matrix(X))
        if scipy.sparse.issparse(X)
        else adelie.matrix.dense(X)
    )
    state = adelie.grpnet(
        X=design, glm=adelie.glm.gaussian(y=y), lmda_path=lams / y.size,
        intercept=offset is not None, tol=tolerance,
        early_exit=False, progress_bar=False, max_iters=10**7,
    )  # fmt: skip
    return state.betas.T


class Adelie(LibrarySolver):
    """min 1/2 ||X a - y||^2 + lam * sum abs(a) by ``adelie.grpnet``, whose lambda is lam / m."""

    name = "adelie"
    title = "adelie"
    reference = "Yang & Hastie 2024"
    package = "adelie"
    # adelie asks for numpy below 2, which it does not need.
    install = "pip install --no-deps adelie"
    module = __name__

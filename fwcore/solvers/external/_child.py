"""What runs in the process of a library: it holds the design, and solves point by point."""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from threadpoolctl import threadpool_limits

from fwcore.kernels.types import Floats, Ints

_solve: Callable[[float, float, Floats], Floats] | None = None
_p = 0


def hold(module: str, X: Any, y: Floats, offset: Floats | None) -> None:
    """Take the design, once; what a first call compiles or sets up is done on a toy."""
    global _solve, _p
    # The judge says how good a solution is; a library's warning that it is not would be one of many
    # in a log.
    warnings.simplefilter("ignore")
    library = importlib.import_module(module)
    toy = np.asfortranarray(np.random.default_rng(0).standard_normal((9, 12)))
    small: Any = scipy.sparse.csc_matrix(toy) if scipy.sparse.issparse(X) else toy
    prepared(library, small, toy[:, 0].copy(), None if offset is None else np.zeros(12))(
        0.5, 1e-2, np.zeros(12)
    )
    _solve, _p = prepared(library, X, y, offset), X.shape[1]


def prepared(
    library: Any, X: Any, y: Floats, offset: Floats | None
) -> Callable[[float, float, Floats], Floats]:
    """(value, tolerance, start) -> a: what ``prepare`` of the module makes, or else its
    ``coefficients`` for one lam.
    """
    if hasattr(library, "prepare"):
        made: Callable[[float, float, Floats], Floats] = library.prepare(X, y, offset)
        return made

    def solve(lam: float, tolerance: float, start: Floats) -> Floats:
        found = library.coefficients(X, y, np.array([lam]), tolerance, start, offset)
        return np.asarray(found.toarray() if scipy.sparse.issparse(found) else found).reshape(-1)

    return solve


def solve(value: float, tolerance: float, start: tuple[Ints, Floats]) -> tuple[Ints, Floats, float]:
    """Indices and values of a solution, and the CPU seconds of the call."""
    if _solve is None:
        raise RuntimeError("no design is held")
    a = np.zeros(_p)
    a[start[0]] = start[1]
    # One thread, as our own solvers: threads of BLAS that wait for each other would be charged as
    # CPU seconds.
    with threadpool_limits(limits=1):
        begun = time.process_time()
        found = _solve(value, tolerance, a)
        seconds = time.process_time() - begun
    indices = np.flatnonzero(found)
    return indices, np.asarray(found[indices], dtype=np.float64), seconds

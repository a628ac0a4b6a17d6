"""scikit-learn's least angle regression: the whole path at once, its points read off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats
from fwcore.options import Count, Options
from fwcore.problem import Problem
from fwcore.solvers.external._process import LibrarySolver, LibraryState


def prepare(X: Any, y: Floats, offset: Floats | None) -> Callable[[float, float, Floats], Floats]:
    """(delta, breakpoints, start) -> a of that l1 norm; the path is walked when first asked for."""
    if scipy.sparse.issparse(X):
        X = np.asfortranarray(X.toarray())
        X -= 0.0 if offset is None else offset
    norms, path = np.zeros(0), np.zeros((0, 0))

    def solve(delta: float, breakpoints: float, start: Floats) -> Floats:
        nonlocal norms, path
        if norms.size == 0:
            from sklearn.linear_model import lars_path

            path = lars_path(X, y, method="lasso", max_iter=int(breakpoints))[2]
            norms = np.abs(path).sum(axis=0)
        return read(norms, path, delta)

    return solve


def read(norms: Floats, path: Floats, delta: float) -> Floats:
    """The point of l1 norm ``delta`` of a path linear between its breakpoints, whose norms grow;
    its end beyond them.
    """
    k = int(np.searchsorted(norms, delta))
    if k == 0 or k == norms.size:
        return np.asarray(path[:, min(k, norms.size - 1)])
    share = (delta - norms[k - 1]) / (norms[k] - norms[k - 1])
    return np.asarray((1.0 - share) * path[:, k - 1] + share * path[:, k])


class LarsOptions(Options):
    """Options of `Lars`."""

    breakpoints = Count(
        default=500,
        bounds=(1, 10**5),
        label="Breakpoints",
        doc="Where the path is given up; every one is kept, in p numbers.",
    )


class Lars(LibrarySolver):
    """min 1/2 ||X a - y||^2 subject to sum abs(a) <= delta by ``sklearn.linear_model.lars_path``.

    The solution is piecewise linear in delta; breakpoints are found one after the other, all for
    the first point, which is charged with them. The true gap shows where the path was given up
    before delta, or columns were too much alike.
    """

    name = "lars"
    title = "LARS"
    reference = "Efron, Hastie, Johnstone & Tibshirani 2004; scikit-learn"
    form = "ball"
    Options = LarsOptions
    package = "sklearn"
    install = "pip install scikit-learn"
    module = __name__

    def limit(self, options: Any) -> float:
        return float(options.breakpoints)

    def init(self, problem: Problem, options: Any, seed: int) -> LibraryState:
        if problem.m * problem.p > self.most_entries:
            raise ParameterError(
                "X",
                "Lars",
                f"one of at most {self.most_entries:,} entries: it works on a dense copy",
                problem.m * problem.p,
            )
        return super().init(problem, options, seed)

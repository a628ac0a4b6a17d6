"""The problems of the benchmark, each as our methods take it and as a matrix for the peers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from fwcore import Problem, datasets
from fwcore.datasets.generators import correlated_gaussian, zipf_sparse


@dataclass(frozen=True)
class Case:
    """A problem. ``problem`` is standardised where the design is dense; ``stored`` are our ways to
    hold it; ``span`` ends the grid.

    Sparse columns have unit norm but are not centred, since not every peer centres implicitly.
    """

    name: str
    problem: Problem
    stored: dict[str, Problem]
    span: float = 100.0

    def matrix(self) -> Any:
        """X as the peers get it: float64, Fortran order, or sparse columns."""
        X, _ = self.problem.design.exported()
        return scipy.sparse.csc_array(X) if scipy.sparse.issparse(X) else X


def _products(name: str) -> Case:
    made = datasets.load(name)
    X = made.design.matrix()
    return Case(
        name,
        made,
        {
            "products": made,
            "dense": Problem.from_arrays(X, made.y, standardize=False),
            "float32": Problem.from_arrays(X, made.y, standardize=False, dtype="float32"),
        },
    )


def _dense(name: str, X: Any, y: Any) -> Case:
    standardised = Problem.from_arrays(X[:, np.ptp(X, axis=0) > 0], y, name=name)
    return Case(name, standardised, {"dense": standardised})


def _sparse(name: str, X: Any, y: Any, span: float = 100.0) -> Case:
    X = scipy.sparse.csc_array(X, dtype=np.float64)
    norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=0)).ravel())
    X = (X[:, norms > 0] @ scipy.sparse.diags_array(1 / norms[norms > 0])).tocsc()
    y = (y - y.mean()) / np.sqrt(y.size)
    problem = Problem.from_arrays(X, y, standardize=False, name=name)
    return Case(
        name,
        problem,
        {
            "sparse": problem,
            "float32": Problem.from_arrays(X, y, standardize=False, dtype="float32"),
        },
        span,
    )


def _dense_of(name: str) -> Case:
    made = datasets.read(name)
    return _dense(name, made.X, made.y)


def _sparse_of(name: str) -> Case:
    made = datasets.read(name)
    return _sparse(name, made.X, made.y)


def gaussian() -> Case:
    """Independent normal columns, 200 x 50,000, 50 of them relevant."""
    made = correlated_gaussian(200, 50_000, 50, rho=0.0, snr=50.0)
    return _dense("gaussian", made.X, made.y)


def tfidf() -> Case:
    """A sparse matrix of E2006-tfidf's shape: Zipf column counts, positive values, 500 relevant
    columns.
    """
    made = zipf_sparse(16_087, 150_360, 20_000_000)
    return _sparse("tfidf", made.X, made.y, span=8.0)


def log1p() -> Problem:
    """E2006-log1p's shape: 16,087 x 4,272,227, 97 million entries, in float32."""
    return datasets.read("log1p-shaped").problem()


CASES: dict[str, Callable[[], Case]] = {
    "pyrim": lambda: _products("pyrim"),
    "triazines": lambda: _products("triazines"),
    "arcene": lambda: _dense_of("arcene"),
    "dorothea": lambda: _sparse_of("dorothea"),
    "classic": lambda: _sparse_of("classic"),
    "gaussian": gaussian,
    "tfidf": tfidf,
}


def available(name: str) -> bool:
    """Whether the files of a case are at hand."""
    return name in ("gaussian", "tfidf") or datasets.available(datasets.find(name))

"""The problems of the benchmark, each as our methods take it and as a matrix for the peers."""

from __future__ import annotations

import dataclasses
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
    hold it; ``span`` ends the grid; ``products``: X, where it is not stored.

    Sparse columns have unit norm but are not centred, since not every peer centres implicitly.
    """

    name: str
    problem: Problem
    stored: dict[str, Problem]
    span: float = 100.0
    products: Any = None

    def matrix(self) -> Any:
        """X as the peers get it: float64, Fortran order, or sparse columns."""
        X, _ = self.problem.design.exported()
        return scipy.sparse.csc_array(X) if scipy.sparse.issparse(X) else X

    def given(self) -> Any:
        """X as ours get it: as the peers do, but for products."""
        return self.matrix() if self.products is None else self.products


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
        products=made.design,
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


def equicorrelated() -> Case:
    """150 x 30,000, every two columns with a correlation of 0.9, 20 of them relevant."""
    random = np.random.default_rng(0)
    X = np.sqrt(0.9) * random.standard_normal((150, 1)) + np.sqrt(0.1) * random.standard_normal(
        (150, 30_000)
    )
    return _dense("equicorrelated", X, *_response(X, 20, random))


def expression(rows: int, columns: int) -> Case:
    """The shape and the correlation of gene expression: blocks of twenty genes that go together."""
    random = np.random.default_rng(0)
    common = np.repeat(random.standard_normal((rows, columns // 20 + 1)), 20, axis=1)
    X = 0.8 * common[:, :columns] + 0.6 * random.standard_normal((rows, columns))
    return _dense(f"expression {rows} x {columns:,}", X, *_response(X, 10, random))


def farm_ads() -> Case:
    """The shape of farm-ads: 3,313 x 49,164, words that occur or not, 655,000 of them."""
    made = zipf_sparse(3_313, 49_164, 655_000, relevant=200, snr=3.0, values="ones", labels=True)
    return _sparse("farm-ads", made.X, made.y)


def tall() -> Case:
    """4,000 x 3,000, neighbours with a correlation of 0.8, 100 relevant; to lam max / 1000."""
    made = correlated_gaussian(4_000, 3_000, 100, rho=0.8, snr=3.0)
    return dataclasses.replace(_dense("tall", made.X, made.y), span=1000.0)


def _response(X: Any, relevant: int, random: Any) -> tuple[Any]:
    """The sum of evenly spread columns, with half as much noise."""
    signal = X[:, :: X.shape[1] // relevant][:, :relevant].sum(axis=1)
    return (signal + 0.5 * signal.std() * random.standard_normal(signal.size),)


def tfidf() -> Case:
    """A sparse matrix of E2006-tfidf's shape: Zipf column counts, positive values, 500 relevant
    columns.
    """
    made = zipf_sparse(16_087, 150_360, 20_000_000)
    return _sparse("tfidf", made.X, made.y, span=8.0)


FILED: dict[str, Callable[[], Case]] = {
    "pyrim": lambda: _products("pyrim"),
    "triazines": lambda: _products("triazines"),
    "arcene": lambda: _dense_of("arcene"),
    "dorothea": lambda: _sparse_of("dorothea"),
    "classic": lambda: _sparse_of("classic"),
}
MADE: dict[str, Callable[[], Case]] = {
    "gaussian": gaussian,
    "equicorrelated": equicorrelated,
    "riboflavin": lambda: expression(71, 4_088),
    "colon": lambda: expression(62, 2_000),
    "leukemia": lambda: expression(34, 7_129),
    "farm-ads": farm_ads,
    "tall": tall,
    "tfidf": tfidf,
}
"""Those that are made: of these shapes, not of these data."""
CASES: dict[str, Callable[[], Case]] = FILED | MADE


def available(name: str) -> bool:
    """Whether the files of a case are at hand."""
    return name in MADE or datasets.available(datasets.find(name))

"""The problems of the benchmark, each as our methods take it and as a matrix for the peers."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse

from fwcore import Problem, datasets, design


@dataclass(frozen=True)
class Case:
    """A problem. ``problem`` is standardised where the design is dense; ``stored`` are our ways to hold it; ``span`` ends the grid.

    Sparse columns have unit norm but are not centred, since not every peer centres implicitly.
    """

    name: str
    problem: Problem
    stored: dict[str, Problem]
    span: float = 100.0

    def matrix(self) -> Any:
        """X as the peers get it: float64, Fortran order, or sparse columns."""
        held = self.problem.design
        if isinstance(held, design.Csc):
            return scipy.sparse.csc_array((held.values * np.repeat(held.scale, np.diff(held.indptr)), held.rows, held.indptr))
        return design.matrix(held)


def _products(name: str) -> Case:
    made = datasets.load(name)
    X = design.matrix(made.design)
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
    return Case(name, problem, {"sparse": problem, "float32": Problem.from_arrays(X, y, standardize=False, dtype="float32")}, span)


def _file(relative: str) -> Path:
    return Path(os.environ.get("FWCORE_DATA", ""), relative)


def arcene() -> Case:
    """ARCENE's training rows, 100 x 10,000; the labels as a response."""
    X = np.loadtxt(_file("arcene/arcene_train.data"))
    return _dense("arcene", X, np.loadtxt(_file("arcene/arcene_train.labels")))


def dorothea() -> Case:
    """DOROTHEA's training rows, 800 x 100,000, binary."""
    read = scipy.io.loadmat(_file("dorothea/dorothea.mat"))
    return _sparse("dorothea", read["X_train"], np.asarray(read["Y_train"], float).ravel())


def classic() -> Case:
    """Text `classic`, 7,094 documents: the first class against the rest as +-1."""
    read = scipy.io.loadmat(_file("text/classic.mat"))
    classes = np.asarray(read["classid"]).ravel()
    return _sparse("classic", read["dtm"], np.where(classes == classes[0], 1.0, -1.0))


def gaussian() -> Case:
    """Independent normal columns, 200 x 50,000, 50 of them relevant."""
    random = np.random.default_rng(0)
    X = random.standard_normal((200, 50_000))
    return _dense("gaussian", X, X[:, :50] @ random.standard_normal(50) + random.standard_normal(200))


def tfidf(m: int = 16_087, p: int = 150_360, entries: int = 20_000_000) -> tuple[Any, Any]:
    """A sparse matrix of E2006-tfidf's shape: Zipf column counts, positive values, 500 relevant columns."""
    random = np.random.default_rng(0)
    weights = 1.0 / np.arange(3, p + 3)
    counts = np.clip(entries * weights / weights.sum(), 1, 0.8 * m)
    counts = np.minimum(counts * entries / counts.sum(), 0.9 * m).astype(np.int64) + 1
    columns = np.repeat(np.arange(p), counts)
    rows = random.integers(0, m, columns.size, dtype=np.int32)
    X = scipy.sparse.csc_array((random.lognormal(-1.0, 0.7, columns.size), (rows, columns)), shape=(m, p))
    relevant = random.choice(p // 3, 500, replace=False)
    response = X[:, relevant] @ random.standard_normal(500)
    return X, response + response.std() * random.standard_normal(m)


def log1p() -> Problem:
    """E2006-log1p's shape: 16,087 x 4,272,227, 97 million entries, in float32."""
    X, y = tfidf(16_087, 4_272_227, 97_000_000)
    return Problem.from_arrays(X, y, dtype="float32", name="log1p")


CASES: dict[str, Callable[[], Case]] = {
    "pyrim": lambda: _products("pyrim"),
    "triazines": lambda: _products("triazines"),
    "arcene": arcene,
    "dorothea": dorothea,
    "classic": classic,
    "gaussian": gaussian,
    "tfidf": lambda: _sparse("tfidf", *tfidf(), span=8.0),
}
_NEEDS = {
    "pyrim": "pyrim/pyrim_scale.svm",
    "triazines": "triazines/triazines_scale.svm",
    "arcene": "arcene/arcene_train.data",
    "dorothea": "dorothea/dorothea.mat",
    "classic": "text/classic.mat",
}


def available(name: str) -> bool:
    """Whether the files of a case are at hand."""
    return name not in _NEEDS or _file(_NEEDS[name]).is_file()

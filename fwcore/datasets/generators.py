"""Problems that are made, not measured; each returns its true coefficients, in the units of the X
and y that it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numba import njit

from fwcore.datasets import stages
from fwcore.errors import ParameterError
from fwcore.kernels.random import new_stream, uniform_int
from fwcore.kernels.types import Floats

# A large matrix is filled in so many parts, which take such a share of what making it does.
_PARTS = 40
_FILLING = 0.8


class Generated(NamedTuple):
    """``X`` (m, p), ndarray or compressed columns; ``y`` (m,); ``coef`` (p,) with y = X coef +
    noise.
    """

    X: Any
    y: Floats
    coef: Floats


def _require(holds: bool, name: str, rule: str, got: Any) -> None:
    if not holds:
        raise ParameterError(name, "the generator", rule, got)


def _check(rows: int, columns: int, relevant: int) -> None:
    _require(rows >= 1, "rows", "at least 1", rows)
    _require(columns >= 1, "columns", "at least 1", columns)
    _require(0 < relevant <= columns, "relevant", f"in [1, {columns}]", relevant)


def synthetic(
    rows: int, columns: int, relevant: int, noise: float = 10.0, seed: int = 0
) -> Generated:
    """Standard normal columns, coefficients uniform in [0, 100), normal noise of deviation
    ``noise``.

    scikit-learn's make_regression, as in Frandi et al. (2016), section 5.
    """
    _check(rows, columns, relevant)
    from sklearn.datasets import make_regression

    X, y, coef = make_regression(
        n_samples=rows,
        n_features=columns,
        n_informative=relevant,
        noise=noise,
        random_state=seed,
        coef=True,
    )
    return Generated(X, y, coef)


def correlated_gaussian(
    rows: int,
    columns: int,
    relevant: int,
    rho: float,
    snr: float,
    support: Sequence[int] | None = None,
    seed: int = 0,
) -> Generated:
    """Normal rows of covariance rho^abs(i - j), coefficients of +-1, var(X coef) = snr *
    var(noise).

    The ``relevant`` coefficients are at the columns of ``support`` or, where none is given, evenly
    spread.
    """
    _check(rows, columns, relevant)
    places = (
        np.arange(relevant) * columns // relevant
        if support is None
        else np.asarray(support, np.int64)
    )
    proper = (
        places.size == np.unique(places).size == relevant
        and places.min() >= 0
        and places.max() < columns
    )
    _require(
        bool(proper), "support", f"{relevant} different columns in [0, {columns - 1}]", support
    )
    _require(-1.0 < rho < 1.0, "rho", "in (-1, 1)", rho)
    _require(snr > 0, "snr", "positive", snr)
    random = np.random.default_rng(seed)
    X = random.standard_normal((columns, rows))
    step = np.sqrt(1.0 - rho**2)
    for j in range(1, columns):
        X[j] = rho * X[j - 1] + step * X[j]
    coef = np.zeros(columns)
    coef[places] = random.choice([-1.0, 1.0], relevant)
    return Generated(X.T, *_noisy(X.T, coef, snr, random))


def unit_sphere(
    rows: int, columns: int, relevant: int, snr: float = 3.0, seed: int = 0
) -> Generated:
    """Columns uniform on the unit sphere; relevant coefficients z + 0.1 sign(z), z normal; var(X
    coef) = snr * var(noise).

    The toy problem of Rakotomamonjy, Koco & Ralaivola (2016), who print "N(0, 1) +- 0.1" and a
    ratio of 3 dB, which is 2.0 here.
    """
    _check(rows, columns, relevant)
    _require(snr > 0, "snr", "positive", snr)
    random = np.random.default_rng(seed)
    X = random.standard_normal((columns, rows))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    coef = np.zeros(columns)
    values = random.standard_normal(relevant)
    coef[random.choice(columns, relevant, replace=False)] = values + 0.1 * np.sign(values)
    return Generated(X.T, *_noisy(X.T, coef, snr, random))


def _noisy(X: Any, coef: Floats, snr: float, random: Any) -> tuple[Floats, Floats]:
    support = np.flatnonzero(coef)
    signal = np.asarray(X[:, support] @ coef[support])
    return signal + np.std(signal) / np.sqrt(snr) * random.standard_normal(signal.size), coef


def zipf_sparse(
    rows: int,
    columns: int,
    nonzeros: int,
    exponent: float = 1.0,
    relevant: int = 500,
    snr: float = 1.0,
    seed: int = 0,
    values: str = "log-normal",
    labels: bool = False,
    among: float = 1 / 3,
) -> Generated:
    """A sparse matrix like that of words: column j has about 1 / (j + 3)^exponent of the entries,
    at least one.

    Rows of a column are a uniform subset; relevant coefficients are normal, in a share
    ``among`` of the columns, the most frequent ones. ``values`` are float32: ``log-normal``,
    ``ones``, or ``unit-rows``, alike in a row and such that its norm is 1. With ``labels`` the
    response is on which side of its mean it lies, -1 or +1.
    """
    _check(rows, columns, relevant)
    _require(
        columns <= nonzeros <= rows * columns,
        "nonzeros",
        f"in [{columns}, {rows * columns}]",
        nonzeros,
    )
    _require(snr > 0, "snr", "positive", snr)
    _require(0.0 < among <= 1.0, "among", "in (0, 1]", among)
    frequent = max(1, int(columns * among))
    _require(relevant <= frequent, "relevant", f"in [1, {frequent}]", relevant)
    _require(values in _VALUES, "values", f"one of {[*_VALUES]}", values)
    random = np.random.default_rng(seed)
    indptr = np.concatenate([[0], np.cumsum(_zipf_counts(rows, columns, nonzeros, exponent))])
    indptr = indptr.astype(np.int32 if indptr[-1] < 2**31 else np.int64)
    indices = np.empty(indptr[-1], np.int32)
    stream = new_stream(seed)
    # Compiled before it is told that anything is done.
    _fill_rows(indptr[:1], rows, stream, indices)
    for share, part in _parts(indptr):
        stages.READ.tell(_FILLING * share)
        _fill_rows(part, rows, stream, indices)
    X = scipy.sparse.csc_array(
        (_VALUES[values](indices, rows, random), indices, indptr), shape=(rows, columns)
    )
    coef = np.zeros(columns)
    coef[random.choice(frequent, relevant, replace=False)] = random.standard_normal(relevant)
    y, coef = _noisy(X, coef, snr, random)
    return Generated(X, np.where(y > y.mean(), 1.0, -1.0) if labels else y, coef)


def _parts(indptr: Any) -> Iterator[tuple[float, Any]]:
    """The columns in runs of about as many entries each, with the share of what came before."""
    cuts = np.searchsorted(indptr, np.linspace(0, indptr[-1], _PARTS + 1))
    for first, last in pairwise(np.unique(cuts)):
        yield float(indptr[first] / indptr[-1]), indptr[first : last + 1]


def _log_normal(indices: Any, rows: int, random: Any) -> Any:
    values = np.empty(indices.size, np.float32)
    for first in range(0, values.size, 1 << 22):
        part = values[first : first + (1 << 22)]
        random.standard_normal(part.size, np.float32, out=part)
        np.exp(0.7 * part - 1.0, out=part)
    return values


def _all_ones(indices: Any, rows: int, random: Any) -> Any:
    return np.ones(indices.size, np.float32)


def _unit_rows(indices: Any, rows: int, random: Any) -> Any:
    norms = np.sqrt(np.bincount(indices, minlength=rows))
    return np.divide(1.0, norms, out=norms, where=norms > 0).astype(np.float32)[indices]


_VALUES = {"log-normal": _log_normal, "ones": _all_ones, "unit-rows": _unit_rows}


def _zipf_counts(rows: int, columns: int, nonzeros: int, exponent: float) -> Any:
    """Entries of each column, between 1 and ``rows``, ``nonzeros`` in all: what the frequent cannot
    hold goes to the others.
    """
    weights = np.arange(3, columns + 3, dtype=np.float64) ** -exponent
    low, high = 0.0, float(rows) * columns / weights.sum() * (columns + 3.0) ** max(exponent, 0.0)
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (
            (middle, high) if np.clip(middle * weights, 1, rows).sum() < nonzeros else (low, middle)
        )
    counts = np.clip(low * weights, 1, rows).astype(np.int64)
    left = nonzeros - int(counts.sum())
    room = np.flatnonzero(counts < rows)[:left]
    counts[room] += 1
    return counts


@njit(cache=True)
def _fill_rows(indptr, m, stream, indices):
    """Sorted rows of each column: a uniform subset of 0 ... m - 1 by Floyd's algorithm."""
    taken = np.zeros(m, np.bool_)
    for j in range(indptr.size - 1):
        rows = indices[indptr[j] : indptr[j + 1]]
        for k in range(rows.size):
            last = m - rows.size + k
            row = uniform_int(stream, last + 1)
            rows[k] = last if taken[row] else row
            taken[rows[k]] = True
        # Many are sorted sooner by a look at all rows.
        if rows.size > m // 32:
            rows[:] = np.flatnonzero(taken)
        else:
            rows.sort()
        for k in range(rows.size):
            taken[rows[k]] = False


def _ones(size: int) -> Floats:
    return np.ones(size)


def with_noise(X: Any, kind: str, columns: int, seed: int = 0) -> Any:
    """X and random columns that have nothing to say (Shalev-Shwartz & Tewari 2009, section 4), in
    compressed columns.

    ``sparse``: 1 with probability 0.05, else 0; ``dense``: +1 or -1.
    """
    random = np.random.default_rng(seed)
    m = X.shape[0]
    if kind == "sparse":
        noise = scipy.sparse.random_array(
            (m, columns), density=0.05, format="csc", rng=random, data_sampler=_ones
        )
        return scipy.sparse.hstack([scipy.sparse.csc_array(X), noise], format="csc")
    _require(kind == "dense", "kind", "'sparse' or 'dense'", kind)
    return np.hstack([X, 2.0 * random.integers(0, 2, (m, columns)) - 1.0])


GENERATORS: dict[str, Callable[..., Generated]] = {
    "synthetic": synthetic,
    "correlated_gaussian": correlated_gaussian,
    "unit_sphere": unit_sphere,
    "zipf_sparse": zipf_sparse,
}
"""What `generator` in the catalogue may name."""

"""Which rows are held out."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats

_LARGEST_SEED = 2**32 - 1


def checked_split(split_seed: Any, test_fraction: Any) -> float:
    """The share of rows held out.

    Raises
    ------
    ParameterError
        One of them is out of range.
    """
    if (
        isinstance(split_seed, bool)
        or not isinstance(split_seed, int)
        or not 0 <= split_seed <= _LARGEST_SEED
    ):
        raise ParameterError("split_seed", "fwcore", f"an int in [0, {_LARGEST_SEED}]", split_seed)
    if (
        isinstance(test_fraction, bool)
        or not isinstance(test_fraction, (int, float))
        or not 0.0 <= test_fraction <= 0.9
    ):
        raise ParameterError("test_fraction", "fwcore", "a number in [0, 0.9]", test_fraction)
    return float(test_fraction)


def split(
    X: Any, y: Floats, test_fraction: float = 0.25, seed: int = 0
) -> tuple[Any, Floats, tuple[Any, Floats] | None]:
    """Hold out rows that are drawn without replacement.

    Parameters
    ----------
    X : ndarray or scipy sparse of shape (m, p)
        Compressed columns are parted column by column: every entry is copied once.
    y : ndarray of shape (m,)
    test_fraction : float in [0, 0.9]
    seed : int

    Returns
    -------
    X, y, test
        What is left, and (X_test, y_test); None where no row is held out. In the order given.

    Raises
    ------
    ParameterError
        The share or the seed is out of range.

    >>> X = np.arange(8.0).reshape(4, 2)
    >>> left, y, test = split(X, np.arange(4.0), 0.5)
    >>> left.shape, test[0].shape, sorted([*y, *test[1]]) == [0, 1, 2, 3]
    ((2, 2), (2, 2), True)
    """
    held_out = round(checked_split(seed, test_fraction) * y.size)
    if not held_out:
        return X, y, None
    held = np.zeros(y.size, np.bool_)
    held[np.random.default_rng(seed).permutation(y.size)[:held_out]] = True
    test = _rows_of(X, held), y[held]
    return _rows_of(X, ~held), y[~held], test


def _rows_of(X: Any, chosen: NDArray[np.bool_]) -> Any:
    """The chosen rows, in compressed columns or in Fortran order."""
    if not scipy.sparse.issparse(X):
        return np.asfortranarray(X[chosen])
    if X.format != "csc":
        return X.tocsr()[chosen].tocsc()
    kept, number = chosen[X.indices], np.cumsum(chosen, dtype=X.indices.dtype) - 1
    counts = np.zeros(X.shape[1], X.indptr.dtype)
    full = np.flatnonzero(np.diff(X.indptr))
    if full.size:
        counts[full] = np.add.reduceat(kept, X.indptr[full], dtype=counts.dtype)
    indptr = np.concatenate([np.zeros(1, counts.dtype), np.cumsum(counts, dtype=counts.dtype)])
    shape = int(chosen.sum()), X.shape[1]
    return scipy.sparse.csc_array((X.data[kept], number[X.indices[kept]], indptr), shape)

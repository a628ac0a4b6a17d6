"""All products of up to ``degree`` of d base features, made on the fly.

A column is a non-decreasing tuple of base features, feature 0 being the constant 1: (0, 0, 3, 3, 7) is x3^2 * x7. The columns are
in lexicographic order, so that a full pass keeps the products of w with the leading features on a stack and finishes all columns
of one prefix with dot products against base features.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design.primitives import Floats, Ints
from fwcore.errors import ParameterError

MOST_COLUMNS = 2**31 - 1
PADDING = 16


class Products(NamedTuple):
    """``base`` (d + 1, at least m): 1 and the base features, rows padded with zeros. ``factors`` (p, degree): a tuple a column.

    ``starts`` (prefixes + 1,): where the columns of each prefix, all factors but the last, begin. ``positions`` is
    0 ... degree - 1: by its type kernels know the degree when they are compiled. ``offset`` and ``scale`` (p,).
    """

    base: Floats
    factors: NDArray[Any]
    starts: Ints
    positions: tuple[int, ...]
    m: int
    offset: Floats
    scale: Floats

    @classmethod
    def of(cls, X: Any, degree: int) -> Products:
        """The products of up to ``degree`` columns of ``X`` (m, d), the constant included, neither centred nor scaled.

        Takes ``degree`` bytes a column (twice that from 256 features on), besides offset and scale.

        Raises
        ------
        ParameterError
            X is no finite matrix with rows and columns, degree is no int of at least 1, or there are more than 2^31 - 1 products.
        """
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or min(X.shape) == 0 or not np.isfinite(X).all():
            raise ParameterError("X", "Products", "a finite matrix with rows and columns", f"shape {X.shape}")
        if isinstance(degree, bool) or not isinstance(degree, int) or degree < 1:
            raise ParameterError("degree", "Products", "an int of at least 1", degree)
        p = product_count(X.shape[1], degree)
        if p > MOST_COLUMNS:
            raise ParameterError("degree", "Products", f"one that gives at most {MOST_COLUMNS} columns", f"{degree}: {p} columns")
        factors = np.zeros((p, degree), np.uint8 if X.shape[1] < 256 else np.uint16)
        _fill(factors, X.shape[1])
        return cls(_padded(X), factors, _starts(factors), tuple(range(degree)), len(X), np.zeros(p), np.ones(p))

    @property
    def shape(self) -> tuple[int, int]:
        """(m, p)."""
        return int(self.m), int(self.offset.size)

    @property
    def stored(self) -> tuple[NDArray[Any], ...]:
        """The arrays that hold the values."""
        return self.base, self.factors

    @property
    def entries(self) -> int:
        """Entries of the matrix that a full pass goes through, as if it were stored."""
        return int(self.m) * int(self.offset.size)


def product_count(features: int, degree: int) -> int:
    """C(features + degree, degree), the constant included."""
    return math.comb(features + degree, degree)


def kept(design: Products, keep: NDArray[np.bool_]) -> Products:
    """The same without some of its columns."""
    factors = np.ascontiguousarray(design.factors[keep])
    return design._replace(factors=factors, starts=_starts(factors), offset=design.offset[keep], scale=design.scale[keep])


def with_rows(design: Products, X: Floats) -> Products:
    """The same columns, offsets and scales for other rows ``X`` (n, d) of base features."""
    return design._replace(base=_padded(X), m=len(X))


class ProductNames(Sequence[str]):
    """Names such as ``x3^2·x7``, made when asked for: hundreds of thousands of them would take longer than the products."""

    def __init__(self, factors: NDArray[Any], base: Sequence[str]) -> None:
        self._factors = factors
        self.base = base

    def __len__(self) -> int:
        return len(self._factors)

    def __getitem__(self, j: Any) -> Any:
        if isinstance(j, slice):
            return [self[i] for i in range(*j.indices(len(self)))]
        features, powers = np.unique(self._factors[j][self._factors[j] > 0], return_counts=True)
        named = [(self.base[f - 1], k) for f, k in zip(features.tolist(), powers.tolist(), strict=True)]
        return "·".join(name + (f"^{k}" if k > 1 else "") for name, k in named) or "1"


def _padded(X: Floats) -> Floats:
    m, d = X.shape
    base = np.zeros((d + 1, -(-m // PADDING) * PADDING))
    base[0, :m] = 1.0
    base[1:, :m] = X.T
    return base


@njit(cache=True)
def _fill(factors, features):  # type: ignore[no-untyped-def]
    """Every non-decreasing tuple over 0 ... features, in lexicographic order."""
    p, degree = factors.shape
    for j in range(1, p):
        k = degree - 1
        while factors[j - 1, k] == features:
            k -= 1
        for i in range(k):
            factors[j, i] = factors[j - 1, i]
        for i in range(k, degree):
            factors[j, i] = factors[j - 1, k] + 1


@njit(cache=True)
def _starts(factors):  # type: ignore[no-untyped-def]
    p, degree = factors.shape
    starts = np.zeros(p + 1, np.int64)
    n = 0
    for j in range(p):
        for k in range(degree - 1):
            if j > 0 and factors[j, k] != factors[j - 1, k]:
                n += 1
                starts[n] = j
                break
    starts[n + 1] = p
    return starts[: n + 2].copy()

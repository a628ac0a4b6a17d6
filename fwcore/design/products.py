"""All products of up to ``degree`` of d base features, made on the fly.

A column is a non-decreasing tuple of base features, feature 0 being the constant 1: (0, 0, 3, 3, 7)
is x3^2 * x7. The columns are in lexicographic order, so that a full pass multiplies the products of
leading features with those of the others, see `fwcore.design.product_passes`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design.common import as_seen, even_cuts, offset_and_scale, require_arrays
from fwcore.design.product_names import ProductNames
from fwcore.errors import ParameterError
from fwcore.kernels.lanes import lined_zeros, roundings
from fwcore.kernels.types import Floats, Ints

MOST_COLUMNS = 2**31 - 1
PADDING = 16
# Of parts of columns and of columns in float32, and roundings besides those of a sum.
_LARGE, _SMALL, _ROUNDINGS = 1e6, 1e-30, 10
# Prefixes of a permuted design have fewer columns each.
_FEW = 4


class Products(NamedTuple):
    """``base`` (d + 1, at least m): 1 and the base features, rows padded with zeros. ``factors``
    (p, degree): a tuple a column.

    ``starts`` (prefixes + 1,): where the columns of each prefix, the first degree // 2 factors,
    begin, whose other factors, its suffix, follow in lexicographic order. ``suffixes`` (suffixes,
    factors of one): all that there may be; ``ranks`` (p,): which of them a column has. Both are
    empty where there would be more suffixes than columns.
    ``positions`` is 0 ... degree - 1: by its type kernels know the degree when they are compiled.
    ``offset`` and ``scale`` (p,).
    """

    base: Floats
    factors: NDArray[Any]
    starts: Ints
    suffixes: NDArray[Any]
    ranks: NDArray[Any]
    positions: tuple[int, ...]
    m: int
    offset: Floats
    scale: Floats

    @classmethod
    def of(cls, X: Any, degree: int) -> Products:
        """The products of up to ``degree`` columns of ``X`` (m, d), the constant included, neither
        centred nor scaled.

        Takes ``degree`` bytes a column (twice that from 256 features on), and two or four for its
        rank, besides offset and scale, and the second halves that factors may have.

        Raises
        ------
        ParameterError
            X is no finite matrix with rows and columns, degree is no int of at least 1, or there
            are more than 2^31 - 1 products.
        """
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or min(X.shape) == 0 or not np.isfinite(X).all():
            raise ParameterError(
                "X", "Products", "a finite matrix with rows and columns", f"shape {X.shape}"
            )
        if isinstance(degree, bool) or not isinstance(degree, int) or degree < 1:
            raise ParameterError("degree", "Products", "an int of at least 1", degree)
        p = product_count(X.shape[1], degree)
        if p > MOST_COLUMNS:
            raise ParameterError(
                "degree",
                "Products",
                f"one that gives at most {MOST_COLUMNS} columns",
                f"{degree}: {p} columns",
            )
        factors = np.zeros((p, degree), np.uint8 if X.shape[1] < 256 else np.uint16)
        _fill(factors, X.shape[1])
        return cls._of(_padded(X), factors, len(X), np.zeros(p), np.ones(p))

    @classmethod
    def _of(
        cls, base: Floats, factors: NDArray[Any], m: int, offset: Floats, scale: Floats
    ) -> Products:
        p, degree = factors.shape
        suffixes = _suffixes(factors, len(base) - 1)
        kind = np.uint16 if len(suffixes) < 1 << 16 else np.int32
        ranks = np.zeros(p if len(suffixes) else 0, kind)
        _rank(factors, suffixes, ranks)
        starts = _starts(factors, ranks, degree // 2)
        return cls(base, factors, starts, suffixes, ranks, tuple(range(degree)), m, offset, scale)

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

    @property
    def layout(self) -> tuple[Any, ...]:
        """What kernels are compiled for besides the class."""
        arrays = (*self.stored, self.ranks)
        return (len(self.positions), *(array.dtype.str for array in arrays))

    @property
    def base_features(self) -> int:
        """Features that the products are made of."""
        return int(self.base.shape[0]) - 1

    def column_names(self, names: Sequence[str]) -> Sequence[str]:
        """Names of the columns, from those of the base features."""
        return ProductNames(self.factors, names)

    def like(self, X: Floats) -> Products:
        """Another design of the same layout, from a few base features ``X``."""
        made, kind = Products.of(X, len(self.positions)), self.factors.dtype
        return made._replace(
            factors=made.factors.astype(kind),
            suffixes=made.suffixes.astype(kind),
            # Of a high degree X may have more suffixes than fit the type of these ranks.
            ranks=made.ranks.astype(np.promote_types(made.ranks.dtype, self.ranks.dtype)),
        )

    def with_rows(self, X: Floats) -> Products:
        """The same columns, offsets and scales for other rows ``X`` (n, d) of base features."""
        return self._replace(base=_padded(X), m=len(X))

    def cuts(self, parts: int) -> list[int]:
        """0 ... p in as many ranges of columns, whose passes take about as long."""
        return even_cuts(self.offset.size, parts)

    def without(self, constant: NDArray[np.bool_]) -> Products:
        """The design without its ``constant`` columns."""
        return self._of_columns(~constant)

    def permuted(self, columns: NDArray[Any]) -> Products:
        """A copy with the columns in another order; ``columns`` (p,) says which goes where."""
        return self._of_columns(columns)

    def _of_columns(self, columns: NDArray[Any]) -> Products:
        factors, offset, scale = self.factors[columns], self.offset[columns], self.scale[columns]
        ranks = self.ranks[columns] if self.ranks.size else self.ranks
        starts = _starts(factors, ranks, factors.shape[1] // 2)
        return self._replace(
            factors=factors, starts=starts, ranks=ranks, offset=offset, scale=scale
        )

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and centred l2 norm (p,) of every stored column, in the time of two passes."""
        from fwcore.design.product_moments import moments

        return moments(self)

    def distinct(self, signed: bool) -> tuple[Products, Ints] | None:
        """The columns that equal no earlier one, nor minus one unless ``signed``, and which of
        these they are; None where all are kept.
        """
        from fwcore.design.equal_products import distinct_columns

        columns = distinct_columns(self, signed)
        if columns.size == self.offset.size:
            return None
        kept = self._of_columns(columns)
        has = np.bincount(kept.ranks, minlength=len(kept.suffixes)) > 0
        ranks = (np.cumsum(has) - 1).astype(kept.ranks.dtype)[kept.ranks]
        return kept._replace(suffixes=kept.suffixes[has], ranks=ranks), columns

    def single_error(self, sqnorms: Floats) -> float:
        """How much a pass into float32 errs in x_j'w, at most, as a multiple of ||x_j|| ||w|| of
        the stored columns. 0 where something may be rounded to 0 or infinity, or prefixes have few
        columns; ``sqnorms`` (p,) are the squared l2 norms of the columns as solvers see them.
        """
        largest = float(np.abs(self.base).max()) ** self.suffixes.shape[1]
        least = np.sqrt(sqnorms[sqnorms > 0.0].min(initial=1.0)) / np.abs(self.scale).max()
        few = _FEW * (self.starts.size - 1) > self.offset.size
        if few or len(self.suffixes) == 0 or not (largest < _LARGE and least > _SMALL):
            return 0.0
        return float((roundings(self.base.shape[1]) + _ROUNDINGS) * np.finfo(np.float32).eps / 2)

    def matrix(self) -> Floats:
        """The design as solvers see it, as an array of shape (m, p) in Fortran order."""
        from fwcore.design.product_passes import materialized

        stored = np.empty(self.shape[::-1])
        materialized(self, stored)
        return as_seen(stored, self.offset, self.scale)

    def exported(self) -> tuple[Any, Floats | None]:
        """(X, offset) as other libraries take it: only a sparse X has an offset left."""
        return self.matrix(), None

    def by_rows(self) -> ProductRows:
        """The rows, made as they are asked for."""
        return ProductRows(self, np.arange(self.offset.size, dtype=np.int32))

    @classmethod
    def opened(cls, arrays: dict[str, Any]) -> Products | None:
        """The design of the arrays of a folder; None where they are not one of this storage."""
        if "factors" not in arrays:
            return None
        require_arrays(arrays, ("base", "factors", "m", "offset", "scale"))
        base, factors = arrays["base"], arrays["factors"]
        fits = _fit(base, factors, arrays["m"])
        offset, scale = offset_and_scale(arrays, len(factors) if fits else -1)
        return cls._of(base, factors, int(arrays["m"]), offset, scale)


class ProductRows(NamedTuple):
    """The rows of `Products`; ``everything`` (p,) counts."""

    design: Products
    everything: NDArray[np.int32]


def product_count(features: int, degree: int) -> int:
    """C(features + degree, degree), the constant included."""
    return math.comb(features + degree, degree)


def _padded(X: Floats) -> Floats:
    m, d = X.shape
    base: Floats = lined_zeros(d + 1, -(-m // PADDING) * PADDING, np.float64)
    base[0, :m] = 1.0
    base[1:, :m] = X.T
    return base


@njit(cache=True)
def _fill(factors, features):
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


def _fit(base: NDArray[Any], factors: NDArray[Any], m: NDArray[Any]) -> bool:
    """Whether compiled code may follow the ``factors`` of a folder into its ``base``."""
    tables = base.ndim == factors.ndim == 2 and base.dtype == np.float64
    if not (tables and factors.dtype in (np.uint8, np.uint16) and factors.shape[1] > 0):
        return False
    rows = base.shape[1]
    if rows % PADDING or m.shape != () or not 0 < int(m) <= rows or len(base) == 0:
        return False
    if not ((base[0, : int(m)] == 1.0).all() and (base[:, int(m) :] == 0.0).all()):
        return False
    named = int(factors.max(initial=0)) < len(base) <= np.iinfo(factors.dtype).max + 1
    return named and bool((factors[:, 1:] >= factors[:, :-1]).all())


def _suffixes(factors: NDArray[Any], features: int) -> NDArray[Any]:
    """What the second half of the ``factors`` of a column may be; nothing where that is more than
    there are columns.
    """
    p, degree = factors.shape
    own = degree - degree // 2
    n = product_count(features, own)
    suffixes = np.zeros((n if n <= p else 0, own), factors.dtype)
    if n <= p:
        _fill(suffixes, features)
    return suffixes


@njit(cache=True)
def _rank(factors, suffixes, ranks):
    """Which of the ``suffixes`` the columns of ``ranks`` have: mostly the one after the last."""
    own, rank = factors.shape[1] - suffixes.shape[1], -1
    for j in range(ranks.size):
        rank += 1
        if rank == len(suffixes) or not _is(suffixes[rank], factors[j, own:]):
            rank = _found(suffixes, factors[j, own:])
        ranks[j] = rank


@njit(cache=True)
def _is(suffix, factors):
    k = 0
    while k < suffix.size and suffix[k] == factors[k]:
        k += 1
    return k == suffix.size


@njit(cache=True)
def _found(suffixes, factors):
    """Where ``factors`` stand among the ``suffixes``, which are in lexicographic order."""
    low, high = 0, len(suffixes) - 1
    while low < high:
        middle, k = (low + high) // 2, 0
        while k < factors.size - 1 and suffixes[middle, k] == factors[k]:
            k += 1
        if suffixes[middle, k] < factors[k]:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True)
def _starts(factors, ranks, own):
    """Where columns begin whose first ``own`` factors are not those of the column before, or whose
    ranks are no higher; all begin where there are no ranks.
    """
    p = len(factors)
    starts, n = np.zeros(p + 1, np.int64), min(p, 1)
    for j in range(1, p):
        if ranks.size > 0 and ranks[j] > ranks[j - 1] and _is(factors[j, :own], factors[j - 1]):
            continue
        starts[n] = j
        n += 1
    starts[n] = p
    return starts[: n + 1].copy()

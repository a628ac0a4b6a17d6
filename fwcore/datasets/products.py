"""All products of up to ``degree`` base features, the constant 1 included."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import PolynomialFeatures

from fwcore.design import Floats


def product_count(features: int, degree: int) -> int:
    """C(features + degree, degree)."""
    return math.comb(features + degree, degree)


def products(X: Floats, names: Sequence[str], degree: int) -> tuple[Floats, Sequence[str]]:
    """The products as a matrix of shape (n, C(d + degree, degree)), by degree and then lexicographically, and their names."""
    expansion = PolynomialFeatures(degree).fit(X)
    return expansion.transform(X), ProductNames(expansion.powers_.astype(np.uint8), names)


class ProductNames(Sequence[str]):
    """Names such as ``x3^2·x7``, made when asked for: two hundred thousand of them would take longer than the products."""

    def __init__(self, powers: NDArray[np.uint8], names: Sequence[str]) -> None:
        self._powers = powers
        self._names = names

    def __len__(self) -> int:
        return len(self._powers)

    def __getitem__(self, j: Any) -> Any:
        if isinstance(j, slice):
            return [self[i] for i in range(*j.indices(len(self)))]
        powers = self._powers[j]
        factors = [self._names[i] + (f"^{powers[i]}" if powers[i] > 1 else "") for i in np.flatnonzero(powers).tolist()]
        return "·".join(factors) or "1"

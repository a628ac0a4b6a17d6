"""Names of products of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class ProductNames(Sequence[str]):
    """Names such as ``x3^2·x7``, made when asked for: hundreds of thousands of them would take
    longer than the products.
    """

    def __init__(self, factors: NDArray[Any], base: Sequence[str]) -> None:
        self._factors = factors
        self.base = base

    def __len__(self) -> int:
        return len(self._factors)

    def __getitem__(self, j: Any) -> Any:
        if isinstance(j, slice):
            return [self[i] for i in range(*j.indices(len(self)))]
        features, powers = np.unique(self._factors[j][self._factors[j] > 0], return_counts=True)
        named = [
            (self.base[f - 1], k) for f, k in zip(features.tolist(), powers.tolist(), strict=True)
        ]
        return "·".join(name + (f"^{k}" if k > 1 else "") for name, k in named) or "1"

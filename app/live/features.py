"""Which coefficients the path picture draws: the largest by mean absolute value so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

COUNT = 10


class TopFeatures:
    """Follows the points of one run and names its largest features, in a stable order."""

    def __init__(self) -> None:
        self._sums: defaultdict[int, float] = defaultdict(float)
        self._seen = 0
        self.indices: list[int] = []

    def follow(self, columns: Sequence[tuple[NDArray[Any], NDArray[Any]]], upto: int) -> None:
        """Take the points up to ``upto``."""
        for indices, values in columns[self._seen : upto]:
            for j, size in zip(indices.tolist(), np.abs(values).tolist(), strict=True):
                self._sums[j] += size
        self._seen = max(self._seen, upto)

    def choose(self) -> bool:
        """Choose the features again; whether they have changed. One that stays keeps its place."""
        # Equal sums fall to the smaller index, so that the choice does not depend on the order of
        # arrival.
        best = set(sorted(self._sums, key=lambda j: (-self._sums[j], j))[:COUNT])
        if best == set(self.indices):
            return False
        newcomers = sorted(best - set(self.indices))
        kept = [j if j in best else newcomers.pop() for j in self.indices]
        self.indices = kept + newcomers
        return True


def lookup(features: Sequence[int], indices: NDArray[Any], values: NDArray[Any]) -> list[float]:
    """Coefficients of ``features`` in a sparse vector with sorted ``indices``."""
    if len(indices) == 0:
        return [0.0] * len(features)
    places = np.minimum(np.searchsorted(indices, features), len(indices) - 1)
    found: list[float] = np.where(indices[places] == features, values[places], 0.0).tolist()
    return found

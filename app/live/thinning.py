"""Fewer rows with the same look: what a line shows is the extremes in each stretch of its axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DISPLAYED = 300
"""Rows that a live line shows at most."""

_PER_TICK = 60
ROUNDING = 1e-13
"""Relative gaps below this are rounding errors of the objective; on a logarithmic axis they would
bury all others.
"""


def thin(steps: NDArray[Any], values: NDArray[Any], rows: int) -> NDArray[np.int64]:
    """Indices, in order, of at most about ``rows`` samples: lowest and highest value in each of
    rows / 2 stretches of log(step).

    Stretches of a logarithmic axis that hold no sample cost nothing; the last sample is always
    kept.
    """
    n = len(steps)
    if n <= rows:
        return np.arange(n)
    position = np.log(np.asarray(steps, dtype=np.float64))
    edges = np.linspace(position[0], position[-1], max(2, rows // 2) + 1)
    stretch = np.searchsorted(edges, position, side="right")
    order = np.lexsort((values, stretch))
    first = np.flatnonzero(np.diff(stretch[order], prepend=-1))
    last = np.append(first[1:], n) - 1
    return np.unique(np.concatenate([order[first], order[last], [n - 1]]))


class Thinner:
    """The rows that a line shows: grows by what is new, and is thinned as a whole when it gets
    long.

    Values must be greater than ``least``.
    """

    def __init__(self, least: float = ROUNDING) -> None:
        self._least = least
        self.steps = np.zeros(0)
        self.values = np.zeros(0)

    def add(
        self, steps: NDArray[Any], values: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any], bool]:
        """Take new rows. What to send, and whether it is to replace what is shown rather than be
        appended.
        """
        keep = np.isfinite(values) & (values > self._least)
        steps, values = steps[keep], values[keep]
        chosen = thin(steps, values, _PER_TICK)
        steps, values = steps[chosen], values[chosen]
        self.steps, self.values = np.append(self.steps, steps), np.append(self.values, values)
        if len(self.steps) <= DISPLAYED:
            return steps, values, False
        chosen = thin(self.steps, self.values, DISPLAYED // 2)
        self.steps, self.values = self.steps[chosen], self.values[chosen]
        return self.steps, self.values, True

"""What steps cost, and how much of it a run may spend a second."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

COSTS = {
    "dots": "dot products",
    "entries": "matrix entries",
    "grads": "derivatives",
    "seconds": "CPU seconds",
    "step": "steps",
}
"""What a run may be charged in: columns of the trace, with their names."""


def counted(number: float) -> str:
    """A large count in three figures: 159k, 19.9M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.0f}"


@dataclass(frozen=True)
class Pace:
    """How much a run may spend a second: the same budget for all makes a race fair to watch.

    Where a method does not count the unit, as a library counts no dot products, its CPU seconds
    are not held back.
    """

    unit: str
    rate: float

    def spent(self, rows: Any) -> float:
        """What has been spent at the end of ``rows``; NaN where it is not counted."""
        return float(rows[self.unit][-1])


FIRST_PACE = Pace("dots", 20_000.0)
"""What a page begins with."""

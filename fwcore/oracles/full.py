"""Every column: the deterministic oracle."""

from __future__ import annotations

from typing import NamedTuple

from fwcore.design import Ints, col_dot, col_entries
from fwcore.dispatch import implements
from fwcore.oracles.protocol import steepest


class Full(NamedTuple):
    """All p columns; of equally steep ones the first. ``p`` is an array of one int."""

    p: Ints


@implements(steepest, Full)
def _steepest(oracle, design, sigma, scale, image, image_sum, kappa):  # type: ignore[no-untyped-def]
    best, slope, entries = 0, 0.0, 0
    for j in range(oracle.p[0]):
        gradient = scale * col_dot(design, j, image, image_sum) - sigma[j]
        entries += col_entries(design, j)
        if abs(gradient) > abs(slope):
            best, slope = j, gradient
    return best, slope, oracle.p[0], entries

"""Every column: the deterministic oracle."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fwcore.design import all_dots, gradient_above
from fwcore.kernels.dispatch import implements
from fwcore.kernels.selection import largest_first
from fwcore.kernels.steepness import steepness
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import total
from fwcore.oracles.protocol import steepest
from fwcore.oracles.rows import steepest_columns, steepest_of_rows


class Full(NamedTuple):
    """All p columns; of equally steep ones the first. ``p`` is an array of one int."""

    p: Ints


@implements(steepest, Full)
def _steepest(oracle, design, sigma, scale, image, image_sum, kappa, positive, least):
    best, slope, largest, entries = 0, 0.0, 0.0, 0
    for j in range(oracle.p[0]):
        above = max(largest, least)
        gradient, touched = gradient_above(design, j, scale, image, image_sum, sigma, above)
        entries += touched
        size = steepness(gradient, positive)
        if size > largest:
            best, slope, largest = j, gradient, size
    return best, slope, oracle.p[0], entries


class FullPass(NamedTuple):
    """x_j'r of all p columns, by the design and not its rows. ``dots`` (p,): room."""

    dots: Floats

    @property
    def on_rows(self) -> bool:
        """Whether it has a use for a copy of the rows."""
        return False

    @property
    def draws(self) -> bool:
        """Whether it may answer the same residual in another way."""
        return False

    def ask_for(self, wanted: int) -> None:
        """How many columns are wanted; all of them are known anyway."""


@implements(steepest_of_rows, FullPass)
def _steepest_of_rows(oracle, design, rows, entries, residual, barred):
    all_dots(design, residual, total(residual), oracle.dots)
    best, largest = -1, 0.0
    for j in range(oracle.dots.size):
        if barred[j]:
            oracle.dots[j] = 0.0
        if abs(oracle.dots[j]) > largest:
            best, largest = j, abs(oracle.dots[j])
    return best, oracle.dots[max(best, 0)], residual.size, entries, oracle.dots.size, True


@implements(steepest_columns, FullPass)
def _steepest_columns(oracle, wanted):
    sizes, columns = np.abs(oracle.dots), np.arange(oracle.dots.size)
    wanted = min(wanted, sizes.size)
    largest_first(sizes, columns, wanted)
    for n in range(wanted):
        if sizes[n] == 0.0:
            columns[n] = -1
    return columns[:wanted]

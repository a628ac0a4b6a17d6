"""What operations cost in a problem, so that engines and points can be compared on any machine."""

from __future__ import annotations

from typing import NamedTuple

from fwcore.kernels.lanes import SIDE
from fwcore.problem import Problem
from fwcore.solvers.working_set._blocks import LONG

# What an entry of X costs where they are gathered by index, beside one in the order of memory.
_GATHERED = 5
# What it costs to bound a column.
_BOUND = 2
# So many cycles of descent and sweeps are the least that a point is taken to cost.
_CYCLES, _SWEEPS = 26, 3


class Prices(NamedTuple):
    """What operations cost in a problem: an ``entry`` of X beside one in the order of memory, a
    ``column``, its product with one of several columns, and to bound every column in a ``sweep``;
    ``long`` says whether columns are without zeros, and too long to stay at hand.
    """

    entry: int
    column: float
    product: float
    sweep: int
    long: bool

    @classmethod
    def of(cls, problem: Problem) -> Prices:
        """Those of ``problem``."""
        m, p, entries = problem.m, problem.p, problem.entries
        full = entries == m * p
        long, entry = full and m >= LONG, 1 if full else _GATHERED
        column = entry * entries / p
        return cls(entry, column, column / SIDE if long else column, _BOUND * p, long)

    def cheap(self, active: int) -> float:
        """Operations of a point of ``active`` columns below which no engine is much cheaper."""
        return _CYCLES * 2.0 * active * self.column + _SWEEPS * self.sweep

    def face(self, active: int) -> float:
        """Operations to multiply and factor the ``active`` columns, several at a time."""
        return 0.5 * active**2 * (self.product + active / (3.0 * SIDE))

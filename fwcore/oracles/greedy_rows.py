"""Rows by decreasing contribution (Rakotomamonjy et al. 2016, Algorithm 3)."""

from __future__ import annotations

from typing import NamedTuple

from fwcore.dispatch import implements
from fwcore.oracles.accumulate import add_row, begin_sums, ends
from fwcore.oracles.row_order import sort_further, weigh
from fwcore.oracles.rows import Partial, ask, narrow, steepest_of_rows, use


class GreedyRows(NamedTuple):
    """Rows in decreasing abs(r_i) ||x_i||, each once, until the rule holds."""

    held: Partial


@implements(narrow, GreedyRows)
def _narrow(oracle, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    held, calm = oracle.held, 0
    begin_sums(held, residual)
    ready = weigh(held, residual)
    for k in range(residual.size):
        ready = sort_further(held, ready, k + 1)
        i = use(held, residual, k)
        calm = calm + 1 if add_row(held, rows, i, residual[i], barred) else 0
        if ends(held, entries, calm):
            break


@implements(steepest_of_rows, GreedyRows)
def _steepest(oracle, design, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    return ask(oracle, design, rows, entries, residual, barred)

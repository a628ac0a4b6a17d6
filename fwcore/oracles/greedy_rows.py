"""Rows by decreasing contribution (Rakotomamonjy et al. 2016, Algorithm 3)."""

from __future__ import annotations

from typing import NamedTuple

from fwcore.dispatch import implements
from fwcore.oracles.rows import Partial, add_row, answer, begin, by_decreasing_size, ends, steepest_of_rows


class GreedyRows(NamedTuple):
    """Rows in decreasing abs(r_i) ||x_i||, each once, until the rule holds."""

    held: Partial


@implements(steepest_of_rows, GreedyRows)
def _steepest(oracle, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    held, told = oracle.held, oracle.held.told[0]
    begin(held, residual)
    by_decreasing_size(held, residual)
    best, calm = -1, 0
    for k in range(residual.size):
        i = held.order[k]
        top = add_row(held, rows, i, residual[i], barred)
        told.left -= held.largest[i] * abs(residual[i])
        calm = calm + 1 if top == best else 0
        best = top
        if ends(held, entries, calm):
            break
    return answer(held, barred)

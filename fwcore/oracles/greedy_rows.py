"""Rows by decreasing contribution (Rakotomamonjy et al. 2016, Algorithm 3)."""

from __future__ import annotations

from numba import njit

from fwcore.oracles.accumulate import add_row, begin_sums, ends
from fwcore.oracles.held import use
from fwcore.oracles.row_order import sort_further, weigh


@njit(nogil=True, cache=True)
def greedy_rows(held, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    """Rows in decreasing abs(r_i) ||x_i||, each once, until the rule holds."""
    calm = 0
    begin_sums(held, residual)
    ready = weigh(held, residual)
    for k in range(residual.size):
        ready = sort_further(held, ready, k + 1)
        i = use(held, residual, k)
        calm = calm + 1 if add_row(held, rows, i, residual[i], barred) else 0
        if ends(held, entries, calm):
            break

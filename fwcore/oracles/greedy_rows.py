"""Rows by decreasing contribution (Rakotomamonjy et al. 2016, Algorithm 3)."""

from __future__ import annotations

from numba import njit

from fwcore.oracles.accumulate import add_row, begin_sums, ends
from fwcore.oracles.row_order import sort_further, weigh
from fwcore.oracles.row_subset import use


@njit(nogil=True, cache=True)
def greedy_rows(oracle, rows, entries, residual, barred):
    """Rows in decreasing abs(r_i) ||x_i||, each once, until the rule holds."""
    unchanged = 0
    begin_sums(oracle, residual)
    weigh(oracle, residual)
    for k in range(residual.size):
        sort_further(oracle, k + 1)
        i = use(oracle, residual, k)
        unchanged = unchanged + 1 if add_row(oracle, rows, i, residual[i], barred) else 0
        if ends(oracle, entries, unchanged):
            break

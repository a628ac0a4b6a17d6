"""Successive rejects on the columns (Audibert & Bubeck 2010), a single entry a pull."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import row_entry
from fwcore.kernels.random import uniform_int
from fwcore.oracles.row_order import shuffle, sort_further, weigh
from fwcore.oracles.row_subset import begin, keep


@njit(nogil=True, cache=True)
def _pulls(pulls, arms, count, m):
    """The entries that each of the ``count`` columns left has seen at the end of its phase."""
    return min(m, max(1, int(np.ceil((pulls - arms) / (_sum_of_inverses(arms) * count)))))


@njit(nogil=True, cache=True)
def _sum_of_inverses(arms):
    """1/2 + sum_{i=2}^arms 1/i, to 1e-9 from 16 on."""
    if arms < 16:
        total = 0.5
        for i in range(2, arms + 1):
            total += 1.0 / i
        return total
    return np.log(arms) + 0.5772156649015329 + 0.5 / arms - 1.0 / (12.0 * arms * arms) - 0.5


@njit(nogil=True, cache=True)
def rejects(oracle, rows, entries, residual, barred):
    """Of the columns that are left the one with the smallest sum goes after each of p - 1 phases.

    After phase k = 1, 2, ... columns have seen ceil((n - p) / (L (p + 1 - k))) of their entries, L
    = 1/2 + sum_{i=2}^p 1/i, n the budget; phases without a pull between them are made at once. A
    pull of column j is x_ij r_i for the next row i of j's own turn through a random order of the
    rows, without replacement; with rows by size all columns see them in decreasing abs(r_i)
    ||x_i||. The budget is a share of the entries that are stored: of a sparse design most pulls are
    of zeros.
    """
    progress, m, p = oracle.progress[0], residual.size, oracle.sums.size
    config = oracle.config[0]
    begin(oracle, residual)
    if config.by_size:
        weigh(oracle, residual)
        sort_further(oracle, m)
        oracle.first[:] = 0
    else:
        shuffle(oracle)
        for j in range(p):
            oracle.first[j] = uniform_int(oracle.stream, m)
    # What is left of a column is not known of single entries, except where it is nothing.
    progress.left = 0.0 if progress.share >= 1.0 else np.inf
    most, pulls = max(progress.wanted, config.finalists), progress.share * entries
    while progress.count > most:
        seen = m if progress.share >= 1.0 else _pulls(pulls, p, progress.count, m)
        for n in range(progress.count):
            j = oracle.alive[n]
            for t in range(progress.used, seen):
                i = oracle.order[(oracle.first[j] + t) % m]
                oracle.sums[n] += residual[i] * row_entry(rows, i, j)
        progress.entries += progress.count * (seen - progress.used)
        progress.used = seen
        left = progress.count - 1
        while left > most and (progress.share >= 1.0 or _pulls(pulls, p, left, m) == seen):
            left -= 1
        keep(oracle, barred, left)

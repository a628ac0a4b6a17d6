"""Random rows with weights that keep the sum unbiased (Rakotomamonjy et al. 2016, Algorithm 4)."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.random import uniform_int
from fwcore.kernels.selection import place_among
from fwcore.oracles.accumulate import add_row, begin_sums, ends
from fwcore.oracles.row_subset import CURVATURE, ERROR_BOUND, STABILITY


@njit(nogil=True, cache=True)
def random_rows(oracle, rows, entries, residual, barred):
    """Rows drawn with replacement, uniformly or with probability abs(r_i) ||x_i|| / sum (eq. 14),
    each weighed by 1 / probability.

    The error bound and a whole budget mean all rows, each once: of draws with replacement neither
    is ever certain.
    """
    progress, m = oracle.progress[0], residual.size
    config = oracle.config[0]
    begin_sums(oracle, residual)
    bounded = config.rule == ERROR_BOUND or config.rule == CURVATURE
    if bounded or (config.rule != STABILITY and progress.share >= 1.0):
        for i in range(m):
            add_row(oracle, rows, i, residual[i], barred)
        progress.used, progress.left = m, 0.0
        return
    progress.left, total, unchanged = np.inf, 0.0, 0
    for i in range(m):
        total += abs(residual[i]) * oracle.norms[i] if config.by_size else 1.0
        oracle.keys[i] = total
    while total > 0.0 and progress.used < m:
        # 31 bits of a uniform number.
        level = total * (uniform_int(oracle.stream, 2147483647) + 0.5) / 2147483647.0
        i = min(m - 1, place_among(oracle.keys, level))
        share = (oracle.keys[i] - (oracle.keys[i - 1] if i > 0 else 0.0)) / total
        progress.used += 1
        unchanged = unchanged + 1 if add_row(oracle, rows, i, residual[i] / share, barred) else 0
        if ends(oracle, entries, unchanged):
            break

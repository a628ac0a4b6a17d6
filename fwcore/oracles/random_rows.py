"""Random rows with weights that keep the sum unbiased (Rakotomamonjy et al. 2016, Algorithm 4)."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.oracles.accumulate import add_row, begin_sums, ends
from fwcore.stream import below


@njit(nogil=True, cache=True)
def random_rows(held, rows, entries, residual, barred):  # type: ignore[no-untyped-def]
    """Rows drawn with replacement, uniformly or with probability abs(r_i) ||x_i|| / sum (eq. 14), each weighed by 1 / probability.

    The error bound and a whole budget mean all rows, each once: of draws with replacement neither is ever certain.
    """
    told, m = held.told[0], residual.size
    begin_sums(held, residual)
    if told.rule == 1 or (told.rule > 1 and told.share >= 1.0):
        for i in range(m):
            add_row(held, rows, i, residual[i], barred)
        told.used, told.left = m, 0.0
        return
    told.left, total, calm = np.inf, 0.0, 0
    for i in range(m):
        total += abs(residual[i]) * held.norms[i] if told.by_size else 1.0
        held.keys[i] = total
    while total > 0.0 and told.used < m:
        # 31 bits of a uniform number.
        i = min(m - 1, np.searchsorted(held.keys, total * (below(held.stream, 2147483647) + 0.5) / 2147483647.0))
        share = (held.keys[i] - (held.keys[i - 1] if i > 0 else 0.0)) / total
        told.used += 1
        calm = calm + 1 if add_row(held, rows, i, residual[i] / share, barred) else 0
        if ends(held, entries, calm):
            break

"""Which products equal others, as many do of features with few values: the square of one that is
-1 or 1 is 1.

Equal columns have equal products with a random vector, by which they find each other in a table.
There they are compared entry by entry, so that nothing is left to chance.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design.passes import full_pass
from fwcore.design.product_primitives import entry, rows_of
from fwcore.design.products import Products
from fwcore.kernels.dispatch import FAST
from fwcore.kernels.types import Ints

# Equal columns differ by at most this share of their l2 norm.
_SAME = 1e-12
# The last bits of their products with a vector are rounding error.
_ROUNDED = np.uint64(18)
# Multiplied by this odd number, other bits go anywhere (Knuth 1998, 6.4).
_ODD = np.uint64(0x9E3779B97F4A7C15)
# So many columns are compared with one, before it stays as it is.
_COMPARED = 4


def distinct_columns(design: Products, signed: bool) -> Ints:
    """The columns that equal no earlier one, in increasing order; nor minus an earlier one, unless
    ``signed``. A few others stay whose products are rounded apart. It costs about as much as six
    passes, and for a while up to 40 bytes a column.
    """
    m, p = design.shape
    v, products = np.random.default_rng(0).standard_normal(m), np.empty(p)
    full_pass(design, v, float(v.sum()), products)
    keys = (products.copy() if signed else np.abs(products)).view(np.uint64)
    keys >>= _ROUNDED
    bits = max(4, (2 * p).bit_length())
    table, kept = np.full(1 << bits, -1, np.int32), np.ones(p, np.bool_)
    _leave_out(design, m, keys, products, table, np.uint64(64 - bits), kept)
    return np.flatnonzero(kept)


@njit(nogil=True, cache=True)
def _leave_out(design, m, keys, products, table, shift, kept):
    for j in range(keys.size):
        place, compared = np.int64((keys[j] * _ODD) >> shift), 0
        while table[place] >= 0 and compared < _COMPARED:
            k = table[place]
            if keys[k] == keys[j]:
                if _equal(design, m, j, k, 1.0 if products[j] * products[k] >= 0.0 else -1.0):
                    kept[j] = False
                    break
                compared += 1
            place = (place + 1) % table.size
        if table[place] < 0:
            table[place] = j


@njit(nogil=True, cache=True, fastmath=FAST)
def _equal(design, m, j, k, sign):
    """Whether z_j = sign * z_k, to rounding error."""
    base, factors, apart, square = design.base, design.factors, 0.0, 0.0
    rows, twins = rows_of(factors, j, design.positions), rows_of(factors, k, design.positions)
    one, other = design.scale[j], sign * design.scale[k]
    for i in range(m):
        seen = one * (entry(base, rows, i) - design.offset[j])
        apart += (seen - other * (entry(base, twins, i) - design.offset[k])) ** 2
        square += seen * seen
    return apart <= _SAME * _SAME * square

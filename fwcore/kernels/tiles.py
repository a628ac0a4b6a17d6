"""Many dot products of long vectors, a tile at a time."""

from __future__ import annotations

from numba import njit

from fwcore.kernels.dispatch import FAST

SIDE = 4
"""Vectors on a side of a tile: their sums are what fits into the registers of a processor."""
# Of eight vectors so many entries are near while a tile is made.
_NEAR = 1024


@njit(nogil=True, cache=True, fastmath=FAST)
def _add_tile(A, a, B, b, first, end, out):
    """out_ij += a_i'b_j for the entries ``first`` to ``end`` of four rows of ``A``, from row ``a``
    on, and of ``B``, from row ``b``: each is loaded once for four products.
    """
    a0, a1, a2, a3 = A[a, first:end], A[a + 1, first:end], A[a + 2, first:end], A[a + 3, first:end]
    b0, b1, b2, b3 = B[b, first:end], B[b + 1, first:end], B[b + 2, first:end], B[b + 3, first:end]
    s00, s01, s02, s03 = 0.0, 0.0, 0.0, 0.0
    s10, s11, s12, s13 = 0.0, 0.0, 0.0, 0.0
    s20, s21, s22, s23 = 0.0, 0.0, 0.0, 0.0
    s30, s31, s32, s33 = 0.0, 0.0, 0.0, 0.0
    for i in range(a0.size):
        x0, x1, x2, x3 = a0[i], a1[i], a2[i], a3[i]
        y0, y1, y2, y3 = b0[i], b1[i], b2[i], b3[i]
        s00, s01, s02, s03 = s00 + x0 * y0, s01 + x0 * y1, s02 + x0 * y2, s03 + x0 * y3
        s10, s11, s12, s13 = s10 + x1 * y0, s11 + x1 * y1, s12 + x1 * y2, s13 + x1 * y3
        s20, s21, s22, s23 = s20 + x2 * y0, s21 + x2 * y1, s22 + x2 * y2, s23 + x2 * y3
        s30, s31, s32, s33 = s30 + x3 * y0, s31 + x3 * y1, s32 + x3 * y2, s33 + x3 * y3
    _add_four(out[a], b, (s00, s01, s02, s03))
    _add_four(out[a + 1], b, (s10, s11, s12, s13))
    _add_four(out[a + 2], b, (s20, s21, s22, s23))
    _add_four(out[a + 3], b, (s30, s31, s32, s33))


@njit(nogil=True, inline="always")
def _add_four(row, k, sums):
    for i in range(4):
        row[k + i] += sums[i]


@njit(nogil=True, cache=True)
def add_products(A, B, entries, out):
    """out_ij += a_i'b_j for the first ``entries`` of as many rows of ``A`` and ``B`` as make whole
    tiles.
    """
    for first in range(0, entries, _NEAR):
        end = min(first + _NEAR, entries)
        for a in range(0, A.shape[0] - SIDE + 1, SIDE):
            for b in range(0, B.shape[0] - SIDE + 1, SIDE):
                # Parts of arrays would be counted as references, tile by tile.
                _add_tile(A, a, B, b, first, end, out)

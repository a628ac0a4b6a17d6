"""Many dot products of long vectors, a tile at a time."""

from __future__ import annotations

from numba import njit

from fwcore.kernels.dispatch import FAST

SIDE = 4
"""Vectors on a side of a tile: their sums are what fits into the registers of a processor."""


@njit(nogil=True, cache=True, fastmath=FAST)
def multiply_tile(A, B, m, out):
    """out_ij = a_i'b_j for the first ``m`` entries of the first four rows of ``A`` and ``B``: each
    is loaded once for four products.
    """
    a0, a1, a2, a3 = A[0], A[1], A[2], A[3]
    b0, b1, b2, b3 = B[0], B[1], B[2], B[3]
    s00, s01, s02, s03 = 0.0, 0.0, 0.0, 0.0
    s10, s11, s12, s13 = 0.0, 0.0, 0.0, 0.0
    s20, s21, s22, s23 = 0.0, 0.0, 0.0, 0.0
    s30, s31, s32, s33 = 0.0, 0.0, 0.0, 0.0
    for i in range(m):
        x0, x1, x2, x3 = a0[i], a1[i], a2[i], a3[i]
        y0, y1, y2, y3 = b0[i], b1[i], b2[i], b3[i]
        s00, s01, s02, s03 = s00 + x0 * y0, s01 + x0 * y1, s02 + x0 * y2, s03 + x0 * y3
        s10, s11, s12, s13 = s10 + x1 * y0, s11 + x1 * y1, s12 + x1 * y2, s13 + x1 * y3
        s20, s21, s22, s23 = s20 + x2 * y0, s21 + x2 * y1, s22 + x2 * y2, s23 + x2 * y3
        s30, s31, s32, s33 = s30 + x3 * y0, s31 + x3 * y1, s32 + x3 * y2, s33 + x3 * y3
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = s00, s01, s02, s03
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = s10, s11, s12, s13
    out[2, 0], out[2, 1], out[2, 2], out[2, 3] = s20, s21, s22, s23
    out[3, 0], out[3, 1], out[3, 2], out[3, 3] = s30, s31, s32, s33

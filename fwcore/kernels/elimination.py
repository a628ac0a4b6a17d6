"""Small systems of linear equations.

numpy's solver brings a library call and its checks into every kernel, which compile for seconds.
"""

from __future__ import annotations

from numba import njit


@njit(nogil=True, cache=True)
def eliminate(matrix, x):
    """x <- M^-1 x by elimination without pivots, of a positive definite ``matrix`` (n, n), which is
    overwritten.
    """
    n = x.size
    for k in range(n):
        for i in range(k + 1, n):
            factor = matrix[i, k] / matrix[k, k]
            for c in range(k, n):
                matrix[i, c] -= factor * matrix[k, c]
            x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        for c in range(k + 1, n):
            x[k] -= matrix[k, c] * x[c]
        x[k] /= matrix[k, k]

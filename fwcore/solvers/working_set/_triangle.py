"""What the Cholesky factor L of the Gram matrix of a face solves for.

Of a large face L has to be waited for, and four of its rows come sooner together. States are
`fwcore.solvers.working_set._face.Face`.
"""

from __future__ import annotations

from numba import njit

from fwcore.kernels.dispatch import FAST

AT_HAND = 512
"""Rows of L that stay at hand."""


@njit(nogil=True, cache=True, fastmath=FAST)
def solve(face, x):
    """x <- (L L')^-1 x on the active columns."""
    face.face[0].work += face.face[0].active ** 2 // 2
    solve_forward(face, x)
    solve_back(face, x)


@njit(nogil=True, inline="always")
def solve_forward(face, x):
    """x <- L^-1 x on the active columns."""
    L, n, begin = face.factor, face.face[0].active, 0
    while n > AT_HAND and begin + 4 <= n:
        i = begin
        first, second, third, fourth = L[i], L[i + 1], L[i + 2], L[i + 3]
        a, b, c, d = x[i], x[i + 1], x[i + 2], x[i + 3]
        for k in range(i):
            a -= first[k] * x[k]
            b -= second[k] * x[k]
            c -= third[k] * x[k]
            d -= fourth[k] * x[k]
        a /= first[i]
        b = (b - second[i] * a) / second[i + 1]
        c = (c - third[i] * a - third[i + 1] * b) / third[i + 2]
        d = (d - fourth[i] * a - fourth[i + 1] * b - fourth[i + 2] * c) / fourth[i + 3]
        x[i], x[i + 1], x[i + 2], x[i + 3] = a, b, c, d
        begin += 4
    for i in range(begin, n):
        row, total = L[i], x[i]
        for k in range(i):
            total -= row[k] * x[k]
        x[i] = total / row[i]


@njit(nogil=True, inline="always")
def solve_back(face, x):
    """x <- L'^-1 x on the active columns: the second half of `solve`."""
    L, n = face.factor, face.face[0].active
    face.face[0].work += n * n // 2
    while n > AT_HAND:
        k, n = n, n - 4
        first, second, third, fourth = L[n], L[n + 1], L[n + 2], L[n + 3]
        d = x[k - 1] / fourth[k - 1]
        c = (x[k - 2] - d * fourth[k - 2]) / third[k - 2]
        b = (x[k - 3] - c * third[k - 3] - d * fourth[k - 3]) / second[k - 3]
        a = (x[n] - b * second[n] - c * third[n] - d * fourth[n]) / first[n]
        x[n], x[n + 1], x[n + 2], x[n + 3] = a, b, c, d
        for i in range(n):
            x[i] -= a * first[i] + b * second[i] + c * third[i] + d * fourth[i]
    for i in range(n - 1, -1, -1):
        row = L[i]
        x[i] /= row[i]
        for k in range(i):
            x[k] -= row[k] * x[i]


@njit(nogil=True, cache=True, fastmath=FAST)
def multiply_coef(face):
    """L'coef again, where coefficients of active columns were set."""
    it, L, out = face.face[0], face.factor, face.halfway[2]
    it.work += it.active * it.active // 2
    out[: it.active] = 0.0
    for i in range(it.active):
        row, value = L[i], face.coef[face.order[i]]
        for k in range(i + 1):
            out[k] += row[k] * value


@njit(nogil=True, cache=True, fastmath=FAST)
def renew_halfway(face):
    """L^-1 b again, where b was set."""
    b = face.halfway[0]
    face.face[0].work += face.face[0].active ** 2 // 2
    for i in range(face.face[0].active):
        b[i] = face.dots[face.order[i]]
    solve_forward(face, b)

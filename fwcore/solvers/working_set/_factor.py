"""The Cholesky factor L of the Gram matrix of the columns on a face, row by row: columns that come,
columns that go, and what it solves.

Faces of thousands of columns are worth these steps only if L, which is then larger than the caches,
is gone through once for several columns or right sides. States are
`fwcore.solvers.working_set._face.Face`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.tiles import SIDE, add_products
from fwcore.kernels.vectors import copy_into

DEPENDENT = 1e-11
"""Below this share of its own norm, what is left of a column beside those of the face is rounding
error."""
# Each column that leaves the face costs the factor some accuracy; of a large face so little that it
# is computed anew after as many as there are.
_DROPS_TO_REFACTOR = 200
_TOGETHER = 32


@njit(nogil=True, cache=True, fastmath=FAST)
def _shares(face, positions):
    """The part of the new rows of L that belongs to the active columns."""
    L, n, joining = face.factor, face.face[0].active, positions.size
    sums = np.empty((SIDE, joining + SIDE - 1))
    # Rows that make the last tile a whole one.
    L[n + joining : n + joining + SIDE - 1, :n] = 0.0
    for first in range(0, n, SIDE):
        sums[:] = 0.0
        if first > 0:
            add_products(L[first : first + SIDE], L[n : n + joining + SIDE - 1], first, sums)
        for i in range(first, min(first + SIDE, n)):
            known, w = L[i], face.order[i]
            for c in range(joining):
                new = L[n + c]
                total = face.gram[positions[c], w] - sums[i - first, c]
                for k in range(first, i):
                    total -= known[k] * new[k]
                new[i] = total / known[i]


@njit(nogil=True, cache=True, fastmath=FAST)
def extend(face, positions):
    """Let the columns at these ``positions`` of the working set, whose signs are set, join the
    face; how many did. Those that depend on the ones before them do not, and have neither
    coefficient nor sign.
    """
    it, L, order = face.face[0], face.factor, face.order
    n, joined = it.active, 0
    _shares(face, positions)
    # L is fetched once for all of them.
    it.work += (1 + positions.size // SIDE) * n * n // 2
    for b in range(positions.size):
        w, row = positions[b], L[n + joined]
        if joined < b:
            copy_into(L[n + b, :n], row)
        square = face.gram[w, w]
        left = square + it.ridge
        for i in range(n):
            left -= row[i] * row[i]
        for i in range(n, n + joined):
            total = face.gram[w, order[i]]
            for k in range(i):
                total -= L[i, k] * row[k]
            row[i] = total / L[i, i]
            left -= row[i] * row[i]
        if left > DEPENDENT * square:
            row[n + joined] = np.sqrt(left)
            order[n + joined] = w
            _go_halfway(face, row, n + joined, w)
            joined += 1
        else:
            face.coef[w], face.sign[w] = 0.0, 0.0
    it.active = n + joined
    return joined


@njit(nogil=True, inline="always")
def _go_halfway(face, row, at, w):
    """The next entries of L^-1 b, L^-1 sign and L'coef: those of column ``w``, whose row of L this
    is, and whose coefficient is zero.
    """
    b, sign = face.dots[w], face.sign[w]
    for k in range(at):
        b -= row[k] * face.halfway[0, k]
        sign -= row[k] * face.halfway[1, k]
    face.halfway[0, at], face.halfway[1, at] = b / row[at], sign / row[at]
    face.halfway[2, at] = 0.0


@njit(nogil=True, cache=True)
def extend_by_all(face, positions):
    """The same for any number of columns."""
    joined = 0
    for first in range(0, positions.size, _TOGETHER):
        joined += extend(face, positions[first : first + _TOGETHER])
    return joined


@njit(nogil=True, cache=True)
def restore(face, positions):
    """The same of columns that have coefficients, which they keep."""
    joined = extend_by_all(face, positions)
    multiply_coef(face)
    return joined


@njit(nogil=True, cache=True)
def refactor(face):
    """Compute L anew; columns that now depend on others leave the face."""
    positions = face.order[: face.face[0].active].copy()
    face.face[0].active = 0
    restore(face, positions)


@njit(nogil=True, cache=True, fastmath=FAST)
def solve(face, x):
    """x <- (L L')^-1 x on the active columns."""
    L, n = face.factor, face.face[0].active
    face.face[0].work += n * n // 2
    for i in range(n):
        row, total = L[i], x[i]
        for k in range(i):
            total -= row[k] * x[k]
        x[i] = total / row[i]
    solve_back(face, x)


@njit(nogil=True, inline="always")
def solve_back(face, x):
    """x <- L'^-1 x on the active columns: the second half of `solve`."""
    L, n = face.factor, face.face[0].active
    face.face[0].work += n * n // 2
    for i in range(n - 1, -1, -1):
        row = L[i]
        x[i] /= row[i]
        for k in range(i):
            x[k] -= row[k] * x[i]


@njit(nogil=True, cache=True, fastmath=FAST)
def multiply_coef(face):
    """L'coef anew, where coefficients of active columns were set."""
    it, L, out = face.face[0], face.factor, face.halfway[2]
    it.work += it.active * it.active // 2
    out[: it.active] = 0.0
    for i in range(it.active):
        row, value = L[i], face.coef[face.order[i]]
        for k in range(i + 1):
            out[k] += row[k] * value


@njit(nogil=True, cache=True, fastmath=FAST)
def _take_off(face, i):
    """Zero the coefficient of the i-th column of the face, which is about to leave it."""
    w, row, product = face.order[i], face.factor[i], face.halfway[2]
    for k in range(i + 1):
        product[k] -= row[k] * face.coef[w]
    face.coef[w], face.sign[w] = 0.0, 0.0


@njit(nogil=True, cache=True, fastmath=FAST)
def _rotate(rows, first, end, cosine, sine):
    """Rotate the entries ``first`` to ``end`` of four rows by what was found for rows above: one
    would wait for each of its own products.
    """
    r0, r1, r2, r3 = rows[0], rows[1], rows[2], rows[3]
    x0, x1, x2, x3 = r0[first], r1[first], r2[first], r3[first]
    for k in range(first, end):
        c, s = cosine[k], sine[k]
        y0, y1, y2, y3 = r0[k + 1], r1[k + 1], r2[k + 1], r3[k + 1]
        r0[k], r1[k], r2[k], r3[k] = (
            c * x0 + s * y0,
            c * x1 + s * y1,
            c * x2 + s * y2,
            c * x3 + s * y3,
        )
        x0, x1, x2, x3 = c * y0 - s * x0, c * y1 - s * x1, c * y2 - s * x2, c * y3 - s * x3
    r0[end], r1[end], r2[end], r3[end] = x0, x1, x2, x3


@njit(nogil=True, cache=True)
def _find_rotations(rows, n, end, cosine, sine):
    """The rotations that end the first ``n`` of the four rows at ``end`` and after, each applied to
    those below.
    """
    for a in range(n):
        for k in range(end, end + a):
            x, y = rows[a, k], rows[a, k + 1]
            rows[a, k], rows[a, k + 1] = cosine[k] * x + sine[k] * y, cosine[k] * y - sine[k] * x
        k = end + a
        x, y = rows[a, k], rows[a, k + 1]
        rows[a, k] = np.hypot(x, y)
        cosine[k], sine[k] = x / rows[a, k], y / rows[a, k]


@njit(nogil=True, cache=True)
def _drop_few(face, leaving):
    it, L, n = face.face[0], face.factor, face.face[0].active
    cosine, sine = np.empty((leaving.size, n)), np.empty((leaving.size, n))
    rows = np.zeros((SIDE, n))
    i = at = leaving[0]
    above = 0
    while i < n:
        if above < leaving.size and leaving[above] == i:
            _take_off(face, i)
            above, i = above + 1, i + 1
            continue
        end = min(n, i + SIDE) if above == leaving.size else min(n, i + SIDE, leaving[above])
        count = end - i
        for a in range(count):
            copy_into(L[i + a, : i + a + 1], rows[a])
        # As if the last of them had left first, so that the places of the others still hold.
        for v in range(above - 1, -1, -1):
            _rotate(rows, leaving[v], at + v, cosine[v], sine[v])
            _find_rotations(rows, count, at + v, cosine[v], sine[v])
        for a in range(count):
            copy_into(rows[a, : at + a + 1], L[at + a])
            face.order[at + a] = face.order[i + a]
        it.work += above * count * (i - leaving[0])
        i, at = end, at + count
    for b in range(3):
        copy_into(face.halfway[b, :n], rows[b])
    for v in range(leaving.size - 1, -1, -1):
        _rotate(rows, leaving[v], at + v, cosine[v], sine[v])
    for b in range(3):
        copy_into(rows[b, :at], face.halfway[b])
    it.active = at


@njit(nogil=True, cache=True)
def drop(face, leaving):
    """Take the columns at these places of the face, which increase, off it: their rows of L are
    deleted, and those below rotated back to triangular form.
    """
    it = face.face[0]
    for end in range(leaving.size, 0, -_TOGETHER):
        _drop_few(face, leaving[max(0, end - _TOGETHER) : end])
    before, it.drops = it.drops, it.drops + leaving.size
    many = max(_DROPS_TO_REFACTOR, it.active)
    if it.drops // many > before // many:
        refactor(face)

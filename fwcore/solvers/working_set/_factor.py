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
from fwcore.kernels.tiles import SIDE
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
    L, n = face.factor, face.face[0].active
    for i in range(n):
        known, w = L[i], face.order[i]
        for b in range(positions.size):
            new = L[n + b]
            total = face.gram[positions[b], w]
            for k in range(i):
                total -= known[k] * new[k]
            new[i] = total / known[i]


@njit(nogil=True, cache=True, fastmath=FAST)
def extend(face, positions):
    """Let the columns at these ``positions`` of the working set join the face; how many did. Those
    that depend on the ones before them do not, and have no coefficient.
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
            joined += 1
        else:
            face.coef[w], face.sign[w] = 0.0, 0.0
    it.active = n + joined
    return joined


@njit(nogil=True, cache=True)
def extend_by_all(face, positions):
    """The same for any number of columns."""
    joined = 0
    for first in range(0, positions.size, _TOGETHER):
        joined += extend(face, positions[first : first + _TOGETHER])
    return joined


@njit(nogil=True, cache=True)
def refactor(face):
    """Compute L anew; columns that now depend on others leave the face."""
    positions = face.order[: face.face[0].active].copy()
    face.face[0].active = 0
    extend_by_all(face, positions)


@njit(nogil=True, cache=True, fastmath=FAST)
def solve(face, right):
    """x <- (L L')^-1 x on the active columns, for each row x of ``right``."""
    L, n = face.factor, face.face[0].active
    face.face[0].work += right.shape[0] * n * n
    for i in range(n):
        row = L[i]
        for r in range(right.shape[0]):
            total = right[r, i]
            for k in range(i):
                total -= row[k] * right[r, k]
            right[r, i] = total / row[i]
    for i in range(n - 1, -1, -1):
        row = L[i]
        for r in range(right.shape[0]):
            right[r, i] /= row[i]
            for k in range(i):
                right[r, k] -= row[k] * right[r, i]


@njit(nogil=True, cache=True, fastmath=FAST)
def square_length(face, x, out):
    """x'L L'x on the active columns, with L'x into ``out``."""
    L, n, square = face.factor, face.face[0].active, 0.0
    face.face[0].work += n * n // 2
    out[:n] = 0.0
    for i in range(n):
        row = L[i]
        for k in range(i + 1):
            out[k] += row[k] * x[i]
    for i in range(n):
        square += out[i] * out[i]
    return square


@njit(nogil=True, cache=True, fastmath=FAST)
def _drop_few(face, leaving):
    it, L, n = face.face[0], face.factor, face.face[0].active
    cosine, sine, row = np.empty((leaving.size, n)), np.empty((leaving.size, n)), np.empty(n)
    at, above = leaving[0], 0
    for i in range(leaving[0], n):
        if above < leaving.size and leaving[above] == i:
            face.coef[face.order[i]], face.sign[face.order[i]] = 0.0, 0.0
            above += 1
            continue
        copy_into(L[i, : i + 1], row)
        # As if the last of them had left first, so that the places of the others still hold.
        for v in range(above - 1, -1, -1):
            end = at + v
            x = row[leaving[v]]
            for c in range(leaving[v], end):
                y = row[c + 1]
                row[c] = cosine[v, c] * x + sine[v, c] * y
                x = cosine[v, c] * y - sine[v, c] * x
            y = row[end + 1]
            row[end] = np.hypot(x, y)
            cosine[v, end], sine[v, end] = x / row[end], y / row[end]
        it.work += above * (i - leaving[0])
        copy_into(row[: at + 1], L[at])
        face.order[at] = face.order[i]
        at += 1
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

"""The Cholesky factor L of the Gram matrix of the columns on a face, row by row: columns that come,
and columns that go.

Faces of thousands of columns are worth these steps only if L, which is then larger than the caches,
is gone through once for several columns or right sides. States are
`fwcore.solvers.working_set._face.Face`.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import overload

from fwcore.kernels.dispatch import FAST, compiled_only
from fwcore.kernels.lanes import SIDE, add_lines_of, lanes_of, lined_zeros
from fwcore.kernels.rotations import ABREAST, rotate
from fwcore.kernels.transposition import transpose_back, transpose_triangle
from fwcore.kernels.vectors import copy_into, dot
from fwcore.solvers.working_set._triangle import AT_HAND, multiply_coef, solve_forward

# Below this share of its own norm, what is left of a column beside those of the face is rounding
# error, in single and in double precision.
_DEPENDENT = {32: 1e-4, 64: 1e-11}
# Each column that leaves the face costs the factor some accuracy; of a large face so little that it
# is computed again after as many as there are.
_DROPS_TO_REFACTOR = 200
# So many columns join or leave at a time.
_TOGETHER = 64
# Where rows of L stay at hand, up to so many columns join one by one.
_FEW = 3


def dependent(factor):
    """The share of its own norm that is left of a column which depends on others, at most."""
    raise compiled_only("dependent")


@overload(dependent)
def _dependent(factor):
    share = _DEPENDENT[factor.dtype.bitwidth]
    return lambda factor: share


@njit(nogil=True, cache=True, fastmath=FAST)
def _solve_rows(face, positions):
    """The part of the new rows of L that belongs to the active columns, row by row; the products
    of these parts with each other.
    """
    n, joining = face.face[0].active, positions.size
    products = np.empty((joining, joining), face.factor.dtype)
    for c in range(joining):
        row, dots = face.factor[n + c], face.gram[positions[c]]
        for i in range(n):
            row[i] = dots[face.order[i]]
        solve_forward(face, row)
        for a in range(c + 1):
            products[c, a] = dot(face.factor[n + a, :n], row[:n])
    return products


@njit(nogil=True, cache=True, fastmath=FAST)
def _solve_tiles(face, positions):
    """The same tile by tile."""
    L, n, joining, lanes = face.factor, face.face[0].active, positions.size, lanes_of(face.factor)
    lines = (joining + lanes - 1) // lanes
    # One room for all, as that of small faces takes as long to get as to fill.
    room = lined_zeros(lines * n + (2 * SIDE + joining) * lines, lanes, L.dtype)
    tiles, rest = room[: lines * n].reshape(lines, n, lanes), room[lines * n :]
    sums = rest[: SIDE * lines].reshape(SIDE, lines * lanes)
    products = rest[SIDE * lines :].reshape(SIDE + joining, lines * lanes)
    for c in range(joining):
        dots = face.gram[positions[c]]
        for i in range(n):
            tiles[c // lanes, i, c % lanes] = dots[face.order[i]]
    for first in range(0, n, SIDE):
        sums[:] = 0.0
        for t in range(lines):
            add_lines_of(L, first, tiles, t, (0, first), sums, 0)
            for i in range(first, min(first + SIDE, n)):
                _solve_line(L[i], first, i, sums[i - first, t * lanes :], tiles[t])
    for c in range(joining):
        row = L[n + c]
        for i in range(n):
            row[i] = tiles[c // lanes, i, c % lanes]
    for a in range(0, joining, SIDE):
        for t in range((min(a + SIDE, joining) - 1) // lanes + 1):
            add_lines_of(L, n + a, tiles, t, (0, n), products, a)
    return products


@njit(nogil=True, inline="always")
def _solve_line(known, first, i, sums, tile):
    lanes = lanes_of(tile)
    for c in range(lanes):
        tile[i, c] -= sums[c]
    for k in range(first, i):
        for c in range(lanes):
            tile[i, c] -= known[k] * tile[k, c]
    for c in range(lanes):
        tile[i, c] /= known[i]


@njit(nogil=True, inline="always")
def _solve_new(face, positions):
    """The same by what is the faster."""
    few = _FEW if face.face[0].active <= AT_HAND else 1
    if positions.size <= few:
        return _solve_rows(face, positions)
    return _solve_tiles(face, positions)


@njit(nogil=True, cache=True, fastmath=FAST)
def extend(face, positions):
    """Let the columns at these ``positions`` of the working set, whose signs are set, join the
    face; how many did. Those that depend on the ones before them do not, and have neither
    coefficient nor sign.
    """
    it, L, order = face.face[0], face.factor, face.order
    n, joined, shared = it.active, 0, _solve_new(face, positions)
    # Several cost about as much as one.
    it.work += (1 + positions.size // SIDE) * n * n // 2
    for b in range(positions.size):
        w, row = positions[b], L[n + joined]
        if joined < b:
            copy_into(L[n + b, :n], row)
            for c in range(b, positions.size):
                shared[c, joined] = shared[c, b]
        square = face.gram[w, w]
        left = square + it.ridge - shared[b, joined]
        for a in range(joined):
            known = L[n + a]
            total = face.gram[w, order[n + a]] - shared[b, a]
            for k in range(n, n + a):
                total -= known[k] * row[k]
            row[n + a] = total / known[n + a]
            left -= row[n + a] * row[n + a]
        if left > dependent(L) * square:
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
    """Compute L from scratch; columns that now depend on others leave the face."""
    positions = face.order[: face.face[0].active].copy()
    face.face[0].active = 0
    restore(face, positions)


@njit(nogil=True, cache=True, fastmath=FAST)
def _zero(face, places):
    """Zero the coefficients of the columns at these places of the face, which are to leave it."""
    product = face.halfway[2]
    for i in places:
        w, row = face.order[i], face.factor[i]
        for k in range(i + 1):
            product[k] -= row[k] * face.coef[w]
        face.coef[w] = 0.0


@njit(nogil=True, cache=True, fastmath=FAST)
def _find_rotations(tile, n, end, cosine, sine):
    """The rotations that end the first ``n`` of the rows at ``end`` and after, each applied to
    those below; those above have zeros there.
    """
    for a in range(n):
        k = end + a
        x, y = np.float64(tile[k, a]), np.float64(tile[k + 1, a])
        # Squares are products of columns, so that none is out of range.
        share = 1.0 / np.sqrt(x * x + y * y)
        cosine[k], sine[k] = share * x, share * y
        rotate(tile, k, k + 1, cosine, sine)
        tile[k + 1, a] = 0.0


def doubles_of(tile):
    """A room like the ``tile`` in double precision, which that may be."""
    raise compiled_only("doubles_of")


@overload(doubles_of)
def _doubles_of(tile):
    if tile.dtype == types.float64:
        return lambda tile: tile
    return lambda tile: lined_zeros(tile.shape[0], ABREAST, np.float64)


@njit(nogil=True, cache=True)
def _drop_few(face, leaving):
    it, L, n, first = face.face[0], face.factor, face.face[0].active, leaving[0]
    cosine, sine = np.empty((leaving.size, n)), np.empty((leaving.size, n))
    tile = lined_zeros(n, ABREAST, L.dtype)
    i = at = first
    above = 0
    while i < n:
        if above < leaving.size and leaving[above] == i:
            face.sign[face.order[i]] = 0.0
            above, i = above + 1, i + 1
            continue
        end = min(n, i + ABREAST)
        end = end if above == leaving.size else min(end, leaving[above])
        count = end - i
        transpose_triangle(L[i:end], first, i + 1, tile)
        # As if the last of them had left first, so that the places of the others still hold.
        for v in range(above - 1, -1, -1):
            rotate(tile, leaving[v], at + v, cosine[v], sine[v])
            _find_rotations(tile, count, at + v, cosine[v], sine[v])
        for a in range(count):
            copy_into(L[i + a, :first], L[at + a])
            face.order[at + a] = face.order[i + a]
        transpose_back(tile, first, at + 1, L[at : at + count])
        it.work += above * count * (i - first)
        i, at = end, at + count
    vectors = doubles_of(tile)
    for b in range(3):
        for k in range(first, n):
            vectors[k, b] = face.halfway[b, k]
    for v in range(leaving.size - 1, -1, -1):
        rotate(vectors, leaving[v], at + v, cosine[v], sine[v])
    for b in range(3):
        for k in range(first, at):
            face.halfway[b, k] = vectors[k, b]
    it.active = at


@njit(nogil=True, cache=True)
def drop(face, leaving):
    """Take the columns at these places of the face, which increase, off it: their rows of L are
    deleted, and those below rotated back to triangular form.
    """
    it = face.face[0]
    _zero(face, leaving)
    for end in range(leaving.size, 0, -_TOGETHER):
        _drop_few(face, leaving[max(0, end - _TOGETHER) : end])
    before, it.drops = it.drops, it.drops + leaving.size
    many = max(_DROPS_TO_REFACTOR, it.active)
    if it.drops // many > before // many:
        refactor(face)

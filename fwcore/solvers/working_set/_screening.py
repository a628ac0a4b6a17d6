"""Which columns can matter to a residual, known from the full passes of earlier residuals.

A full pass gives c_k = X'r_k for a reference residual r_k. For any weights w_k, with e = r - sum_k
w_k r_k,

    |x_j'r| <= |sum_k w_k c_kj| + ||x_j|| ||e||,

and as e is orthogonal to the references, where w_k are those of least squares, what is left of x_j
outside their span stands for x_j in the last term. What many columns share, and the fit explains,
is soon in it.

Residuals change little and smoothly along a path, so that combinations of the last few leave a
short e: a sweep over a few floats a column then stands for a pass over X, and only the columns
whose bound exceeds a threshold are looked at. Of the family of the gap-safe sphere (Ndiaye et al.
2017) and look-ahead screening (Larsson 2021), but with a centre that follows the residual.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.masks import BLOCK, NONE, lowest, mask_above, without_lowest
from fwcore.kernels.types import Floats
from fwcore.kernels.vectors import copy_into, dot
from fwcore.problem import Problem

_REFERENCES = 3
# The references are kept in float32: rounding of each, of the weights, of their products and sums.
_ROUNDING = 8 * float(np.finfo(np.float32).eps)
_RIDGE = 1e-13
# At least so much of the square of a column is taken to be left, for rounding; and a reference
# counts where it is at such an angle to the others.
_LEAST_LEFT, _SINE = 1e-2, 1e-2
# Passes in float32 err by at most such a share of ||r|| times what is left of a column: of each at
# least a share of its stored, uncentred length is taken to be left, in which their errors are lost
# from its shares of references, too. Where that is too much, or many columns are longer by it than
# they are, passes are in float64.
_APART, _LEAST_SHARE, _MOST_SHARE, _SPARE, _LONG = 1.0 / 6000.0, 1e-2, 1e-1, 1.25, 1e-2
# How far weights of references may cancel each other in an orthonormal combination of those.
_CANCEL = 200.0
# More than rounding to float32 may take off.
_UP = 1.0 + 2.0**-22
_TINY, _LEAST = float(np.finfo(np.float64).tiny), float(np.finfo(np.float32).tiny)


class Screen(NamedTuple):
    """The references of one run.

    ``dots`` (references, at least p), float32, is X'r of each reference, zero from column p on, so
    that the sweep goes by whole blocks; ``norms`` (at least p,), float32, are at least the l2 norms
    of the columns, and ``left`` what is outside the span of the references.
    ``residuals`` (references, m) have the products ``gram`` (references, references) and the l2
    norms ``lengths`` (references,). ``last`` (at least p,) is X'r of the last pass in float64,
    ``oldest`` (1,) the reference that the next one replaces, which is never the first, ``weights``
    (references,), float32, the w_k of the last residual that was bounded.
    ``single`` (1,): whether passes are in float32. ``apart`` (1,): what those err by, at most, as a
    multiple of ||r|| and of the ``norms``, or of what is ``left``.
    """

    dots: NDArray[np.float32]
    norms: NDArray[np.float32]
    left: NDArray[np.float32]
    residuals: Floats
    gram: Floats
    lengths: Floats
    last: Floats
    oldest: NDArray[np.int64]
    weights: NDArray[np.float32]
    single: NDArray[np.bool_]
    apart: Floats

    @classmethod
    def of(cls, problem: Problem, residual: Floats) -> Screen:
        """The first reference is that of a = 0, whose pass gave lam max; ``residual`` is there."""
        padded, design = -(-problem.p // BLOCK) * BLOCK, problem.design
        single_error = getattr(design, "single_error", None)
        error = 0.0 if single_error is None else single_error(problem.sqnorms)
        screen = cls(
            np.zeros((_REFERENCES, padded), np.float32),
            np.zeros(padded, np.float32),
            np.empty(padded, np.float32),
            np.zeros((_REFERENCES, problem.m)),
            np.zeros((_REFERENCES, _REFERENCES)),
            np.zeros(_REFERENCES),
            np.zeros(padded),
            np.zeros(1, np.int64),
            np.zeros(_REFERENCES, np.float32),
            np.zeros(1, np.bool_),
            np.zeros(1),
        )
        parabola = problem.loss.closed_line_search
        slopes = problem.sigma if parabola else -problem.gradient(residual)
        _begin(screen, problem.sqnorms, slopes, residual, error, design.offset, design.scale)
        return screen

    def room(self, p: int) -> Any:
        """Where a pass over p columns is to put X'r."""
        return self.dots[self.oldest[0], :p] if self.single[0] else self.last[:p]


@njit(nogil=True, cache=True)
def _begin(screen, sqnorms, slopes, residual, error, offset, scale):
    """Make the ``residual`` of a = 0, with X'r in ``slopes``, the first reference. Passes in
    float32 would err by ``error``, see `Screen`; 0 where there are none.
    """
    _round_up(sqnorms, screen.norms)
    if error > 0.0:
        screen.apart[0] = _lengthen(screen.norms[: sqnorms.size], error, offset, scale, residual)
        screen.single[0] = screen.apart[0] > 0.0
    for k in range(_REFERENCES):
        screen.gram[k, k] = 1.0
    for j in range(slopes.size):
        screen.dots[0, j] = np.float32(slopes[j])
    _refer_to(screen, residual, 0)


@njit(nogil=True, cache=True)
def _lengthen(norms, error, offset, scale, residual):
    """What passes in float32 may err by, 0 where they are in float64. So that it is, make ``norms``
    longer.
    """
    share = max(_LEAST_SHARE, error / _APART)
    if share > _MOST_SHARE:
        return 0.0
    longer = np.empty_like(norms)
    many = _add_stored(offset, scale, np.sqrt(residual.size), share, norms, longer)
    if many > _LONG * norms.size:
        return 0.0
    norms[:] = longer
    return _SPARE * error / share


@njit(nogil=True, cache=True)
def _round_up(sqnorms, norms):
    """Roots of ``sqnorms`` into ``norms``, in float32, no less than they are."""
    for j in range(sqnorms.size):
        # Numbers that are denormal would make a sweep 30 times as long.
        norms[j] = max(_UP * np.sqrt(sqnorms[j]), _LEAST) if sqnorms[j] > 0.0 else 0.0


@njit(nogil=True, cache=True)
def _add_stored(offset, scale, root, share, norms, longer):
    """``norms`` with ``share`` of the stored lengths at right angles into ``longer``; how many
    columns have a share that is longer than they are.
    """
    many = 0
    for j in range(norms.size):
        norm = np.float64(norms[j])
        stored = share * (norm + abs(offset[j] * scale[j]) * root)
        longer[j] = _UP * np.sqrt(norm * norm + stored * stored)
        if stored > norm:
            many += 1
    return many


@njit(nogil=True, cache=True)
def keep(screen, residual):
    """``residual``, whose X'r the last pass found, becomes a reference in the place of the
    oldest.
    """
    k = screen.oldest[0]
    if not screen.single[0]:
        round_last(screen, k)
    _refer_to(screen, residual, k)


@njit(nogil=True, cache=True)
def _refer_to(screen, residual, k):
    """``residual`` is the reference k, whose X'r is there."""
    copy_into(residual, screen.residuals[k])
    for i in range(_REFERENCES):
        product = dot(screen.residuals[i], residual)
        screen.gram[k, i], screen.gram[i, k] = product, product
    screen.lengths[k] = np.sqrt(screen.gram[k, k])
    screen.gram[k, k] += _RIDGE * screen.gram[k, k] + _TINY
    # Were that of a = 0 replaced, what the fit explains would no longer be in the span.
    screen.oldest[0] = max(1, (k + 1) % _REFERENCES)
    _find_left(screen)


@njit(nogil=True, cache=True)
def round_last(screen, k):
    """X'r of reference k is that of the ``last`` pass in float64."""
    for j in range(screen.last.size):
        screen.dots[k, j] = np.float32(screen.last[j])


@njit(nogil=True, cache=True)
def _orthonormal(gram, cancel):
    """The weights of the references in orthonormal combinations, a row each; of references that
    nearly depend on others there are none, nor where what they ``cancel`` is so many times as long.
    """
    basis = np.zeros((_REFERENCES, _REFERENCES))
    for k in range(_REFERENCES):
        row = np.zeros(_REFERENCES)
        row[k] = 1.0
        for n in range(k):
            row -= dot(basis[n], gram[k]) * basis[n]
        square, length = 0.0, 0.0
        for i in range(_REFERENCES):
            square += row[i] * dot(gram[i], row)
            length += abs(row[i]) * np.sqrt(gram[i, i])
        if square > _SINE * _SINE * gram[k, k] and length <= cancel * np.sqrt(square):
            basis[k] = row / np.sqrt(square)
    return basis


@njit(nogil=True, cache=True, fastmath=FAST)
def _find_left(screen):
    cancel = _CANCEL if screen.apart[0] > 0.0 else np.inf
    basis, dots = _orthonormal(screen.gram, cancel), screen.dots
    for j in range(screen.norms.size):
        c0, c1, c2 = np.float64(dots[0, j]), np.float64(dots[1, j]), np.float64(dots[2, j])
        norm, inside = np.float64(screen.norms[j]), 0.0
        for k in range(_REFERENCES):
            share = basis[k, 0] * c0 + basis[k, 1] * c1 + basis[k, 2] * c2
            inside += share * share
        square = norm * norm
        screen.left[j] = np.float32(np.sqrt(max(square - inside, 0.0) + _LEAST_LEFT * square))


@njit(nogil=True, inline="always")
def _of_least_squares(gram, x, y, z):
    """gram^-1 (x, y, z), by elimination; three numbers need no arrays."""
    down, along = gram[0, 1] / gram[0, 0], gram[0, 2] / gram[0, 0]
    y, z = y - down * x, z - along * x
    second, across = gram[1, 1] - down * gram[0, 1], gram[1, 2] - down * gram[0, 2]
    z -= across / second * y
    z /= gram[2, 2] - along * gram[0, 2] - across / second * across
    y = (y - across * z) / second
    x = (x - gram[0, 1] * y - gram[0, 2] * z) / gram[0, 0]
    return np.float32(x), np.float32(y), np.float32(z)


@njit(nogil=True, cache=True, fastmath=FAST, error_model="numpy")
def combine_references(screen, residual):
    """The combination of references nearest to ``residual``: its weights into ``screen.weights``;
    ||e||, and what rounding may add to it, as a multiple of what is ``left`` of a column.
    """
    kept, weights, rounding, square = screen.residuals, screen.weights, 0.0, 0.0
    x, y, z = 0.0, 0.0, 0.0
    for i in range(residual.size):
        x += kept[0, i] * residual[i]
        y += kept[1, i] * residual[i]
        z += kept[2, i] * residual[i]
    weights[0], weights[1], weights[2] = _of_least_squares(screen.gram, x, y, z)
    for k in range(_REFERENCES):
        rounding += abs(np.float64(weights[k])) * screen.lengths[k]
    w0, w1, w2 = weights[0], weights[1], weights[2]
    for i in range(residual.size):
        left = residual[i] - w0 * kept[0, i] - w1 * kept[1, i] - w2 * kept[2, i]
        square += left * left
    return np.sqrt(square) + (_ROUNDING / np.sqrt(_LEAST_LEFT) + screen.apart[0]) * rounding


@njit(nogil=True, cache=True, fastmath={"contract", "nsz"})
def _sweep(dots, left, weights, slack, threshold, flip, out):
    """Blocks are bounded in loops that vectorise."""
    block, found = np.empty(BLOCK, np.float32), 0
    w0, w1, w2 = weights[0], weights[1], weights[2]
    # A whole number of blocks anyway; said so that the compiler knows, too, and vectorises.
    for first in range(0, left.size // BLOCK * BLOCK, BLOCK):
        for i in range(BLOCK):
            j = first + i
            centre = w0 * dots[0, j] + w1 * dots[1, j] + w2 * dots[2, j]
            block[i] = max(centre, flip * centre) + slack * left[j]
        mask = mask_above(block, threshold)
        while mask != NONE:
            if found == out.size:
                return out.size + 1
            out[found], mask = first + lowest(mask), without_lowest(mask)
            found += 1
    return found


@njit(nogil=True, cache=True)
def columns_above(screen, slack, threshold, positive, out):
    """The number of columns whose bound, for the weights of `combine_references` and the ``slack``
    that it returned, exceeds ``threshold``, and they in ``out``; if they do not fit, out.size + 1.
    """
    return _sweep(
        screen.dots,
        screen.left,
        screen.weights,
        np.float32(slack),
        np.float32(threshold),
        # Where a >= 0 only columns along the residual matter.
        np.float32(0.0 if positive else -1.0),
        out,
    )

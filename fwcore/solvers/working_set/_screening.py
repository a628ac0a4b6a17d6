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

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.elimination import eliminate
from fwcore.kernels.types import Floats
from fwcore.kernels.vectors import copy_into, dot
from fwcore.problem import Problem

_REFERENCES = 3
_BLOCK = 64
# The references are kept in float32: rounding of each, of the weights, of their products and sums.
_ROUNDING = 8 * float(np.finfo(np.float32).eps)
_RIDGE = 1e-13
# At least so much of the square of a column is taken to be left, for rounding; and a reference
# counts where it is at such an angle to the others.
_LEAST_LEFT, _SINE = 1e-2, 1e-2
_TINY = float(np.finfo(np.float64).tiny)


class Screen(NamedTuple):
    """The references of one run.

    ``dots`` (references, at least p), float32, is X'r of each reference, zero from column p on, so
    that the sweep goes by whole blocks; ``norms`` (at least p,), float32, are the l2 norms of the
    columns, rounded up, and ``left`` of what is outside the span of the references.
    ``residuals`` (references, m) have the products ``gram`` (references, references) and the l2
    norms ``lengths`` (references,). ``last`` (p,) is X'r of the last pass, ``oldest`` (1,) the
    reference that the next one replaces, which is never the first, ``weights`` (references,),
    float32, the w_k of the last residual that was bounded.
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

    @classmethod
    def of(cls, problem: Problem) -> Screen:
        """The first reference is that of a = 0, whose pass gave lam max."""
        padded = -(-problem.p // _BLOCK) * _BLOCK
        norms = np.zeros(padded, np.float32)
        up = np.nextafter(np.sqrt(problem.sqnorms).astype(np.float32), np.float32(np.inf))
        # That of 0 is denormal, and would make a sweep over columns of zeros 30 times as long.
        norms[: problem.p] = np.where(problem.sqnorms > 0.0, up, 0.0)
        screen = cls(
            np.zeros((_REFERENCES, padded), np.float32),
            norms,
            norms.copy(),
            np.zeros((_REFERENCES, problem.m)),
            np.eye(_REFERENCES),
            np.zeros(_REFERENCES),
            np.empty(problem.p),
            np.zeros(1, np.int64),
            np.zeros(_REFERENCES, np.float32),
        )
        residual = problem.residual(np.zeros(0, np.int64), np.zeros(0))
        parabola = problem.loss.closed_line_search
        screen.last[:] = problem.sigma if parabola else -problem.gradient(residual)
        keep(screen, residual)
        return screen


@njit(nogil=True, cache=True)
def keep(screen, residual):
    """``residual``, whose X'r is in ``last``, becomes a reference in the place of the oldest."""
    k = screen.oldest[0]
    for j in range(screen.last.size):
        screen.dots[k, j] = np.float32(screen.last[j])
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
def _orthonormal(gram):
    """The weights of the references in orthonormal combinations, a row each; of references that
    nearly depend on others there are none.
    """
    basis = np.zeros((_REFERENCES, _REFERENCES))
    for k in range(_REFERENCES):
        row = np.zeros(_REFERENCES)
        row[k] = 1.0
        for n in range(k):
            row -= dot(basis[n], gram[k]) * basis[n]
        square = 0.0
        for i in range(_REFERENCES):
            square += row[i] * dot(gram[i], row)
        if square > _SINE * _SINE * gram[k, k]:
            basis[k] = row / np.sqrt(square)
    return basis


@njit(nogil=True, cache=True, fastmath=FAST)
def _find_left(screen):
    basis, dots = _orthonormal(screen.gram), screen.dots
    for j in range(screen.norms.size):
        c0, c1, c2 = np.float64(dots[0, j]), np.float64(dots[1, j]), np.float64(dots[2, j])
        norm, inside = np.float64(screen.norms[j]), 0.0
        for k in range(_REFERENCES):
            share = basis[k, 0] * c0 + basis[k, 1] * c1 + basis[k, 2] * c2
            inside += share * share
        square = norm * norm
        screen.left[j] = np.float32(np.sqrt(max(square - inside, 0.0) + _LEAST_LEFT * square))


@njit(nogil=True, cache=True, fastmath=FAST)
def combine_references(screen, residual):
    """The combination of references nearest to ``residual``: its weights into ``screen.weights``;
    ||e||, and what rounding may add to it, as a multiple of what is ``left`` of a column.
    """
    exact, gram = np.empty(_REFERENCES), np.empty((_REFERENCES, _REFERENCES))
    for k in range(_REFERENCES):
        exact[k] = dot(screen.residuals[k], residual)
        copy_into(screen.gram[k], gram[k])
    eliminate(gram, exact)
    rounding, square = 0.0, 0.0
    for k in range(_REFERENCES):
        screen.weights[k] = np.float32(exact[k])
        rounding += abs(np.float64(screen.weights[k])) * screen.lengths[k]
    w0, w1, w2 = screen.weights[0], screen.weights[1], screen.weights[2]
    kept = screen.residuals
    for i in range(residual.size):
        left = residual[i] - w0 * kept[0, i] - w1 * kept[1, i] - w2 * kept[2, i]
        square += left * left
    return np.sqrt(square) + _ROUNDING / np.sqrt(_LEAST_LEFT) * rounding


@njit(nogil=True, cache=True, fastmath={"contract", "nsz"})
def _sweep(dots, left, weights, slack, threshold, flip, out):
    """Blocks are bounded and counted in loops that vectorise; only those with a column to report
    are gone through.
    """
    block, found = np.empty(_BLOCK, np.float32), 0
    w0, w1, w2 = weights[0], weights[1], weights[2]
    # A whole number of blocks anyway; said so that the compiler knows, too, and vectorises.
    for first in range(0, left.size // _BLOCK * _BLOCK, _BLOCK):
        above = 0
        for i in range(_BLOCK):
            j = first + i
            centre = w0 * dots[0, j] + w1 * dots[1, j] + w2 * dots[2, j]
            block[i] = max(centre, flip * centre) + slack * left[j]
            above += int(block[i] > threshold)
        if above == 0:
            continue
        for i in range(_BLOCK):
            if block[i] > threshold:
                if found == out.size:
                    return found + 1
                out[found] = first + i
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

"""Which columns can matter to a residual, known from the full passes of earlier residuals.

A full pass gives c_k = X'r_k for a reference residual r_k. For any weights w_k, with e = r - sum_k
w_k r_k,

    |x_j'r| <= |sum_k w_k c_kj| + ||x_j|| ||e||.

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

from fwcore.design import full_pass
from fwcore.kernels.types import Floats
from fwcore.problem import Problem

_REFERENCES = 3
_BLOCK = 64
# The references are kept in float32: rounding of each, of the weights, of their products and sums.
_ROUNDING = 8 * float(np.finfo(np.float32).eps)
_RIDGE = 1e-13


class Bounds(NamedTuple):
    """``weights`` (references,), float32; ``slack``: ||e||, and what rounding may add to it."""

    weights: NDArray[np.float32]
    slack: float


class Screen:
    """The references of one run.

    Attributes
    ----------
    dots : float32 ndarray of shape (references, at least p)
        X'r of each reference; zero where there is none yet, and from column p on, so that the sweep
        goes by whole blocks.
    norms : float32 ndarray of shape (at least p,)
        l2 norms of the columns, rounded up; zero from column p on.
    passes : int
        Full passes made.
    """

    def __init__(self, problem: Problem, threads: int) -> None:
        padded = -(-problem.p // _BLOCK) * _BLOCK
        self.dots = np.zeros((_REFERENCES, padded), np.float32)
        self.norms = np.zeros(padded, np.float32)
        self.norms[: problem.p] = np.nextafter(
            np.sqrt(problem.sqnorms).astype(np.float32), np.float32(np.inf)
        )
        self.passes = 0
        self._problem = problem
        self._threads = threads
        self._residuals = np.zeros((_REFERENCES, problem.m))
        self._gram = np.eye(_REFERENCES)
        self._lengths = np.zeros(_REFERENCES)
        self._oldest = 0
        self._pass = np.empty(problem.p)
        # X'y is known: the first reference is free.
        self._keep(problem.y, problem.sigma)

    def _keep(self, residual: Floats, dots: Floats) -> None:
        k = self._oldest
        self.dots[k, : dots.size], self._residuals[k] = dots, residual
        products = self._residuals @ residual
        self._gram[k], self._gram[:, k] = products, products
        self._lengths[k] = np.sqrt(products[k])
        self._gram[k, k] += _RIDGE * products[k] + np.finfo(np.float64).tiny
        self._oldest = (k + 1) % _REFERENCES

    def bounds(self, residual: Floats) -> Bounds:
        """The combination of references nearest to ``residual``."""
        weights = np.linalg.solve(self._gram, self._residuals @ residual).astype(np.float32)
        left = residual - weights.astype(np.float64) @ self._residuals
        return Bounds(
            weights,
            float(np.sqrt(left @ left)) + _ROUNDING * float(np.abs(weights) @ self._lengths),
        )

    def renew(self, residual: Floats) -> Floats:
        """One full pass: X'r, valid until the next, and ``residual`` becomes a reference in the
        place of the oldest.
        """
        full_pass(self._problem.design, residual, float(residual.sum()), self._pass, self._threads)
        self.passes += 1
        self._keep(residual, self._pass)
        return self._pass

    def above(self, bounds: Bounds, threshold: float, out: Any) -> int:
        """The number of columns whose bound exceeds ``threshold``, and they in ``out``; if they do
        not fit, out.size + 1.
        """
        return int(
            _sweep(
                self.dots,
                self.norms,
                bounds.weights,
                np.float32(bounds.slack),
                np.float32(threshold),
                out,
            )
        )


@njit(nogil=True, cache=True, fastmath={"contract", "nsz"})
def _sweep(dots, norms, weights, slack, threshold, out):
    """Blocks are bounded and counted in loops that vectorise; only those with a column to report
    are gone through.
    """
    block, found = np.empty(_BLOCK, np.float32), 0
    w0, w1, w2 = weights[0], weights[1], weights[2]
    # A whole number of blocks anyway; said so that the compiler knows, too, and vectorises.
    for first in range(0, norms.size // _BLOCK * _BLOCK, _BLOCK):
        above = 0
        for i in range(_BLOCK):
            j = first + i
            block[i] = abs(w0 * dots[0, j] + w1 * dots[1, j] + w2 * dots[2, j]) + slack * norms[j]
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

"""Which columns can matter to a residual, told from the full passes of earlier residuals.

A full pass gives c_k = X'r_k for a reference residual r_k. For any weights w_k, with e = r - sum_k w_k r_k,

    |x_j'r| <= |sum_k w_k c_kj| + ||x_j|| ||e||.

Residuals change little and smoothly along a path, so that combinations of the last few leave a short e: a sweep over a few floats a
column then stands for a pass over X, and only the columns whose bound exceeds a threshold are looked at. Of the family of the
gap-safe sphere (Ndiaye et al. 2017) and look-ahead screening (Larsson 2021), but with a centre that follows the residual.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import Floats, full_pass
from fwcore.problem import Problem

_REFERENCES = 3
_BLOCK = 32
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
    dots : float32 ndarray of shape (references, p)
        X'r of each reference; zero where there is none yet.
    norms : float32 ndarray of shape (p,)
        l2 norms of the columns, rounded up.
    passes : int
        Full passes made.
    """

    def __init__(self, problem: Problem, threads: int) -> None:
        self.dots = np.zeros((_REFERENCES, problem.p), np.float32)
        self.norms = np.nextafter(np.sqrt(problem.sqnorms).astype(np.float32), np.float32(np.inf))
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

    def _keep(self, residual: Floats, dots: Floats) -> int:
        k = self._oldest
        self.dots[k], self._residuals[k] = dots, residual
        products = self._residuals @ residual
        self._gram[k], self._gram[:, k] = products, products
        self._lengths[k] = np.sqrt(products[k])
        self._gram[k, k] += _RIDGE * products[k] + np.finfo(np.float64).tiny
        self._oldest = (k + 1) % _REFERENCES
        return k

    def bounds(self, residual: Floats) -> Bounds:
        """The combination of references nearest to ``residual``."""
        weights = np.linalg.solve(self._gram, self._residuals @ residual).astype(np.float32)
        left = residual - weights.astype(np.float64) @ self._residuals
        return self._with_slack(weights, float(np.sqrt(left @ left)))

    def _with_slack(self, weights: NDArray[np.float32], left: float) -> Bounds:
        return Bounds(weights, left + _ROUNDING * float(np.abs(weights) @ self._lengths))

    def renew(self, residual: Floats) -> Bounds:
        """One full pass: ``residual`` becomes a reference in the place of the oldest."""
        full_pass(self._problem.design, residual, float(residual.sum()), self._pass, self._threads)
        self.passes += 1
        weights = np.zeros(_REFERENCES, np.float32)
        weights[self._keep(residual, self._pass)] = 1.0
        return self._with_slack(weights, 0.0)

    def above(self, bounds: Bounds, threshold: float, out: Any) -> tuple[int, float]:
        """Columns whose bound exceeds ``threshold``, into ``out`` as far as they fit: (their number, largest bound of the others).

        Where there are more than ``out`` has places, the sweep ends and the number is out.size + 1.
        """
        found, rest = _sweep(self.dots, self.norms, bounds.weights, np.float32(bounds.slack), threshold, out)
        return int(found), float(rest)


@njit(nogil=True, cache=True, fastmath={"contract", "nsz"})
def _sweep(dots, norms, weights, slack, threshold, out):  # type: ignore[no-untyped-def]
    p, block = norms.size, np.empty(_BLOCK, np.float32)
    found, rest = 0, np.float32(0.0)
    for first in range(0, p, _BLOCK):
        width = min(_BLOCK, p - first)
        largest = np.float32(0.0)
        for i in range(width):
            j = first + i
            block[i] = abs(weights[0] * dots[0, j] + weights[1] * dots[1, j] + weights[2] * dots[2, j]) + slack * norms[j]
            largest = max(largest, block[i])
        if largest <= threshold:
            rest = max(rest, largest)
            continue
        for i in range(width):
            if block[i] <= threshold:
                rest = max(rest, block[i])
            elif found == out.size:
                return found + 1, rest
            else:
                out[found] = first + i
                found += 1
    return found, rest

"""What predictions have besides X a, without a penalty: an intercept, and columns of X."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg
import scipy.optimize
import scipy.sparse

from fwcore import design as designs
from fwcore.arrays import ChosenNames, checked_matrix, require
from fwcore.kernels.types import Floats, Ints
from fwcore.losses import Loss

# Of a column that others span, rounding error leaves so much.
_DEPENDENT = 1e-12
# So many steps, and no share of one that is larger.
_STEPS, _LONGEST = 100, 1e20
_ROUNDING = 4.0 * np.finfo(float).eps
# Slopes of so small a share of their largest size are rounding errors of their sums.
_OF_SLOPES = 1e-13
# Derivatives are told apart over this share of the largest difference of prediction and response,
# where rounding of either lets them.
_APART, _ROUNDED = 1e-6, 1e-12
# What is added to curvatures, as a share of the slopes: those of Huber's loss may all be 0, and
# weights may differ by many orders.
_FLAT = 1e-9
# A step is long enough where it leaves at most this share of the slope along it.
_LEFT = 0.5
_SUFFICIENT = 1e-4
# A linear programme may break a row's bound by so much.
_OF_SIDES = 1e-6
# Best predictions below it are of classes that are not separated.
_FAR = 15.0


@dataclass(frozen=True)
class Unpenalised:
    """Columns Z (m, q) whose coefficients c have no penalty: predictions are X a + Z c, with the c
    that is best for a.

    Attributes
    ----------
    columns : ndarray of shape (m, q)
        The constant first, where there is an intercept.
    intercept : bool
    indices : ndarray of shape (q,) or (q - 1,)
        Of the others, as X was given.
    test : ndarray of shape (rows, q), optional
        The same of the test rows, where there are such columns.

    >>> nothing = Unpenalised.constant(5, intercept=False)
    >>> nothing.any, nothing.basis.shape
    (False, (0, 5))
    """

    columns: Floats
    intercept: bool = False
    indices: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    test: Floats | None = None

    @classmethod
    def constant(cls, m: int, intercept: bool) -> Unpenalised:
        """An intercept, or nothing, for ``m`` rows."""
        return cls(np.ones((m, int(intercept))), intercept)

    @classmethod
    def among(cls, X: Any, indices: Ints, intercept: bool) -> Unpenalised:
        """Columns ``indices`` of a matrix, after a constant if one is asked for."""
        chosen = X[:, indices]
        chosen = chosen.toarray() if scipy.sparse.issparse(X) else chosen
        constant = np.ones((X.shape[0], int(intercept)))
        return cls(np.hstack([constant, chosen]), intercept, indices)

    @property
    def any(self) -> bool:
        """Whether there is a coefficient without a penalty."""
        return bool(self.columns.shape[1] > 0)

    @cached_property
    def basis(self) -> Floats:
        """Orthonormal rows, of shape (k, m), that span the columns."""
        if not self.any:
            return np.zeros((0, self.columns.shape[0]))
        sizes = np.abs(self.columns).max(axis=0)
        scaled = self.columns[:, sizes > 0.0] / sizes[sizes > 0.0]
        Q, R, _ = scipy.linalg.qr(scaled, mode="economic", pivoting=True)
        left = np.abs(np.diag(R))
        return np.ascontiguousarray(Q[:, left > _DEPENDENT * left[0]].T)

    def best(self, loss: Loss, fitted: Floats, y: Floats) -> Floats:
        """Z c, of shape (m,), for which sum_i l(u_i + (Z c)_i, y_i) is least, for u = X a."""
        return np.asarray(self._best_in_basis(loss, fitted, y) @ self.basis)

    def coefficients(self, loss: Loss, fitted: Floats, y: Floats) -> Floats:
        """c itself, of shape (q,); where columns depend on each other, the shortest in units of
        their sizes.
        """
        sizes = np.abs(self.columns).max(axis=0)
        # Else those of much shorter columns than others would count as dependent.
        sizes[sizes == 0.0] = 1.0
        best = self.best(loss, fitted, y)
        return np.asarray(np.linalg.lstsq(self.columns / sizes, best, rcond=None)[0] / sizes)

    def predicted(self, rows: int, test: bool, coefficients: Floats) -> Floats:
        """Z c of that many training rows, or test rows."""
        if not self.indices.size:
            return np.full(rows, coefficients.sum())
        columns = self.test if test and self.test is not None else self.columns
        return np.asarray(columns @ coefficients)

    def _best_in_basis(self, loss: Loss, fitted: Floats, y: Floats) -> Floats:
        """Newton's steps, as long as the slope along them falls; curvatures are differences of
        derivatives, so that nothing but the loss is asked for. From zero, or from least squares
        where the loss is less there.
        """
        Z, coef = self.basis, self.basis @ (y - fitted)
        if not loss.value(fitted + coef @ Z, y) < loss.value(fitted, y):
            coef = np.zeros(coef.size)
        for _ in range(_STEPS if coef.size else 0):
            u = fitted + coef @ Z
            slope = loss.derivative(u, y)
            pull = -(Z @ slope)
            if (np.abs(pull) <= _ROUNDING * (np.abs(Z) @ np.abs(slope))).all():
                break
            largest = max(np.abs(u).max(), np.abs(y).max())
            apart = max(_APART * np.abs(u - y).max(), _ROUNDED * largest)
            curving = loss.derivative(u + apart, y) - loss.derivative(u - apart, y)
            weights = np.maximum(curving, 0.0) / (2.0 * apart)
            flat = _FLAT * float(np.abs(slope).sum()) * np.eye(coef.size)
            step = np.linalg.solve((Z * weights) @ Z.T + flat, pull)
            share = _long_enough(loss, y, u, step @ Z, float(step @ pull))
            if share == 0.0 or (coef + share * step == coef).all():
                break
            coef = coef + share * step
        return coef


def _long_enough(loss: Loss, y: Floats, u: Floats, change: Floats, slope: float) -> float:
    """The share of a ``change`` of the predictions u at which the slope along it, now ``slope``, is
    about 0; 0 where rounding error does not let that be told. Near the minimum slopes alone tell;
    far from it, the loss must not be larger beyond the point where the slope is 0.
    """
    low, high, share, value = 0.0, np.inf, 1.0, loss.value(u, y)
    moved, reach = float(np.abs(change).max()), float(np.abs(u).max())
    while (high - low) * moved > _ROUNDING * reach and share < _LONGEST:
        there = u + share * change
        left = -float(loss.derivative(there, y) @ change)
        least = value - _SUFFICIENT * share * slope + _ROUNDING * value
        if abs(left) <= _LEFT * slope and (left >= 0.0 or loss.value(there, y) <= least):
            return share
        low, high = (share, high) if left > 0.0 else (low, share)
        share = 2.0 * low if high == np.inf else 0.5 * (low + high)
    return 0.0


def take_out(
    X: Any, names: Sequence[str], test: Any, indices: Any, intercept: bool
) -> tuple[Any, Sequence[str], Any, Unpenalised]:
    """X (m, p), the names of its columns and the test rows, all without the columns ``indices``;
    and what has no penalty.

    Raises
    ------
    ParameterError
        They are no columns of X, or all of them, or X is a design.
    """
    free = _checked(X, indices)
    if free.size == 0:
        return X, names, test, Unpenalised.constant(X.shape[0], intercept)
    kept = np.delete(np.arange(X.shape[1]), free)
    unpenalised = Unpenalised.among(X, free, intercept)
    if test is not None:
        rows = checked_matrix("test", test[0])
        require(rows.shape[1] == X.shape[1], "test", f"of {X.shape[1]} columns, as X", rows.shape)
        test = rows[:, kept], test[1]
        there = Unpenalised.among(rows, free, intercept)
        unpenalised = replace(unpenalised, test=there.columns)
    return X[:, kept], ChosenNames(names, kept), test, unpenalised


def _checked(X: Any, indices: Any) -> Ints:
    """The columns ``indices`` in increasing order."""
    p, given = X.shape[1], np.asarray(indices)
    whole = given.ndim == 1 and (given.size == 0 or given.dtype.kind in "iu")
    free = np.unique(given).astype(np.int64) if whole else np.zeros(0, np.int64)
    inside = free.size == 0 or bool(0 <= free[0] <= free[-1] < p)
    rule = f"different columns of 0 ... {p - 1}, not all of them"
    fits = whole and free.size == given.size and inside and free.size < p
    require(fits, "unpenalised", rule, indices)
    rule = "left out with a design: give X as an array or a sparse matrix"
    require(free.size == 0 or not designs.is_design(X), "unpenalised", rule, indices)
    return free


def require_slope_beside(
    unpenalised: Unpenalised, loss: Loss, y: Floats, design: Any, sqnorms: Floats
) -> None:
    """Raise `ParameterError` where the best of what has no penalty leaves no column of ``design`` a
    slope but for rounding: a path over that has no end.
    """
    if not unpenalised.any:
        return
    best = unpenalised.best(loss, np.zeros(y.size), y)
    left = loss.derivative(best, y)
    slopes = np.empty(sqnorms.size)
    designs.full_pass(design, left, float(left.sum()), slopes)
    rounded = _ROUNDING * np.maximum(np.abs(best), np.abs(y))
    unsure = loss.derivative(best + rounded, y) - loss.derivative(best - rounded, y)
    off = _OF_SLOPES * float(np.linalg.norm(left)) + float(np.linalg.norm(unsure))
    rule = "not orthogonal to every column of X, beside what has no penalty"
    steep = bool((np.abs(slopes) > off * np.sqrt(sqnorms)).any())
    require(steep, "y", rule, "slopes of rounding errors")


def require_bounded(unpenalised: Unpenalised, loss: Loss, y: Floats) -> None:
    """Raise `ParameterError` where the unpenalised columns alone separate two classes, so that no
    coefficients are best.
    """
    if not (loss.separable and unpenalised.any):
        return
    best = unpenalised.best(loss, np.zeros(y.size), y)
    rule = "columns that do not separate the classes: their best coefficients are infinite"
    separate = np.abs(best).max() > _FAR and _separates(unpenalised, y)
    require(not separate, "unpenalised", rule, unpenalised.indices.tolist())


def _separates(unpenalised: Unpenalised, y: Floats) -> bool:
    """Whether some combination is on the wrong side of no row, and on the right one of some
    (Albert & Anderson 1984): a linear programme.
    """
    sides = y[:, None] * unpenalised.basis.T
    sides /= np.abs(sides).max()
    found = scipy.optimize.linprog(
        -sides.sum(axis=0), A_ub=-sides, b_ub=np.zeros(y.size), bounds=(-1.0, 1.0)
    )
    return bool(found.fun < -_OF_SIDES * y.size)

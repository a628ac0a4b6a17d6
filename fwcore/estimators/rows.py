"""Rows to learn from, and the problems that they make.

scikit-learn divides the sum of squares by 2 m, so that lam = m * alpha * l1_ratio here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse

from fwcore.arrays import require_given
from fwcore.errors import ParameterError
from fwcore.estimators.numbers import as_numbers
from fwcore.kernels.types import Floats, Ints
from fwcore.losses import Loss, Weighted
from fwcore.problem import Problem
from fwcore.unpenalised import Unpenalised, require_bounded

ROUNDING = 1e-12
"""What sums over rows may be off by, as a share of their terms."""
FACTORS = 1e-12, 1e100
"""Of the penalty of a column, at least and at most, where it has one."""
# What is left of a response when it is fitted exactly, as a share of it.
_NOTHING = 1e-14

Completer: TypeAlias = Callable[[Floats], tuple[Floats, float]]
"""All coefficients (p,) and the intercept, for those that have a penalty."""


class Rows(NamedTuple):
    """Rows to learn from: ``X`` (m, p), ``y`` (m,), and ``weights`` (m,) unless all are alike;
    the columns ``free`` have no penalty. Coefficients are kept in ``precision``.
    """

    X: Any
    y: Floats
    weights: Floats | None = None
    free: Ints = np.zeros(0, np.int64)
    precision: Any = np.float64

    @property
    def any_weight(self) -> bool:
        """Whether any has a weight."""
        return len(self.y) > 0 and (self.weights is None or bool(self.weights.any()))

    def some(self, chosen: Any) -> Rows:
        """Those that are chosen."""
        weights = None if self.weights is None else self.weights[chosen]
        return self._replace(X=self.X[chosen], y=self.y[chosen], weights=weights)

    def counted(self) -> Rows:
        """Those that have a weight; the weights with a mean of 1, so that a sum of them is m."""
        if self.weights is None:
            return self
        # Their sum may be beyond the largest number.
        weights = self.weights / (self.weights.max(initial=0.0) or 1.0)
        rows = self._replace(weights=weights)
        if not weights.all():
            by_rows = self.X.tocsr() if scipy.sparse.issparse(self.X) else self.X
            rows = rows._replace(X=by_rows).some(np.flatnonzero(weights))
        weights = np.asarray(rows.weights)
        alike = bool(np.ptp(weights) == 0.0)
        return rows._replace(weights=None if alike else weights / weights.mean())

    @property
    def mean_response(self) -> float:
        """The mean of y."""
        return float(self.y.mean() if self.weights is None else self.weights @ self.y / self.y.size)

    @property
    def column_means(self) -> Floats:
        """The means of the columns, of shape (p,)."""
        if self.weights is None:
            return np.asarray(self.X.mean(axis=0), dtype=np.float64).ravel()
        return np.asarray(self.X.T @ self.weights).ravel() / self.y.size

    def loss_of(self, plain: Loss) -> Any:
        """A loss that was fitted to the rows, by their weights."""
        return plain if self.weights is None else Weighted.of(plain, self.weights)

    @property
    def penalised(self) -> Ints:
        """The columns that have a penalty."""
        return np.delete(np.arange(self.X.shape[1]), self.free)

    def unpenalised(self, intercept: bool) -> Unpenalised:
        """What has none."""
        return Unpenalised.among(self.X, self.free, intercept)

    def completer(self, loss: Loss, intercept: bool) -> Completer:
        """What gives, beside penalised coefficients, the best of others."""
        unpenalised = self.unpenalised(intercept)

        def completed(given: Floats) -> tuple[Floats, float]:
            coef = self._of_all(given)
            if self._is_alike(intercept, given):
                return coef, float(self.y[0])
            best = unpenalised.coefficients(loss, self.image(coef), self.y)
            coef[self.free] = best[int(intercept) :]
            return coef, float(best[0]) if intercept else 0.0

        return completed

    def image(self, coef: Floats) -> Floats:
        """X w of the coefficients of all columns, of shape (m,)."""
        # Of all columns, those in single precision would be copied into double.
        active = np.flatnonzero(coef)
        return np.asarray(self.X[:, active] @ coef[active])

    def best_image(self, loss: Loss, intercept: bool, given: Floats) -> Floats:
        """The best predictions with the penalised coefficients that are ``given``."""
        if self._is_alike(intercept, given):
            return self.y
        image = self.image(self._of_all(given))
        return image + self.unpenalised(intercept).best(loss, image, self.y)

    def _of_all(self, given: Floats) -> Floats:
        """Coefficients of all columns, those without a penalty 0."""
        coef = np.zeros(self.X.shape[1])
        coef[self.penalised] = given
        return coef

    def _is_alike(self, intercept: bool, given: Floats) -> bool:
        """Whether a constant is the response itself."""
        return intercept and bool(np.ptp(self.y) == 0.0) and not given.any()


def problem_of(rows: Rows, plain: Loss, *, intercept: bool, positive: bool) -> Problem:
    """The problem with columns as they are; of a parabola centred, where there is an intercept. The
    loss is not yet fitted to a response.
    """
    X, y = rows.X, rows.y
    if plain.closed_line_search and rows.weights is None and not rows.free.size:
        standardize = "centre" if intercept else False
        return Problem.from_arrays(X, y, standardize=standardize, positive=positive)
    if plain.closed_line_search and intercept:
        # The same problem, whose intercept is near 0: far from it sums lose their last digits.
        X, y = X if scipy.sparse.issparse(X) else X - rows.column_means, y - rows.mean_response
    return Problem.from_arrays(
        X,
        y,
        loss=plain,
        weights=rows.weights,
        unpenalised=rows.free,
        intercept=bool(intercept),
        positive=positive,
        standardize=False,
    )


def nothing_descends(rows: Rows, plain: Loss, intercept: bool, positive: bool) -> bool:
    """Whether no column descends at all from the best of what has no penalty: then every alpha has
    zeros for its answer, and there is no path to walk. The loss is not yet fitted to a response.

    Raises
    ------
    ParameterError
        There is no best: what has no penalty separates the classes, or there is one. X or y are
        out of range.
    """
    require_given("X", rows.X.data if scipy.sparse.issparse(rows.X) else rows.X)
    require_given("y", rows.y)
    if intercept and np.ptp(rows.y) == 0.0:
        if plain.separable:
            rule = "of two classes among the rows that have a weight, with an intercept"
            raise ParameterError("y", "Problem", rule, float(rows.y[0]))
        return True
    free, nothing = rows.unpenalised(intercept), np.zeros(rows.y.size)
    loss = rows.loss_of(plain.fitted(rows.y, 1.0, rows.weights))
    require_bounded(free, loss, rows.y)
    left = -loss.derivative(free.best(loss, nothing, rows.y), rows.y)
    if np.abs(left).max() <= _NOTHING * np.abs(loss.derivative(nothing, rows.y)).max():
        return True
    mean = rows.column_means if intercept else np.zeros(rows.X.shape[1])
    columns, size = rows.penalised, np.abs(left)
    slopes = (np.asarray(rows.X.T @ left).ravel() - mean * left.sum())[columns]
    steepness = slopes if positive else np.abs(slopes)
    # The steepest tells mostly, and spares the sizes of all.
    for some in (np.array([steepness.argmax()]), np.arange(columns.size)):
        terms = abs(rows.X[:, columns[some]]).T @ size + np.abs(mean[columns[some]]) * size.sum()
        if (steepness[some] > ROUNDING * terms).any():
            return False
    return True


def factors_of(given: Any, p: int, positive: bool, owner: str) -> Floats:
    """Factors of p columns; those of 0 have no penalty.

    Raises
    ------
    ParameterError
        They are not.
    """
    factors, (least, most) = as_numbers(given), FACTORS
    fits = (factors == 0.0) | ((factors >= least) & (factors <= most))
    if factors.shape != (p,) or not fits.all():
        rule = f"{p} numbers, one for each column of X, of 0 or from {least:g} to {most:g}"
        raise ParameterError("penalty_factor", owner, rule, given)
    if not factors.any() or (positive and not factors.all()):
        rule = "positive for some of the columns" + ", and with positive=True for all" * positive
        raise ParameterError("penalty_factor", owner, rule, given)
    return factors


def units_of(factors: Floats) -> Floats:
    """What the columns are divided by: their factors, or 1 where they have no penalty."""
    return np.where(factors > 0.0, factors, 1.0)


def divided(X: Any, factors: Floats) -> Any:
    """X with each column divided by its factor, as sparse as it was; in float64, since a gap does
    not know what is rounded before.
    """
    shares = 1.0 / units_of(factors)
    return X @ scipy.sparse.diags_array(shares) if scipy.sparse.issparse(X) else X * shares

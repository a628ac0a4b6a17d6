"""The true gap of anybody's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from fwcore.arrays import checked_matrix, checked_vector
from fwcore.errors import ParameterError
from fwcore.estimators.numbers import as_numbers, by_names_of, require_ratio, require_size
from fwcore.estimators.rows import (
    Rows,
    divided,
    factors_of,
    nothing_descends,
    problem_of,
    units_of,
)
from fwcore.kernels.types import Floats
from fwcore.losses import Loss, find_loss
from fwcore.problem import Problem

_EPS = 1e-14


@dataclass(frozen=True)
class Certificate:
    """What is certain of an answer, in the units of scikit-learn's objective, a mean over rows.

    Attributes
    ----------
    objective : float
        Its value, the penalty included.
    gap : float
        The least value is at most so much below.
    relative_gap : float
        The same over the value at zero.

    >>> import numpy as np
    >>> certify(np.eye(3), [1.0, 2.0, 3.0], [0.0, 0.0, 0.0], alpha=2.0).gap
    0.0
    """

    objective: float
    gap: float
    relative_gap: float


def certify(
    X: Any,
    y: Any,
    coef: Any,
    *,
    alpha: float | None = None,
    delta: float | None = None,
    l1_ratio: float = 1.0,
    intercept: float | None = None,
    positive: bool = False,
    loss: str = "squared",
    penalty_factor: Any = None,
    sample_weight: Any = None,
) -> Certificate:
    """How far an answer is from the least value of

        1/m sum_i l(x_i'w + b, y_i) + alpha (l1_ratio ||D w||_1 + (1 - l1_ratio) / 2 ||D w||^2),

    or, with ``delta``, of the mean loss subject to ||D w||_1 <= delta; at the cost of a few passes
    over X. The squared loss is l(u, v) = (u - v)^2 / 2.

    Parameters
    ----------
    X : array or sparse matrix of shape (m, p)
    y : array of shape (m,)
        -1 and +1 where the loss is logistic.
    coef : array of shape (p,)
        From any solver.
    alpha, delta : float
        One of the two.
    l1_ratio : float in [1e-6, 1]
        1 with delta.
    intercept : float, optional
        b, which is not penalised; None: there is none.
    positive : bool
        w >= 0 is a constraint; an answer that breaks it has an infinite gap.
    loss : str
        "squared", "logistic" or "huber:T", whose T is the ``threshold`` of `FWHuber`; of "huber" it
        is 1.345.
    penalty_factor : array of shape (p,), optional
        The diagonal of D, 0 of columns that have no penalty; all 1 where it is left out.
    sample_weight : array of shape (m,), optional
        Not negative; means over rows are weighted by it.

    Raises
    ------
    ParameterError
        Anything does not fit.

    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Lasso
    >>> X, y = load_diabetes(return_X_y=True)
    >>> theirs = Lasso(alpha=0.1).fit(X, y)
    >>> told = certify(X, y, theirs.coef_, alpha=0.1, intercept=theirs.intercept_)
    >>> 0 <= told.relative_gap < 1e-3
    True
    """

    _check(alpha, delta, l1_ratio)
    with by_names_of("certify"):
        # Lists and data frames as well; a matrix stays as sparse as it is.
        X, y = checked_matrix("X", X), checked_vector("y", y)
    fits = intercept is None or bool(np.isreal(intercept) and np.isfinite(intercept))
    _require(fits, "intercept", "a finite number, or None", intercept)
    coef = _coefficients(coef, X.shape[1])
    rows, coef = _penalised_alike(X, y, coef, penalty_factor, sample_weight, positive)
    form, value, ridge = "ball", float(delta or 0.0), 0.0
    if alpha is not None:
        alpha, l1_ratio = float(alpha), float(l1_ratio)
        form, value = "penalty", len(rows.y) * alpha * l1_ratio
        ridge = len(rows.y) * alpha * (1.0 - l1_ratio)
    penalised = coef[rows.penalised]
    l1 = float(np.abs(penalised).sum())
    penalty = value * l1 if form == "penalty" else 0.0
    outside = form == "ball" and l1 > value * (1.0 + 1e-12)
    with by_names_of("certify"):
        plain = find_loss(loss)
        flat = plain.takes(rows.y) and nothing_descends(
            rows, plain, intercept is not None, positive
        )
        problem = None
        if not flat:
            problem = problem_of(rows, plain, intercept=intercept is not None, positive=positive)
    if problem is None:
        penalty += 0.5 * ridge * float(penalised @ penalised)
        outside = outside or (positive and bool((penalised < 0.0).any()))
        return _beside_zero(rows, plain, coef, intercept, penalty, outside)
    objective, gap = _judged(problem, rows, plain, (coef, intercept), form, value, ridge)
    gap = float("inf") if outside else gap / problem.m
    return Certificate(
        float((objective + penalty) / problem.m), float(gap), float(gap * problem.m / problem.f0)
    )


def gap_of(
    problem: Problem, rows: Rows, plain: Loss, answer: Any, form: str, value: float, ridge: float
) -> float:
    """The gap of an ``answer``, (D w, b), to the ``problem`` of the rows, in its units; b is None
    where there is no intercept.
    """
    return _judged(problem, rows, plain, answer, form, value, ridge)[1]


def _judged(
    problem: Problem, rows: Rows, plain: Loss, answer: Any, form: str, value: float, ridge: float
) -> tuple[float, float]:
    """Loss and ridge of an answer, and its gap."""
    coef, intercept = answer
    penalised = coef[rows.penalised]
    indices = np.flatnonzero(penalised)
    verdict = problem.judge(indices, penalised[indices], form, value, ridge)
    off = off_the_best(rows, plain, coef, intercept)
    return float(verdict.objective + off), float(max(verdict.true_gap, 0.0) + off)


def _penalised_alike(
    X: Any, y: Any, coef: Any, penalty_factor: Any, sample_weight: Any, positive: bool
) -> tuple[Rows, Any]:
    """The rows with columns over their factors, and the coefficients of these."""
    free = np.zeros(0, np.int64)
    if penalty_factor is not None:
        factors = factors_of(penalty_factor, X.shape[1], positive, "certify")
        X, coef = divided(X, factors), coef * units_of(factors)
        free = np.flatnonzero(factors == 0.0)
    _require(X.shape[0] == y.size, "y", f"of length {X.shape[0]}, the rows of X", y.size)
    return Rows(X, y, _weights(sample_weight, y.size), free).counted(), coef


def _beside_zero(
    rows: Rows,
    plain: Loss,
    coef: Floats,
    intercept: float | None,
    penalty: float,
    outside: bool,
) -> Certificate:
    """Where no column descends, so that zeros are the answer for every alpha and delta: there is no
    problem to judge.
    """
    loss, nothing = plain.fitted(rows.y, 1.0, rows.weights), np.zeros(rows.penalised.size)
    best = rows.best_image(rows.loss_of(loss), intercept is not None, nothing)
    images = best, rows.image(coef) + (intercept or 0.0)
    least, found = (loss.value(u, rows.y, rows.weights) / len(rows.y) for u in images)
    objective = float(found + penalty / len(rows.y))
    # Of sums of squares of what is rounding of y, and of the difference of two sums.
    rounding = max((_EPS * float(np.abs(rows.y).max())) ** 2, _EPS * least)
    least, gap = (size if size > rounding else 0.0 for size in (float(least), objective - least))
    gap = float("inf") if outside else float(gap)
    relative = gap / least if least > 0.0 else float("inf") if gap else 0.0
    return Certificate(objective, gap, relative)


def off_the_best(rows: Rows, plain: Loss, coef: Floats, intercept: float | None) -> float:
    """By how much the sum of the losses grows since what has no penalty is off its best."""
    if intercept is None and not rows.free.size:
        return 0.0
    loss = plain.fitted(rows.y, 1.0, rows.weights)
    here = rows.best_image(rows.loss_of(loss), intercept is not None, coef[rows.penalised])
    there = rows.image(coef) + (intercept or 0.0)
    if plain.closed_line_search:
        # Of a parabola: the difference of two sums would lose what is small.
        return loss.value(there - here, np.zeros(rows.y.size), rows.weights)
    grown = loss.value(there, rows.y, rows.weights) - loss.value(here, rows.y, rows.weights)
    return max(grown, 0.0)


def _require(holds: bool, name: str, rule: str, got: Any) -> None:
    if not holds:
        raise ParameterError(name, "certify", rule, got)


def _check(alpha: Any, delta: Any, l1_ratio: Any) -> None:
    _require((alpha is None) != (delta is None), "alpha", "given, or else delta", alpha)
    name, value = ("delta", delta) if alpha is None else ("alpha", alpha)
    require_size(name, value, "certify")
    require_ratio(l1_ratio, "certify")
    _require(delta is None or l1_ratio == 1.0, "l1_ratio", "1 with delta", l1_ratio)


def _weights(sample_weight: Any, m: int) -> Any:
    if sample_weight is None:
        return None
    found = as_numbers(sample_weight)
    fits = found.shape == (m,) and bool((np.isfinite(found) & (found >= 0.0)).all())
    _require(fits, "sample_weight", f"{m} numbers that are not negative", sample_weight)
    _require(bool(found.any()), "sample_weight", "positive for some of the rows", "zeros")
    return found


def _coefficients(coef: Any, p: int) -> Any:
    found = as_numbers(coef)
    rule = f"{p} numbers, one for each column of X"
    _require(found.shape == (p,), "coef", rule, coef if found.size == 0 else found.shape)
    _require(bool(np.isfinite(found).all()), "coef", "finite", "NaN or infinity")
    return found

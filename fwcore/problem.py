"""Problem: what is being solved; and the judge: the only source of objectives, gaps and errors that
are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fwcore import design as designs
from fwcore.arrays import (
    checked_kind,
    checked_matrix,
    checked_names,
    checked_test,
    checked_vector,
    checked_weights,
    digest_of,
    require,
    require_response,
    require_seen,
    require_slope,
    require_weights_seen,
    scaled,
)
from fwcore.design import Design, sealed
from fwcore.forms import FORMS
from fwcore.judging import Verdict, duality_gap, image
from fwcore.kernels.types import Floats, Ints
from fwcore.losses import Loss, samples_of
from fwcore.problem_columns import ProblemColumns
from fwcore.problem_errors import ProblemErrors
from fwcore.problem_start import ProblemStart
from fwcore.problem_tables import ProblemTables
from fwcore.unpenalised import (
    Unpenalised,
    require_bounded,
    require_slope_beside,
    take_out,
)

_NAN = float("nan")


@dataclass(frozen=True, repr=False)
class Problem(ProblemStart, ProblemColumns, ProblemErrors, ProblemTables):
    """f(a) = sum_i l(x_i'a, y_i) on one design; immutable, so that threads share it. Make it with
    `Problem.from_arrays`.

    l is one of `fwcore.losses`; of the squared loss, f(a) = 1/2 ||X a - y||^2.

    Attributes
    ----------
    design : one of `fwcore.design.STORAGES`; X, m x p, with implicit centring and scaling.
    y : ndarray of shape (m,)
        Response as the solvers see it: centred and divided by ``y_scale`` when standardised; -1 and
        +1 of the logistic loss.
    y_offset, y_scale : float
        Response in the units given = y_offset + y_scale * y.
    test_design, test_y
        The same columns, with the offsets and scales of the training rows, and the response in the
        units given; or None.
    loss : Loss
    positive : bool
        Whether a >= 0 is a constraint.
    unpenalised : Unpenalised
        What predictions have besides X a: an intercept, columns without a penalty.
    sigma : ndarray of shape (p,)
        X'y.
    sqnorms : ndarray of shape (p,)
        Squared l2 norms of the columns.
    feature_names : sequence of str, length p
    name : str
    source : tuple of (str, value)
        What `fwcore.datasets.load` was called with; empty of arrays.

    >>> X = np.random.default_rng(0).normal(size=(50, 200))
    >>> problem = Problem.from_arrays(X, X[:, 3] - X[:, 7])
    >>> problem.m, problem.p
    (50, 200)
    """

    design: Design
    y: Floats
    y_offset: float
    y_scale: float
    loss: Loss
    sigma: Floats
    sqnorms: Floats
    test_design: Design | None
    test_y: Floats | None
    feature_names: Sequence[str]
    name: str
    unpenalised: Unpenalised
    positive: bool = False
    source: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any,
        *,
        loss: str | Loss = "squared",
        positive: bool = False,
        intercept: bool = False,
        unpenalised: Any = (),
        weights: Any = None,
        test: tuple[Any, Any] | None = None,
        standardize: bool | str = True,
        feature_names: Sequence[str] | None = None,
        dtype: str = "float64",
        name: str = "data",
    ) -> Problem:
        """A problem from arrays.

        Parameters
        ----------
        X : ndarray, scipy sparse matrix, DataFrame or design of shape (m, p)
            A design, made by `design.Products.of` or opened by `design.open_folder`, is taken as it
            is stored. Values in Fortran order or compressed columns are not copied where their type
            is ``dtype``: do not change them afterwards.
        y : array of shape (m,)
        loss : str or Loss
            "squared", "logistic" or "huber", see `fwcore.losses`. The response of the logistic loss
            is -1 or +1. "huber:T" has its threshold at T times a robust scale of y, by default
            1.345. Of the squared loss alone y and columns are centred: an implicit intercept.
        positive : bool
            Adds the constraint a >= 0. The vertices of the ball are then 0 and +delta e_j.
        intercept : bool
            Adds an unpenalised constant to the predictions, where columns are not centred.
        unpenalised : sequence of int
            Columns of X that have no penalty: they leave the design, and their best coefficients
            are found for each a. Of the squared loss with standardize=False, as with weights.
        weights : array of shape (m,), optional
            Positive w_i, where f(a) = sum_i w_i l(x_i'a, y_i); with standardize=False.
        test : (X_test, y_test), optional
            Rows for the test error; transformed with the training rows' means and scales. For a
            design of products, the base features.
        standardize : bool or "centre"
            The scaling of Frandi et al. (2016): columns centred and of unit l2 norm, y centred and
            divided by sqrt(m); constant columns become zero, or go where the design is one of
            products. A coefficient is then in units of y per standard deviation of its column, and
            f(a) = 1/(2 m) * (sum of squared errors in the units given). Sparse X is never made
            dense. With other losses columns are scaled to unit norm but not centred; y stays with
            the logistic loss, and is centred at its median with Huber's. With False, X and y are
            taken as they are; with "centre" both are centred and nothing is scaled.
        feature_names : sequence of p str, optional
            Defaults to the columns of a DataFrame, else ``x1`` ... ``xp``. For a design of
            products, those of the base features.
        dtype : "float64", "float32" or "pattern"
            How the values of X are stored; arithmetic is in float64. "pattern": not at all, of
            sparse X whose values are alike within every column, or within every row.

        Raises
        ------
        ParameterError
            Before anything is computed: wrong shapes, no rows or columns, NaN or infinity, values
            so small or large that their powers are none, a constant y or design.
        """
        names = getattr(X, "columns", None) if feature_names is None else feature_names
        X, y = checked_matrix("X", X), checked_vector("y", y)
        rows = X.shape[0]
        require(y.size == rows, "y", f"of length {rows}, the number of rows of X", y.size)
        names = checked_names(names, X)
        X, names, test, free = take_out(X, names, test, unpenalised, intercept)
        loss = checked_kind(loss, positive, dtype, checked_weights(weights, y), free)
        train = sealed(X if designs.is_design(X) else designs.from_matrix(X, dtype))
        require_response(loss, X, y, intercept)
        train, sqnorms, offset, scale = scaled(train, y, loss, standardize)
        train = sealed(train)
        names = train.column_names(names)
        loss, y = loss.fitted(y, scale), (y - offset) / scale
        require_seen(y, train, sqnorms)
        require_weights_seen(loss, y)
        sigma = np.empty(sqnorms.size)
        designs.full_pass(train, y, float(y.sum()), sigma)
        require_slope(loss, y, sigma, train, free.any)
        require_bounded(free, loss, y)
        require_slope_beside(free, loss, y, train, sqnorms)
        test_design, test_y = checked_test(test, train)
        sealed((*(test_design or ()), y, sigma, sqnorms))
        seen = (train, y, offset, scale, loss, sigma, sqnorms)
        return cls(*seen, test_design, test_y, names, name, free, positive)

    @property
    def m(self) -> int:
        """Rows."""
        return int(self.y.size)

    @property
    def p(self) -> int:
        """Columns."""
        return int(self.sigma.size)

    @cached_property
    def samples(self) -> Any:
        """What kernels take for y: y, or records of a response and a weight."""
        return samples_of(self.loss, self.y)

    @property
    def entries(self) -> int:
        """Entries of X that a full pass touches."""
        return int(self.design.entries)

    @cached_property
    def rows(self) -> Any:
        """The rows of X, for methods of one sample at a time: a copy, made when asked for."""
        return self.design.by_rows()

    @cached_property
    def kappa_share(self) -> float:
        """kappa / n of `fwcore.datasets.kappa_share`, as the design is walked; a pass, by rows."""
        return float(designs.kappa_share(self.rows, self.m, self.p))

    @cached_property
    def content_hash(self) -> str:
        """Hex digest of the loss, the training design and the response, as the solvers see them."""
        flags = " positive" * self.positive + " intercept" * self.intercept
        arrays = (*self.design.stored, self.design.offset, self.design.scale, self.y)
        free = (self.unpenalised.columns,) if self.unpenalised.indices.size else ()
        return digest_of(self.loss.text + flags, (*arrays, *free))

    def fitted(self, indices: Ints, coefficients: Floats) -> Floats:
        """Predictions for the training rows, in the solvers' scale: X a, and the best of what has
        no penalty.
        """
        own = image(self.design, indices, coefficients)
        return own + self._beside(own)

    def _beside(self, image: Floats) -> Floats | float:
        """The best of what has no penalty, beside X a."""
        if not self.unpenalised.any:
            return 0.0
        return self.unpenalised.best(self.loss, image, self.y)

    @property
    def intercept(self) -> bool:
        """Whether predictions have a constant of their own, besides centred columns."""
        return self.unpenalised.intercept

    def residual(self, indices: Ints, coefficients: Floats) -> Floats:
        """R = -l'(X a, y) of shape (m,), recomputed from the coefficients in the solvers' scale: y
        - X a of the squared loss.
        """
        return -self.loss.derivative(self.fitted(indices, coefficients), self.y)

    def gradient(self, residual: Floats) -> Floats:
        """-X'R of shape (p,): one pass over X."""
        out = np.empty(self.p)
        designs.full_pass(self.design, residual, float(residual.sum()), out)
        return np.asarray(np.negative(out, out=out))

    def steepest(self, gradient: Floats) -> float:
        """max abs(gradient_j), or where a >= 0 is a constraint max(0, max(-gradient_j))."""
        down = 0.0 - float(gradient.min(initial=0.0))
        return down if self.positive else max(down, float(gradient.max(initial=0.0)))

    def _slopes(
        self, residual: Floats, indices: Ints, of_ridge: Floats | float
    ) -> tuple[Floats, float]:
        """f'(a) at the columns ``indices``, and `steepest` of all columns."""
        steepest_outside = getattr(self.design, "steepest_outside", None)
        if steepest_outside is None:
            gradient = self.gradient(residual)
            gradient[indices] += of_ridge
            return gradient[indices], self.steepest(gradient)
        own = np.empty(indices.size)
        designs.some_dots(self.design, indices, residual, float(residual.sum()), own)
        own = of_ridge - own
        # Few of the other columns can be as steep as these.
        return own, steepest_outside(residual, indices, self.steepest(own), self.positive)

    def judge(
        self, indices: Ints, coefficients: Floats, form: str, value: float, ridge: float = 0.0
    ) -> Verdict:
        """Judge a point by the gap of its form, at the cost of one pass over X.

        Parameters
        ----------
        indices, coefficients : ndarray of shape (k,)
            The non-zero entries of a.
        form : "ball", "penalty" or "support"
        value : float
            delta, lam or k. The gaps, upper bounds of the suboptimality in the same form:

            - ball: f'(a)'a + delta * `steepest`, the Frank-Wolfe gap over all columns (Jaggi 2013);
            - penalty: f(a) + lam * sum abs(a) minus the dual value of s * R, where R = -l'(X a, y),
              which is y - X a of the squared loss, and s = min(1, lam / `steepest`);
            - support: NaN, as nothing so cheap bounds the suboptimality among all supports of k
              columns.

            Infinite where a >= 0 is a constraint that a does not hold.
        ridge : float
            Weight r of (r / 2) ||a||^2, which then belongs to f: the gaps are those of the elastic
            net, which is the same form with the rows sqrt(r) I below X and zeros below y.

        Raises
        ------
        ParameterError
            An unknown form.
        """
        require(form in FORMS, "form", f"one of {(*FORMS,)}", form)
        own = image(self.design, indices, coefficients)
        beside = self._beside(own)
        fitted = own + beside
        residual = -self.loss.derivative(fitted, self.y)
        slopes, steepest = self._slopes(residual, indices, ridge * coefficients)
        quadratic = ridge * float(coefficients @ coefficients)
        objective = self.loss.value(fitted, self.y) + 0.5 * quadratic
        l1, gap = float(np.abs(coefficients).sum()), _NAN
        if form == "ball":
            gap = float(slopes @ coefficients) + value * steepest
        elif form == "penalty":
            along = float(np.sum(beside * residual))
            seen = (objective, value, l1, steepest, quadratic, along)
            gap = duality_gap(self.loss, self.y, residual, *seen)
        if self.positive and (coefficients < 0.0).any():
            gap = float("inf")
        test_error, test_misclassified = self._test_errors(indices, coefficients)
        nnz, train_error = int(np.count_nonzero(coefficients)), self._train_error(fitted)
        wrong = self._train_misclassified(fitted)
        errors = (train_error, test_error, l1, nnz, wrong, test_misclassified)
        return Verdict(objective, gap, *errors)

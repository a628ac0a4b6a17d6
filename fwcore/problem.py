"""Problem: what is being solved; and the judge: the only source of objectives, gaps and errors that are compared."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fwcore import design as designs
from fwcore.arrays import checked_matrix, checked_names, checked_test, checked_vector, require, require_labels, scaled
from fwcore.design import Design, Floats, Ints
from fwcore.forms import FORMS
from fwcore.losses import LOSSES, Loss

_DTYPES = ("float64", "float32")
# Sums in another order differ by less than this share of them.
_TIE = 1e-9


class Verdict(NamedTuple):
    """What the judge says of a point.

    ``objective`` is f(a), without lam times the l1 norm, but with the ridge of an elastic net; ``true_gap`` as in `Problem.judge`;
    ``train_mse`` and ``test_mse`` are mean squared errors in the units of the y that was given, squared (NaN without test rows),
    and for the logistic loss the share of rows on the wrong side; ``l1`` = sum abs(a); ``nnz`` counts a_j != 0.
    """

    objective: float
    true_gap: float
    train_mse: float
    test_mse: float
    l1: float
    nnz: int


@dataclass(frozen=True)
class Problem:
    """f(a) = sum_i l(x_i'a, y_i) on one design; immutable, so that threads share it. Make it with `Problem.from_arrays`.

    l is the squared loss, f(a) = 1/2 ||X a - y||^2, or the logistic loss, f(a) = sum_i log(1 + exp(-y_i x_i'a)).

    Attributes
    ----------
    design : Dense, Csc or Products
        X, m x p, with implicit centring and scaling.
    y : ndarray of shape (m,)
        Response as the solvers see it: centred and divided by ``y_scale`` when standardised; -1 and +1 of the logistic loss.
    y_offset, y_scale : float
        Response in the units given = y_offset + y_scale * y.
    test_design, test_y
        The same columns, with the offsets and scales of the training rows, and the response in the units given; or None.
    loss : Squared or Logistic
    sigma : ndarray of shape (p,)
        X'y.
    sqnorms : ndarray of shape (p,)
        Squared l2 norms of the columns.
    feature_names : sequence of str, length p
    name : str
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
    name: str = "data"

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any,
        *,
        loss: str = "squared",
        test: tuple[Any, Any] | None = None,
        standardize: bool = True,
        feature_names: Sequence[str] | None = None,
        dtype: str = "float64",
        name: str = "data",
    ) -> Problem:
        """A problem from arrays.

        Parameters
        ----------
        X : ndarray, scipy sparse matrix, DataFrame or design of shape (m, p)
            A design, made by `design.Products.of` or opened by `design.open_folder`, is taken as it is stored, without a copy.
        y : array of shape (m,)
        loss : "squared" or "logistic"
            The response of the logistic loss is -1 or +1, and there is no intercept.
        test : (X_test, y_test), optional
            Rows for the test error; transformed with the training rows' means and scales. For a design of products, X_test
            holds the base features.
        standardize : bool
            The scaling of Frandi et al. (2016): columns centred and of unit l2 norm, y centred and divided by sqrt(m); constant
            columns become zero, or go where the design is one of products. A coefficient is then in units of y per standard
            deviation of its column, and f(a) = 1/(2 m) * (sum of squared errors in the units given). Sparse X is never made
            dense. With the logistic loss columns are scaled to unit norm but not centred, and y stays. With False, X and y are
            taken as they are.
        feature_names : sequence of p str, optional
            Defaults to the columns of a DataFrame, else ``x1`` ... ``xp``. For a design of products, those of the base features.
        dtype : "float64" or "float32"
            How the values of X are stored; all arithmetic is in float64.

        Raises
        ------
        ParameterError
            Before anything is computed: wrong shapes, no rows or columns, NaN or infinity, a constant y or design.
        """
        names = getattr(X, "columns", None) if feature_names is None else feature_names
        X, y = checked_matrix("X", X), checked_vector("y", y)
        require(y.size == X.shape[0], "y", f"of length {X.shape[0]}, the number of rows of X", y.size)
        require(loss in LOSSES, "loss", f"one of {sorted(LOSSES)}", loss)
        require(dtype in _DTYPES, "dtype", f"one of {list(_DTYPES)}", dtype)
        names = checked_names(names, X)
        train = X if isinstance(X, designs.STORAGES) else designs.from_matrix(X, dtype)
        if loss == "logistic":
            require_labels(X, y)
        train, sqnorms, offset, scale = scaled(train, y, loss, standardize)
        in_range = bool(np.isfinite(train.scale).all() and np.isfinite(sqnorms).all())
        require(in_range, "X", f"in the range of {dtype}, their squares in that of float64", "larger values")
        if isinstance(train, designs.Products):
            names = designs.ProductNames(train.factors, names)
        y = (y - offset) / scale
        sigma = np.empty(sqnorms.size)
        designs.full_pass(train, y, float(y.sum()), sigma)
        require(bool(sigma.any()), "y", "not orthogonal to every column of X", "X'y = 0")
        test_design, test_y = checked_test(test, train)
        for array in (*train, *(test_design or ()), y, sigma, sqnorms):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)
        return cls(train, y, offset, scale, LOSSES[loss], sigma, sqnorms, test_design, test_y, names, name)

    @property
    def m(self) -> int:
        """Rows."""
        return int(self.y.size)

    @property
    def p(self) -> int:
        """Columns."""
        return int(self.sigma.size)

    @property
    def entries(self) -> int:
        """Entries of X that a full pass touches."""
        return self.design.entries

    @cached_property
    def rows(self) -> designs.Rows:
        """The rows of X, for methods that look at one sample at a time: another copy of it, made when first asked for."""
        return designs.rows_of(self.design)

    @cached_property
    def kappa_share(self) -> float:
        """kappa / n of `fwcore.datasets.kappa_share`, of the design as it is walked; a pass over X, by rows."""
        return float(designs.kappa_share(self.rows, self.m, self.p))

    @cached_property
    def f0(self) -> float:
        """f(0), the unit of relative gaps: 1/2 ||y||^2, or m log 2."""
        return self.loss.value(np.zeros(self.m), self.y)

    @cached_property
    def lam_max(self) -> float:
        """max abs(f'(0)), the smallest lam whose penalised solution is zero: max abs(X'y), or half of it for the logistic loss."""
        return self.loss.first * float(np.abs(self.sigma).max())

    @cached_property
    def content_hash(self) -> str:
        """Hex digest of the loss, the training design and the response, as the solvers see them."""
        digest = hashlib.blake2b(self.loss.name.encode(), digest_size=16)
        for array in (*self.design.stored, self.design.offset, self.design.scale, self.y):
            digest.update(str((array.shape, array.dtype.str)).encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def residual(self, indices: Ints, coefficients: Floats) -> Floats:
        """R = -l'(X a, y) of shape (m,), recomputed from the coefficients in the solvers' scale: y - X a of the squared loss."""
        return -self.loss.derivative(_image(self.design, indices, coefficients), self.y)

    def gradient(self, residual: Floats) -> Floats:
        """-X'R of shape (p,): one pass over X."""
        out = np.empty(self.p)
        designs.full_pass(self.design, residual, float(residual.sum()), out)
        return np.asarray(np.negative(out, out=out))

    def judge(self, indices: Ints, coefficients: Floats, form: str, value: float, ridge: float = 0.0) -> Verdict:
        """Judge a point by the gap of its form, at the cost of one pass over X.

        Parameters
        ----------
        indices, coefficients : ndarray of shape (k,)
            The non-zero entries of a.
        form : "ball", "penalty" or "support"
        value : float
            delta, lam or k. The gaps, upper bounds of the suboptimality in the same form:

            - ball: f'(a)'a + delta * max abs(f'(a)), the Frank-Wolfe gap over all columns (Jaggi 2013);
            - penalty: f(a) + lam * sum abs(a) minus the dual value of s * R, where R = -l'(X a, y), which is y - X a of the
              squared loss, and s = min(1, lam / max abs(X'R));
            - support: NaN, as nothing so cheap bounds the suboptimality among all supports of k columns.
        ridge : float
            Weight r of (r / 2) ||a||^2, which then belongs to f: the gaps are those of the elastic net, which is the same form with
            the rows sqrt(r) I below X and zeros below y.

        Raises
        ------
        ParameterError
            An unknown form.
        """
        require(form in FORMS, "form", f"one of {(*FORMS,)}", form)
        image = _image(self.design, indices, coefficients)
        residual = -self.loss.derivative(image, self.y)
        gradient = self.gradient(residual)
        gradient[indices] += ridge * coefficients
        quadratic = ridge * float(coefficients @ coefficients)
        objective = self.loss.value(image, self.y) + 0.5 * quadratic
        l1 = float(np.abs(coefficients).sum())
        steepest = float(np.abs(gradient).max())
        if form == "ball":
            gap = float(gradient[indices] @ coefficients) + value * steepest
        elif form == "support":
            gap = float("nan")
        else:
            gap = duality_gap(self.loss, self.y, residual, objective, value, l1, steepest, quadratic)
        train_mse = self.y_scale**2 * self.loss.error(image, self.y)
        nnz = int(np.count_nonzero(coefficients))
        return Verdict(objective, gap, train_mse, self.test_mse(indices, coefficients), l1, nnz)

    def hit(self, indices: Ints, coefficients: Floats, answer: Ints) -> float:
        """The share of the columns ``answer`` (k,) that are among the k steepest at a, ties included; a pass over X."""
        slopes = np.abs(self.gradient(self.residual(indices, coefficients)))
        least = np.partition(slopes, slopes.size - answer.size)[slopes.size - answer.size]
        return float((slopes[answer[answer >= 0]] >= (1.0 - _TIE) * least).sum() / answer.size)

    def test_mse(self, indices: Ints, coefficients: Floats) -> float:
        """Error on the test rows, as in `Verdict`; NaN without test rows."""
        if self.test_design is None or self.test_y is None:
            return float("nan")
        return self.loss.error(self.predict(self.test_design, indices, coefficients), self.test_y)

    def predict(self, design: Design, indices: Ints, coefficients: Floats) -> Floats:
        """Of the rows of ``design`` or ``test_design``, in the units of the y that was given."""
        return self.y_offset + self.y_scale * _image(design, indices, coefficients)


def duality_gap(
    loss: Loss, y: Floats, residual: Floats, objective: float, lam: float, l1: float, steepest: float, quadratic: float = 0.0
) -> float:
    """Gap of the penalised form; ``objective`` = f(a), ``l1`` = sum abs(a), ``residual`` = R and ``steepest`` = max abs(f'(a)).

    f(a) + lam * l1 minus the dual value of s R, s = min(1, lam / steepest); ``quadratic`` is r ||a||^2 of an elastic net.
    """
    shrink = min(1.0, lam / steepest) if steepest > 0 else 1.0
    return objective + lam * l1 - loss.dual(residual, y, shrink) + 0.5 * shrink * shrink * quadratic


def _image(design: Design, indices: Ints, coefficients: Floats) -> Floats:
    out = np.empty(design.shape[0])
    ones = designs.combine(design, indices, coefficients, out)
    return np.asarray(out + ones)

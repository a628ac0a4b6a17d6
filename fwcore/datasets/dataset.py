"""Dataset: what was read, before it is split, standardised and made a problem of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse

from fwcore.arrays import ChosenNames
from fwcore.datasets import stages
from fwcore.datasets.parsing import Parsed, Report
from fwcore.datasets.splitting import checked_split, split
from fwcore.design import PATTERN, ProductNames, Products, product_count, standardized
from fwcore.design.products import MOST_COLUMNS
from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats
from fwcore.losses import DEFAULT_LOSS
from fwcore.problem import Problem

RESPONSES = ("deviations", "as given")
# A matrix of at most so many entries stays in a core's cache, and is then quicker to read than to
# make.
_CACHED_ENTRIES = 1 << 19
# Products of two of these are already more than fit.
_MOST_FEATURES = 65_535


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows to learn from, rows to test on, and what is known of them.

    Attributes
    ----------
    name, title : str
    task : "regression" or "classification"
        The response of a classification is -1 or +1.
    X : ndarray or scipy sparse in compressed columns, of shape (m, p)
        Base features where ``degree`` is given.
    y : ndarray of shape (m,)
    feature_names : sequence of p str
    report : Report
        What the parser did.
    test : (X_test, y_test), optional
        The official test rows.
    coef : ndarray of shape (p,), optional
        True coefficients of X, where they exist.
    degree : int, optional
        The design is all products of up to so many features.
    test_fraction : float
        Default share of rows held out; where there are official test rows, their share.
    response : "deviations" or "as given"
        Whether y is divided by its standard deviation on the training rows: an absolute tolerance
        then means much the same everywhere, and to predict the mean is a test error of about 1.
    loss, sampling, points, dtype
        Sensible defaults: the loss, the share of columns for a step of stochastic Frank-Wolfe, the
        points of a grid, and how values are stored.
    relevant : int, optional
        Features that matter, where that is known.
    origin, citation, licence : str

    >>> from fwcore.datasets import read
    >>> dataset = read("diabetes")
    >>> dataset.X.shape, dataset.task, list(dataset.feature_names)[:3]
    ((442, 10), 'regression', ['age', 'sex', 'bmi'])
    """

    name: str
    title: str
    task: str
    X: Any
    y: Floats
    feature_names: Sequence[str]
    report: Report
    test: tuple[Any, Floats] | None = None
    coef: Floats | None = None
    degree: int | None = None
    test_fraction: float = 0.25
    response: str = "deviations"
    loss: str = DEFAULT_LOSS
    sampling: str = "1%"
    points: int = 100
    dtype: str = "float64"
    relevant: int | None = None
    origin: str = ""
    citation: str = ""
    licence: str = ""

    @classmethod
    def of(
        cls, parsed: Parsed, name: str, degree: int | None = None, test_fraction: float = 0.25
    ) -> Dataset:
        """A file that was parsed, as a dataset."""
        return cls(
            name,
            name,
            parsed.report.task,
            parsed.X,
            parsed.y,
            parsed.names,
            parsed.report,
            degree=degree,
            test_fraction=test_fraction,
            origin=parsed.report.name,
        )

    @property
    def rows(self) -> int:
        """Rows, those held out officially included."""
        return int(self.X.shape[0] + (0 if self.test is None else self.test[0].shape[0]))

    @property
    def columns(self) -> int:
        """Columns of the design: features, or products of them.

        Raises
        ------
        ParameterError
            There are more products than can be counted.
        """
        self._check_degree()
        features = int(self.X.shape[1])
        return features if self.degree is None else product_count(features, self.degree)

    def _check_degree(self) -> None:
        """Products are made of dense base features, and there are only so many of them."""
        if self.degree is None:
            return
        if isinstance(self.degree, bool) or not isinstance(self.degree, int) or self.degree < 1:
            raise ParameterError("degree", "fwcore", "an int of at least 1", self.degree)
        features = self.X.shape[1]
        if features > _MOST_FEATURES or product_count(features, self.degree) > MOST_COLUMNS:
            rule = (
                f"left out or lower: {features:,} features give more products than can be counted"
            )
            raise ParameterError("degree", "fwcore", rule, self.degree)

    def split(
        self, split_seed: int = 0, test_fraction: float | None = None
    ) -> tuple[Dataset, Dataset | None]:
        """The rows to learn from and those held out, if any, as datasets; parameters and errors as
        in `problem`.
        """
        fraction = checked_split(
            split_seed, self.test_fraction if test_fraction is None else test_fraction
        )
        X, y, test = self._split(split_seed, fraction)
        train = replace(self, X=X, y=y, test=None)
        return train, None if test is None else replace(self, X=test[0], y=test[1], test=None)

    def problem(
        self,
        *,
        split_seed: int = 0,
        test_fraction: float | None = None,
        loss: str | None = None,
        positive: bool = False,
    ) -> Problem:
        """Split, standardise by the training rows, make the products, drop the columns that are
        constant on the training rows.

        Parameters
        ----------
        split_seed : int in [0, 2^32)
            Seed of the random choice of test rows.
        test_fraction : float in [0, 0.9], optional
            Share of the rows held out, rounded to whole rows. By default the official test rows,
            where there are any; all rows are put together before they are split if another share is
            asked for.
        loss : str, optional
            A loss of `fwcore.losses`; by default the dataset's own.
        positive : bool
            Adds the constraint a >= 0.

        Raises
        ------
        ParameterError
            A value out of range, or rows that make no problem: see `Problem.from_arrays`.
        """
        fraction = checked_split(
            split_seed, self.test_fraction if test_fraction is None else test_fraction
        )
        self._check_degree()
        stages.SPLIT.tell()
        X, y, test = self._split(split_seed, fraction)
        stages.SCALE.tell()
        smaller = self.dtype != PATTERN and 12 * X.size > 8 * X.shape[0] * X.shape[1]
        if scipy.sparse.issparse(X) and (self.degree is not None or smaller):
            X, test = (
                X.toarray(order="F"),
                None if test is None else (test[0].toarray(order="F"), test[1]),
            )
        if self.response == "deviations" and self.task == "regression":
            unit = float(y.std()) or 1.0
            y, test = y / unit, None if test is None else (test[0], test[1] / unit)
        X, test, names = self._columns(X, test)
        return Problem.from_arrays(
            X,
            y,
            loss=loss or self.loss,
            positive=positive,
            test=test,
            feature_names=names,
            dtype=self.dtype,
            name=self.name,
        )

    def _split(self, seed: int, fraction: float) -> tuple[Any, Floats, tuple[Any, Floats] | None]:
        """The official test rows where that is their share, else as `split`."""
        X, y, test = self.X, self.y, self.test
        if test is not None and fraction == self.test_fraction:
            return X, y, test
        if test is not None:
            sparse = scipy.sparse.issparse(X)
            parts = [X, test[0]]
            X = scipy.sparse.vstack(parts, format="csc") if sparse else np.vstack(parts)
            y = np.concatenate([y, test[1]])
        return split(X, y, fraction, seed)

    def _columns(
        self, X: Any, test: tuple[Any, Floats] | None
    ) -> tuple[Any, tuple[Any, Floats] | None, Sequence[str]]:
        """The columns that vary on the training rows, or their products, of X and of the test
        rows; and their names.
        """
        names: Sequence[str] = self.feature_names
        if self.degree is not None:
            if X.shape[0] * product_count(X.shape[1], self.degree) > _CACHED_ENTRIES:
                return Products.of(X, self.degree), test, names
            return _made_products(X, test, self.degree, names)
        varies = _varies(X)
        if not varies.any():
            raise ParameterError(
                "X",
                self.name,
                "of columns that vary over the training rows",
                "constant columns only",
            )
        if varies.all():
            return X, test, names
        test = None if test is None else (test[0][:, varies], test[1])
        return X[:, varies], test, ChosenNames(names, np.flatnonzero(varies))


def kappa_share(X: Any) -> float:
    """kappa / n of Negiar et al. (2020), eq. 34: max_j sum_i abs(x_ij) / (n max abs(x_ij)), in (0,
    1]; X as it is, of shape (n, p).

    Their bound of the convergence of stochastic Frank-Wolfe on rows grows with it: the smaller it
    is, the more row sampling helps. NaN where X is zero.

    >>> kappa_share(np.ones((4, 2)))
    1.0
    """
    sizes = abs(X)
    largest = float(sizes.max())
    return float(sizes.sum(axis=0).max()) / (X.shape[0] * largest) if largest > 0 else float("nan")


def _made_products(
    X: Floats, test: Any, degree: int, names: Sequence[str]
) -> tuple[Floats, Any, Sequence[str]]:
    """The products as matrices, without the constant ones; and their names."""
    varying = standardized(Products.of(X, degree))
    plain = varying._replace(
        offset=np.zeros_like(varying.offset), scale=np.ones_like(varying.scale)
    )
    tested = None if test is None else (plain.with_rows(test[0]).matrix(), test[1])
    return plain.matrix(), tested, ProductNames(plain.factors, names)


def _varies(X: Any) -> Any:
    """Which columns are not constant."""
    if not scipy.sparse.issparse(X):
        return np.ptp(X, axis=0) > 0
    low, high = X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    return low < high

"""Responses far from zero, and numbers near the ends of their range."""

import numpy as np
import pytest
import scipy.sparse
from numpy_judge import NumpyJudge
from sklearn.exceptions import ConvergenceWarning

from fwcore import ParameterError, find_loss
from fwcore.estimators import (
    FWElasticNet,
    FWHuber,
    FWHuberCV,
    FWLasso,
    FWLassoCV,
    FWLogistic,
    certify,
    lasso_path,
)

M = 120


def rows(seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((M, 20))
    return X, X[:, 0] - 2.0 * X[:, 1] + random.standard_normal(M), random


@pytest.mark.parametrize("far", [1e4, 1e6, 1e8])
@pytest.mark.parametrize("weighted", [False, True])
def test_answers_and_gaps_of_a_far_response_are_those_of_a_near_one(far, weighted):
    X, u, random = rows()
    weights = random.uniform(0.5, 2.0, M) if weighted else None
    # What the far response is in float64, brought back.
    u = (u + far) - far
    # Of its 16 digits a far response has so many left.
    tol = max(1e-9, 1e-15 * far)
    model = FWHuber(0.05, tol=tol)
    near = model.fit(X, u, sample_weight=weights).coef_
    model.fit(X, u + far, sample_weight=weights)
    np.testing.assert_allclose(model.coef_, near, atol=1e-3)
    told = certify(
        X,
        u,
        model.coef_,
        alpha=0.05,
        intercept=model.intercept_ - far,
        loss="huber",
        sample_weight=weights,
    )
    unit = told.gap / told.relative_gap
    assert told.relative_gap <= 1.1 * tol
    assert 0.0 <= model.dual_gap_ <= 1.1 * tol * unit
    assert abs(told.gap - model.dual_gap_) <= 1e-16 * far * unit


@pytest.mark.parametrize("kind", [FWLasso, FWHuber])
@pytest.mark.parametrize("far", [1e3, 1e7])
def test_a_large_coefficient_without_a_penalty_costs_no_accuracy(kind, far):
    X, u, random = rows(1)
    z = random.standard_normal(M)
    factors = np.array([0.0] + [1.0] * 20)
    y = far * z + u
    model = kind(0.05, penalty_factor=factors, tol=1e-9).fit(np.c_[z, X], y)
    loss = "squared" if kind is FWLasso else "huber"
    threshold = np.inf if kind is FWLasso else find_loss("huber").fitted(y, 1.0).threshold
    judge = NumpyJudge(X, y - far * z, loss, threshold, intercept=True, free=z[:, None])
    gap = judge.gap(model.coef_[1:], "penalty", 0.05 * M) / M
    unit = judge.objective(np.zeros(20)) / M
    assert gap <= (1e-9 + 1e-15 * far) * unit
    assert abs(gap - model.dual_gap_) <= (1e-12 + 1e-15 * far) * unit


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("kind", [FWLasso, FWHuber, FWLogistic])
@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("X", lambda X, y: (X * 1e200, y)),
        ("X", lambda X, y: (np.c_[X[:, :1] * 1e307, X[:, 1:]], y)),
        ("X", lambda X, y: (X * 1e-200, y)),
        ("y", lambda X, y: (X, y * 1e200)),
        ("y", lambda X, y: (X, 1e307 * (2.0 + y / abs(y).max()))),
    ],
)
def test_numbers_out_of_range_are_told_by_their_name(storage, kind, name, spoil):
    X, y, _ = rows()
    if kind is FWLogistic:
        if name == "y":
            return
        y = np.where(y > 0, 1.0, -1.0)
    X, y = spoil(X, y)
    with pytest.raises(ParameterError, match=f"'{name}' parameter of {kind.__name__}"):
        kind(0.1).fit(storage(X), y)


def test_weights_near_the_largest_number_are_as_good_as_others():
    X, y, random = rows()
    weights = random.uniform(0.5, 1.0, M)
    small, large = (
        FWLasso(0.1, tol=1e-9).fit(X, y, sample_weight=size * weights) for size in (1.0, 1.7e308)
    )
    np.testing.assert_allclose(large.coef_, small.coef_, rtol=1e-9)


@pytest.mark.parametrize(
    "factors",
    [[1e-320] + [1.0] * 19, [1e-20] + [1.0] * 19, [1e200] + [1.0] * 19, "abc", [[1.0], [1.0, 2.0]]],
)
def test_factors_out_of_range_are_told_by_their_name(factors):
    X, y, _ = rows()
    for act in (
        lambda: FWLasso(0.1, penalty_factor=factors).fit(X, y),
        lambda: certify(X, y, np.zeros(20), alpha=0.1, penalty_factor=factors),
    ):
        with pytest.raises(ParameterError, match="'penalty_factor' parameter"):
            act()


@pytest.mark.parametrize("alpha", [5e-324, 1e-310, 1e307])
def test_an_alpha_out_of_range_is_told(alpha):
    X, y, _ = rows()
    for act in (
        lambda: FWElasticNet(alpha, l1_ratio=1e-6).fit(X, y),
        lambda: certify(X, y, np.zeros(20), alpha=alpha),
        lambda: FWLasso(delta=alpha).fit(X, y),
    ):
        with pytest.raises(
            ParameterError, match=r"'(alpha|delta)' parameter .* number in \[1e-250"
        ):
            act()
    with pytest.raises(ParameterError, match="'alphas' parameter"):
        lasso_path(X, y, alphas=[alpha])
    least_squares = np.linalg.lstsq(np.c_[np.ones(M), X], y, rcond=None)[0]
    # No residual is so orthogonal to the columns that it certifies that.
    with pytest.warns(ConvergenceWarning, match="gap"):
        model = FWLasso(1e-200, tol=1e-13).fit(X, y)
    np.testing.assert_allclose(model.coef_, least_squares[1:], atol=1e-5)


def test_what_cannot_be_certified_is_told_in_the_name_of_certify():
    X, y, _ = rows()
    for spoilt, name in (
        ((np.full_like(X, np.nan), y, np.zeros(20)), "X"),
        ((X, "abc", np.zeros(20)), "y"),
        ((X, y, "abc"), "coef"),
        ((X, y, np.zeros((1, 20))), "coef"),
    ):
        with pytest.raises(ParameterError, match=f"'{name}' parameter of certify"):
            certify(*spoilt, alpha=0.1)
    for wrong in (np.nan, np.inf, "0"):
        with pytest.raises(ParameterError, match="'intercept' parameter of certify"):
            certify(X, y, np.zeros(20), alpha=0.1, intercept=wrong)


def test_a_path_that_nothing_descends_along_is_scikit_learns():
    from sklearn.linear_model import lasso_path as their_path

    X, y = np.abs(rows()[0]), -np.ones(M)
    for alphas in (3, [0.1, 0.3]):
        ours, theirs = (
            path(X, y, alphas=alphas, positive=True, return_n_iter=True)
            for path in (lasso_path, their_path)
        )
        for mine, other in zip(ours[:3], theirs[:3], strict=True):
            assert mine.shape == other.shape
        np.testing.assert_allclose(ours[0], theirs[0])
        assert not ours[1].any()
        assert not ours[3].any()


def test_a_slope_of_rounding_is_none():
    for seed in range(10):
        y = np.random.default_rng(seed).standard_normal(M)
        model = FWLassoCV(positive=True, alphas=5).fit(np.c_[np.full(M, 0.1), -y], y)
        assert model.coef_.tolist() == [0.0, 0.0]
        assert model.alphas_.size == 0


@pytest.mark.parametrize("delta", np.geomspace(0.3, 2.0, 9))
def test_in_single_precision_what_is_kept_stays_in_the_ball(delta):
    X, y, _ = rows(2)
    X = X.astype(np.float32)
    factors = np.linspace(0.5, 2.0, 20)
    model = FWLasso(delta=delta, penalty_factor=factors, tol=1e-6).fit(X, y)
    assert model.coef_.dtype == np.float32
    told = certify(
        X.astype(float),
        y,
        model.coef_,
        delta=delta,
        intercept=model.intercept_,
        penalty_factor=factors,
    )
    assert told.gap == pytest.approx(model.dual_gap_, rel=1e-6, abs=1e-12)
    assert told.relative_gap <= 1e-5


def test_the_scale_of_a_constant_response_is_its_size():
    y = np.full(20, 3.0)
    model = FWHuber(1e-6, fit_intercept=False, tol=1e-10).fit(np.ones((20, 1)), y)
    assert model.predict(np.ones((2, 1))) == pytest.approx(3.0, abs=1e-3)
    folds = [(np.arange(20), np.arange(20, 40))] * 2
    y = np.r_[y, y + np.arange(20.0)]
    FWHuberCV(fit_intercept=False, alphas=3, cv=folds).fit(np.ones((40, 1)), y)


@pytest.mark.parametrize("repeated", [1, 20])
def test_free_columns_that_nearly_separate_classes_are_refused(repeated):
    z = np.array([-1.0, -1.0, 0.0, 0.0, 1.0, 1.0])
    y = np.array([0, 0, 0, 1, 1, 1])
    x = np.random.default_rng(0).standard_normal(6 * repeated)
    X, y = np.c_[np.tile(z, repeated), x], np.tile(y, repeated)
    with pytest.raises(ParameterError, match="separate the classes"):
        FWLogistic(0.01, penalty_factor=[0, 1]).fit(X, y)
    y[0] = 1
    assert np.isfinite(FWLogistic(0.01, penalty_factor=[0, 1]).fit(X, y).coef_).all()


def test_seeds_are_used_in_the_folds_too():
    X, y, _ = rows()
    given = {"solver": "scd", "alphas": 3, "tol": 1e-3, "cv": 2}
    one, same, other = (
        FWLassoCV(random_state=seed, **given).fit(X, y).error_path_ for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()

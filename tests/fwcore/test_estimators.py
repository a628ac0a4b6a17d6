"""scikit-learn estimators: its own checks, its own answers, and gaps of anybody's answer."""

import doctest
import importlib
import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy_judge import NumpyJudge
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import ElasticNet, Lasso, LassoCV, LogisticRegression
from sklearn.linear_model import lasso_path as their_path
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from fwcore import ParameterError
from fwcore.estimators import (
    FWElasticNet,
    FWElasticNetCV,
    FWHuber,
    FWHuberCV,
    FWLasso,
    FWLassoCV,
    FWLogistic,
    FWLogisticCV,
    certify,
    lasso_path,
)

CHECKED = (
    FWLasso(),
    FWElasticNet(),
    FWLassoCV(),
    FWElasticNetCV(),
    FWHuber(),
    FWLogistic(),
    FWHuberCV(),
    FWLogisticCV(),
)
CHECKS = [pair for estimator in CHECKED for pair in estimator_checks_generator(estimator)]


def named(pair):
    estimator, check = pair
    name = getattr(check, "func", check).__name__
    return f"{type(estimator).__name__}-{name}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("pair", CHECKS, ids=named)
def test_what_scikit_learn_asks_of_an_estimator(pair):
    estimator, check = pair
    check(estimator)


def odd_problem(seed):
    """Rows, columns, a sparse truth; among the columns a constant, a twin and nearly a twin; the
    weights of rows, some of them 0, or None.
    """
    rng = np.random.default_rng(seed)
    m, p = int(rng.integers(5, 60)), int(rng.integers(3, 90))
    X = rng.normal(size=(m, p)) * 10.0 ** rng.integers(-2, 3, p)
    X[:, 0] = 2.5
    if p > 4:
        X[:, 2] = X[:, 1]
        X[:, 3] = X[:, 1] + 1e-3 * rng.normal(size=m)
    truth = rng.normal(size=p) * (rng.random(p) < 0.3)
    y = X @ truth + 0.3 * rng.normal(size=m) + 4.0
    weights = rng.integers(0, 4, m) + (np.arange(m) < 3) if seed % 3 == 0 else None
    return X, y, weights, rng


def objective(X, y, weights, coef, intercept, alpha, ratio=1.0):
    """Independent of the package: scikit-learn's documentation as NumPy."""
    left = y - X @ coef - intercept
    penalty = ratio * abs(coef).sum() + 0.5 * (1 - ratio) * (coef @ coef)
    return np.average(left**2, weights=weights) / 2 + alpha * penalty


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(200))
def test_no_objective_is_below_ours_by_more_than_our_gap(seed):
    X, y, weights, rng = odd_problem(seed)
    ratio = float(rng.choice([1.0, 0.7]))
    shares = np.ones(len(y)) / len(y) if weights is None else weights / weights.sum()
    intercept = bool(np.random.default_rng([seed, 1]).random() < 0.7)
    mean = intercept * (shares @ y)
    slopes = (X - intercept * (shares @ X)).T @ (shares * (y - mean))
    alpha = float(abs(slopes).max() * rng.uniform(0.05, 0.9))
    positive = bool(rng.random() < 0.3)
    given = scipy.sparse.csr_array(X) if rng.random() < 0.3 else X
    penalty = {"l1_ratio": ratio, "positive": positive, "fit_intercept": intercept}
    ours = FWElasticNet(alpha, tol=1e-8, **penalty).fit(given, y, sample_weight=weights)
    theirs = ElasticNet(alpha=alpha, tol=1e-10, max_iter=10**6, **penalty)
    theirs.fit(X, y, sample_weight=weights)
    at_zero = objective(X, y, weights, 0 * ours.coef_, mean, alpha)
    mine, other = (
        objective(X, y, weights, model.coef_, model.intercept_, alpha, ratio)
        for model in (ours, theirs)
    )
    assert 0 <= ours.dual_gap_ <= 1.001e-8 * at_zero
    assert mine <= other + ours.dual_gap_ + 1e-12 * at_zero
    asked = {"alpha": alpha, "l1_ratio": ratio, "positive": positive, "sample_weight": weights}
    told = certify(X, y, ours.coef_, intercept=ours.intercept_ if intercept else None, **asked)
    assert told.objective == pytest.approx(mine, rel=1e-9)
    assert told.gap <= 1.1e-8 * at_zero
    counted = shares > 0.0
    m = int(counted.sum())
    judge = NumpyJudge(
        X[counted],
        y[counted],
        weights=m * shares[counted],
        intercept=intercept,
        positive=positive,
    )
    lam, ridge = m * alpha * ratio, m * alpha * (1.0 - ratio)
    assert judge.gap(ours.coef_, "penalty", lam, ridge) <= 1.1e-8 * m * at_zero
    assert (ours.coef_ >= 0).all() or not positive


@pytest.mark.parametrize(
    "seeds", [range(10), pytest.param(range(10, 200), marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_columns_weigh_what_their_factors_say(seeds):
    for seed in seeds:
        X, y, weights, rng = odd_problem(seed)
        factors = rng.uniform(0.2, 5.0, X.shape[1])
        factors[-1] = 0.0
        free, units = X[:, [-1]], factors[:-1]
        shares = np.ones(y.size) / y.size if weights is None else weights / weights.sum()
        counted = shares > 0.0
        m = int(counted.sum())
        judge = NumpyJudge(
            (X[:, :-1] / units)[counted],
            y[counted],
            weights=m * shares[counted],
            intercept=bool(seed % 2),
            free=free[counted],
        )
        zeros = np.zeros(units.size)
        steepest = np.abs(judge.X.T @ judge.slopes(judge.predictions(zeros))).max()
        if steepest < 1e-9 * np.abs(y).max():
            continue
        alpha, ratio = float(steepest / m * rng.uniform(0.05, 0.9)), float(rng.choice([1.0, 0.7]))
        model = FWElasticNet(alpha, l1_ratio=ratio, penalty_factor=factors, tol=1e-8)
        model.set_params(fit_intercept=judge.intercept)
        given = scipy.sparse.csr_array(X) if rng.random() < 0.4 else X
        model.fit(given, y, sample_weight=weights)
        lam, ridge = m * alpha * ratio, m * alpha * (1.0 - ratio)
        gap = judge.gap(units * model.coef_[:-1], "penalty", lam, ridge)
        assert gap <= 1.1e-8 * judge.objective(zeros)
        fit = np.average((y - model.predict(X)) ** 2, weights=weights) / 2
        best = judge.value(judge.predictions(units * model.coef_[:-1])) / m
        assert fit == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("solver", ["cd", "active_set", "fista", "detcd"])
def test_any_solver_of_the_form_is_certified_by_the_judge(solver):
    X, y = load_diabetes(return_X_y=True)
    model = FWLasso(0.5, solver=solver, tol=1e-5).fit(X, y)
    assert model.dual_gap_ <= 1.001e-5 * np.var(y) / 2
    np.testing.assert_allclose(
        model.predict(X), Lasso(0.5, tol=1e-9).fit(X, y).predict(X), atol=1.5
    )


def test_the_constraint_instead_of_the_penalty():
    X, y = load_diabetes(return_X_y=True)
    model = FWLasso(delta=800.0, tol=1e-8).fit(X, y)
    assert abs(model.coef_).sum() == pytest.approx(800.0)
    told = certify(X, y, model.coef_, delta=800.0, intercept=model.intercept_)
    assert told.gap <= 1.1e-8 * np.var(y) / 2
    outside = certify(X, y, 2 * model.coef_, delta=800.0, intercept=0.0)
    assert outside.gap == np.inf
    sampled = FWLasso(delta=800.0, solver="sfw", tol=1e-2, random_state=3)
    # It stops by its moves, or by an estimate of the gap.
    with pytest.warns(ConvergenceWarning, match="before tol was met. The duality gap is"):
        once = sampled.fit(X, y).coef_
    assert sampled.dual_gap_ > 1e-2 * np.var(y) / 2
    with pytest.warns(ConvergenceWarning):
        np.testing.assert_array_equal(once, clone(sampled).fit(X, y).coef_)
    with pytest.raises(ParameterError, match="one of the ball form"):
        FWLasso(delta=800.0, solver="cd").fit(X, y)


SLOPES = {
    FWElasticNet: lambda u, y: u - y,
    FWLogistic: lambda u, y: -y / (1.0 + np.exp(y * u)),
}


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csr_matrix])
@pytest.mark.parametrize("kind", [FWElasticNet, FWLogistic])
def test_columns_are_penalised_by_their_factors(kind, storage):
    """The slope of a coefficient that is not zero is that of its own penalty; of others, less."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 90)) * (rng.random((60, 90)) < 0.6)
    y = X[:, :4].sum(axis=1) + rng.normal(size=60)
    y = np.sign(y) if kind is FWLogistic else y
    factors = 10.0 ** rng.uniform(-1.0, 1.0, 90)
    alpha, ratio = 0.05, 0.7
    model = kind(alpha=alpha, l1_ratio=ratio, penalty_factor=factors, tol=1e-12)
    model.fit(storage(X), y)
    w = np.ravel(model.coef_)
    slopes = X.T @ SLOPES[kind](X @ w + model.intercept_, y) / 60
    slopes += alpha * (1.0 - ratio) * factors**2 * w
    active = w != 0
    assert 3 < active.sum() < 60
    most = alpha * ratio * factors
    np.testing.assert_allclose(slopes[active], -most[active] * np.sign(w[active]), rtol=1e-4)
    assert (np.abs(slopes) <= most * (1.0 + 1e-4)).all()
    b = float(np.ravel(model.intercept_)[0])
    loss = "logistic" if kind is FWLogistic else "squared"
    told = certify(
        storage(X),
        y,
        w,
        alpha=alpha,
        l1_ratio=ratio,
        intercept=b,
        loss=loss,
        penalty_factor=factors,
    )
    assert told.relative_gap < 1e-9


def test_factors_of_columns_in_the_ball_over_folds_and_of_an_adaptive_lasso():
    X, y = load_diabetes(return_X_y=True)
    factors = np.linspace(0.5, 2.0, 10)
    ball = FWLasso(delta=500.0, penalty_factor=factors, tol=1e-9).fit(X, y)
    assert abs(np.abs(factors * ball.coef_).sum() - 500.0) < 1e-6
    told = certify(X, y, ball.coef_, delta=500.0, intercept=ball.intercept_, penalty_factor=factors)
    assert told.relative_gap < 1e-8
    ours = FWLassoCV(alphas=20, cv=4, penalty_factor=factors, tol=1e-10).fit(X, y)
    theirs = LassoCV(alphas=20, cv=4, tol=1e-10, max_iter=100_000).fit(X / factors, y)
    assert ours.alpha_ == pytest.approx(theirs.alpha_)
    np.testing.assert_allclose(ours.coef_, theirs.coef_ / factors, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X / factors), rtol=1e-5)
    first = FWLasso(alpha=0.1).fit(X, y)
    adaptive = FWLasso(alpha=0.1, penalty_factor=1.0 / (np.abs(first.coef_) / 100 + 1e-3))
    assert np.count_nonzero(adaptive.fit(X, y).coef_) < np.count_nonzero(first.coef_)
    huber = FWHuber(alpha=0.05, penalty_factor=factors, tol=1e-10).fit(X, y)
    again = FWHuber(alpha=0.05, tol=1e-10).fit(X / factors, y)
    np.testing.assert_allclose(huber.coef_, again.coef_ / factors)


@pytest.mark.parametrize("factors", [[1.0], np.zeros(10), -np.ones(10), np.full(10, np.nan)])
def test_factors_that_do_not_fit_are_told(factors):
    rule = "positive for some" if np.size(factors) == 10 and not any(factors) else "10 numbers"
    X, y = load_diabetes(return_X_y=True)
    for act in (
        lambda: FWLasso(penalty_factor=factors).fit(X, y),
        lambda: FWLassoCV(penalty_factor=factors).fit(X, y),
        lambda: certify(X, y, np.zeros(10), alpha=1.0, penalty_factor=factors),
    ):
        with pytest.raises(ParameterError, match=f"penalty_factor.*{rule}"):
            act()


def test_paths_are_those_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    y = y - y.mean()
    alphas, coefs, gaps = lasso_path(X, y, alphas=30, eps=1e-2, tol=1e-9)
    their_alphas, theirs, _ = their_path(X, y, alphas=alphas, tol=1e-9)
    np.testing.assert_allclose(alphas, their_alphas)
    np.testing.assert_allclose(coefs, theirs, atol=0.05)
    assert gaps.shape == (30,)
    assert (gaps <= 1e-9 * (y @ y) / (2 * len(y)) * 1.001).all()


@pytest.mark.parametrize("seed", range(3))
def test_cross_validation_chooses_what_scikit_learn_chooses(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 120))
    y = X[:, :4] @ np.array([2.0, -1.0, 1.5, 1.0]) + rng.normal(size=80)
    folds = KFold(4, shuffle=True, random_state=0)
    ours = FWLassoCV(cv=folds, alphas=40, tol=1e-8).fit(X, y)
    grid = ours.alphas_
    theirs = LassoCV(cv=folds, alphas=grid, tol=1e-8, max_iter=10**5).fit(X, y)
    assert ours.alpha_ == theirs.alpha_
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-3)
    sparser = FWLassoCV(cv=folds, alphas=40, one_standard_error=True, n_jobs=2).fit(X, y)
    means = theirs.mse_path_.mean(axis=1)
    error = theirs.mse_path_[means.argmin()].std(ddof=1) / 2.0
    assert sparser.alpha_ == grid[means <= means.min() + error].max() > ours.alpha_
    assert np.count_nonzero(sparser.coef_) < np.count_nonzero(ours.coef_)
    assert scipy.sparse.issparse(ours.sparse_coef_)


def test_they_are_used_as_scikit_learns_are(tmp_path):
    frame = load_diabetes(as_frame=True)
    X, y = frame.data, frame.target
    model = FWLasso(0.5).fit(X, y)
    assert [*model.feature_names_in_] == [*X.columns]
    joblib.dump(model, tmp_path / "model.joblib")
    for again in (
        pickle.loads(pickle.dumps(model)),
        joblib.load(tmp_path / "model.joblib"),
    ):
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        np.testing.assert_array_equal(again.path_.coefs.toarray(), model.path_.coefs.toarray())
    shown = model._repr_html_()
    assert "FWLasso" in shown
    assert "alpha" in shown
    assert clone(model).get_params() == model.get_params()
    pipeline = make_pipeline(StandardScaler(), FWLasso())
    search = GridSearchCV(pipeline, {"fwlasso__alpha": [0.1, 1.0, 10.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.4
    chosen = SelectFromModel(FWLasso(1.0)).set_output(transform="pandas").fit(X, y).transform(X)
    assert isinstance(chosen, pd.DataFrame)
    assert set(chosen.columns) == set(X.columns[model_support(X, y)])
    seen = []
    FWLasso(0.5).fit(X, y, callback=seen.append)
    assert seen[-1].point == len(model.path_.grid) - 1


@pytest.mark.parametrize("kind", [FWElasticNet, FWLasso, FWLogistic, FWHuber])
def test_features_are_selected_where_coefficients_are_not_zero(kind):
    X, y = load_diabetes(return_X_y=True)
    y = y > 150 if kind is FWLogistic else y
    ratios = [1.0] if kind is FWLasso else [1.0, 0.5]
    for ratio in ratios:
        given = {} if kind is FWLasso else {"l1_ratio": ratio}
        chosen = SelectFromModel(kind(0.01, **given)).fit(X, y)
        sizes = np.abs(np.ravel(chosen.estimator_.coef_))
        # With a ridge scikit-learn takes the mean, as of its own.
        assert chosen.threshold_ == (1e-5 if ratio == 1.0 else sizes.mean())
        np.testing.assert_array_equal(chosen.get_support(), sizes >= chosen.threshold_)


def model_support(X, y):
    return abs(FWLasso(1.0).fit(X, y).coef_) > 1e-5


def test_single_precision_stays():
    X, y = load_diabetes(return_X_y=True)
    model = FWLasso(0.5).fit(X.astype(np.float32), y)
    assert model.coef_.dtype == np.float32
    # The gap is that of the rounded coefficients.
    single = X.astype(np.float32).astype(np.float64)
    best = float(y.mean() - single.mean(axis=0) @ model.coef_)
    told = certify(single, y, model.coef_, alpha=0.5, intercept=best)
    assert model.dual_gap_ == pytest.approx(told.gap, rel=1e-3, abs=1e-9)
    assert model.dual_gap_ <= 1e-4 * np.var(y) / 2


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csc_array])
def test_the_gap_in_single_precision_is_that_of_what_is_kept(storage):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 90)).astype(np.float32)
    factors = rng.uniform(0.1, 10.0, 90)
    factors[3] = 0.0
    y = X[:, :5].sum(axis=1) + 0.1 * rng.normal(size=60)
    model = FWLasso(0.05, penalty_factor=factors, tol=1e-8).fit(storage(X), y)
    assert model.coef_.dtype == np.float32
    asked = {"alpha": 0.05, "penalty_factor": factors, "intercept": model.intercept_}
    double = certify(X.astype(np.float64), y, model.coef_, **asked)
    assert model.dual_gap_ == pytest.approx(double.gap, rel=1e-6, abs=1e-14)
    single = certify(storage(X), y, model.coef_, **asked)
    assert single.gap == pytest.approx(double.gap, rel=1e-6, abs=1e-14)


@pytest.mark.parametrize("alpha", [0.05, 1e3])
def test_in_single_precision_free_columns_and_the_intercept_are_kept_as_they_are_judged(alpha):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 6)).astype(np.float32)
    X[:, 4] = 1e4 + 10.0 * rng.random(60)
    y = X[:, 0] + 3.0 * X[:, 4] + 0.1 * rng.normal(size=60)
    factors = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 2.0])
    model = FWLasso(alpha, penalty_factor=factors, tol=1e-8).fit(X, y)
    asked = {"alpha": alpha, "penalty_factor": factors, "intercept": model.intercept_}
    told = certify(X.astype(np.float64), y, model.coef_, **asked)
    assert 0.0 < told.gap == pytest.approx(model.dual_gap_, rel=1e-6)
    assert abs(np.mean(y - X.astype(np.float64) @ model.coef_ - model.intercept_)) < 1e-9


@pytest.mark.parametrize("sizes", [(1e9, 1e-6), (1e-15, 1.0)])
def test_free_columns_of_very_different_sizes_have_their_best_coefficients(sizes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    y = X[:, 2] + X[:, 3] + 1.0
    X[:, 2:] *= sizes
    model = FWLasso(0.1, penalty_factor=[1.0, 1.0, 0.0, 0.0]).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=0, atol=1e-9)
    asked = {"alpha": 0.1, "penalty_factor": [1.0, 1.0, 0.0, 0.0], "intercept": model.intercept_}
    assert certify(X, y, model.coef_, **asked).gap == 0.0
    assert certify(X, y, [0.0, 0.0, 0.0, model.coef_[3]], **asked).gap > 0.1


@pytest.mark.parametrize(
    ("solver", "given", "named"),
    [
        ("cd", {"penalty_factor": [0.0] + [1.0] * 9}, "penalty_factor"),
        ("cd", {"max_iter": 0}, "max_iter"),
        ("omp", {}, "solver"),
        ("sfw", {}, "solver"),
    ],
)
def test_what_a_solver_does_not_know_is_told_by_the_name_that_was_given(solver, given, named):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ParameterError, match=f"'{named}' parameter of FWLasso"):
        FWLasso(0.5, solver=solver, **given).fit(X, y)


def test_weights_that_a_solver_does_not_know_are_told_as_given():
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ParameterError, match="'sample_weight' parameter of FWLasso"):
        FWLasso(0.5, solver="cd").fit(X, y, sample_weight=np.arange(y.size))
    with pytest.raises(ParameterError, match="'penalty_factor' parameter of FWLogistic"):
        FWLogistic(penalty_factor=[0.0] + [1.0] * 9).fit(X, X[:, 0] > 0)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"l1_ratio": 0.0}, "l1_ratio"),
        ({"l1_ratio": 1e-7}, "l1_ratio"),
        ({"eps": 0}, "eps"),
        ({"eps": -1}, "eps"),
        ({"eps": 2}, "eps"),
        ({"eps": "a"}, "eps"),
        ({"alphas": "abc"}, "alphas"),
        ({"alphas": [1.0, 1.0]}, "alphas"),
        ({"alphas": [1.0, np.nan]}, "alphas"),
        ({"alphas": 0}, "alphas"),
        ({"alphas": True}, "alphas"),
        ({"eps": 5e-324}, "eps"),
        ({"max_iter": 0}, "max_iter"),
        ({"solver": "nobody"}, "solver"),
        ({"tol": -1.0}, "tol"),
    ],
)
def test_what_does_not_fit_a_path_is_named(given, named):
    X, y = load_diabetes(return_X_y=True)
    for response in (y, 0.0 * y):
        with pytest.raises(ParameterError, match=f"'{named}' parameter of lasso_path"):
            lasso_path(X, response, **given)
    if "l1_ratio" not in given:
        with pytest.raises(ParameterError, match=f"'{named}' parameter of FWLassoCV"):
            FWLassoCV(**given).fit(X, y)


def test_what_was_given_up_is_told():
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="step limit .* Raise max_iter.* duality gap is"):
        model = FWLasso(0.001, solver="cd", tol=1e-12, max_iter=20).fit(X, y)
    assert model.dual_gap_ > 1e-12 * np.var(y) / 2


def test_where_nothing_descends_the_answer_is_zero_for_certain():
    X = np.random.default_rng(0).normal(size=(20, 5))
    for y in (np.full(20, 3.0), np.zeros(20)):
        model = FWLasso(0.1).fit(X, y)
        assert not model.coef_.any()
        assert (model.intercept_, model.dual_gap_) == (pytest.approx(y[0]), 0.0)
    large = FWLasso(1e6).fit(X, X[:, 0])
    assert not large.coef_.any()
    # Of two ways to sum the intercept.
    assert certify(X, X[:, 0], large.coef_, alpha=1e6, intercept=large.intercept_).gap <= 1e-30


@pytest.mark.parametrize("free", [False, True])
def test_where_nothing_descends_other_answers_are_certified_too(free):
    X, y = np.random.default_rng(0).normal(size=(20, 5)), np.full(20, 3.0)
    given = {"penalty_factor": [0.0, 1.0, 1.0, 1.0, 1.0]} if free else {}
    for form in ({"alpha": 0.1}, {"delta": 1.0}):
        told = certify(X, y, np.zeros(5), intercept=3.0, **form, **given)
        assert (told.gap, told.relative_gap) == (pytest.approx(0.0, abs=1e-28), 0.0)
    coef = np.array([0.0, 0.5, 0.0, 0.0, 0.0])
    off = certify(X, y, coef, alpha=0.1, intercept=3.0, **given)
    assert off.objective == pytest.approx((0.5 * X[:, 1]) @ (0.5 * X[:, 1]) / 40 + 0.05)
    assert off.gap == pytest.approx(off.objective)
    assert certify(X, y, -coef, alpha=0.1, intercept=3.0, positive=True).gap == np.inf
    assert certify(X, y, 4 * coef, delta=1.0, intercept=3.0, **given).gap == np.inf
    near = certify(X, 0.1 * y, np.zeros(5), alpha=0.1, intercept=np.nextafter(0.3, 1.0))
    assert (near.gap, near.relative_gap) == (0.0, 0.0)
    zero = certify(X, np.zeros(20), np.zeros(5), alpha=1.0)
    assert (zero.objective, zero.gap, zero.relative_gap) == (0.0, 0.0, 0.0)


def test_lists_frames_and_sparse_matrices_are_certified_alike():
    X, y = load_diabetes(return_X_y=True)
    model = FWLasso(0.5).fit(X, y)
    given = {"alpha": 0.5, "intercept": model.intercept_}
    gaps = [
        certify(kind(X), y.tolist(), model.coef_, **given).gap
        for kind in (np.asarray, np.ndarray.tolist, pd.DataFrame, scipy.sparse.csr_array)
    ]
    assert gaps == pytest.approx([gaps[0]] * 4, abs=1e-9)


def test_a_logistic_answer_of_scikit_learn_is_certified():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 30))
    y = np.where(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=100) > 0, 1.0, -1.0)
    alpha = 0.02
    theirs = LogisticRegression(
        C=1 / (alpha * 100), l1_ratio=1, solver="liblinear", fit_intercept=False, tol=1e-8
    ).fit(X, y)
    told = certify(X, y, theirs.coef_[0], alpha=alpha, loss="logistic")
    assert told.objective == pytest.approx(
        np.log1p(np.exp(-y * (X @ theirs.coef_[0]))).mean() + alpha * abs(theirs.coef_).sum()
    )
    assert 0 <= told.gap < 1e-5
    worse = certify(X, y, 0.9 * theirs.coef_[0], alpha=alpha, loss="logistic")
    assert worse.gap >= worse.objective - told.objective


def test_an_intercept_of_two_classes_is_certified_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 30))
    y = np.where(X[:, 0] - X[:, 1] + 1.0 + 0.5 * rng.normal(size=100) > 0, 1.0, -1.0)
    model = FWLogistic(alpha=0.02, tol=1e-10).fit(X, y)
    given = {"alpha": 0.02, "loss": "logistic"}
    told = certify(X, y, model.coef_[0], intercept=model.intercept_[0], **given)
    assert told.gap == pytest.approx(model.dual_gap_, abs=1e-12)
    off = certify(X, y, model.coef_[0], intercept=model.intercept_[0] + 0.1, **given)
    assert off.gap == pytest.approx(told.gap + off.objective - told.objective)
    assert off.objective > told.objective


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"alpha": 0.0}, "'alpha'"),
        ({"alpha": "1"}, "'alpha'"),
        ({"l1_ratio": 1.5}, "'l1_ratio'"),
        ({"solver": "nobody"}, "'solver'"),
        ({"solver": "fw"}, "'solver'"),
        ({"solver": "omp"}, "'solver'"),
        ({"solver": "detcd"}, "'solver'"),
        ({"tol": -1.0}, "'tol'"),
    ],
)
def test_what_does_not_fit_is_told_by_its_name(wrong, what):
    X, y = load_diabetes(return_X_y=True)
    with pytest.raises(ValueError, match=what):
        FWElasticNet(**wrong).fit(X, y)


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({}, "'alpha'"),
        ({"alpha": 1.0, "delta": 1.0}, "'alpha'"),
        ({"alpha": -1.0}, "'alpha'"),
        ({"alpha": 1.0, "coef": np.zeros(3)}, "'coef'"),
        ({"alpha": 1.0, "coef": np.full(10, np.nan)}, "'coef'"),
        ({"alpha": 1.0, "loss": "hinge", "intercept": 0.0}, "'loss'"),
        ({"delta": 1.0, "l1_ratio": 0.5}, "'l1_ratio'"),
    ],
)
def test_what_cannot_be_certified_is_told_by_its_name(wrong, what):
    X, y = load_diabetes(return_X_y=True)
    given = {"coef": np.zeros(10)} | wrong
    with pytest.raises(ParameterError, match=what):
        certify(X, y, **given)


@pytest.mark.parametrize("name", ["linear", "cv", "paths", "certificate", "smooth"])
def test_the_examples_run(name):
    module = importlib.import_module(f"fwcore.estimators.{name}")
    assert doctest.testmod(module).failed == 0

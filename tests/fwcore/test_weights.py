"""Weights of samples: a row of weight 2 is two rows, for every loss, storage and form."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse
import toys
from sklearn.linear_model import ElasticNet, LassoCV, LogisticRegression

from fwcore import ParameterError, Problem, Walk, all_solvers, walk_path
from fwcore.estimators import (
    FWElasticNet,
    FWHuber,
    FWHuberCV,
    FWLasso,
    FWLassoCV,
    FWLogistic,
    FWLogisticCV,
    certify,
)
from fwcore.losses import Weighted, find_loss

SOLVERS = {"penalty": "certified", "ball": "certified_ball"}


def rows(loss, seed=0, m=40, p=30):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, p)) * (random.random((m, p)) < 0.4)
    y = X[:, 0] - 2.0 * X[:, 1] + random.standard_normal(m) + 1.0
    y = np.where(y > 1.0, 1.0, -1.0) if loss == "logistic" else y
    return X, y, random.integers(1, 4, m)


def repeated(weighted, X, y, weights, intercept, positive):
    """The problem in which rows are repeated, with the loss that the weights lead to."""
    X, y, base = np.repeat(X, weights, axis=0), np.repeat(y, weights), weighted.loss.base
    given = {"positive": positive, "standardize": False}
    if base.centred:
        return Problem.from_arrays(
            X, y, positive=positive, standardize="centre" if intercept else False
        )
    return Problem.from_arrays(X, y, loss=base, intercept=intercept, **given)


@pytest.mark.parametrize(("loss", "storage"), toys.LOSSES_STORED)
def test_a_weight_is_a_number_of_rows(loss, storage):
    X, y, weights = rows(loss)
    for intercept in (True, False):
        for positive in (True, False):
            given = {"intercept": intercept, "positive": positive, "standardize": False}
            one = Problem.from_arrays(storage(X), y, loss=loss, weights=weights, **given)
            many = repeated(one, X, y, weights, intercept, positive)
            assert one.lam_max == pytest.approx(many.lam_max, rel=1e-12)
            assert one.f0 == pytest.approx(many.f0, rel=1e-12)
            grids = {
                "penalty": one.lam_max * np.array([0.8, 0.2, 0.05]),
                "ball": np.array([0.1, 0.5, 2.0]),
            }
            for form, solver in SOLVERS.items():
                ours, theirs = (walk_path(p, solver, grids[form], tol=1e-9) for p in (one, many))
                assert ours.max_relative_gap <= 1e-9 * (1 + 1e-6)
                gap = 2e-9 * one.f0
                ours_at, theirs_at = (
                    r.points["objective"] + (form == "penalty") * r.grid * r.points["l1"]
                    for r in (ours, theirs)
                )
                np.testing.assert_allclose(ours_at, theirs_at, atol=gap)


def test_a_huber_threshold_counts_rows_by_their_weights():
    _, y, weights = rows("huber")
    loss = find_loss("huber:2")
    for given in (y, y[:-1]):
        counts = weights[: given.size]
        told = loss.fitted(given, 3.0, counts.astype(float))
        assert told.threshold == loss.fitted(np.repeat(given, counts), 3.0).threshold


def test_solvers_that_know_no_weights_say_so():
    X, y, weights = rows("squared")
    problem = Problem.from_arrays(X, y, weights=weights, standardize=False)
    knowing = [solver.name for solver in all_solvers() if solver.weights]
    assert knowing == ["certified_ball", "certified"]
    for solver in all_solvers():
        if solver.name not in knowing:
            with pytest.raises(ParameterError, match=r"loss|weights"):
                Walk(problem, solver)
    with pytest.raises(ParameterError, match="'weights' parameter of DeterministicFW"):
        Walk(problem, "fw")
    assert walk_path(problem, grid=[0.5 * problem.lam_max]).solver == "certified"
    assert walk_path(problem, grid=[0.1, 0.5]).solver == "certified_ball"
    plain = Problem.from_arrays(problem.design, problem.y, standardize=False)
    for grid, name in ((0.5, "sfw"), ([0.1, 0.5], "sfw"), ([0.5, 0.1], "certified")):
        assert walk_path(plain, grid=grid).solver == name


@pytest.mark.parametrize(
    ("weights", "told"), [([1.0], "of length 40"), (np.zeros(40), "positive"), ("x", "numbers")]
)
def test_weights_that_do_not_fit_are_told(weights, told):
    X, y, _ = rows("squared")
    with pytest.raises(ParameterError, match=f"'weights' parameter of Problem.*{told}"):
        Problem.from_arrays(X, y, weights=weights)


@pytest.mark.parametrize("standardize", [True, "centre"])
def test_what_knows_nothing_of_weights_is_refused_with_them(standardize):
    X, y, weights = rows("squared")
    with pytest.raises(ParameterError, match=r"'standardize' .* False with weights"):
        Problem.from_arrays(X, y, weights=weights, standardize=standardize)


def test_a_column_descends_by_weighted_sums():
    X = np.ones((2, 1))
    one = FWLasso(0.1, fit_intercept=False, tol=1e-12).fit(X, [1.0, -1.0], sample_weight=[1, 3])
    assert one.coef_[0] == pytest.approx(-0.4)
    assert not FWLasso(0.1, fit_intercept=False).fit(X, [3, -1], sample_weight=[1, 3]).coef_.any()
    with pytest.raises(ParameterError, match="orthogonal"):
        Problem.from_arrays(X, [3.0, -1.0], weights=[1.0, 3.0], standardize=False)


def test_an_intercept_far_from_zero_costs_no_accuracy():
    X, y, _ = rows("squared", 5)
    weights = 0.5 + np.random.default_rng(6).random(y.size)
    for delta in (None, 1.0):
        for kind in (np.asarray, scipy.sparse.csc_array):
            model = FWLasso(0.05, delta=delta, tol=1e-9)
            near = model.fit(kind(X), y, sample_weight=weights).coef_
            far = model.fit(kind(X), y + 1e6, sample_weight=weights)
            np.testing.assert_allclose(far.coef_, near, atol=1e-4)
            assert far.dual_gap_ <= 1e-9 * np.var(y)


@pytest.mark.parametrize("kind", [FWLassoCV, FWHuberCV, FWLogisticCV])
def test_folds_without_weight_are_told(kind):
    X, y, _ = rows("logistic" if kind is FWLogisticCV else "squared", m=60)
    everything = np.arange(60)
    folds = [(everything[20:], everything[:20]), (everything[:20], everything[20:])]
    weights = np.ones(60)
    weights[:20] = 0.0
    with pytest.raises(ParameterError, match="folds that leave rows with a weight"):
        kind(alphas=3, cv=folds).fit(X, y, sample_weight=weights)


def test_problems_that_differ_in_their_weights_are_told_apart():
    X, y, weights = rows("logistic")
    one, other = (
        Problem.from_arrays(X, y, loss="logistic", weights=w, standardize=False)
        for w in (weights, weights + 1)
    )
    assert one.content_hash != other.content_hash
    again = dataclasses.replace(one, loss=Weighted.of(one.loss.base, weights.astype(float)))
    assert again.content_hash == one.content_hash


@pytest.mark.parametrize(
    "storage", [np.asarray, pytest.param(scipy.sparse.csr_array, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_estimators_weigh_rows_as_scikit_learn_does(storage, fit_intercept):
    X, y, _ = rows("squared", 1)
    weights = np.random.default_rng(2).random(y.size)
    weights[::7] = 0.0
    given, labels = {"fit_intercept": fit_intercept, "tol": 1e-12}, y > 1.0
    for positive in (False, True):
        net = {"alpha": 0.05, "l1_ratio": 0.6, "positive": positive}
        ours = FWElasticNet(**net, **given).fit(storage(X), y, sample_weight=weights)
        theirs = ElasticNet(**net, **given, max_iter=10**5).fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-7)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-7)
    told = certify(
        storage(X),
        y,
        theirs.coef_,
        alpha=0.05,
        l1_ratio=0.6,
        positive=True,
        sample_weight=weights,
        intercept=theirs.intercept_ if fit_intercept else None,
    )
    assert told.relative_gap < 1e-9
    ours = FWLogistic(0.02, **given).fit(storage(X), labels, sample_weight=weights)
    saga = LogisticRegression(
        l1_ratio=1.0,
        C=1.0 / (0.02 * weights.sum()),
        solver="saga",
        fit_intercept=fit_intercept,
        tol=1e-9,
        max_iter=10**5,
        random_state=0,
    ).fit(X, labels, sample_weight=weights)
    np.testing.assert_allclose(ours.coef_, saga.coef_, atol=1e-5)


def test_a_ball_and_folds_know_weights_too():
    X, y, counts = rows("squared", 3)
    ball = FWLasso(delta=1.0, tol=1e-10)
    one = ball.fit(X, y, sample_weight=counts).coef_
    many = ball.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts)).coef_
    np.testing.assert_allclose(one, many, atol=1e-6)
    huber = FWHuber(0.02, tol=1e-11)
    one = huber.fit(X, y, sample_weight=counts).coef_
    many = huber.fit(np.repeat(X, counts, axis=0), np.repeat(y, counts)).coef_
    np.testing.assert_allclose(one, many, atol=1e-6)
    weights = np.random.default_rng(4).random(y.size)
    ours = FWLassoCV(alphas=20, cv=4, tol=1e-9).fit(X, y, sample_weight=weights)
    theirs = LassoCV(alphas=20, cv=4, tol=1e-9, max_iter=10**5).fit(X, y, sample_weight=weights)
    assert ours.alpha_ == pytest.approx(theirs.alpha_, rel=1e-9)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, atol=1e-6)


@pytest.mark.parametrize("weights", [np.zeros(40), -np.ones(40), np.full(40, np.nan)])
def test_sample_weights_that_do_not_fit_are_told(weights):
    X, y, _ = rows("squared")
    with pytest.raises(ValueError, match=r"(?i)sample.weight|negative|NaN"):
        FWLasso(0.1).fit(X, y, sample_weight=weights)
    with pytest.raises(ParameterError, match="sample_weight"):
        certify(X, y, np.zeros(30), alpha=1.0, sample_weight=weights)

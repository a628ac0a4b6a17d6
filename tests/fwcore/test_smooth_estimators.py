"""Estimators of two classes and of numbers among outliers."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
from numpy_judge import NumpyJudge
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from fwcore import ParameterError, Problem, Walk, find_loss, walk_path
from fwcore.estimators import FWHuber, FWHuberCV, FWLogistic, FWLogisticCV, certify


def rows(seed):
    rng = np.random.default_rng(seed)
    m, p = (40, 70) if seed % 2 else (90, 12)
    X = rng.normal(size=(m, p))
    X[:, 1] = X[:, 0]
    X = X * (rng.random((m, p)) < 0.4) if seed % 3 == 0 else X
    return X, X[:, 2] - X[:, 3] + 0.7, rng


@pytest.mark.parametrize("seed", range(12))
def test_two_classes_are_those_of_scikit_learn(seed):
    X, u, rng = rows(seed)
    y = np.where(u + 0.5 * rng.normal(size=u.size) > 0, "yes", "no")
    alpha, ratio = 0.02, (1.0, 0.6)[seed % 2]
    given = scipy.sparse.csr_array(X) if seed % 3 == 0 else X
    ours = FWLogistic(alpha=alpha, l1_ratio=ratio, tol=1e-9).fit(given, y)
    theirs = LogisticRegression(
        C=1.0 / (alpha * u.size), l1_ratio=ratio, solver="saga", tol=1e-7, max_iter=20_000
    ).fit(X, y)

    def objective(model):
        w, s = model.coef_[0], np.where(y == "yes", 1.0, -1.0)
        fit = np.logaddexp(0.0, -s * (X @ w + model.intercept_)).mean()
        return fit + alpha * (ratio * abs(w).sum() + 0.5 * (1 - ratio) * w @ w)

    assert ours.dual_gap_ <= 1e-9
    assert objective(theirs) - 1e-5 <= objective(ours) <= objective(theirs) + 1e-8
    assert ours.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X), atol=1e-12)
    assert (ours.predict(X) == "yes").tolist() == (ours.decision_function(X) > 0).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_outliers_do_not_pull_and_the_minimum_is_that_of_l_bfgs(seed):
    X, u, rng = rows(seed)
    y = u + 0.3 * rng.normal(size=u.size) + np.where(rng.random(u.size) < 0.15, 50.0, 0.0)
    alpha, p = 0.03, X.shape[1]
    ours = FWHuber(alpha=alpha, tol=1e-9).fit(X, y)
    loss = find_loss("huber").fitted(y, 1.0)

    def value(w):
        fitted = X @ (w[:p] - w[p:-1]) + w[-1]
        r = loss.derivative(fitted, y) / y.size
        slope = np.concatenate([X.T @ r + alpha, alpha - X.T @ r, [r.sum()]])
        return loss.value(fitted, y) / y.size + alpha * w[:-1].sum(), slope

    least = scipy.optimize.minimize(
        value,
        np.zeros(2 * p + 1),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * (2 * p) + [(None, None)],
        options={"maxiter": 50_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-11},
    ).fun
    fit = loss.value(X @ ours.coef_ + ours.intercept_, y) / y.size
    assert ours.dual_gap_ <= 1e-7
    assert fit + alpha * abs(ours.coef_).sum() == pytest.approx(least, abs=1e-6)
    assert abs(np.median(y - ours.predict(X))) < 1.0


TRAITS = ("wide", "sparse", "weighted", "positive", "elastic", "intercept", "factors", "free")


def traits(seed):
    """Which of them a problem has; every second one, by chance."""
    drawn = dict(zip(TRAITS, np.random.default_rng([seed, 8]).random(8) < 0.5, strict=True))
    # A column without a penalty may have any sign.
    drawn["free"] &= not drawn["positive"]
    return {name: bool(has) for name, has in drawn.items()}


def test_every_two_traits_meet_in_a_few_problems():
    seen = [{name for name, has in traits(seed).items() if has} for seed in range(30)]
    for one in TRAITS:
        for other in TRAITS:
            assert {one, other} == {"positive", "free"} or any({one, other} <= has for has in seen)


def odd_rows(kind, seed):
    """A model, its rows with a constant column and twins, weights or None, the factors of columns,
    and the judge of it.
    """
    has, rng = traits(seed), np.random.default_rng(seed)
    m, p = (40, 70) if has["wide"] else (90, 12)
    X = rng.normal(size=(m, p))
    X[:, 1] = X[:, 0]
    X = X * (rng.random((m, p)) < 0.4) if has["sparse"] else X
    X[:, 4] = 2.0
    u = X[:, 2] - X[:, 3] + 0.7
    logistic = kind is FWLogistic
    y = u + 0.5 * rng.normal(size=m)
    y = np.where(y > 0, 1.0, -1.0) if logistic else y + 30.0 * (rng.random(m) < 0.1)
    weights = rng.integers(0, 4, m).astype(float) if has["weighted"] else None
    factors = rng.uniform(0.5, 2.0, p) if has["factors"] else np.ones(p)
    factors[5] = 0.0 if has["free"] else factors[5]
    chosen = {"fit_intercept": has["intercept"], "positive": has["positive"], "tol": 1e-9}
    model = kind(
        alpha=0.02,
        l1_ratio=0.6 if has["elastic"] else 1.0,
        penalty_factor=factors if has["factors"] or has["free"] else None,
        **chosen,
    )
    counted = np.ones(m) if weights is None else weights
    kept, penalised = counted > 0, factors > 0.0
    judge = NumpyJudge(
        X[kept][:, penalised] / factors[penalised],
        y[kept],
        "logistic" if logistic else "huber",
        np.inf if logistic else find_loss("huber").fitted(y[kept], 1.0, counted[kept]).threshold,
        counted[kept] / counted[kept].mean(),
        chosen["fit_intercept"],
        chosen["positive"],
        X[kept][:, ~penalised],
    )
    return model, (scipy.sparse.csr_array(X) if has["sparse"] else X), y, weights, factors, judge


@pytest.mark.parametrize(
    "seeds", [range(20), pytest.param(range(20, 200), marks=pytest.mark.slow)], ids=["few", "many"]
)
@pytest.mark.parametrize("kind", [FWLogistic, FWHuber])
def test_two_hundred_answers_are_those_of_others_and_judged_by_others(kind, seeds):
    for seed in seeds:
        model, X, y, weights, factors, judge = odd_rows(kind, seed)
        model.fit(X, y, sample_weight=weights)
        coef, b, m = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]), len(judge.y)
        lam, ridge = 0.02 * model.l1_ratio * m, 0.02 * (1.0 - model.l1_ratio) * m
        penalised = factors > 0.0
        w = (coef * factors)[penalised]
        at_zero = judge.objective(np.zeros(w.size))
        assert judge.gap(w, "penalty", lam, ridge) <= 1.001e-9 * at_zero
        reached = judge.objective(w, lam, ridge)
        fit = judge.value(judge.X @ w + judge.free @ coef[~penalised] + b)
        assert fit == pytest.approx(judge.value(judge.predictions(w)), rel=1e-12)
        least = judge.minimum(lam, ridge)
        has = traits(seed)
        other = ("intercept", "positive", "free", "elastic")
        if kind is FWLogistic and not any(map(has.get, other)):
            theirs = LogisticRegression(
                C=1.0 / lam,
                l1_ratio=1,
                solver="liblinear",
                fit_intercept=False,
                tol=1e-9,
                max_iter=100_000,
            ).fit(judge.X, judge.y, sample_weight=judge.weights)
            least = judge.objective(theirs.coef_[0], lam)
        assert least - 1e-6 * at_zero <= reached <= least + 1e-8 * at_zero


def test_columns_that_tell_nothing_leave_the_intercept():
    X, y = np.zeros((8, 3)), np.array([1.0] * 6 + [0.0] * 2)
    model = FWLogistic().fit(X, y)
    assert model.predict_proba(X)[0, 1] == pytest.approx(0.75)
    assert model.coef_.tolist() == [[0.0] * 3]
    assert FWHuber().fit(X, np.full(8, 3.0)).predict(X) == pytest.approx(3.0)
    balanced = FWLogistic(fit_intercept=False).fit(np.ones((2, 1)), [0, 1])
    assert balanced.coef_.tolist() == [[0.0]]


def test_thresholds_are_searched_as_scikit_learn_does():
    X, u, rng = rows(2)
    u = u + 0.5 * rng.normal(size=u.size) + 20.0 * (rng.random(u.size) < 0.1)
    thresholds, folds = [0.3, 1.0, 9.0], KFold(3)
    search = GridSearchCV(FWHuber(alpha=0.05), {"threshold": thresholds}, cv=folds).fit(X, u)
    scores = [
        np.mean(
            [
                FWHuber(alpha=0.05, threshold=t).fit(X[learnt], u[learnt]).score(X[rest], u[rest])
                for learnt, rest in folds.split(X)
            ]
        )
        for t in thresholds
    ]
    assert np.ptp(scores) > 1e-4
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], scores)
    assert search.best_params_["threshold"] == thresholds[int(np.argmax(scores))]


def test_answers_that_are_zero_for_certain_are_certified():
    X, y = np.ones((8, 3)), np.array([1.0] * 6 + [-1.0] * 2)
    model = FWLogistic().fit(X, y)
    asked = {"alpha": model.alpha, "loss": "logistic"}
    told = certify(X, y, model.coef_[0], intercept=model.intercept_[0], **asked)
    assert (told.gap, told.relative_gap) == (0.0, 0.0)
    off = certify(X, y, np.array([0.0, 0.5, 0.0]), intercept=model.intercept_[0] - 0.5, **asked)
    assert off.gap == pytest.approx(0.5 * model.alpha)
    constant, spread = np.full(8, 3.0), np.random.default_rng(0).normal(size=(8, 3))
    for given, answer in ((spread, constant), (np.zeros((8, 3)), y)):
        model = FWHuber().fit(given, answer)
        asked = {"alpha": model.alpha, "loss": "huber:1.345", "intercept": model.intercept_}
        assert (model.dual_gap_, certify(given, answer, model.coef_, **asked).gap) == (0.0, 0.0)
    # One class alone has no best intercept.
    with pytest.raises(ParameterError, match=r"'y' parameter of certify .* two classes"):
        certify(spread, np.ones(8), np.zeros(3), alpha=0.1, intercept=0.0, loss="logistic")
    with pytest.raises(ParameterError, match=r"'y' parameter of FWLogistic .* two classes"):
        FWLogistic().fit(spread, y, sample_weight=(y > 0).astype(float))
    with pytest.raises(ParameterError, match=r"'y' parameter of certify .* logistic loss"):
        certify(spread, 0.5 * np.ones(8), np.zeros(3), alpha=0.1, intercept=0.0, loss="logistic")


@pytest.mark.parametrize("threshold", [1.345, 2.0])
def test_an_answer_is_certified_by_the_text_of_its_loss(threshold):
    X, u, _ = rows(1)
    model = FWHuber(alpha=0.05, threshold=threshold, tol=1e-8).fit(X, u)
    asked = {"alpha": 0.05, "intercept": model.intercept_, "loss": f"huber:{threshold}"}
    assert certify(X, u, model.coef_, **asked).relative_gap <= 1.1e-8
    if threshold == 1.345:
        assert certify(X, u, model.coef_, **(asked | {"loss": "huber"})).relative_gap <= 1.1e-8


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_where_only_signs_that_are_not_allowed_descend_zeros_are_the_answer(sign):
    x = np.linspace(-1.0, 1.0, 30)[:, None]
    for model, y in (
        (FWHuber(alpha=1e-3, positive=True), sign * x[:, 0]),
        (FWLogistic(alpha=1e-3, positive=True), np.sign(sign * x[:, 0])),
    ):
        assert bool(np.ravel(model.fit(x, y).coef_)[0] > 0.0) == (sign > 0.0)


@pytest.mark.parametrize(
    ("model", "y", "what"),
    [
        (FWLogistic(), [0, 1, 2] * 3, "Only binary"),
        (FWLogistic(), [1] * 9, "one class"),
        (FWLogistic(alpha=0.0), [0, 1, 1] * 3, "'alpha'"),
        (FWLogistic(alpha=1e-3, solver="fista"), [0, 1, 1] * 3, "'fit_intercept'"),
        (FWLogistic(solver="active_set"), [0, 1, 1] * 3, "'solver' parameter of FWLogistic"),
        (FWHuber(threshold=-1.0), np.arange(9.0), "'threshold'"),
    ],
)
def test_what_does_not_fit_is_told_by_its_name(model, y, what):
    with pytest.raises(ValueError, match=what):
        model.fit(np.random.default_rng(0).normal(size=(9, 4)), y)


def test_a_problem_with_an_intercept_says_who_walks_it():
    X, y = np.random.default_rng(0).normal(size=(9, 4)), np.array([1.0, -1.0, 1.0] * 3)
    with pytest.raises(ParameterError, match="implies one"):
        Problem.from_arrays(X, y, intercept=True)
    with pytest.raises(ParameterError, match="not constant"):
        Problem.from_arrays(X, np.ones(9), loss="logistic", intercept=True)
    problem = Problem.from_arrays(X, y, loss="logistic", intercept=True)
    assert problem.f0 < 9 * np.log(2.0)
    assert problem.content_hash != Problem.from_arrays(X, y, loss="logistic").content_hash
    with pytest.raises(ParameterError, match="has no intercept"):
        Walk(problem, "sfw", [1.0])
    with pytest.raises(ParameterError, match="not constant"):
        Problem.from_arrays(X, np.full(9, 3.0), loss="huber", intercept=True, standardize=False)
    assert walk_path(problem).solver == "certified"
    seen = problem.predict(problem.design, np.zeros(0, np.int64), np.zeros(0))
    assert seen == pytest.approx(np.log(2.0))


def test_cross_validation_of_two_classes_is_that_of_scikit_learn_on_the_same_folds():
    X, u, rng = rows(1)
    y = np.where(u + 0.5 * rng.normal(size=u.size) > 0, "yes", "no")
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    ours = FWLogisticCV(alphas=6, eps=0.05, cv=folds, tol=1e-9).fit(X, y)
    # At the largest alpha saga stops before its intercept has come to rest.
    for k, alpha in enumerate(ours.alphas_[1:], 1):
        for fold, (train, test) in enumerate(folds.split(X, y)):
            theirs = LogisticRegression(
                C=1.0 / (alpha * train.size), l1_ratio=1.0, solver="saga", tol=1e-8, max_iter=50_000
            ).fit(X[train], y[train])
            told = log_loss(y[test], theirs.predict_proba(X[test]), labels=["no", "yes"])
            assert ours.error_path_[k, fold] == pytest.approx(told, abs=1e-4)
    assert ours.alpha_ == ours.alphas_[ours.error_path_.mean(axis=1).argmin()]
    again = FWLogistic(alpha=ours.alpha_, tol=1e-9).fit(X, y)
    np.testing.assert_array_equal(ours.coef_, again.coef_)
    assert ours.classes_.tolist() == ["no", "yes"]


def test_cross_validation_among_outliers_takes_one_threshold_for_all_folds():
    X, u, rng = rows(4)
    y = u + 0.3 * rng.normal(size=u.size) + np.where(rng.random(u.size) < 0.1, 50.0, 0.0)
    ours = FWHuberCV(alphas=5, cv=3, tol=1e-9).fit(X, y)
    loss = find_loss("huber:1.345").fitted(y, 1.0)
    for fold, (train, test) in enumerate(KFold(3).split(X)):
        part = FWHuber(alpha=ours.alphas_[2], tol=1e-9).fit(X[train], y[train])
        told = loss.value(part.predict(X[test]), y[test]) / test.size
        assert ours.error_path_[2, fold] == pytest.approx(told, rel=1e-4)
    sparser = FWHuberCV(alphas=5, cv=3, one_standard_error=True, n_jobs=2).fit(X, y)
    means = ours.error_path_.mean(axis=1)
    error = ours.error_path_[means.argmin()].std(ddof=1) / np.sqrt(3)
    assert sparser.alpha_ == ours.alphas_[means <= means.min() + error].max()
    with pytest.raises(ParameterError, match="threshold"):
        FWHuberCV(threshold=-1.0).fit(X, y)

"""Columns without a penalty: their coefficients are the best for the others, for every loss."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import toys
from sklearn.linear_model import Lasso

from fwcore import ParameterError, Problem, Walk, all_solvers, walk_path
from fwcore.design import Products
from fwcore.estimators import FWElasticNet, FWHuber, FWLasso, FWLassoCV, FWLogistic, certify
from fwcore.kernels.unpenalised import Free, add_best
from fwcore.losses import find_loss
from fwcore.losses.weighted import Weighted
from fwcore.unpenalised import Unpenalised, require_bounded

FREE = np.array([1, 4])
LOSSES = ["squared", "logistic", "huber"]


def rows(loss, seed=0, m=60, p=40):
    """Correlated columns, the free ones among them far from the mean and of another scale."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, p)) + random.standard_normal((m, 1))
    X[:, 4] = 100.0 + 20.0 * X[:, 4]
    y = X[:, 0] - 2.0 * X[:, 1] + 0.1 * X[:, 4] + 2.0 * random.standard_normal(m)
    return X, np.where(y > np.median(y), 1.0, -1.0) if loss == "logistic" else y


def problem_of(loss, seed=0, storage=np.asarray, **given):
    X, y = rows(loss, seed)
    how = {"loss": loss, "standardize": False, "unpenalised": FREE} | given
    return Problem.from_arrays(storage(X), y, **how)


def least(problem, X, y, lam, ridge=0.0):
    """The minimum by L-BFGS-B, the coefficients with a penalty in two parts that are positive."""
    loss, kept = problem.loss, np.setdiff1d(np.arange(X.shape[1]), FREE)
    free = np.hstack([np.ones((len(y), int(problem.intercept))), X[:, FREE]])
    scales = np.abs(free).max(axis=0)
    Z = np.hstack([X[:, kept], -X[:, kept], free / scales])
    n = kept.size

    def value(w):
        u = Z @ w
        slope = Z.T @ loss.derivative(u, y)
        slope[: 2 * n] += lam + ridge * np.concatenate([w[:n] - w[n : 2 * n], w[n : 2 * n] - w[:n]])
        a = w[:n] - w[n : 2 * n]
        return loss.value(u, y) + lam * w[: 2 * n].sum() + 0.5 * ridge * a @ a, slope

    bounds = [(0.0, None)] * (2 * n) + [(None, None)] * free.shape[1]
    options = {"maxiter": 50_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 60}
    start = np.zeros(Z.shape[1])
    found = scipy.optimize.minimize(
        value, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options
    )
    return found.fun


@pytest.mark.parametrize(("loss", "storage"), toys.LOSSES_STORED)
def test_a_path_ends_at_the_minimum_over_all_coefficients(loss, storage):
    for seed, intercept in [(0, True), (1, False), (2, True)]:
        problem = problem_of(loss, seed, storage, intercept=intercept)
        X, y = rows(loss, seed)
        assert problem.p == 38
        grid = problem.lam_max * np.geomspace(0.9, 0.05, 5)
        for ratio in (1.0, 0.5):
            result = walk_path(problem, "certified", grid, tol=1e-9, l1_ratio=ratio)
            assert result.max_relative_gap <= 1e-9 * (1 + 1e-6)
            for k in (1, 4):
                lam, point = grid[k], result.points[k]
                reached = point["objective"] + lam * point["l1"]
                best = least(problem, X, y, lam, lam * (1.0 / ratio - 1.0))
                assert reached == pytest.approx(best, abs=2e-7 * problem.f0)


@pytest.mark.parametrize(
    "loss",
    ["logistic", *(pytest.param(one, marks=pytest.mark.slow) for one in ("squared", "huber"))],
)
def test_a_ball_holds_the_minimum_of_its_penalty_and_every_gap_bounds(loss):
    problem = problem_of(loss, 3, intercept=True)
    grid = problem.lam_max * np.geomspace(0.9, 0.05, 5)
    penalised = walk_path(problem, "certified", grid, tol=1e-11).points
    penalised = penalised[penalised["l1"] > 0.0]
    walk = Walk(problem, "certified_ball", penalised["l1"], {"tol": 1e-9})
    for snapshot in walk.snapshots():
        judged = problem.judge(snapshot.indices, snapshot.coefficients, "ball", snapshot.value)
        assert snapshot.rows["gap"][-1] >= judged.true_gap - 1e-12 * problem.f0
    result = walk.result()
    assert result.max_relative_gap <= 1e-9 * (1 + 1e-6)
    difference = result.points["objective"] - penalised["objective"]
    assert np.abs(difference).max() <= 1e-7 * problem.f0


def test_the_squared_loss_is_the_lasso_of_what_the_free_columns_leave():
    X, y = rows("squared", 5)
    for intercept in (True, False):
        Z = np.hstack([X[:, FREE], np.ones((60, int(intercept)))])
        Q = np.linalg.qr(Z)[0]
        kept = np.setdiff1d(np.arange(40), FREE)
        left = X[:, kept] - Q @ (Q.T @ X[:, kept])
        theirs = Lasso(0.1, fit_intercept=False, tol=1e-14, max_iter=10**6)
        theirs.fit(left, y - Q @ (Q.T @ y))
        factors = np.ones(40)
        factors[FREE] = 0.0
        for storage in (np.asarray, scipy.sparse.csr_matrix):
            given = {"penalty_factor": factors, "fit_intercept": intercept, "tol": 1e-12}
            ours = FWLasso(0.1, **given).fit(storage(X), y)
            np.testing.assert_allclose(ours.coef_[kept], theirs.coef_, atol=1e-6)
            best = np.linalg.lstsq(Z, y - X[:, kept] @ ours.coef_[kept], rcond=None)[0]
            np.testing.assert_allclose(ours.coef_[FREE], best[:2], atol=1e-8)
            assert ours.intercept_ == pytest.approx(best[2] if intercept else 0.0, abs=1e-7)
            assert ours.path_.coefs.shape[0] == 38
            told = certify(
                storage(X),
                y,
                ours.coef_,
                alpha=0.1,
                intercept=ours.intercept_ if intercept else None,
                penalty_factor=factors,
            )
            assert told.relative_gap < 1e-11


SLOPES = {
    FWElasticNet: lambda u, y: u - y,
    FWLogistic: lambda u, y: -y / (1.0 + np.exp(y * u)),
    FWHuber: None,
}


@pytest.mark.parametrize(
    "kind", [FWElasticNet, FWLogistic, pytest.param(FWHuber, marks=pytest.mark.slow)]
)
def test_slopes_of_free_columns_vanish_and_a_weight_is_a_number_of_rows(kind):
    name = {FWElasticNet: "squared", FWLogistic: "logistic", FWHuber: "huber"}[kind]
    X, y = rows(name, 7)
    weights = np.random.default_rng(0).integers(1, 4, 60)
    factors = np.where(np.isin(np.arange(40), FREE), 0.0, np.linspace(0.5, 2.0, 40))
    given = {"alpha": 0.05, "penalty_factor": factors, "tol": 1e-12}
    weighted = kind(**given).fit(X, y, sample_weight=weights)
    repeated = kind(**given).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-4, atol=1e-6)
    coef, b = np.ravel(weighted.coef_), np.ravel(weighted.intercept_)[0]
    told = {"alpha": 0.05, "penalty_factor": factors, "sample_weight": weights, "loss": name}
    ratio = {"l1_ratio": weighted.l1_ratio}
    assert certify(X, y, coef, intercept=b, **told, **ratio).relative_gap < 1e-10
    off = coef.copy()
    off[FREE[0]] += 1e-2
    worse = certify(X, y, off, intercept=b, **told, **ratio)
    assert worse.gap > 1e-7
    if SLOPES[kind] is not None:
        slope = weights * SLOPES[kind](X @ coef + b, y)
        noise = np.abs(X[:, FREE]).T @ np.abs(slope)
        assert (np.abs(X[:, FREE].T @ slope) <= 1e-8 * noise).all()
        assert abs(slope.sum()) <= 1e-8 * np.abs(slope).sum()


def test_folds_choose_as_by_hand():
    X, y = rows("squared", 9)
    factors = np.where(np.isin(np.arange(40), FREE), 0.0, 1.0)
    folds = [(np.arange(20, 60), np.arange(20)), (np.arange(40), np.arange(40, 60))]
    model = FWLassoCV(alphas=10, cv=folds, penalty_factor=factors, tol=1e-9).fit(X, y)
    for k, (train, test) in enumerate(folds):
        for alpha, error in zip(model.alphas_[::3], model.error_path_[::3, k], strict=True):
            own = FWLasso(alpha, penalty_factor=factors, tol=1e-9).fit(X[train], y[train])
            by_hand = ((own.predict(X[test]) - y[test]) ** 2).mean()
            assert error == pytest.approx(by_hand, rel=1e-5)


def test_test_rows_are_predicted_with_their_own_free_columns():
    X, y = rows("huber", 2)
    given = {"loss": "huber", "standardize": False, "unpenalised": FREE, "intercept": True}
    problem = Problem.from_arrays(X[:50], y[:50], test=(X[50:], y[50:]), **given)
    assert list(problem.feature_names[:3]) == ["x1", "x3", "x4"]
    result = walk_path(problem, grid=[0.3 * problem.lam_max], tol=1e-10)
    coef = result.coefs.toarray()[:, 0]
    fitted = problem.fitted(np.arange(38), coef)
    kept = np.setdiff1d(np.arange(40), FREE)
    Z = np.hstack([np.ones((60, 1)), X[:, FREE]])
    c = np.linalg.lstsq(Z[:50], fitted - X[:50, kept] @ coef, rcond=None)[0]
    error = np.abs(X[50:, kept] @ coef + Z[50:] @ c - y[50:]).mean()
    assert result.points["test_error"][0] == pytest.approx(error)


def test_nothing_is_left_where_free_columns_explain_all():
    X, _ = rows("squared", 1)
    factors = np.where(np.isin(np.arange(40), FREE), 0.0, 1.0)
    model = FWLasso(0.1, penalty_factor=factors).fit(X, 3.0 + X[:, 1] - X[:, 4])
    assert model.path_ is None
    np.testing.assert_allclose(model.coef_[FREE], [1.0, -1.0], atol=1e-9)
    assert not np.delete(model.coef_, FREE).any()
    assert model.intercept_ == pytest.approx(3.0)


def test_dependent_free_columns_share_what_is_best():
    X, y = rows("squared", 4)
    doubled = np.hstack([X, X[:, [1]], np.ones((60, 1))])
    factors = np.where(np.isin(np.arange(42), [*FREE, 40, 41]), 0.0, 1.0)
    one = FWLasso(0.1, penalty_factor=factors[:40], tol=1e-10).fit(X, y)
    two = FWLasso(0.1, penalty_factor=factors, tol=1e-10).fit(doubled, y)
    np.testing.assert_allclose(two.predict(doubled), one.predict(X), atol=1e-5)


@pytest.mark.parametrize("name", LOSSES)
def test_the_judge_finds_the_best_combination(name):
    random = np.random.default_rng(0)
    Z = random.standard_normal((50, 3)) * [1.0, 1e6, 1e-6]
    y = rows(name, 0, m=50)[1]
    for shift in (0.0, 1e3):
        fitted = random.standard_normal(50) + (shift if name != "logistic" else 0.0)
        loss = find_loss(name).fitted(y, 1.0)
        best = Unpenalised(Z, indices=np.arange(3)).best(loss, fitted, y)
        slope = loss.derivative(fitted + best, y)
        assert (np.abs(Z.T @ slope) <= 1e-13 * (np.abs(Z).T @ np.abs(slope))).all()


@pytest.mark.parametrize("sizes", [(2e-8, 4e4), (4e4, 2e-8), (5e-3, 1e4)])
@pytest.mark.parametrize("name", ["logistic", "huber"])
def test_weights_may_differ_by_many_orders(name, sizes):
    """The best intercept for two rows, in closed form: slopes that cancel are tiny beside the
    larger weight.
    """
    y, weights, base = np.array([1.0, -1.0]), np.array(sizes), find_loss(name)
    least = int(weights.argmin())
    ratio = weights[least] / weights[1 - least]
    expected = np.log(sizes[0] / sizes[1]) if name == "logistic" else y[1 - least]
    if name == "huber":
        expected += base.threshold * ratio * y[least]
    loss = Weighted.of(base, weights)
    unpenalised = Unpenalised.constant(2, intercept=True)
    judged = unpenalised.best(loss, np.zeros(2), y)
    compiled = np.zeros(2)
    add_best(loss, loss.samples(y), Free.of(unpenalised.basis, np.zeros(2)), compiled)
    np.testing.assert_allclose([judged, compiled], expected, rtol=1e-14)


@pytest.mark.parametrize("seed", [419, 22859, 39017, 52835, 61977, 76745, 78917, *range(200)])
def test_the_best_combination_is_found_from_far_off(seed):
    """The seeds named went astray along steps that ended where the loss was larger."""
    random = np.random.default_rng(seed)
    m, k = int(random.integers(8, 60)), int(random.integers(1, 6))
    Z = random.standard_normal((m, k)) * 10.0 ** random.uniform(-3, 3, k)
    Z[:, 0] = 1.0
    fitted = random.standard_normal(m) * 10.0 ** random.uniform(-1, 1.5)
    y = random.standard_normal(m) * 3.0
    logistic = seed % 2 == 1
    y = np.where(random.random(m) < 0.5, 1.0, -1.0) if logistic else y
    loss = find_loss("logistic" if logistic else "huber").fitted(y, 1.0)
    weighted = seed % 3 == 2
    loss = Weighted.of(loss, 10.0 ** random.uniform(-3, 3, m)) if weighted else loss
    unpenalised, compiled = Unpenalised(Z, indices=np.arange(k)), fitted.copy()
    try:
        require_bounded(unpenalised, loss, y)
    except ParameterError:
        pytest.skip("the classes are separated")
    start = random.standard_normal(m) * 10.0 ** random.uniform(-2, 1.5) * (seed % 4 == 3)
    samples = loss.samples(y) if weighted else y
    add_best(loss, samples, Free.of(unpenalised.basis, start), compiled)
    for found in (compiled, fitted + unpenalised.best(loss, fitted, y)):
        slopes = loss.derivative(found, y)
        assert np.abs(unpenalised.basis @ slopes).max() <= 1e-10 * np.abs(slopes).sum()


def test_what_does_not_fit_is_refused_before_anything_runs():
    X, y = rows("squared")
    given = {"standardize": False}
    for wrong in ([0, 0], [40], [-1], [0.5], np.arange(40), "x1"):
        with pytest.raises(ParameterError, match="different columns of 0"):
            Problem.from_arrays(X, y, unpenalised=wrong, **given)
    with pytest.raises(ParameterError, match="left out with a design"):
        Problem.from_arrays(Products.of(X[:, :3], 2), y, unpenalised=[0], **given)
    with pytest.raises(ParameterError, match="unpenalised columns, of which means"):
        Problem.from_arrays(X, y, unpenalised=[0])
    with pytest.raises(ParameterError, match="of 40 columns, as X"):
        Problem.from_arrays(X, y, unpenalised=[0], test=(X[:, :9], y), **given)
    labels = np.sign(X[:, 0])
    with pytest.raises(ParameterError, match="do not separate"):
        Problem.from_arrays(X, labels, loss="logistic", unpenalised=[0], **given)
    with pytest.raises(ParameterError, match="do not separate"):
        FWLogistic(penalty_factor=np.arange(40.0)).fit(X, labels)
    with pytest.raises(ParameterError, match="with positive=True for all"):
        FWLasso(positive=True, penalty_factor=np.arange(40.0)).fit(X, y)
    with pytest.raises(ParameterError, match="positive for some"):
        FWLasso(penalty_factor=np.zeros(40)).fit(X, y)


def test_solvers_that_penalise_every_column_say_so():
    problem = problem_of("huber")
    for solver in all_solvers():
        if solver.unpenalised:
            continue
        with pytest.raises(ParameterError, match=r"penalises every column|loss"):
            Walk(problem, solver.name)


@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_what_only_rounding_descends_for_is_refused_with_an_intercept(loss):
    """A column that is the constant had a slope of 1e-17, and a path that never ended."""
    y = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0, -1.0])
    for X in (np.full((9, 1), 3.0), scipy.sparse.csc_array(np.full((9, 2), 0.1))):
        with pytest.raises(ParameterError, match=r"'y' .* beside what has no penalty"):
            Problem.from_arrays(X, y, loss=loss, intercept=True)
    X = np.full((9, 3), 0.7)
    for model in (FWLogistic(alpha=0.1), FWHuber(alpha=0.1)):
        found = model.fit(X, y)
        assert not found.coef_.any()
        assert found.dual_gap_ == 0.0


def test_what_rounding_of_the_best_intercept_hides_is_refused():
    """Of the row with the larger weight the slope is known to 1e-11, and the others are 1e-20."""
    y, X = np.array([-0.118, -0.0503]), np.array([[5e-5, 3e-5], [1e-5, 2e-5]])
    weights = np.array([1.3e6, 1.4e-7])
    with pytest.raises(ParameterError, match=r"'y' .* beside what has no penalty"):
        Problem.from_arrays(X, y, loss="huber", weights=weights, intercept=True, standardize=False)

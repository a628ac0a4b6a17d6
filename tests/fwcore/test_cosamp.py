"""CoSaMP, its stochastic rival, and matching pursuit with the logistic loss: the algorithms as
printed, and what they survive.
"""

import numpy as np
import pytest
import toys
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from fwcore import ParameterError, Problem, Status, Walk, walk_path
from fwcore.oracles import ROW_ORACLES

LOSSES = ("squared", "logistic")


def problem(loss="squared", storage="dense", m=80, p=40, k=4, noise=0.3, seed=0, standardize=False):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, p)) * (
        random.random((m, p)) < (0.5 if storage == "csc" else 1.0)
    )
    signal = X[:, :k] @ (np.sign(random.standard_normal(k)) * (1.0 + random.random(k)))
    drawn = random.random(m), random.standard_normal(m)
    y = (
        np.where(drawn[0] < expit(signal), 1.0, -1.0)
        if loss == "logistic"
        else signal + noise * drawn[1]
    )
    return Problem.from_arrays(toys.store(X, storage), y, loss=loss, standardize=standardize), X, y


def fitted(loss, A, y):
    if loss == "squared":
        return np.linalg.lstsq(A, y, rcond=None)[0]
    model = LogisticRegression(
        C=np.inf, fit_intercept=False, tol=1e-12, max_iter=1000, solver="newton-cg"
    )
    return model.fit(A, y).coef_[0]


def residual(loss, u, y):
    return y - u if loss == "squared" else y * expit(-y * u)


def printed(loss, X, y, k, turns):
    """CoSaMP in NumPy, iterate by iterate."""
    a = np.zeros(X.shape[1])
    for _ in range(turns):
        slopes = np.abs(X.T @ residual(loss, X @ a, y))
        merged = np.union1d(np.argsort(-slopes)[: 2 * k], np.flatnonzero(a))
        b = np.zeros_like(a)
        b[merged] = fitted(loss, X[:, merged], y)
        a = np.zeros_like(a)
        kept = np.argsort(-np.abs(b))[:k]
        a[kept] = b[kept]
        yield a


@pytest.mark.parametrize(
    ("loss", "standardize", "storage"), toys.diagonal(LOSSES, (False, True), toys.STORAGES)
)
def test_is_the_printed_algorithm(loss, standardize, storage):
    given, X, y = problem(loss, storage, m=300, standardize=standardize)
    if standardize and loss == "squared":
        X, y = toys.standardized(X, y)
    elif standardize:
        X = X / np.linalg.norm(X, axis=0)
    walk, seen = Walk(given, "cosamp", [5], {"tol": 0.0}), []
    for snapshot in toys.follow(walk, wanted=1):
        seen.append(toys.dense(given.p, snapshot.indices, snapshot.coefficients))
    assert 2 <= len(seen) <= 5
    for ours, theirs in zip(seen, printed(loss, X, y, 5, 5), strict=False):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    # It ends where it stays, which is after no more than k iterations.
    assert walk.status == Status.REACHED
    assert len(seen) == 5 or np.allclose(seen[-1], seen[-2])


@pytest.mark.parametrize(("loss", "storage"), toys.diagonal(LOSSES, toys.STORAGES))
@pytest.mark.parametrize("oracle", [oracle.name for oracle in ROW_ORACLES])
def test_a_whole_budget_walks_the_exact_path(oracle, loss, storage):
    given, _, _ = problem(loss, storage, m=200)
    exact = walk_path(given, "cosamp", [2, 5, 9], turns=6)
    whole = walk_path(
        given, "cosamp", [2, 5, 9], turns=6, oracle=oracle, oracle_rule="budget", oracle_budget=1.0
    )
    np.testing.assert_array_equal(whole.coefs.toarray() != 0, exact.coefs.toarray() != 0)
    np.testing.assert_allclose(whole.coefs.toarray(), exact.coefs.toarray(), atol=1e-8)
    assert whole.hit_rate == 1.0


@pytest.mark.parametrize("name", ["cosamp", "stoch_cosamp", "omp"])
def test_without_noise_the_support_and_the_coefficients_are_found(name):
    given, X, y = problem(noise=0.0, m=150, p=100)
    result = walk_path(given, name, [4])
    np.testing.assert_allclose(
        result.coefs.toarray()[:, 0],
        np.append(np.linalg.lstsq(X[:, :4], y, rcond=None)[0], np.zeros(96)),
        atol=1e-6,
    )
    assert result.status == Status.REACHED


def test_a_batch_of_all_is_the_exact_method_and_a_seed_gives_the_same_bits():
    given, _, _ = problem(m=200)
    exact = walk_path(given, "cosamp", [4, 8], turns=5)
    whole = walk_path(given, "stoch_cosamp", [4, 8], turns=5, batch="100%")
    np.testing.assert_allclose(whole.coefs.toarray(), exact.coefs.toarray(), atol=1e-8)
    first, second, other = (
        walk_path(given, "stoch_cosamp", [6], seed=seed, turns=3, batch="5%") for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.coefs.toarray(), second.coefs.toarray())
    assert (first.coefs.toarray() != other.coefs.toarray()).any()
    assert 0 < first.hit_rate < 1
    # A batch touches its share of the entries.
    for batch in (10, 100):
        walk = Walk(given, "stoch_cosamp", [6], {"turns": 1, "batch": str(batch)})
        list(walk.snapshots())
        assert walk._state.arrays.oracle.progress["entries"][0] == batch * given.p


@pytest.mark.parametrize(
    ("storage", "oracle"), toys.diagonal(toys.STORAGES, ("exact", "successive-halving"))
)
def test_logistic_matching_pursuit_fits_each_support(storage, oracle):
    given, X, y = problem("logistic", storage, m=400)
    walk, a = (
        Walk(
            given,
            "omp",
            [1, 2, 3, 6],
            {"oracle": oracle, "oracle_rule": "budget", "oracle_budget": 1.0},
        ),
        np.zeros(40),
    )
    steps = walk.snapshots(1)
    for step in range(6):
        snapshot = steps.send(1) if walk.chunks else next(steps)
        slopes = np.abs(X.T @ residual("logistic", X @ a, y))
        before = set(np.flatnonzero(a))
        a = toys.dense(40, snapshot.indices, snapshot.coefficients)
        (joined,) = set(snapshot.indices.tolist()) - before
        assert slopes[joined] == pytest.approx(slopes.max())
        np.testing.assert_allclose(
            a[snapshot.indices], fitted("logistic", X[:, snapshot.indices], y), rtol=1e-5, atol=1e-6
        )
        assert np.abs(X[:, snapshot.indices].T @ residual("logistic", X @ a, y)).max() < 1e-6
        assert snapshot.rows["objective"][-1] == pytest.approx(np.logaddexp(0, -y * (X @ a)).sum())
        assert snapshot.rows["nnz"][-1] == step + 1


@pytest.mark.parametrize("name", ["omp", "cosamp", "stoch_cosamp"])
def test_classes_that_are_told_apart_end_the_path(name):
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 60))
    given = Problem.from_arrays(X, np.sign(X[:, 0]), loss="logistic")
    result = walk_path(given, name, [1, 5, 20], **({} if name == "omp" else {"turns": 5}))
    assert np.isfinite(result.coefs.toarray()).all()
    assert result.points["train_error"][-1] == 0.0
    assert result.points["objective"][-1] <= 1e-5 * given.f0


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("name", ["cosamp", "stoch_cosamp", "omp"])
def test_more_columns_than_there_are_duplicates_and_constant_ones(name, loss):
    X, y = toys.arrays("duplicates")
    X = X.copy()
    X[:, 3] = 0.0
    y = np.where(y > np.median(y), 1.0, -1.0) if loss == "logistic" else y
    for storage in toys.STORAGES:
        given = Problem.from_arrays(toys.store(X, storage), y, loss=loss, standardize=False)
        result = walk_path(given, name, [3, 10**6])
        assert np.isfinite(result.coefs.toarray()).all()
        assert (result.points["nnz"] <= [3, given.p]).all()
        assert result.coefs.toarray()[3].tolist() == [0.0, 0.0]
        least = walk_path(given, "omp", [given.p]).points["objective"][0]
        assert result.points["objective"][-1] <= 1.05 * least + 1e-5 * given.f0


@pytest.mark.parametrize("oracle", [oracle.name for oracle in ROW_ORACLES])
@pytest.mark.parametrize("rule", ["stability", "budget"])
def test_twice_as_many_columns_as_there_are(oracle, rule):
    """No column can go, and so all are compared."""
    given, _, _ = problem(m=60, p=10)
    exact = walk_path(given, "cosamp", [5, 8, 10], tol=0.0)
    partial = walk_path(
        given, "cosamp", [5, 8, 10], tol=0.0, oracle=oracle, oracle_rule=rule, oracle_budget=0.1
    )
    np.testing.assert_allclose(partial.coefs.toarray(), exact.coefs.toarray(), atol=1e-8)
    assert partial.points["nnz"].tolist() == [5, 8, 10]


def test_what_asks_no_oracle_is_not_judged():
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 60))
    given = Problem.from_arrays(X, np.sign(X[:, 0]), loss="logistic")
    result = walk_path(given, "omp", np.arange(1, 30), oracle="greedy-rows", oracle_stable=50)
    assert np.isnan(result.trace["hit"][-1])
    assert np.isfinite(result.trace["hit"][0])
    nothing = walk_path(problem()[0], "cosamp", [3], tol=1.0)
    assert nothing.points["nnz"].tolist() == [0]


def test_a_residual_of_zero_ends_a_point_at_once():
    given, _, _ = problem(noise=0.0)
    result = walk_path(given, "cosamp", [4, 5, 6])
    steps = np.diff(result.points["steps"], prepend=0)
    assert steps[1:].tolist() == [1, 1]
    np.testing.assert_allclose(
        result.coefs.toarray()[:, 2], result.coefs.toarray()[:, 0], atol=1e-12
    )


@pytest.mark.parametrize(
    ("name", "given", "parameter"),
    [
        ("cosamp", {"oracle_budget": 0.0}, "oracle_budget"),
        ("cosamp", {"tol": -1.0}, "tol"),
        ("cosamp", {"turns": -1}, "turns"),
        ("cosamp", {"oracle": "some"}, "oracle"),
        ("stoch_cosamp", {"batch": "0"}, "batch"),
        ("stoch_cosamp", {"batch": "81"}, "batch"),
        ("stoch_cosamp", {"batch": "many"}, "batch"),
        ("stoch_cosamp", {"oracle": "exact"}, "oracle"),
    ],
)
def test_bad_input_is_told_before_anything_runs(name, given, parameter):
    with pytest.raises(ParameterError, match=f"'{parameter}' parameter"):
        Walk(problem()[0], name, [2], given)

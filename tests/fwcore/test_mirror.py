"""SMIDAS and the truncated gradient: against the algorithms as the papers print them, and against
certified optima.
"""

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
import toys

from fwcore import ParameterError, Problem, Status, Walk, find_solver, walk_path
from fwcore import design as designs
from fwcore.kernels.random import new_stream, uniform_int

NAMES = ("smidas", "truncgrad")
ETA = {"smidas": 1e-3, "truncgrad": 3e-3}


def made(kind, storage, loss, standardize=True):
    X, y = toys.arrays(kind)
    if loss == "logistic":
        y = np.where(y > np.median(y), 1.0, -1.0)
    return Problem.from_arrays(toys.store(X, storage), y, loss=loss, standardize=standardize)


def as_printed(Z, y, loss, q, eta, lam, seed, updates):
    """Algorithm 3 in plain NumPy, with the same draws."""
    m, p = Z.shape
    theta, stream = np.zeros(p), new_stream(seed)
    for _ in range(updates):
        norm = np.sum(np.abs(theta) ** q) ** (1 / q)
        w = np.sign(theta) * np.abs(theta) ** (q - 1) / norm ** (q - 2) if norm > 0 else np.zeros(p)
        i = uniform_int(stream, m)
        u = Z[i] @ w
        slope = u - y[i] if loss == "squared" else -y[i] / (1 + np.exp(y[i] * u))
        theta = theta - eta * m * slope * Z[i]
        theta = np.sign(theta) * np.maximum(0.0, np.abs(theta) - eta * lam)
    norm = np.sum(np.abs(theta) ** q) ** (1 / q)
    return np.sign(theta) * np.abs(theta) ** (q - 1) / norm ** (q - 2) if norm > 0 else np.zeros(p)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("kind", ["wide", "sparse"])
def test_the_steps_are_those_of_the_paper(kind, storage, loss, name):
    problem = made(kind, storage, loss)
    X, _ = toys.arrays(kind)
    Z = (
        toys.standardized(X, np.arange(len(X)))[0]
        if loss == "squared"
        else X / np.linalg.norm(X, axis=0)
    )
    lam, eta, updates = problem.lam_max / 10, ETA[name], 700
    result = walk_path(problem, name, [lam], eta=eta, updates=updates, max_steps=1, seed=5)
    q = max(2.0, 2 * np.log(problem.p)) if name == "smidas" else 2.0
    w = as_printed(Z, problem.y, loss, q, eta, lam, 5, updates)
    assert np.count_nonzero(w) > 0
    np.testing.assert_allclose(
        result.coefs[:, [0]].toarray().ravel(), w, rtol=1e-7, atol=1e-9 * np.abs(w).max()
    )
    assert result.trace["grads"][-1] == updates


@pytest.mark.parametrize("storage", toys.STORAGES)
def test_the_exponent_leads_from_the_truncated_gradient_to_smidas(storage):
    problem = made("sparse", storage, "logistic")
    X, _ = toys.arrays("sparse")
    Z, lam = X / np.linalg.norm(X, axis=0), problem.lam_max / 10
    shared = {"eta": 1e-3, "updates": 300, "max_steps": 1, "seed": 5}
    found = {
        q: walk_path(problem, "smidas", [lam], exponent=q, **shared).coefs.toarray()[:, 0]
        for q in (0.0, 2.0, 4.0)
    }
    other = walk_path(problem, "truncgrad", [lam], **shared).coefs.toarray()[:, 0]
    np.testing.assert_allclose(found[2.0], other, rtol=1e-12, atol=1e-15)
    for q in (0.0, 4.0):
        w = as_printed(Z, problem.y, "logistic", q or 2 * np.log(problem.p), 1e-3, lam, 5, 300)
        np.testing.assert_allclose(found[q], w, rtol=1e-7, atol=1e-9 * np.abs(w).max())
    with pytest.raises(ParameterError, match="'exponent'"):
        walk_path(problem, "smidas", [lam], exponent=1.5)


def very_sparse(m=400, p=3000, seed=1):
    random = np.random.default_rng(seed)
    X = scipy.sparse.random_array(
        (m, p), density=0.01, rng=random, format="csc", data_sampler=random.standard_normal
    )
    X = X[:, np.diff(X.indptr) > 0]
    return X, np.where(X[:, :40].sum(axis=1) + 0.1 * random.standard_normal(m) > 0, 1.0, -1.0)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("share", [3, 30, 300])
def test_lazy_truncation_is_truncation(name, share):
    """Rows of 30 entries of 3,000: norms come from the series, truncations are owed for long."""
    X, y = very_sparse()
    problem = Problem.from_arrays(X, y, loss="logistic")
    Z = X.toarray() / np.linalg.norm(X.toarray(), axis=0)
    lam, eta = problem.lam_max / share, 1e-2
    q = 2 * np.log(problem.p) if name == "smidas" else 2.0
    w = as_printed(Z, y, "logistic", q, eta, lam, 0, 4000)
    result = walk_path(problem, name, [lam], eta=eta, updates=4000, max_steps=1)
    np.testing.assert_allclose(
        result.coefs[:, [0]].toarray().ravel(), w, rtol=1e-6, atol=1e-7 * np.abs(w).max()
    )
    # Each update touches its row alone.
    touched = result.trace["entries"][-1]
    assert touched < 4000 * 1.2 * X.nnz / X.shape[0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("kind", toys.KINDS)
def test_they_come_within_the_accuracy_of_their_theory(kind, storage, loss, name):
    problem = made(kind, storage, loss)
    lam = problem.lam_max / 5
    exact = walk_path(problem, "scd", [lam], rule="gap", tol=1e-9, max_steps=10**5)
    best = exact.points["objective"][0] + lam * exact.points["l1"][0]
    excess = []
    for eta, passes in ((1e-2, 100), (1e-3, 1000)):
        result = walk_path(problem, name, [lam], eta=eta, max_steps=passes, tol=1e-12)
        excess.append(
            (result.points["objective"][0] + lam * result.points["l1"][0] - best) / problem.f0
        )
        # What it reports is the judge's, and it bounds what is missing.
        assert result.points["true_gap"][0] >= excess[-1] * problem.f0 - 1e-9
    assert min(excess) >= -1e-8
    assert excess[1] <= 0.02


@pytest.mark.parametrize("name", NAMES)
def test_a_search_takes_the_best_step_size_and_tells_its_cost(name):
    problem = made("easy", "dense", "squared")
    result = walk_path(problem, name, [problem.lam_max / 3, problem.lam_max / 30], max_steps=20)
    notes = result.notes
    assert notes["eta"] in [10.0**k for k in range(-6, 0)]
    assert notes["search_grads"] <= 6 * problem.m
    assert notes["search_grads"] > 0
    assert notes["search_entries"] >= notes["search_grads"] * problem.p
    assert notes["search_seconds"] > 0
    # It was charged.
    assert result.trace["grads"][-1] == notes["search_grads"] + problem.m * result.trace["step"][-1]
    assert result.summary()["notes"] == notes
    given = walk_path(problem, name, [problem.lam_max / 3], eta=1e-3).notes
    assert given == {"eta": 1e-3, "search_seconds": 0.0, "search_grads": 0, "search_entries": 0}


def test_a_search_can_be_stopped_between_step_sizes():
    problem = toys.problem("wide")
    rows = [
        len(snapshot.rows)
        for snapshot in toys.follow(Walk(problem, "smidas", [0.1], {"max_steps": 3}), wanted=1)
    ]
    assert rows == [0] * 6 + [1] * 3


@pytest.mark.parametrize("storage", toys.STORAGES)
def test_a_step_size_that_diverges_is_told_and_nothing_is_nan(storage):
    problem = made("correlated", storage, "squared")
    result = walk_path(problem, "truncgrad", problem.lam_max / np.array([2.0, 4.0]), eta=1.0)
    assert result.status == Status.DIVERGED
    assert "lower eta" in result.status.sentence
    assert (result.points["status"] == Status.DIVERGED).all()
    assert np.isfinite(result.coefs.data).all()
    assert np.isfinite(result.points["true_gap"]).all()
    assert np.isfinite(result.trace["l1"]).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_gap_can_be_the_rule(name):
    problem = made("easy", "dense", "logistic")
    result = walk_path(
        problem, name, [problem.lam_max / 2], eta=1e-3, rule="gap", tol=0.02, max_steps=10**5
    )
    assert result.status == Status.SMALL_GAP
    assert result.trace["gap"][-1] == pytest.approx(result.points["true_gap"][0], rel=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_products_have_rows_too(name):
    base, _ = toys.arrays("easy")
    held = designs.Products.of(base[:, :5], 3)
    problem = Problem.from_arrays(held, base[:, 0] * base[:, 1])
    plain = Problem.from_arrays(problem.design.matrix(), problem.y, standardize=False)
    a, b = (
        walk_path(problem, name, [problem.lam_max / 4], eta=1e-3, max_steps=3).coefs
        for problem in (problem, plain)
    )
    assert a.nnz > 0
    np.testing.assert_allclose(a.toarray(), b.toarray(), rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("option", "value"), [("eta", -1.0), ("eta", 100.0), ("updates", -1), ("max_steps", 0)]
)
def test_bad_options_are_refused(name, option, value):
    with pytest.raises(ParameterError, match=option):
        walk_path(toys.problem(), name, [0.1], **{option: value})


@pytest.mark.parametrize("storage", ["dense", "csc"])
@pytest.mark.parametrize("name", NAMES)
def test_a_random_answer_is_any_iterate_of_the_same_run(name, storage):
    problem, turns = made("wide", storage, "logistic"), 4
    grid = [0.001 * problem.lam_max]
    options = {"eta": ETA[name], "updates": 1, "rule": "gap", "tol": 1e-14}
    counts = np.zeros(turns)

    def answer(steps, seed, **drawn):
        result = walk_path(problem, name, grid, seed=seed, max_steps=steps, **options, **drawn)
        return result.coefs.toarray()[:, 0]

    for seed in range(60):
        iterates = [np.zeros(problem.p), *(answer(k, seed) for k in range(1, turns))]
        drawn = answer(turns, seed, answer="random")
        matches = [k for k in range(turns) if np.allclose(drawn, iterates[k], rtol=1e-12, atol=0)]
        assert len(matches) == 1
        counts[matches[0]] += 1
    expected = 60 / turns
    assert ((counts - expected) ** 2 / expected).sum() < scipy.stats.chi2.ppf(0.999, turns - 1)


def test_a_search_for_the_step_size_is_that_of_the_last_iterate():
    problem = made("wide", "dense", "logistic")
    grid = [0.1 * problem.lam_max]
    last, drawn = (
        walk_path(problem, "smidas", grid, answer=answer, max_steps=3, rule="gap", tol=1e-14)
        for answer in ("last", "random")
    )
    assert last.notes["eta"] == drawn.notes["eta"]
    assert last.points["grads"] == drawn.points["grads"]
    assert (last.points["steps"] == 3).all()
    assert (drawn.points["steps"] == 3).all()


def test_the_exponent_is_that_of_the_paper():
    smidas = find_solver("smidas")
    assert smidas.exponent(toys.problem("wide"), smidas.Options()) == 2 * np.log(90)

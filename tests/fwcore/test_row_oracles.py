"""Oracles on a part of the rows: exact with a whole budget, cheap without, and never lost."""

from itertools import product

import numpy as np
import pytest
import toys
from row_oracles import ORACLES, recovery

from fwcore import ParameterError, Problem, Status, Walk, find_solver, theory, walk_path


def support(result):
    return set(result.coefs[:, [-1]].tocoo().coords[0].tolist())


@pytest.mark.parametrize(
    ("standardize", "storage"), toys.first(product((True, False), toys.STORAGES))
)
@pytest.mark.parametrize("oracle", ORACLES)
def test_a_whole_budget_walks_the_exact_path(oracle, standardize, storage):
    X, y = toys.arrays("sparse")
    problem = Problem.from_arrays(toys.store(X, storage), y, standardize=standardize)
    exact = walk_path(problem, "omp", np.arange(1, 9))
    whole = walk_path(
        problem, "omp", np.arange(1, 9), oracle=oracle, oracle_rule="budget", oracle_budget=1.0
    )
    np.testing.assert_array_equal(whole.coefs.toarray() != 0, exact.coefs.toarray() != 0)
    np.testing.assert_allclose(whole.coefs.toarray(), exact.coefs.toarray(), atol=1e-10)


@pytest.mark.parametrize("oracle", ["greedy-rows", "random-rows"])
def test_no_error_allowed_is_exact_too(oracle):
    problem, _ = recovery()
    exact = walk_path(problem, "omp", [10])
    bound = walk_path(
        problem, "omp", [10], oracle=oracle, oracle_rule="error-bound", oracle_error=0.0
    )
    np.testing.assert_array_equal(bound.coefs.toarray() != 0, exact.coefs.toarray() != 0)


def test_the_error_bound_ends_before_all_rows_where_it_allows():
    problem, _ = recovery()
    spent = [
        walk_path(
            problem,
            "omp",
            [10],
            oracle="greedy-rows",
            oracle_rule="error-bound",
            oracle_error=error,
        ).trace["entries"][-1]
        for error in (0.0, 0.3, 1.0)
    ]
    assert spent[0] > spent[1] > spent[2]


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("storage", toys.STORAGES)
def test_with_errors_that_the_curvature_allows_frank_wolfe_keeps_its_rate(storage, loss):
    X, y = toys.arrays("wide")
    y = np.sign(y) if loss == "logistic" else y
    problem, delta = Problem.from_arrays(toys.store(X, storage), y, loss=loss), 2.0
    least = walk_path(problem, "fw", [delta], rule="gap", tol=1e-7, max_steps=10**5)
    best = float((least.points["objective"] - least.points["true_gap"])[-1])
    spent = []
    fw = find_solver("fw")
    given = {"oracle": "greedy-rows", "oracle_rule": "curvature", "oracle_judge": 1}
    for error in (0.0, 0.2, 3.0):
        options = fw.Options(**given, oracle_error=error, tol=1e-14, max_steps=60)
        walk = Walk(problem, fw, [delta], options.settings())
        for _ in walk.snapshots():
            pass
        result = walk.result()
        bound = fw.bound(problem, walk.options, delta, result.trace.size)
        plain = theory.frank_wolfe(problem, delta, result.trace.size)
        np.testing.assert_allclose(bound[1:], (1.0 + error) * plain[1:])
        # A row holds the objective after its step.
        assert (result.trace["objective"] - best <= bound[1:]).all()
        spent.append(result.trace["entries"][-1] / result.trace.size)
        assert error > 0.0 or result.hit_rate == 1.0
    assert spent == sorted(spent, reverse=True)
    assert spent[2] < spent[0]


def test_the_rule_on_the_curvature_begins_again_with_each_ball():
    problem, fw = toys.problem("wide"), find_solver("fw")
    given = {"oracle": "greedy-rows", "oracle_rule": "curvature", "oracle_error": 2.0}
    options = fw.Options(**given, max_steps=5, tol=1e-12)
    state = fw.init(problem, options, 0)
    for value in (0.5, 1.0):
        fw.set_point(problem, state, options, value, 0.0)
        progress = state.arrays.oracle.oracle.progress[0]
        assert progress["answers"] == 0
        # The columns are of unit norm: C = (2 delta)^2.
        assert progress["unit"] == pytest.approx(2.0 * value)
        made = fw.advance(problem, state, 4).size
        assert progress["answers"] == made > 0
    with pytest.raises(ParameterError, match="where no l1 ball bounds the steps"):
        Walk(problem, "omp", [1], given)


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("oracle", ["greedy-rows", "successive-halving"])
def test_a_part_of_the_entries_finds_what_all_do(oracle, storage):
    shared, spent = [], []
    for seed in range(5):
        problem, relevant = recovery(seed=seed, storage=storage)
        exact = walk_path(problem, "omp", [15])
        part = walk_path(
            problem, "omp", [15], oracle=oracle, oracle_rule="budget", oracle_budget=0.5
        )
        shared.append(len(support(part) & relevant) / len(support(exact) & relevant))
        spent.append(part.trace["entries"][-1] / exact.trace["entries"][-1])
    assert np.mean(shared) >= 0.9
    assert max(spent) <= (1.05 if oracle == "successive-halving" and storage == "csc" else 0.55)


@pytest.mark.parametrize("oracle", ORACLES)
def test_more_of_the_budget_finds_more(oracle):
    found = []
    for budget in (0.02, 0.5):
        hits = []
        for seed in range(4):
            problem, relevant = recovery(seed=seed)
            part = walk_path(
                problem,
                "omp",
                [15],
                seed=seed,
                oracle=oracle,
                oracle_rule="budget",
                oracle_budget=budget,
            )
            hits.append(len(support(part) & relevant))
        found.append(np.mean(hits))
    assert found[0] < found[1]


@pytest.mark.parametrize("rule", ["stability", "budget"])
@pytest.mark.parametrize("by_size", [True, False])
@pytest.mark.parametrize("oracle", ORACLES)
def test_the_same_seed_gives_the_same_bits_and_every_point_its_columns(oracle, by_size, rule):
    problem, _ = recovery(m=60, p=90)
    given = {"oracle": oracle, "oracle_by_size": by_size, "oracle_rule": rule, "oracle_stable": 3}
    first, second = (walk_path(problem, "omp", [1, 5, 20], seed=3, **given) for _ in range(2))
    np.testing.assert_array_equal(first.coefs.toarray(), second.coefs.toarray())
    assert first.points["nnz"].tolist() == [1, 5, 20]
    assert (np.diff(first.trace["objective"]) <= 1e-12).all()


@pytest.mark.parametrize("oracle", ORACLES)
def test_a_fit_that_is_exact_duplicates_and_more_columns_than_there_are(oracle):
    X, y = toys.arrays("duplicates")
    for response in (y, X[:, 0] - 2 * X[:, 6]):
        problem = Problem.from_arrays(X, response, standardize=False)
        result = walk_path(
            problem, "omp", [3, 100], oracle=oracle, oracle_rule="budget", oracle_budget=0.3
        )
        assert result.status == Status.REACHED
        assert result.points["nnz"][-1] <= 20
        assert np.isfinite(result.coefs.toarray()).all()


@pytest.mark.parametrize(
    "given",
    [
        {"oracle_budget": 0.0},
        {"oracle_budget": 1.1},
        {"oracle_stable": 0},
        {"oracle": "some"},
        {"oracle_rule": "luck"},
    ],
)
def test_what_an_oracle_cannot_do(given):
    with pytest.raises(ParameterError, match=f"'{next(iter(given))}' parameter"):
        Walk(toys.problem(), "omp", [1], given)


@pytest.mark.parametrize(
    ("loss", "storage"), toys.first(product(("squared", "logistic"), toys.STORAGES))
)
@pytest.mark.parametrize("oracle", ORACLES)
def test_frank_wolfe_with_a_whole_budget_is_itself(oracle, loss, storage):
    X, y = toys.arrays("sparse")
    y = np.where(y > np.median(y), 1.0, -1.0) if loss == "logistic" else y
    problem = Problem.from_arrays(toys.store(X, storage), y, loss=loss)
    shared = {"rule": "moved", "tol": 1e-14, "max_steps": 60}
    exact = walk_path(problem, "fw", [1.0, 2.0], **shared)
    whole = walk_path(
        problem, "fw", [1.0, 2.0], oracle=oracle, oracle_rule="budget", oracle_budget=1.0, **shared
    )
    np.testing.assert_allclose(whole.coefs.toarray(), exact.coefs.toarray(), atol=1e-9)
    np.testing.assert_allclose(whole.trace["gap"], exact.trace["gap"], atol=1e-9)


@pytest.mark.parametrize("name", ["away_fw", "pairwise_fw"])
@pytest.mark.parametrize("oracle", ORACLES)
def test_away_steps_with_a_whole_budget_reach_the_optimum(oracle, name):
    problem = toys.problem("easy")
    given = {
        "oracle": oracle,
        "oracle_rule": "budget",
        "oracle_budget": 1.0,
        "rule": "gap",
        "tol": 1e-8,
    }
    assert walk_path(problem, name, [1.0, 3.0], **given).max_relative_gap <= 1e-8 * (1 + 1e-6)


@pytest.mark.parametrize("oracle", ORACLES)
def test_the_gap_of_a_partial_oracle_never_exceeds_the_true_one(oracle):
    problem, _ = recovery(m=100, p=150)
    walk = Walk(
        problem,
        "fw",
        [3.0],
        {
            "oracle": oracle,
            "oracle_rule": "budget",
            "oracle_budget": 0.1,
            "tol": 1e-14,
            "max_steps": 100,
        },
    )
    steps, a, below = walk.snapshots(1), np.zeros(problem.p), 0
    for _ in range(100):
        snapshot = steps.send(1) if walk.chunks else next(steps)
        true = problem.judge(np.flatnonzero(a), a[a != 0], "ball", 3.0).true_gap
        assert snapshot.rows["gap"][0] <= true * (1 + 1e-9) + 1e-12
        below += snapshot.rows["gap"][0] < 0.999 * true
        a = toys.dense(problem.p, snapshot.indices, snapshot.coefficients)
    assert below > 0
    assert walk.points["objective"][0] < 0.8 * problem.f0


@pytest.mark.parametrize(
    ("name", "given"),
    [("fw", {"ridge": 0.1}), ("away_fw", {"sampling": "50%"}), ("pairwise_fw", {"sampling": "10"})],
)
def test_what_does_not_go_with_a_partial_oracle(name, given):
    with pytest.raises(ParameterError, match="'oracle' parameter"):
        Walk(toys.problem(), name, [1.0], {"oracle": "successive-halving"} | given)

"""Oracles on a part of the rows: exact with a whole budget, cheap without, and never lost."""

from itertools import product

import numpy as np
import pytest
import toys
from numba import njit

from fwcore import ParameterError, Problem, Status, Walk, walk_path
from fwcore.oracles import ROW_ORACLES, steepest_of_rows
from fwcore.oracles.choice import row_subset_oracle
from fwcore.solvers.frank_wolfe.fw import FwOptions

ORACLES = [oracle.name for oracle in ROW_ORACLES]


def recovery(m=400, p=800, k=15, seed=0, storage="dense"):
    """Columns on the unit sphere, k of them relevant, signal to noise 3; the problem and the
    relevant columns.
    """
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, p)) * (
        random.random((m, p)) < (0.3 if storage == "csc" else 1.0)
    )
    X /= np.linalg.norm(X, axis=0)
    relevant = random.choice(p, k, replace=False)
    signal = X[:, relevant] @ (np.sign(random.standard_normal(k)) * (1 + random.random(k)))
    noise = random.standard_normal(m)
    y = signal + noise * np.linalg.norm(signal) / np.linalg.norm(noise) / 3
    return Problem.from_arrays(toys.store(X, storage), y, standardize=False), set(relevant.tolist())


@njit(cache=True)
def _ask(oracle, design, rows, entries, residual, barred):
    return steepest_of_rows(oracle, design, rows, entries, residual, barred)


class Asked:
    """An oracle's answers about one residual, and the true products."""

    def __init__(self, problem, name, wanted=1, seed=0, residual=None, **given):
        self.problem, self.wanted = problem, wanted
        options = FwOptions(oracle=name, **given)
        self.oracle = row_subset_oracle(problem, options, seed)
        self.oracle.ask_for(wanted)
        self.residual = problem.y if residual is None else residual
        self.products = -problem.gradient(self.residual)

    def __call__(self, barred=()):
        out = np.zeros(self.problem.p, np.bool_)
        out[list(barred)] = True
        answer = _ask(
            self.oracle,
            self.problem.design,
            self.problem.rows,
            self.problem.entries,
            self.residual,
            out,
        )
        self.index, self.value, self.rows, self.entries, self.dots, self.certain = answer
        self.chosen = self.oracle.chosen[: self.wanted].tolist()
        sizes = np.where(out, 0.0, np.abs(self.products))
        self.right = set(np.argsort(-sizes, kind="stable")[: self.wanted].tolist())
        return self


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


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("wanted", [1, 6])
@pytest.mark.parametrize("oracle", ORACLES)
def test_a_whole_budget_finds_the_largest_and_is_certain(oracle, wanted, storage):
    problem, _ = recovery(m=60, p=90, storage=storage)
    asked = Asked(problem, oracle, wanted, oracle_rule="budget", oracle_budget=1.0)()
    assert set(asked.chosen) == asked.right
    assert asked.index == asked.chosen[0] == np.abs(asked.products).argmax()
    assert asked.certain
    assert (asked.rows, asked.dots) == (60, 0)
    assert asked.value == pytest.approx(asked.products[asked.index])
    # What is barred is out of the question.
    barred = asked.chosen[:1]
    assert set(asked(barred).chosen) == asked.right
    assert not set(asked.chosen) & set(barred)


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("wanted", [1, 5])
@pytest.mark.parametrize("rule", ["stability", "error-bound", "budget"])
@pytest.mark.parametrize("oracle", ["greedy-rows", "successive-halving"])
def test_what_is_called_certain_is_right(oracle, rule, wanted, storage):
    """And not only where all rows were used: a few large entries settle it early."""
    problem, _ = recovery(m=80, p=60, storage=storage)
    random, early, unsure = np.random.default_rng(1), 0, 0
    for spread in np.repeat([0.0, 1.0, 4.0], 20):
        residual = random.standard_normal(80) * np.exp(spread * random.standard_normal(80))
        given = {
            "oracle_stable": 10,
            "oracle_error": 0.05,
            "oracle_budget": 0.5,
            "oracle_rule": rule,
        }
        asked = Asked(problem, oracle, wanted, residual=residual, **given)()
        if asked.certain:
            assert set(asked.chosen) == asked.right
            early += asked.rows < 80
        else:
            unsure += 1
    # Halving lets columns go early, when much of them is still unknown.
    assert early > 0 or oracle == "successive-halving"
    assert unsure > 0 or rule == "error-bound"


@pytest.mark.parametrize("oracle", ["random-rows", "successive-rejects"])
def test_what_is_drawn_is_never_certain_before_all_is_seen(oracle):
    problem, _ = recovery(m=80, p=60)
    assert not Asked(problem, oracle, oracle_rule="budget", oracle_budget=0.9)().certain


@pytest.mark.parametrize("wanted", [1, 4])
@pytest.mark.parametrize("oracle", ORACLES)
def test_finalists_are_compared_by_all_rows(oracle, wanted):
    problem, _ = recovery(m=80, p=60)
    few = Asked(problem, oracle, wanted, oracle_rule="budget", oracle_budget=0.05)()
    all_of_them = Asked(
        problem, oracle, wanted, oracle_rule="budget", oracle_budget=0.05, oracle_finalists=60
    )()
    assert set(all_of_them.chosen) == all_of_them.right
    assert all_of_them.dots == 60
    assert all_of_them.entries >= problem.entries
    some = Asked(
        problem, oracle, wanted, oracle_rule="budget", oracle_budget=0.05, oracle_finalists=20
    )()
    assert some.value == pytest.approx(some.products[some.index])
    assert (
        np.abs(some.products[some.chosen]).sum() >= np.abs(few.products[few.chosen]).sum() - 1e-12
    )
    # A round of its own may be a little longer.
    assert some.entries - few.entries <= 20 * 80 + 60


@pytest.mark.parametrize("wanted", [1, 4])
@pytest.mark.parametrize("oracle", ORACLES)
def test_a_budget_is_doubled_until_two_answers_agree(oracle, wanted):
    problem, _ = recovery(m=200, p=100)
    doubled = Asked(problem, oracle, wanted, oracle_rule="doubling", oracle_budget=0.02)()
    told = doubled.oracle.progress[0]
    assert 0.04 <= told["share"] <= 1.0
    half = Asked(
        problem, oracle, wanted, oracle_rule="budget", oracle_budget=float(told["share"]) / 2
    )()
    if oracle != "random-rows" and not (oracle == "successive-rejects" and told["share"] == 1.0):
        # Where nothing is drawn again, the answer at half of the budget is the same, or all was
        # looked at.
        assert set(half.chosen) == set(doubled.chosen) or told["share"] == 1.0
    assert doubled.entries > half.entries


@pytest.mark.parametrize("storage", toys.STORAGES)
def test_stability_of_a_set_is_that_of_all_its_columns(storage):
    """Against sums made again after each row."""
    problem, _ = recovery(m=120, p=50, storage=storage)
    for stable in (1, 3, 8):
        asked = Asked(problem, "greedy-rows", 4, oracle_stable=stable)()
        rows = problem.design.matrix()
        sums, before, calm, used = np.zeros(50), None, 0, 0
        for i in np.argsort(-np.abs(problem.y) * np.linalg.norm(rows, axis=1)):
            sums += problem.y[i] * rows[i]
            used += 1
            now = set(np.argsort(-np.abs(sums))[:4].tolist())
            calm = calm + 1 if now == before else 0
            before = now
            if calm >= stable:
                break
        assert (asked.rows, set(asked.chosen)) == (used, before)


def test_stability_of_a_set_waits_until_there_is_one():
    """Of short rows, the first of which hold fewer columns than are wanted; and of equal sums."""
    random = np.random.default_rng(0)
    X = (random.random((100, 200)) < 0.02).astype(float)
    problem = Problem.from_arrays(
        toys.store(X, "csc"), random.standard_normal(100), standardize=False
    )
    asked = Asked(problem, "greedy-rows", 30, oracle_stable=3)()
    sums, before, calm, used = np.zeros(200), set(), 0, 0
    for i in np.argsort(-np.abs(problem.y) * np.linalg.norm(X, axis=1), kind="stable"):
        sums += problem.y[i] * X[i]
        used += 1
        largest = np.argsort(-np.abs(sums), kind="stable")[:30]
        now = set(largest[np.abs(sums[largest]) > 0].tolist())
        calm = calm + 1 if now == before else 0
        before = now
        if calm >= 3:
            break
    assert asked.rows >= used > 6
    assert all(sums_j != 0 for sums_j in asked.products[asked.chosen])


def test_rejects_spend_their_budget_on_the_columns_that_are_hard_to_tell_apart():
    """Phase lengths of Audibert & Bubeck (2010), counted."""
    problem, _ = recovery(m=300, p=40)
    asked = Asked(problem, "successive-rejects", oracle_rule="budget", oracle_budget=0.1)()
    pulls, arms = 0.1 * 300 * 40, 40
    bar = 0.5 + sum(1 / i for i in range(2, arms + 1))
    seen = [max(1, int(np.ceil((pulls - arms) / (bar * (arms + 1 - k))))) for k in range(1, arms)]
    assert asked.entries == sum(seen) + seen[-1]
    assert asked.entries <= pulls
    assert asked.rows == seen[-1]


@pytest.mark.parametrize("name", ["omp", "fw", "away_fw"])
def test_the_judge_says_which_answers_were_right(name):
    """Against products made again before each step; off the clock and uncounted."""
    problem, _ = recovery(m=100, p=150)
    given = {"oracle": "greedy-rows", "oracle_stable": 10} | (
        {} if name == "omp" else {"rule": "moved", "tol": 1e-14, "max_steps": 30}
    )
    value = 30 if name == "omp" else 3.0
    walk = Walk(problem, name, [value], given)
    a, hits = np.zeros(problem.p), []
    steps = walk.snapshots(1)
    for _ in range(30):
        snapshot = steps.send(1) if walk.chunks else next(steps)
        slopes = np.abs(problem.gradient(problem.residual(np.flatnonzero(a), a[a != 0])))
        hits.append(
            float(slopes[walk.solver.answer(walk._state).columns[0]] >= slopes.max() * (1 - 1e-9))
        )
        a = toys.dense(problem.p, snapshot.indices, snapshot.coefficients)
    result = walk.result()
    assert result.trace["hit"].tolist() == hits
    assert 0 < result.hit_rate < 1
    assert result.summary()["hit_rate"] == result.hit_rate
    # What is judged changes nothing but that.
    for every in (0, 7):
        other = walk_path(problem, name, [value], oracle_judge=every, **given)
        np.testing.assert_array_equal(other.coefs.toarray(), result.coefs.toarray())
        assert other.trace["entries"].tolist() == result.trace["entries"].tolist()
        looked = np.isfinite(other.trace["hit"])
        assert looked.tolist() == [every > 0 and k % max(1, every) == 0 for k in range(30)]
        assert other.trace["hit"][looked].tolist() == [hits[k] for k in np.flatnonzero(looked)]
    assert set(result.trace["certain"]) <= {0.0, 1.0}
    assert np.isnan(
        walk_path(
            problem,
            name,
            [value],
            **{k: v for k, v in given.items() if k not in ("oracle", "stable")},
        ).hit_rate
    )


def test_an_answer_by_a_whole_budget_is_always_right():
    problem, _ = recovery(m=100, p=150)
    result = walk_path(
        problem, "omp", [20], oracle="successive-halving", oracle_rule="budget", oracle_budget=1.0
    )
    assert result.hit_rate == 1.0
    assert (result.trace["certain"] == 1.0).all()

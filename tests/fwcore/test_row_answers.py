"""What oracles on rows answer: certain only where they are right, and judged."""

import numpy as np
import pytest
import toys
from row_oracles import ORACLES, Asked, recovery

from fwcore import Problem, Walk, walk_path


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

"""Away-step and pairwise Frank-Wolfe."""

import numpy as np
import pytest
import toys

from fwcore import Status, Walk, find_solver, walk_path

NAMES = ("away_fw", "pairwise_fw")


@pytest.mark.parametrize("sampling", ["100%", "30%"])
@pytest.mark.parametrize("kind", toys.KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_the_objective_never_rises_and_the_iterate_stays_in_the_ball(name, kind, sampling):
    problem = toys.problem(kind)
    walk = Walk(
        problem,
        name,
        [0.3, 1.0, 3.0],
        {"sampling": sampling, "rule": "gap", "tol": 1e-6, "max_steps": 3000},
    )
    for snapshot in toys.follow(walk, wanted=1):
        row = snapshot.rows[0]
        judged = problem.judge(snapshot.indices, snapshot.coefficients, "ball", snapshot.value)
        assert judged.l1 <= snapshot.value * (1 + 1e-9)
        assert row["l1"] == pytest.approx(judged.l1, rel=1e-9, abs=1e-12)
        assert row["objective"] == pytest.approx(judged.objective, abs=1e-9 * problem.f0)
    for point in range(3):
        rows = walk.result().trace
        objective = rows["objective"][rows["point"] == point]
        assert (np.diff(objective) <= 1e-12 * problem.f0).all()


@pytest.mark.parametrize("name", NAMES)
def test_they_converge_linearly_where_frank_wolfe_crawls(name):
    problem = toys.problem("correlated")
    options = {"rule": "gap", "tol": 1e-8, "max_steps": 20_000}
    fast, slow = (walk_path(problem, n, [1.0], **options) for n in (name, "fw"))
    assert fast.status == Status.SMALL_GAP
    assert slow.status == Status.STEP_LIMIT
    assert fast.trace["step"][-1] < 2000
    assert fast.points["nnz"][0] <= slow.points["nnz"][0]
    best = walk_path(problem, "corrective_fw", [1.0], tol=1e-10)
    assert fast.points["objective"][0] == pytest.approx(
        best.points["objective"][0], abs=1e-8 * problem.f0
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_inside_the_ball_is_reached(name):
    problem = toys.problem("easy")
    result = walk_path(problem, name, [1000.0], rule="gap", tol=1e-8, max_steps=200_000)
    Z, t = toys.standardized(*toys.arrays("easy"))
    np.testing.assert_allclose(
        result.coefs.toarray().ravel(), np.linalg.lstsq(Z, t, rcond=None)[0], atol=1e-3
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_gap_is_the_true_one_where_all_columns_are_looked_at(name):
    problem = toys.problem("wide")
    before = None
    for snapshot in toys.follow(Walk(problem, name, [1.0], {"rule": "gap", "tol": 1e-5}), wanted=1):
        if before is not None:
            judged = problem.judge(before.indices, before.coefficients, "ball", 1.0)
            assert snapshot.rows["gap"][0] == pytest.approx(judged.true_gap, rel=1e-6, abs=1e-12)
        before = snapshot


@pytest.mark.parametrize("name", NAMES)
def test_drift_stays_small_over_many_steps(name):
    problem = toys.problem("correlated")
    walk = Walk(
        problem, name, [2.0], {"sampling": "10%", "rule": "gap", "tol": 1e-14, "max_steps": 20_000}
    )
    for snapshot in walk.snapshots():
        last = snapshot
    judged = problem.judge(last.indices, last.coefficients, "ball", 2.0)
    assert last.rows["objective"][-1] == pytest.approx(judged.objective, abs=1e-10 * problem.f0)
    assert last.rows["l1"][-1] == pytest.approx(judged.l1, rel=1e-10)


def test_all_columns_are_looked_at_by_default():
    for name in NAMES:
        problem = toys.problem("wide")
        state = find_solver(name).init(problem, find_solver(name).Options(), 0)
        assert type(state.arrays.oracle).__name__ == "Full"

import numpy as np
import pytest
import toys
from sklearn.linear_model import Lasso

from fwcore import Problem, find_solver, grids, walk_path


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("kind", toys.KINDS)
def test_a_path_agrees_with_scikit_learn(kind, storage):
    X, y = toys.arrays(kind)
    Z, t = toys.standardized(X, y)
    problem = toys.problem(kind, storage)
    result = walk_path(
        problem, "cd", problem.lam_max * np.geomspace(0.9, 0.01, 12), rule="gap", tol=1e-12
    )
    for k, lam in enumerate(result.points["value"]):
        model = Lasso(alpha=lam / len(t), fit_intercept=False, tol=1e-14, max_iter=10**6).fit(Z, t)
        reference = 0.5 * np.sum((t - Z @ model.coef_) ** 2) + lam * np.abs(model.coef_).sum()
        ours = result.points["objective"][k] + lam * result.points["l1"][k]
        assert ours == pytest.approx(reference, rel=1e-9)
        if kind != "duplicates":
            np.testing.assert_allclose(
                result.coefs[:, [k]].toarray().ravel(), model.coef_, atol=1e-5
            )


def test_no_column_is_lost_to_the_strong_rule():
    """Every point satisfies the optimality conditions on all columns."""
    X, y = toys.arrays("correlated")
    Z, t = toys.standardized(X, y)
    result = walk_path(Problem.from_arrays(X, y), "cd", points_of(t, Z), rule="gap", tol=1e-13)
    for k, lam in enumerate(result.points["value"]):
        dots = Z.T @ (t - Z @ result.coefs[:, [k]].toarray().ravel())
        assert np.abs(dots).max() <= lam * (1 + 1e-5)


def points_of(t, Z):
    return np.abs(Z.T @ t).max() * np.array([1.0, 0.7, 0.2, 0.19, 0.02])


def test_its_gap_is_the_judges():
    problem = toys.problem()
    result = walk_path(problem, "cd", [0.05], rule="gap", tol=1e-9)
    last = result.trace[-1]
    assert last["gap"] == pytest.approx(last["true_gap"], abs=1e-14)
    assert np.isnan(result.trace["gap"][0])


def test_the_first_point_of_the_grid_is_zero():
    problem = toys.problem()
    result = walk_path(problem, "cd", [problem.lam_max, problem.lam_max / 2])
    assert result.points["nnz"].tolist()[0] == 0
    assert result.points["nnz"].tolist()[1] > 0


def test_cycles_and_passes_are_counted():
    problem = toys.problem("sparse", "csc")
    result = walk_path(problem, "cd", [problem.lam_max / 10], tol=1e-6)
    first = result.trace[0]
    assert first["dots"] > problem.p
    assert result.trace["dots"][-1] >= 2 * problem.p
    assert (np.diff(result.trace["entries"]) >= 0).all()


def test_the_unstandardised_problem_is_solved_too():
    X, y = toys.arrays("easy")
    problem = Problem.from_arrays(X, y, standardize=False)
    result = walk_path(problem, "cd", [20.0], rule="gap", tol=1e-12)
    model = Lasso(alpha=20.0 / len(y), fit_intercept=False, tol=1e-13, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(result.coefs.toarray().ravel(), model.coef_, atol=1e-6)


def test_covariance_updates_are_the_cycles_of_coordinate_descent():
    """Many rows, so that products of columns pay: fewer entries are touched, and the path is the
    same.
    """
    random = np.random.default_rng(0)
    base = random.standard_normal((400, 6))
    X = base[:, random.integers(0, 6, 80)] + 0.5 * random.standard_normal((400, 80))
    y = X[:, :10] @ random.standard_normal(10) + random.standard_normal(400)
    problem = Problem.from_arrays(X, y)
    grid = grids.lam_grid(problem, 20)
    for rule in (
        {"rule": "gap", "tol": 1e-9},
        {"tol": 1e-6},
        {"rule": "gap", "tol": 1e-9, "l1_ratio": 0.5},
    ):
        quick = walk_path(problem, "cd", grid, **rule)
        # Without room for products there are none.
        method, options = find_solver("cd"), find_solver("cd").Options(**rule)
        state = method.init(problem, options, 0)
        state = state._replace(owner=np.zeros(0, np.int64))
        slow, entries = [], []
        for k, lam in enumerate(grid):
            method.set_point(problem, state, options, lam, k / 19)
            while method.outcome(state) == 0:
                rows = method.advance(problem, state, 50)
            slow.append(state.coef.copy())
            entries.append(rows["entries"][-1])
        np.testing.assert_allclose(quick.coefs.toarray().T, slow, atol=1e-8)
        assert quick.trace["entries"][-1] < 0.7 * entries[-1]
        np.testing.assert_allclose(
            quick.trace["objective"][-1], quick.points["objective"][-1], rtol=1e-9
        )
        within = np.diff(quick.trace["point"]) == 0
        penalised = quick.trace["objective"] + grid[quick.trace["point"]] * quick.trace["l1"]
        if "l1_ratio" not in rule:
            assert (np.diff(penalised)[within] <= 1e-10 * problem.f0).all()

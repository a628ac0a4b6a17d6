"""The sign constraint a >= 0."""

import numpy as np
import pytest
import toys
from sklearn.linear_model import Lasso

from fwcore import ParameterError, Problem, all_solvers, find_solver, grids, walk_path

CONVEX = [s.name for s in all_solvers() if s.compiles and s.form != "support"]
KNOWN = [name for name in CONVEX if find_solver(name).positive]


def made(seed, storage="dense", **options):
    X, y = toys.arrays(toys.KINDS[seed % len(toys.KINDS)], seed)
    return X, y, Problem.from_arrays(toys.store(X, storage), y, positive=True, **options)


@pytest.mark.parametrize("seed", range(50))
def test_cd_is_the_positive_lasso_of_scikit_learn(seed):
    X, y, problem = made(seed, toys.STORAGES[seed % 2])
    lam = problem.lam_max / (2.0 + seed)
    result = walk_path(problem, "cd", [lam], rule="gap", tol=1e-10)
    coef = result.coefs.toarray()[:, 0]
    Z, u = toys.standardized(X, y)
    theirs = Lasso(
        alpha=lam / len(u), positive=True, fit_intercept=False, tol=1e-14, max_iter=10**6
    ).fit(np.asfortranarray(Z), u)
    objective = 0.5 * np.sum((u - Z @ theirs.coef_) ** 2) + lam * theirs.coef_.sum()
    ours = result.points["objective"][0] + lam * result.points["l1"][0]
    assert (coef >= 0.0).all()
    assert result.points["true_gap"][0] <= 1e-10 * problem.f0 * (1 + 1e-6)
    assert ours <= objective + 1e-10 * problem.f0


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("name", KNOWN)
def test_solvers_reach_the_constrained_minimum(name, storage):
    _, _, problem = made(1, storage)
    lam = problem.lam_max / 10
    reference = walk_path(problem, "cd", [lam], rule="gap", tol=1e-12)
    l1, best = (
        reference.points["l1"][0],
        reference.points["objective"][0] + lam * reference.points["l1"][0],
    )
    ball = find_solver(name).form == "ball"
    options = {"sampling": "50%"} if name == "sfw" else {}
    result = walk_path(
        problem, name, [l1 if ball else lam], rule="gap", tol=1e-4, max_steps=200_000, **options
    )
    point, coef = result.points[0], result.coefs.toarray()[:, 0]
    assert (coef >= 0.0).all()
    assert np.isfinite(point["true_gap"])
    assert point["objective"] + lam * point["l1"] >= best - 1e-9
    if name != "sfw":
        assert point["true_gap"] <= 1e-4 * problem.f0 * (1 + 1e-6)
    assert point["objective"] + lam * (l1 if ball else point["l1"]) <= best + 2e-3 * problem.f0


@pytest.mark.parametrize("name", [n for n in KNOWN if find_solver(n).form == "ball"])
def test_a_ball_larger_than_the_solution_lets_the_iterate_shrink(name):
    X, y = toys.arrays("easy")
    # All columns point away from y, so that the minimiser is 0 however large the ball is.
    problem = Problem.from_arrays(-abs(X), abs(y) + 1.0, positive=True, standardize=False)
    with pytest.raises(ParameterError, match="'positive' parameter of Problem"):
        grids.lam_grid(problem)
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 6))
    y = X[:, 0] + 0.1 * random.standard_normal(40)
    problem = Problem.from_arrays(X, y, positive=True)
    options = {"sampling": "100%"} if name == "sfw" else {}
    result = walk_path(
        problem, name, [0.1, 50.0], rule="gap", tol=1e-5, max_steps=300_000, **options
    )
    assert result.points["true_gap"][1] <= 1e-3 * problem.f0
    assert result.points["l1"][1] < 5.0


@pytest.mark.parametrize("name", [n for n in CONVEX if n not in KNOWN])
def test_others_say_so(name):
    with pytest.raises(ParameterError, match=r"'positive' parameter of \w+ must be False"):
        walk_path(made(0)[2], name)


def test_the_judge_knows_the_constraint():
    X, y, problem = made(0)
    free = Problem.from_arrays(X, y)
    assert problem.lam_max <= free.lam_max
    j = int(np.argmax(free.sigma))
    assert problem.lam_max == pytest.approx(free.sigma[j])
    outside = problem.judge(np.array([j]), np.array([-0.1]), "penalty", 0.5)
    assert np.isinf(outside.true_gap)
    assert problem.content_hash != free.content_hash
    with pytest.raises(
        ParameterError, match="'positive' parameter of Problem must be True or False"
    ):
        Problem.from_arrays(X, y, positive="yes")

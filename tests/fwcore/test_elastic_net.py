"""Elastic nets: against scikit-learn, against the Lasso with rows added, and by the judge."""

import numpy as np
import pytest
import toys
from scipy.optimize import minimize
from sklearn.linear_model import ElasticNet

from fwcore import ParameterError, Problem, find_solver, walk_path

RATIOS = (0.9, 0.3)
STEPS = [
    ("fw", {}),
    ("sfw", {"sampling": "60%"}),
    ("sfw", {"sampling": "60%", "draw": "blocks", "block": 3}),
]


def augmented(kind, ridge):
    """The same elastic net as a Lasso: sqrt(ridge) times the identity below X, zeros below y."""
    X, y = toys.standardized(*toys.arrays(kind))
    p = X.shape[1]
    return Problem.from_arrays(
        np.vstack([X, np.sqrt(ridge) * np.eye(p)]), np.append(y, np.zeros(p)), standardize=False
    )


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("kind", toys.KINDS)
@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("name", ["cd", "fista"])
def test_the_penalty_form_is_that_of_scikit_learn(name, ratio, kind, storage):
    problem = toys.problem(kind, storage)
    lam = problem.lam_max / 7
    result = walk_path(
        problem, name, [2 * lam, lam], rule="gap", tol=1e-10, l1_ratio=ratio, max_steps=10**6
    )
    X, y = toys.standardized(*toys.arrays(kind))
    model = ElasticNet(
        alpha=lam / (len(y) * ratio), l1_ratio=ratio, fit_intercept=False, tol=1e-12, max_iter=10**6
    ).fit(X, y)
    np.testing.assert_allclose(result.coefs[:, [1]].toarray().ravel(), model.coef_, atol=2e-5)
    assert result.max_relative_gap <= 1e-10 * (1 + 1e-6)
    r = y - X @ model.coef_
    value = 0.5 * r @ r + 0.5 * lam * (1 / ratio - 1) * model.coef_ @ model.coef_
    assert result.points["objective"][1] == pytest.approx(value, rel=1e-5)
    last = result.trace[-1]
    assert last["objective"] == pytest.approx(result.points["objective"][1], rel=1e-9)
    if name == "cd":
        assert last["gap"] == pytest.approx(result.points["true_gap"][1], abs=1e-12 * problem.f0)


@pytest.mark.parametrize("kind", toys.KINDS)
@pytest.mark.parametrize(("case", "storage"), toys.diagonal(STEPS, toys.STORAGES))
def test_frank_wolfe_walks_the_lasso_with_rows_added(case, storage, kind):
    name, options = case
    ridge, radii = 0.5, np.array([0.3, 1.0])
    problem = toys.problem(kind, storage)
    result = walk_path(
        problem, name, radii, rule="gap", tol=1e-4, max_steps=10**5, ridge=ridge, **options
    )
    exact = walk_path(augmented(kind, ridge), "corrective_fw", radii, rule="gap", tol=1e-11)
    tolerance = (1e-4 if name == "fw" else 3e-2) * problem.f0
    assert (result.points["objective"] - exact.points["objective"]).max() <= tolerance
    assert (result.points["objective"] - exact.points["objective"]).min() >= -1e-9
    # The gap of the judge bounds what is missing.
    assert (
        result.points["true_gap"] >= result.points["objective"] - exact.points["objective"] - 1e-9
    ).all()
    assert result.trace["objective"][-1] == pytest.approx(result.points["objective"][-1], rel=1e-9)


def test_frank_wolfe_takes_the_very_steps_of_the_lasso_with_rows_added():
    ridge = 0.7
    ours = walk_path(
        toys.problem("wide"), "fw", [0.8], rule="gap", tol=1e-9, max_steps=200, ridge=ridge
    ).trace
    theirs = walk_path(
        augmented("wide", ridge), "fw", [0.8], rule="gap", tol=1e-9, max_steps=200
    ).trace
    for column in ("objective", "gap", "l1", "nnz", "moved"):
        np.testing.assert_allclose(ours[column], theirs[column], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(
    ("case", "storage"), toys.diagonal((*STEPS, ("fista", {"l1_ratio": 0.4})), toys.STORAGES)
)
def test_the_logistic_loss_with_a_ridge(case, storage):
    name, options = case
    X, y = toys.arrays("easy")
    y = np.where(y > np.median(y), 1.0, -1.0)
    problem, Z = (
        Problem.from_arrays(toys.store(X, storage), y, loss="logistic"),
        X / np.linalg.norm(X, axis=0),
    )
    ball = find_solver(name).form == "ball"
    value = 6.0 if ball else problem.lam_max / 6
    ridge = 0.3 if ball else value * 1.5
    tol = 1e-8 if not ball else 1e-3
    result = walk_path(
        problem,
        name,
        [value],
        rule="gap",
        tol=tol,
        max_steps=10**5,
        **options,
        **({"ridge": ridge} if ball else {}),
    )
    signed = np.hstack([Z, -Z])

    def smooth(w):
        a = w[: Z.shape[1]] - w[Z.shape[1] :]
        u = Z @ a
        slope = Z.T @ (-y / (1 + np.exp(y * u))) + ridge * a
        penalty = 0.0 if ball else value
        return np.logaddexp(0, -y * u).sum() + 0.5 * ridge * a @ a + penalty * w.sum(), np.append(
            slope, -slope
        ) + penalty

    inside = (
        [{"type": "ineq", "fun": lambda w: value - w.sum(), "jac": lambda w: -np.ones(w.size)}]
        if ball
        else []
    )
    n = signed.shape[1]
    best = minimize(smooth, np.full(n, 0.01), jac=True, bounds=[(0, None)] * n, method="SLSQP",
                    constraints=inside, options={"ftol": 1e-14, "maxiter": 2000})  # fmt: skip
    ours = result.points["objective"][-1] + (0.0 if ball else value * result.points["l1"][-1])
    assert best.fun - 1e-6 <= ours <= best.fun + (2e-2 if name == "sfw" else 2 * tol) * problem.f0
    assert result.points["true_gap"][-1] >= ours - best.fun - 1e-6
    assert result.trace["objective"][-1] == pytest.approx(result.points["objective"][-1], rel=1e-9)


def test_no_ridge_is_the_lasso_bit_for_bit():
    problem = toys.problem("wide")
    for name, option in (("cd", {"l1_ratio": 1.0}), ("fw", {"ridge": 0.0})):
        with_option, without = (
            walk_path(problem, name, [0.5] if name == "fw" else [0.1], **given)
            for given in (option, {})
        )
        assert (with_option.coefs.toarray() == without.coefs.toarray()).all()


@pytest.mark.parametrize(
    ("name", "option", "got"),
    [("cd", "l1_ratio", 0.0), ("fista", "l1_ratio", 1.1), ("sfw", "ridge", -1.0)],
)
def test_shares_and_ridges_out_of_range_are_refused(name, option, got):
    with pytest.raises(ParameterError, match=option):
        walk_path(toys.problem(), name, [0.1], **{option: got})

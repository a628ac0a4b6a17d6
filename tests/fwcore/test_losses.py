"""Losses: what they say of themselves, Huber's against an independent solver, and a fourth one."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import toys
from numba import njit

from fwcore import (
    LOSSES,
    ParameterError,
    Problem,
    all_solvers,
    find_loss,
    find_solver,
    grids,
    register_loss,
    walk_path,
)
from fwcore.losses import dual_of, is_parabola, is_separable, loss_and_residual
from fwcore.losses.huber import Huber
from fwcore.solvers import certified_solver
from fwcore.step_rules import find_step_rule


def gross_outliers(seed, rows=40, columns=12):
    random = np.random.default_rng(seed)
    X = random.standard_normal((rows, columns))
    y = 2.0 * X[:, 0] - X[:, 3] + 0.3 * random.standard_normal(rows)
    y[random.choice(rows, 5, replace=False)] += random.choice([-60.0, 60.0], 5)
    return X, y


@njit
def _parabola(loss):
    return is_parabola(loss)


@njit
def _separable(loss):
    return is_separable(loss)


def split_minimum(problem, lam, positive=False):
    """min f(a) + lam * sum abs(a) by L-BFGS-B on a = u - v, u, v >= 0."""
    Z, p = problem.design.matrix(), problem.p

    def objective(w):
        a = w[:p] - w[p:]
        u = Z @ a
        slope = Z.T @ problem.loss.derivative(u, problem.y)
        value = problem.loss.value(u, problem.y) + lam * w.sum()
        return value, np.concatenate([slope + lam, lam - slope])

    bounds = [(0.0, None)] * p + [(0.0, 0.0 if positive else None)] * p
    options = {"maxiter": 100_000, "maxfun": 10**6, "ftol": 1e-16, "gtol": 1e-12, "maxcor": 30}
    start = np.zeros(2 * p)
    found = scipy.optimize.minimize(
        objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    return float(found.fun)


@pytest.mark.parametrize("seed", range(50))
def test_huber_is_the_minimum_that_l_bfgs_finds(seed):
    problem = Problem.from_arrays(*gross_outliers(seed), loss="huber")
    lam = problem.lam_max / (4.0 + seed % 7 * 8.0)
    (point,) = walk_path(problem, "fista", [lam], rule="gap", tol=1e-10, max_steps=200_000).points
    reached, least = point["objective"] + lam * point["l1"], split_minimum(problem, lam)
    assert point["true_gap"] <= 1e-9 * problem.f0
    assert reached == pytest.approx(least, rel=1e-7)


@pytest.mark.parametrize("name", [s.name for s in all_solvers() if not s.lacks(find_loss("huber"))])
def test_solvers_that_need_only_smoothness_take_huber(name):
    problem = Problem.from_arrays(*gross_outliers(3), loss="huber", test=gross_outliers(4))
    solver = next(s for s in all_solvers() if s.name == name)
    grid = grids.grid(problem, solver.form, 6, 2.0 if solver.form == "ball" else None)
    options = {"sampling": "50%"} if "sampling" in solver.Options.declared() else {}
    result = walk_path(problem, name, grid, **options)
    assert result.points.size == len(grid)
    # What learns from samples settles within its step size.
    assert (result.points["objective"] <= 1.02 * problem.f0).all()
    assert result.points["objective"][-1] < result.points["objective"][0]


def test_solvers_with_closed_forms_refuse_huber_and_say_what_they_miss():
    problem = Problem.from_arrays(*gross_outliers(0), loss="huber")
    lacking = [s.name for s in all_solvers() if s.compiles and s.lacks(problem.loss)]
    assert lacking == ["away_fw", "pairwise_fw", "corrective_fw", "cd", "active_set", "mp"]
    for name in lacking:
        with pytest.raises(ParameterError, match=r"closed-form line search\. Got 'huber'"):
            walk_path(problem, name)


def test_huber_with_a_large_threshold_is_the_squared_loss():
    X, y = toys.arrays("easy")
    X = X - X.mean(axis=0)
    y = y - np.median(y)
    y -= y.mean()
    far = Problem.from_arrays(X, y / np.sqrt(len(y)), loss="huber:1e9", standardize=False)
    near = Problem.from_arrays(X, y / np.sqrt(len(y)), standardize=False)
    assert far.lam_max == pytest.approx(near.lam_max, rel=1e-12)
    lam = near.lam_max / 20
    a, b = (walk_path(p, "fista", [lam], rule="gap", tol=1e-9) for p in (far, near))
    np.testing.assert_allclose(a.coefs.toarray(), b.coefs.toarray(), atol=1e-6)


def test_huber_is_not_moved_by_outliers():
    X, y = gross_outliers(1)
    squared, huber = (Problem.from_arrays(X, y, loss=loss) for loss in ("squared", "huber"))
    found = {}
    for problem in (squared, huber):
        coefs = walk_path(problem, "fista", [problem.lam_max / 50]).coefs.toarray()[:, 0]
        found[problem.loss.name] = abs(coefs[1:3]).max() / abs(coefs[0])
    assert found["huber"] < 0.3 * found["squared"]


def test_threshold_is_in_units_of_a_robust_scale():
    X, y = gross_outliers(2)
    one, two = (Problem.from_arrays(X, y, loss=f"huber:{t}") for t in (1, 2))
    assert two.loss.threshold == pytest.approx(2.0 * one.loss.threshold)
    large = Problem.from_arrays(X, 1000.0 * y, loss="huber:1")
    assert large.loss.threshold == pytest.approx(1000.0 * one.loss.threshold)
    spread = 1.482602218505602 * np.median(abs(y - np.median(y)))
    assert one.loss.threshold * one.y_scale == pytest.approx(spread)


@pytest.mark.parametrize(
    "text", ["huber:0", "huber:x", "huber:-1", "huber:inf", "squared:1", "hinge"]
)
def test_losses_that_are_not_understood(text):
    with pytest.raises(ParameterError, match="'loss' parameter of Problem"):
        Problem.from_arrays(*gross_outliers(0), loss=text)


@pytest.mark.parametrize("name", [*LOSSES])
def test_a_loss_says_what_it_is(name):
    loss = find_loss(name)
    assert find_loss(loss.text) == loss
    for attribute in ("formula", "tex", "error_name", "error_formula", "error_unit", "response"):
        assert isinstance(getattr(loss, attribute), str)
    # What kernels ask when they are compiled is what Python asks.
    assert _parabola(loss) == loss.closed_line_search
    assert _separable(loss) == loss.separable
    random = np.random.default_rng(0)
    y = np.where(random.standard_normal(9) > 0, 1.0, -1.0)
    u, step = random.standard_normal(9), 1e-6
    slopes = [
        (loss.value(u + step * e, y) - loss.value(u - step * e, y)) / (2 * step) for e in np.eye(9)
    ]
    np.testing.assert_allclose(loss.derivative(u, y), slopes, atol=1e-8)
    # Fenchel: no dual value exceeds f, and at the residual of the minimiser over u they meet.
    residual = -loss.derivative(u, y)
    for shrink in (0.0, 0.3, 1.0):
        assert loss.dual(residual, y, shrink) <= loss.value(u, y) + u @ residual * shrink + 1e-12


def test_labels_are_told_as_misclassified_by_the_squared_loss_too():
    X, y = toys.arrays("easy")
    labels = np.where(y > np.median(y), 1.0, -1.0)
    for loss in LOSSES:
        problem = Problem.from_arrays(X, labels, loss=loss, test=(X[:20], labels[:20]))
        assert problem.labels
        point = walk_path(problem, "fista", [problem.lam_max / 30]).points[0]
        indices = np.arange(problem.p)
        coef = walk_path(problem, "fista", [problem.lam_max / 30]).coefs.toarray()[:, 0]
        wrong = float(np.mean(problem.predict(problem.design, indices, coef) * labels <= 0))
        assert point["train_misclassified"] == wrong
        assert 0.0 <= point["test_misclassified"] < 0.5
    assert np.isnan(walk_path(toys.problem(), "cd", [1.0]).points["train_misclassified"]).all()


def test_a_loss_that_is_no_parabola_may_not_be_centred():
    centred = type("Centred", (Huber,), {"name": "centred", "centred": True, "__slots__": ()})
    with pytest.raises(ParameterError, match=r"'centred' parameter .* must be False"):
        register_loss(centred)
    assert "centred" not in LOSSES


def test_without_a_bound_of_its_curvature_a_loss_has_open_loop_steps_only():
    unbounded = find_loss("huber")._replace(curvature_bound=0.0)
    assert find_step_rule("open-loop", unbounded).name == "open-loop"
    for rule in ("line-search", "short", "adaptive"):
        with pytest.raises(ParameterError, match=r"one of \['open-loop'\]"):
            find_step_rule(rule, unbounded)
    lacking = {s.name for s in all_solvers() if "a bound of its curvature" in s.lacks(unbounded)}
    assert {"fista", "apg", "scd", "detcd", "omp", "cosamp", "stoch_cosamp"} <= lacking


@pytest.mark.parametrize(
    ("loss", "form", "expected"),
    [
        ("squared", "ball", "certified_ball"),
        ("squared", "penalty", "certified"),
        ("logistic", "ball", "certified_ball"),
        ("huber", "penalty", "certified"),
    ],
)
def test_the_certified_solver_of_a_form_takes_the_problem(loss, form, expected):
    X, y = gross_outliers(0)
    problem = Problem.from_arrays(X, np.sign(y) if loss == "logistic" else y, loss=loss)
    assert certified_solver(problem, form).name == expected
    with pytest.raises(ParameterError, match="none of the support form is certified"):
        certified_solver(problem, "support")
    constrained = Problem.from_arrays(X, y, positive=True)
    assert find_solver(certified_solver(constrained, form).name).positive


@njit
def sum_and_residual(loss, prediction, y, residual):
    return loss_and_residual(loss, prediction, y, residual)


@pytest.mark.parametrize("m", [1, 511, 512, 1300])
@pytest.mark.parametrize("name", LOSSES)
def test_sum_and_residual_are_those_of_every_sample(name, m):
    loss, random = find_loss(name), np.random.default_rng(m)
    y, prediction = random.choice([-1.0, 1.0], m), 30.0 * random.standard_normal(m)
    prediction[0] = 800.0
    residual = np.empty(m)
    for response in (y, -y):
        value = sum_and_residual(loss, prediction, response, residual)
        assert value == pytest.approx(loss.value(prediction, response), rel=1e-13)
        np.testing.assert_allclose(
            residual, -loss.derivative(prediction, response), rtol=1e-13, atol=1e-300
        )


@njit
def dual_value(loss, residual, ones, y, shrink):
    return dual_of(loss, residual, ones, y, shrink)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("shrink", [1.0, 0.7, 1e-3])
def test_dual_values_in_kernels_are_those_of_the_judge(name, shrink):
    loss, random = find_loss(name), np.random.default_rng(0)
    y = np.sign(random.standard_normal(700))
    # Of samples far on either side -l' is 0 or 1 but for rounding.
    u = random.standard_normal(700) * 10.0 ** random.integers(-3, 3, 700)
    residual = -loss.derivative(u, y)
    found = dual_value(loss, residual + 0.25, 0.25, y, shrink)
    np.testing.assert_allclose(found, loss.dual(residual, y, shrink), rtol=1e-12)

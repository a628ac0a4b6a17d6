"""Points of certified paths that cost little: where the last coefficients are accurate enough, and
where the products of all columns are at hand.
"""

import numpy as np
import pytest
import toys

from fwcore import Problem, Status, Walk
from fwcore.solvers.working_set import _gap

PENALTY = ("certified", "active_set")


def walk_of(name, problem, tol, points=60, span=100, **options):
    lam = np.geomspace(problem.lam_max, problem.lam_max / span, points)
    grid = lam if name in PENALTY else 5.8 * np.arange(1, points + 1) / points
    return Walk(problem, name, grid, {"tol": tol, **options}, seed=0)


def labelled(loss):
    X, y = toys.arrays("wide")
    y = np.where(y > np.median(y), 1.0, -1.0) if loss == "logistic" else y
    return Problem.from_arrays(X, y, loss=loss)


@pytest.mark.parametrize(
    ("name", "loss", "options"),
    [
        ("certified", "squared", {}),
        ("certified", "squared", {"l1_ratio": 0.6}),
        ("certified", "logistic", {}),
        ("certified", "logistic", {"l1_ratio": 0.6}),
        ("certified_ball", "squared", {}),
        ("active_set", "squared", {}),
        ("corrective_fw", "squared", {}),
    ],
)
def test_a_point_is_kept_where_the_last_coefficients_are_accurate_enough(name, loss, options):
    problem = labelled(loss)
    walk = walk_of(name, problem, 1e-2, points=200, **options)
    toys.follow(walk)
    result, kept = walk.result(), int(walk._state.arrays.it["kept"][0])
    coefs = result.coefs.toarray()
    same = (coefs[:, 1:] == coefs[:, :-1]).all(axis=0)
    assert kept >= 5
    # At the first point all coefficients are zero, and so they were before.
    assert same.sum() >= kept - 1
    assert result.status == Status.SMALL_GAP
    assert result.max_relative_gap <= 1e-2
    last = np.flatnonzero(np.diff(result.trace["point"], append=-1))
    rounding = 1e-12 * problem.f0
    assert (result.trace["gap"][last] >= result.points["true_gap"] - rounding).all()


def test_none_is_kept_where_coefficients_are_to_settle():
    walk = walk_of("certified", labelled("squared"), 1e-2, rule="moved")
    toys.follow(walk)
    assert walk._state.arrays.it["kept"][0] == 0


def test_none_is_kept_in_a_ball_that_has_become_smaller():
    problem = labelled("squared")
    walk = walk_of("certified_ball", problem, 0.5)
    solver, state = walk.solver, walk._state
    for radius in (2.0, 1.0):
        solver.set_point(problem, state, walk.options, radius, 0.5)
        while solver.outcome(state) == Status.RUNNING:
            solver.advance(problem, state, 64)
        assert np.abs(solver.coefficients(state)[1]).sum() <= radius * (1.0 + 1e-12)


@pytest.mark.parametrize(
    ("name", "options"),
    [("certified", {}), ("certified", {"l1_ratio": 0.6}), ("certified_ball", {})],
)
def test_slopes_of_all_columns_are_known_where_their_products_are(name, options):
    problem = toys.problem("easy", seed=1)
    walk = walk_of(name, problem, 1e-6, span=1e4, **options)
    surveyed = 0
    for snapshot in toys.each(walk, 1):
        it = walk._state.arrays.it[0]
        given = snapshot.indices, snapshot.coefficients, walk.solver.form, snapshot.value
        judged = problem.judge(*given, ridge=walk.solver.ridge(walk._state))
        rounding = 1e-10 * problem.f0
        assert snapshot.rows["gap"][0] >= judged.true_gap - rounding
        if it["stale"]:
            surveyed += 1
            assert snapshot.rows["objective"][0] == pytest.approx(judged.objective, abs=rounding)
            assert snapshot.rows["l1"][0] == pytest.approx(judged.l1)
    assert surveyed >= 4
    assert walk.result().max_relative_gap <= 1e-6


@pytest.mark.parametrize("rows", [60, 600])
def test_large_means_do_not_show_in_the_gap(rows):
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, 12)) + 1e5
    y = X[:, 0] - X[:, 1] + 0.1 * random.standard_normal(rows)
    problem = Problem.from_arrays(X, y)
    walk = walk_of("certified", problem, 1e-7, span=1e4)
    toys.follow(walk)
    assert walk._state.arrays.size == problem.p
    assert walk.result().max_relative_gap <= 1e-7


def test_where_rounding_matters_the_residual_is_computed():
    problem = toys.problem("easy", seed=1)
    walk = walk_of("certified", problem, 1e-13, span=1e4)
    toys.follow(walk)
    assert walk._state.arrays.size == problem.p
    assert not walk._state.arrays.it["stale"][0]


def test_another_engine_begins_with_the_residual_of_the_coefficients():
    problem = toys.problem("easy", seed=1)
    walk = walk_of("certified", problem, 1e-6, span=1e4)
    toys.follow(walk)
    assert walk._state.arrays.it["stale"][0]
    walk.solver._change(problem, walk._state)
    run = walk._state.arrays
    assert not run.engine.exact
    np.testing.assert_allclose(run.residual, problem.residual(*run.support()), atol=1e-13)


def test_all_columns_join_once_most_are_foreseen_to_be_active():
    random = np.random.default_rng(0)
    X = random.standard_normal((800, 160))
    y = X[:, ::4].sum(axis=1) + 5.0 * random.standard_normal(800)
    problem = Problem.from_arrays(X, y)
    walk = walk_of("certified", problem, 1e-6, span=1000)
    active = []
    for _ in toys.each(walk, 1):
        run = walk._state.arrays
        if run.size == problem.p:
            active.append(int(run.it["nnz"][0]))
    # No room was made for more than there are.
    assert run.columns.size == problem.p
    assert active[0] < problem.p / 2
    assert active[-1] > 0.9 * problem.p
    assert walk.result().max_relative_gap <= 1e-6


@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("options", [{}, {"l1_ratio": 0.6}])
def test_what_is_certain_of_a_gap_is_below_it(loss, options):
    problem = labelled(loss)
    walk = walk_of("certified", problem, 1e-4, points=20, span=10, **options)
    toys.follow(walk)
    run = walk._state.arrays
    it, counters, fit = run.it[0], run.counters[0], (run.free, run.image, run.residual)
    seen, steepest = (problem.samples, problem.loss, it, counters, fit), it["steepest"]
    certain, gaps = np.empty((2, 9))
    for k, share in enumerate(np.linspace(0.1, 0.999, 9)):
        counters["value"] = share * steepest
        certain[k] = _gap._least_gap(*seen, share)
        gaps[k] = _gap.gap_of(*seen, steepest)
    assert (certain <= gaps * (1 + 1e-9)).all()
    assert certain[0] > 0.2 * gaps[0] > 0.0


@pytest.mark.parametrize("loss", ["squared", "logistic", "huber"])
def test_the_image_that_descent_leaves_is_that_of_its_coefficients(loss):
    problem = labelled(loss)
    walk = walk_of("certified", problem, 1e-4, points=30, engine="descent")
    toys.follow(walk)
    run = walk._state.arrays
    image = problem.fitted(*run.support())
    np.testing.assert_allclose(run.image, image, atol=1e-12 * np.abs(image).max())
    residual = -problem.loss.derivative(image, problem.y)
    np.testing.assert_allclose(run.residual, residual, atol=1e-11 * np.abs(residual).max())
    assert 0.0 < run.it["lost"][0] <= 0.1 * run.it["target"][0]

"""The certified solvers: faces, the screen, and what a round promises."""

from itertools import pairwise

import numpy as np
import pytest
import toys
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fwcore import Problem, Status, Walk, find_solver, grids, walk_path
from fwcore.design import Products, full_pass, passes
from fwcore.solvers.base import COUNTERS
from fwcore.solvers.working_set import _solver
from fwcore.solvers.working_set._corrections import correct
from fwcore.solvers.working_set._face import Face
from fwcore.solvers.working_set._passes import columns_above_in_pass
from fwcore.solvers.working_set._screening import (
    Screen,
    columns_above,
    combine_references,
    keep,
)

WAYS = {
    "corrective_fw": ("corrective_fw", {}),
    "active_set": ("active_set", {}),
    "certified": ("certified", {}),
    "descent": ("certified", {"engine": "descent"}),
}


def first_screen(problem):
    """That of a = 0."""
    return Screen.of(problem, problem.residual(np.zeros(0, np.int64), np.zeros(0)))


def grid_for(name, problem, points=8):
    return (
        grids.delta_grid(3.0, points)
        if find_solver(name).form == "ball"
        else grids.lam_grid(problem, points)
    )


def face_of(X, y):
    face = Face.of(X.shape[1] + 3)
    k = X.shape[1]
    face.gram[:k, :k], face.dots[:k] = X.T @ X, X.T @ y
    face.face["size"] = k
    return face


def optimality(X, y, a, level):
    """By how much the conditions of the penalised form at ``level`` are broken."""
    g = X.T @ (y - X @ a)
    on = a != 0
    return max(
        np.abs(g[~on]).max(initial=0.0) - level,
        np.abs(g[on] - level * np.sign(a[on])).max(initial=0.0),
    )


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 10**6),
    st.integers(2, 12),
    st.integers(1, 15),
    st.floats(0.01, 0.9),
    st.booleans(),
)
def test_a_face_is_the_exact_solution_on_its_columns(seed, m, k, share, dependent):
    random = np.random.default_rng(seed)
    X, y = random.standard_normal((m, k)), random.standard_normal(m)
    if dependent:
        X[:, -1] = X[:, 0]
    lam = share * np.abs(X.T @ y).max()
    face = face_of(X, y)
    correct(face, lam, False, 1e-12, 1000)
    a = face.coef[:k].copy()
    scale = np.abs(X.T @ y).max()
    assert optimality(X, y, a, lam) <= 1e-9 * scale
    ball = face_of(X, y)
    correct(ball, np.abs(a).sum() + 1e-300, True, 1e-12, 1000)
    b = ball.coef[:k]
    assert np.abs(b).sum() == pytest.approx(np.abs(a).sum(), rel=1e-9)
    np.testing.assert_allclose(X @ b, X @ a, atol=1e-8 * np.linalg.norm(y))


@pytest.mark.parametrize("ball", [True, False])
def test_the_factor_of_the_gram_is_kept_up_to_date_over_thousands_of_drops(ball):
    random = np.random.default_rng(0)
    X = random.standard_normal((20, 40))
    face = face_of(X, X @ random.standard_normal(40))
    most = 20.0 if ball else np.abs(face.dots).max()
    for _ in range(800):
        correct(face, most * 10.0 ** random.uniform(-4, 0), ball, 1e-12, 1000)
    assert face.face["drops"][0] > 2000
    n = face.face["active"][0]
    order = face.order[:n]
    L = np.tril(face.factor[:n, :n])
    np.testing.assert_allclose(L @ L.T, face.gram[np.ix_(order, order)], atol=1e-10)
    halfway = face.halfway[:2, :n] @ L.T
    np.testing.assert_allclose(halfway, [face.dots[order], face.sign[order]], atol=1e-10)
    np.testing.assert_allclose(face.halfway[2, :n], face.coef[order] @ L, atol=1e-10)


def above(screen, residual, threshold, out):
    return columns_above(screen, combine_references(screen, residual), threshold, False, out)


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 10**6),
    st.floats(0.0, 1.0) | st.floats(1e-9, 1e-2).map(lambda away: 1.0 - away),
    st.sampled_from(["squared", "logistic"]),
)
def test_the_screen_never_misses_a_column(seed, closeness, loss):
    random = np.random.default_rng(seed)
    problem = toys.problem("wide", seed=seed % 7)
    if loss == "logistic":
        problem = Problem.from_arrays(problem.design.matrix(), np.sign(problem.y), loss=loss)
    screen = first_screen(problem)
    residual = problem.y.copy()
    for _ in range(5):
        residual = closeness * residual + (1 - closeness) * random.standard_normal(problem.m)
        residual -= residual.mean()
        exact = np.abs(problem.gradient(residual))
        threshold = float(np.quantile(exact, random.random()))
        out = np.zeros(problem.p, np.int64)
        for _ in range(2):
            found = above(screen, residual, threshold, out)
            assert set(np.flatnonzero(exact > threshold)) <= set(out[:found].tolist())
            # After the pass the residual itself is a reference, and the bounds are tight but for
            # rounding.
            last = screen.last[: problem.p]
            full_pass(problem.design, residual, float(residual.sum()), last)
            keep(screen, residual)
            np.testing.assert_allclose(np.abs(last), exact, atol=1e-14)
        assert found <= (exact > threshold - 1e-5 * np.linalg.norm(residual)).sum()


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.floats(0.0, 1.0), st.booleans(), st.booleans())
def test_the_screen_never_misses_a_column_by_passes_in_float32(seed, closeness, positive, away):
    random = np.random.default_rng(seed)
    # Features of few values, some away from 0: the stored columns are longer than the centred.
    X = random.integers(-1, 2, (30, 6)) * random.random(6) + 0.3 * away * (np.arange(6) % 2)
    X[:, 0] += random.random(30)
    problem = Problem.from_arrays(Products.of(X, 3), random.standard_normal(30))
    screen, place = first_screen(problem), np.full(problem.p, -1, np.int32)
    assume(screen.single[0])
    counters = np.zeros(1, COUNTERS)[0]
    counters["positive"] = positive
    residual, out = problem.y.copy(), np.zeros(problem.p, np.int64)
    for _ in range(5):
        residual = closeness * residual + (1 - closeness) * random.standard_normal(30)
        slopes = -problem.gradient(residual)
        steep = np.maximum(slopes, 0.0) if positive else np.abs(slopes)
        threshold = float(np.quantile(steep, random.random()))
        above = set(np.flatnonzero(steep > threshold))
        slack = combine_references(screen, residual)
        assert above <= set(out[: columns_above(screen, slack, threshold, positive, out)].tolist())
        k, room = screen.oldest[0], screen.room(problem.p)
        full_pass(problem.design, residual, float(residual.sum()), room)
        keep(screen, residual)
        apart = screen.apart[0] * screen.lengths[k]
        given = screen.dots[k], screen.norms, apart, threshold, counters, place, out
        n, higher = columns_above_in_pass(*given)
        assert higher == threshold
        assert above <= set(out[:n].tolist())
        assert n <= (steep > threshold - 2 * apart * screen.norms[: problem.p]).sum()


def test_passes_are_in_float64_where_columns_hardly_vary():
    X = 100.0 + np.random.default_rng(0).random((30, 6))
    problem = Problem.from_arrays(Products.of(X, 3), X[:, 0] * X[:, 1])
    assert problem.design.single_error(problem.sqnorms) > 0.0
    assert not first_screen(problem).single[0]


def test_more_columns_near_the_level_than_fit_are_told_apart_in_float64():
    random = np.random.default_rng(0)
    X = random.standard_normal((500, 22))
    y = Products.of(X, 3).matrix() @ random.standard_normal(2300) + random.standard_normal(500)
    problem = Problem.from_arrays(Products.of(X, 3), y)
    grid = problem.lam_max * np.array([0.5, 0.01])
    # Faces would have all columns join.
    walk = Walk(problem, "certified", grid, {"engine": "descent"})
    assert walk._state.arrays.screen.single[0]
    for _ in walk.snapshots():
        pass
    result = walk.result()
    assert np.count_nonzero(result.coefs.toarray()[:, 1]) > walk._state.arrays.found.size
    assert (result.points["true_gap"] <= walk.options.tol * problem.f0).all()
    assert not walk._state.arrays.screen.single[0]


def test_of_what_columns_share_the_screen_bounds_the_rest_only():
    random = np.random.default_rng(0)
    shared = random.standard_normal(60)
    X = shared[:, None] + 0.5 * random.standard_normal((60, 200))
    X[:, 0] = shared
    problem = Problem.from_arrays(X, shared + random.standard_normal(60))
    X, screen = problem.design.matrix(), first_screen(problem)
    for residual in (problem.y - X[:, 0] * (X[:, 0] @ problem.y), random.standard_normal(60)):
        screen.last[: problem.p] = X.T @ residual
        keep(screen, residual)
    base = np.linalg.qr(screen.residuals.T)[0]
    exact = np.linalg.norm(X - base @ (base.T @ X), axis=0)
    left = screen.left[: problem.p]
    assert (exact <= left).all()
    np.testing.assert_allclose(left[1:], exact[1:], rtol=0.1)
    assert left[0] < 0.11
    assert (left < 0.7 * screen.norms[: problem.p]).all()


def test_no_length_in_the_screen_is_denormal():
    X, y = toys.arrays("wide")
    X = np.hstack([X, np.zeros((X.shape[0], 3)), 1e-200 * X[:, :1]])
    norms = first_screen(Problem.from_arrays(X, y, standardize=False)).norms
    assert (norms[X.shape[1] - 4 :] == 0.0).sum() >= 3
    exact = np.linalg.norm(X[:, :-4], axis=0)
    assert (exact <= norms[: exact.size]).all()
    assert (norms[: exact.size] <= exact * (1 + 3e-7)).all()


def test_the_screen_says_when_there_are_more_than_fit():
    problem = toys.problem("wide")
    screen = first_screen(problem)
    out = np.zeros(5, np.int64)
    assert above(screen, problem.y, 0.0, out) == 6


@pytest.mark.parametrize("kind", toys.KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_the_gap_of_every_round_bounds_the_true_gap(way, kind):
    problem, (name, options) = toys.problem(kind), WAYS[way]
    walk = Walk(problem, name, grid_for(name, problem), {"tol": 1e-6, **options})
    snapshots = toys.follow(walk, wanted=1)
    for snapshot in snapshots:
        judged = problem.judge(
            snapshot.indices, snapshot.coefficients, walk.solver.form, snapshot.value
        )
        assert snapshot.rows["gap"][0] >= judged.true_gap - 1e-12 * problem.f0
    assert {s.status for s in snapshots} <= {Status.RUNNING, Status.SMALL_GAP}


@pytest.mark.parametrize("kind", toys.KINDS)
@pytest.mark.parametrize("way", ["active_set", "descent"])
def test_both_forms_and_coordinate_descent_agree(way, kind):
    problem, (name, options) = toys.problem(kind), WAYS[way]
    lam = grids.lam_grid(problem, 10)
    penalised = walk_path(problem, name, lam, tol=1e-11, **options)
    reference = walk_path(problem, "cd", lam, rule="gap", tol=1e-11, max_steps=10**6)
    np.testing.assert_allclose(
        penalised.points["objective"], reference.points["objective"], atol=1e-6 * problem.f0
    )
    radii = penalised.points["l1"][1:]
    constrained = walk_path(problem, "corrective_fw", radii, tol=1e-11)
    np.testing.assert_allclose(
        constrained.points["objective"], penalised.points["objective"][1:], atol=1e-6 * problem.f0
    )
    assert (constrained.points["l1"] <= radii * (1 + 1e-12)).all()


def test_a_ball_beyond_the_least_squares_solution_is_solved_inside():
    problem = toys.problem("easy")
    result = walk_path(problem, "corrective_fw", [1.0, 1e3, 1e6], tol=1e-9)
    Z, t = toys.standardized(*toys.arrays("easy"))
    solution = np.linalg.lstsq(Z, t, rcond=None)[0]
    np.testing.assert_allclose(result.coefs[:, [2]].toarray().ravel(), solution, atol=1e-6)
    assert result.status == Status.SMALL_GAP


@pytest.mark.parametrize("way", WAYS)
def test_columns_of_any_scale_and_in_two_copies_are_certified(way):
    name, options = WAYS[way]
    X, y = toys.arrays("wide")
    X = np.hstack([X * np.logspace(-12, 12, X.shape[1]), X[:, :20]])
    problem = Problem.from_arrays(X, y)
    result = walk_path(problem, name, grid_for(name, problem), tol=1e-9, **options)
    assert result.status == Status.SMALL_GAP
    assert result.max_relative_gap <= 1e-9 * (1 + 1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_idle_columns_are_dropped_and_found_again(way):
    problem, (name, options) = toys.problem("wide"), WAYS[way]
    grid = grid_for(name, problem)
    walk = Walk(problem, name, grid, {"tol": 1e-10, **options})
    toys.follow(walk)
    solver, state = walk.solver, walk._state
    before, solution = state.arrays.size, solver.coefficients(state)
    state.arrays.it["idle"] = 0
    for value in (grid[1], grid[2], grid[-1]):
        solver.set_point(problem, state, walk.options, value, 0.0)
        while solver.outcome(state) == Status.RUNNING:
            solver.advance(problem, state, 1)
        if value == grid[2]:
            assert state.arrays.size < before
            assert (state.arrays.place >= 0).sum() == state.arrays.size
    for found, expected in zip(solver.coefficients(state), solution, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("name", ["active_set", "corrective_fw"])
def test_once_two_thirds_of_the_columns_are_at_hand_all_are(name):
    random = np.random.default_rng(0)
    X = random.standard_normal((200, 100))
    problem = Problem.from_arrays(X, X[:, ::2].sum(axis=1) + random.standard_normal(200))
    grid = problem.lam_max * np.geomspace(0.5, 1e-2, 12)
    if name == "corrective_fw":
        grid = walk_path(problem, "active_set", grid, tol=1e-10).points["l1"]
    walk = Walk(problem, name, grid, {"tol": 1e-10})
    solver, state, sizes = walk.solver, walk._state, [0]
    for value in grid:
        solver.set_point(problem, state, walk.options, value, 0.0)
        while solver.outcome(state) == Status.RUNNING:
            solver.advance(problem, state, 1)
            sizes.append(state.arrays.size)
    grown = [(old, new) for old, new in pairwise(sizes) if old != new]
    assert len(grown) > 4
    assert all(old < 2 / 3 * problem.p for old, _ in grown[:-1])
    assert 2 / 3 * problem.p <= grown[-1][0] < grown[-1][1] == problem.p
    coef = np.zeros(problem.p)
    indices, values = solver.coefficients(state)
    coef[indices] = values
    X, lam = problem.design.matrix(), 1e-2 * problem.lam_max
    assert optimality(X, problem.y, coef, lam) <= 1e-6 * problem.lam_max


@pytest.mark.parametrize("way", ["active_set", "descent"])
def test_a_gap_below_rounding_error_ends_a_point_all_the_same(way):
    problem, (name, options) = toys.problem("correlated"), WAYS[way]
    lam = problem.lam_max * np.array([0.3, 0.1])
    result = walk_path(problem, name, lam, tol=1e-14, max_steps=10_000, **options)
    assert result.status in (Status.SMALL_GAP, Status.SMALL_MOVE)
    assert result.trace["step"][-1] < 200
    assert result.max_relative_gap < 1e-12


@pytest.mark.parametrize("way", WAYS)
def test_the_moved_rule_ends_where_nothing_moves(way):
    name, options = WAYS[way]
    problem = toys.problem("correlated")
    result = walk_path(problem, name, grid_for(name, problem), rule="moved", tol=1e-4, **options)
    assert result.status == Status.SMALL_MOVE
    assert result.max_relative_gap <= 1e-3


@pytest.mark.parametrize("way", WAYS)
def test_threads_change_nothing(way):
    name, options = WAYS[way]
    problem = toys.problem("wide")
    grid = grid_for(name, problem)
    one, two = (walk_path(problem, name, grid, threads=threads, **options) for threads in (1, 2))
    np.testing.assert_array_equal(one.coefs.toarray(), two.coefs.toarray())
    np.testing.assert_array_equal(one.trace["gap"], two.trace["gap"])


@pytest.mark.parametrize("name", ["certified", "certified_ball"])
@pytest.mark.parametrize(("loss", "storage"), toys.LOSSES_STORED)
def test_threads_change_nothing_of_any_loss(loss, storage, name):
    random = np.random.default_rng(0)
    X = random.standard_normal((50, 400)) * (random.random((50, 400)) < 0.3)
    y = X[:, :5].sum(axis=1) + 0.1 * random.standard_normal(50)
    y = np.sign(y) if loss == "logistic" else y
    problem = Problem.from_arrays(storage(X), y, loss=loss)
    grid = grid_for(name, problem)
    one, two = (walk_path(problem, name, grid, threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal(one.coefs.toarray(), two.coefs.toarray())
    np.testing.assert_array_equal(one.trace["gap"], two.trace["gap"])


def test_a_long_pass_is_shared_by_two_threads_unless_it_is_said_otherwise(monkeypatch):
    problem, wanted = toys.problem("wide"), []
    monkeypatch.setattr(
        _solver, "full_pass", lambda *given: wanted.append(given[-1]) or full_pass(*given)
    )
    for long_pass in (passes._LONG_PASS, 0):
        monkeypatch.setattr(passes, "_LONG_PASS", long_pass)
        for threads in (0, 1, 2):
            wanted.clear()
            walk_path(problem, "certified", grid_for("certified", problem), threads=threads)
            by_kernel = threads == 1 or (threads == 0 and long_pass > 0)
            assert set(wanted) == (set() if by_kernel else {2})


@pytest.mark.parametrize("way", WAYS)
def test_a_path_needs_few_passes(way):
    name, options = WAYS[way]
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 3000))
    y = X[:, :5] @ np.ones(5) + 0.1 * random.standard_normal(60)
    problem = Problem.from_arrays(X, y)
    walk = Walk(problem, name, grid_for(name, problem, 100), {"tol": 1e-4, **options})
    for _ in walk.snapshots():
        pass
    assert walk.result().max_relative_gap <= 1e-4
    assert walk.chunks[-1]["dots"][-1] < 60 * problem.p


def test_options_of_the_certified_solvers_stop_at_the_gap():
    for name, _ in WAYS.values():
        assert find_solver(name).Options().rule == "gap"
        assert find_solver(name).Options.declared()["rule"].objects == ["moved", "gap"]


@pytest.mark.parametrize("seed", range(3))
def test_likely_columns_join_before_a_pass_so_that_few_are_made(seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 3, (60, 20)) / 2.0 + 0.05 * random.standard_normal((60, 20))
    products = Products.of(X, 4)
    y = products.matrix()[:, ::900].sum(axis=1) + random.standard_normal(60)
    problem = Problem.from_arrays(products, y)
    grid = problem.lam_max * np.geomspace(1.0, 0.01, 60)
    result = walk_path(problem, "certified", grid, tol=1e-2)
    assert result.max_relative_gap <= 1e-2
    rounds = np.diff(result.trace["dots"], prepend=0)
    # Twelve, were they to wait for it.
    assert (rounds >= problem.distinct[0].p).sum() <= 10

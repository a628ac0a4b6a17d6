"""Faces in single precision: what is certain of their gaps, and when they are left or not met."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse
import toys

from fwcore import Problem, Status, Walk, find_solver, warmup
from fwcore.solvers.working_set import _single_face
from fwcore.solvers.working_set._face import Face
from fwcore.solvers.working_set._single_face import SingleFace, single_face
from fwcore.solvers.working_set._triangle import AT_HAND


@pytest.fixture
def small(monkeypatch):
    """Products of few columns are in single precision, too."""
    monkeypatch.setattr(_single_face, "_LEAST", 1)


def tall(rows=600, factor=1.0, **options):
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, 200))
    X[:, 1:] += 0.9 * X[:, :-1]
    y = X @ (random.standard_normal(200) * (random.random(200) < 0.7))
    y += 3.0 * random.standard_normal(rows)
    return Problem.from_arrays(factor * X, y, **options)


def walk_of(problem, tol, name="certified", span=1e3, **options):
    grid = np.geomspace(problem.lam_max, problem.lam_max / span, 40)
    grid = np.geomspace(1.0, 5e3, 40) if name == "certified_ball" else grid
    return Walk(problem, name, grid, {"tol": tol, **options}, seed=0)


@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({}, {}),
        ({}, {"l1_ratio": 0.7}),
        ({"positive": True}, {}),
        ({"standardize": False}, {}),
        ({"positive": True}, {"l1_ratio": 0.5}),
    ],
)
@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-4])
def test_gaps_hold_whatever_single_precision_rounds(small, given, options, tol):
    problem = tall(**given)
    walk, surveyed = walk_of(problem, tol, **options), 0
    for snapshot in toys.each(walk, 1):
        it, engine = walk._state.arrays.it[0], walk._state.arrays.engine
        asked = snapshot.indices, snapshot.coefficients, walk.solver.form, snapshot.value
        judged = problem.judge(*asked, ridge=walk.solver.ridge(walk._state))
        rounding = 1e-10 * problem.f0
        assert snapshot.rows["gap"][0] >= judged.true_gap - rounding
        if isinstance(engine, SingleFace) and it["stale"]:
            surveyed += 1
            off = abs(snapshot.rows["objective"][0] - judged.objective)
            assert off <= it["lost"] + rounding <= 1e-2 * it["target"]
    assert surveyed >= 5
    assert walk.result().status == Status.SMALL_GAP
    assert walk.result().max_relative_gap <= tol


def test_the_model_has_the_slopes_of_the_loss_where_a_solve_ended(small):
    problem = tall(standardize=False)
    walk = walk_of(problem, 1e-3)
    toys.follow(walk)
    run, engine = walk._state.arrays, walk._state.arrays.engine
    n, columns = int(engine.face["active"][0]), run.columns[: run.size]
    X, coef, b = problem.design.matrix()[:, columns], engine.coef[: run.size], engine.dots
    slopes = X.T @ (X @ coef - problem.y)
    scale, on = 1e-6 * problem.lam_max, engine.order[:n]
    outside = np.setdiff1d(np.arange(run.size), on)
    assert n > 100
    np.testing.assert_allclose(engine.gradient[: run.size], slopes, atol=scale)
    model = engine.gram[: run.size, : run.size] @ coef - b[: run.size]
    np.testing.assert_allclose(model[outside], slopes[outside], atol=scale)
    L = np.tril(engine.factor[:n, :n]).astype(np.float64)
    np.testing.assert_allclose(L @ (L.T @ coef[on]) - b[on], slopes[on], atol=scale)
    np.testing.assert_allclose(L @ engine.halfway[0, :n], b[on], atol=1e-9 * problem.lam_max)


def test_what_the_copy_lacks_is_known_at_an_anchor(small):
    problem = tall()
    walk, anchors = walk_of(problem, 1e-4, span=1e4), set()
    for _ in toys.each(walk, 1):
        run, engine = walk._state.arrays, walk._state.arrays.engine
        if not isinstance(engine, SingleFace):
            continue
        anchor = engine.anchor[: run.size]
        X = problem.design.matrix()[:, run.columns[: run.size]]
        lacks = X @ anchor - engine.copy[: run.size].T.astype(np.float64) @ anchor
        np.testing.assert_allclose(engine.rounding, lacks, atol=1e-12 * np.sqrt(problem.f0))
        anchors.add(float(np.abs(anchor).sum()))
    assert len(anchors) >= 2


def test_an_engine_that_is_too_rough_is_left_for_another(small, monkeypatch):
    monkeypatch.setattr(_single_face, "_FINEST", 0.0)
    walk, engines = walk_of(tall(), 1e-11), []
    for _ in toys.each(walk, 1):
        engines.append(type(walk._state.arrays.engine))
    assert SingleFace in engines
    assert engines[-1] is Face
    assert walk._state.fine
    changes = [a is b for a, b in pairwise(engines)].count(False)
    assert changes == 2
    result = walk.result()
    assert result.status == Status.SMALL_GAP
    assert result.max_relative_gap <= 1e-11


@pytest.mark.parametrize(
    ("problem", "tol", "name"),
    [
        (lambda: tall(rows=400), 1e-3, "certified"),
        (lambda: tall(), 0.9e-4, "certified"),
        (lambda: tall(), 1e-3, "certified_ball"),
        (lambda: tall(factor=1e9, standardize=False), 1e-3, "certified"),
        (lambda: tall(factor=1e-12, standardize=False), 1e-3, "certified"),
    ],
)
def test_where_double_precision_is_wanted(small, problem, tol, name):
    walk = walk_of(problem(), tol, name)
    assert_in_double_precision(walk)


def assert_in_double_precision(walk):
    for _ in toys.each(walk, 1):
        assert type(walk._state.arrays.engine) is Face
    assert not walk._state.fine
    assert walk._state.arrays.size == 200


def test_where_coefficients_are_to_settle_no_gap_is_foreseen(small):
    assert_in_double_precision(walk_of(tall(), 1e-3, rule="moved"))


def test_columns_of_zeros_and_columns_with_zeros(small):
    X = np.zeros((600, 4))
    X[:, 0] = np.arange(600.0)
    assert single_face(Problem.from_arrays(X, X[:, 0]), 1e-3) is not None
    assert single_face(tall(), 1e-3) is not None
    sparse = scipy.sparse.random_array((600, 200), density=0.5, rng=np.random.default_rng(0))
    assert single_face(Problem.from_arrays(sparse.tocsc(), np.arange(600.0)), 1e-3) is None


def test_small_designs_do_without():
    assert_in_double_precision(walk_of(tall(), 1e-3))


@pytest.mark.parametrize("name", ["certified", "active_set"])
def test_threads_and_chunks_change_no_bit(small, name):
    paths = []
    for threads, chunk in ((1, 1), (2, 1), (1, 1000), (1, None)):
        walk = walk_of(tall(), 1e-3, name, threads=threads)
        toys.follow(walk, chunk)
        assert type(walk._state.arrays.engine) is SingleFace
        paths.append((walk.result(), int(walk._state.arrays.it["cost"][0])))
    (first, cost), *others = paths
    for path, spent in others:
        assert spent == cost
        assert (path.coefs != first.coefs).nnz == 0
        np.testing.assert_array_equal(path.trace["gap"], first.trace["gap"])


def test_all_columns_stay_on_it(small):
    walk, sizes = walk_of(tall(), 1e-3), []
    for _ in toys.each(walk, 1):
        if type(walk._state.arrays.engine) is SingleFace:
            sizes.append(walk._state.arrays.size)
    assert len(sizes) > 10
    assert set(sizes) == {200}


def test_faces_of_more_columns_than_stay_at_hand(small):
    random = np.random.default_rng(0)
    X = random.standard_normal((900, 700))
    X[:, 1:] += 0.8 * X[:, :-1]
    y = X @ random.standard_normal(700) + random.standard_normal(900)
    problem = Problem.from_arrays(X, y)
    walk = walk_of(problem, 1e-3)
    toys.follow(walk)
    assert type(walk._state.arrays.engine) is SingleFace
    assert walk._state.arrays.engine.face["active"][0] > AT_HAND
    result = walk.result()
    assert result.status == Status.SMALL_GAP
    assert result.max_relative_gap <= 1e-3


def test_a_larger_room_has_the_same_in_it(small):
    walk = walk_of(tall(), 1e-3)
    toys.follow(walk)
    old = walk._state.arrays.engine
    new = old.grown(230)
    assert new.capacity == 230
    for before, after in zip(old, new, strict=True):
        np.testing.assert_array_equal(after[tuple(map(slice, before.shape))], before)


def test_kernels_for_large_designs_are_compiled_where_one_is_met(monkeypatch):
    solver, rehearsed = find_solver("certified"), []
    monkeypatch.setattr(warmup, "_ready", set())
    monkeypatch.setattr(warmup, "_walk", lambda *_: None)
    monkeypatch.setattr(type(solver), "rehearse", lambda *given: rehearsed.append(given[-1]))
    designs = [Problem.from_arrays(np.eye(520, p), np.arange(520.0)).design for p in (30, 1024)]
    loose, strict = (solver.Options(tol=tol) for tol in (1e-3, 1e-6))
    warmup.ready(solver, designs[0], loose)
    warmup.ready(solver, designs[1], strict)
    assert warmup.is_ready(solver, designs[1], strict)
    assert not warmup.is_ready(solver, designs[1], loose)
    assert rehearsed == [False]
    for _ in range(2):
        warmup.ready(solver, designs[1], loose)
    assert rehearsed == [False, True]
    assert warmup.is_ready(solver, designs[1], loose)

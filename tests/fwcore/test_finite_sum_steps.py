"""Frank-Wolfe on sampled rows: step rules, away steps, momentum, warm starts."""

from itertools import product

import numpy as np
import pytest
import toys
from finite_sums import LOSSES, NAMES, batches, derivative, gradient, small

from fwcore import Problem, Status, Walk, walk_path
from fwcore.kernels.tournament_tree import argmax_abs


@pytest.mark.parametrize("storage", toys.STORAGES)
def test_momentum_fades_and_no_weight_underflows(storage):
    """Its weight falls to 2^-333 and starts from about 1 again; r and r'a stay what they were, of
    columns of any age.
    """
    random = np.random.default_rng(0)
    X = random.standard_normal((100, 300)) * (random.random((100, 300)) < 0.01)
    # A full row among the short ones.
    X[7] = 0.1 * random.standard_normal(300)
    y = random.standard_normal(100)
    problem = Problem.from_arrays(toys.store(X, storage), y, standardize=False)
    walk = Walk(
        problem,
        "sfw_mokhtari",
        [2.0],
        {"batch": "1", "rule": "moved", "tol": 1e-14, "max_steps": 10**6},
    )
    solver, state = walk.solver, walk._state
    solver.set_point(problem, state, walk.options, 2.0, 0.0)
    weights, ages, r = [], set(), np.zeros(problem.p)
    for t in range(9000):
        indices, values = solver.coefficients(state)
        a, c = toys.dense(problem.p, indices, values), min(1.0, 4 / (t + 8) ** (2 / 3))
        solver.advance(problem, state, 1)
        i = state.order[:1]
        r = (1 - c) * r + c * 100 * X[i].T @ (X[i] @ a - y[i])
        weights.append(state.iterate["weight"][0])
        if t % 100 == 0:
            ages |= set(state.tree[len(state.tree) // 2 :, 1])
            np.testing.assert_allclose(gradient(state), r, atol=1e-8)
            assert np.abs(gradient(state)).argmax() == argmax_abs(state.tree, state.slope)
    assert (np.diff(weights) > 0).sum() == 1
    assert min(weights) >= 2.0**-333
    assert ages == {0.0, 1.0}
    indices, values = solver.coefficients(state)
    assert state.iterate["along"][0] == pytest.approx(r[indices] @ values, abs=1e-8)


@pytest.mark.parametrize(
    ("loss", "step"), toys.first(product(LOSSES[::-1], ("short", "line-search")), at_once=2)
)
def test_other_steps_with_all_rows(step, loss):
    """Of all rows the batch's line search is that of `fw`."""
    problem, _, _ = small(loss)
    result = walk_path(
        problem, "sfw_rows", [3.0], batch="100%", step=step, rule="gap", tol=1e-3, max_steps=20_000
    )
    assert result.status == Status.SMALL_GAP
    if step == "line-search":
        exact = walk_path(problem, "fw", [3.0], rule="gap", tol=1e-3, max_steps=20_000)
        # The objective of a batch is that before the step.
        both = min(len(result.trace) - 1, len(exact.trace))
        np.testing.assert_allclose(
            result.trace["objective"][1 : both + 1], exact.trace["objective"][:both], rtol=1e-8
        )


@pytest.mark.parametrize("step", ["short", "line-search"])
def test_other_steps_on_batches_stay_in_the_ball_and_descend(step):
    problem, _, _ = small("logistic", n=300)
    result = walk_path(
        problem, "sfw_rows", [3.0], batch="20%", step=step, rule="moved", tol=1e-14, max_steps=500
    )
    assert result.points["l1"][0] <= 3.0 * (1 + 1e-12)
    assert result.points["objective"][0] < 0.6 * problem.f0


@pytest.mark.parametrize("direction", ["away", "pairwise"])
@pytest.mark.parametrize(("step", "loss"), toys.diagonal(("short", "line-search"), LOSSES))
def test_away_and_pairwise_steps_with_all_rows_converge(loss, step, direction):
    problem, _, _ = small(loss)
    given = {"batch": "100%", "step": step, "rule": "gap", "tol": 1e-8, "max_steps": 3000}
    across = walk_path(problem, "sfw_rows", [1.0, 3.0], direction=direction, **given)
    assert across.status == Status.SMALL_GAP
    assert across.max_relative_gap <= 1e-8 * (1 + 1e-6)
    if loss == "squared":
        # Inside of a face, where steps toward vertices zigzag.
        assert (
            5 * across.trace.size < walk_path(problem, "sfw_rows", [1.0, 3.0], **given).trace.size
        )


def test_away_steps_with_all_rows_are_those_of_away_frank_wolfe():
    problem, _, _ = small("squared")
    exact = walk_path(problem, "away_fw", [1.0], rule="moved", tol=1e-14, max_steps=25)
    given = {
        "batch": "100%",
        "step": "line-search",
        "direction": "away",
        "rule": "moved",
        "tol": 1e-14,
        "max_steps": 25,
    }
    rows = walk_path(problem, "sfw_rows", [1.0], **given)
    np.testing.assert_allclose(rows.coefs.toarray(), exact.coefs.toarray(), atol=1e-8)


@pytest.mark.parametrize("direction", ["away", "pairwise"])
@pytest.mark.parametrize(
    ("step", "name"),
    toys.first(product(["open-loop", "short", "line-search"], ["sfw_rows", "sfw_mokhtari"]), 3),
)
def test_away_and_pairwise_steps_keep_count_of_the_iterate(name, step, direction):
    """What is carried along, step by step, is what the coefficients say."""
    problem, _, _ = small("squared", n=100)
    given = {
        "batch": "20",
        "step": step,
        "direction": direction,
        "rule": "moved",
        "tol": 1e-14,
        "max_steps": 2000,
    }
    walk = Walk(problem, name, [1.0, 3.0], given)
    for snapshot in walk.snapshots():
        assert np.abs(snapshot.coefficients).sum() <= snapshot.value * (1 + 1e-9)
    state, dense = walk._state, toys.dense(problem.p, snapshot.indices, snapshot.coefficients)
    it = state.iterate[0]
    assert it["scale"] * it["l1"] == pytest.approx(np.abs(dense).sum())
    assert it["squares"] == pytest.approx(dense @ dense)
    assert it["along"] == pytest.approx(gradient(state) @ dense, abs=1e-9)
    assert sorted(state.support[: it["nnz"]]) == np.flatnonzero(state.listed).tolist()
    assert walk.points["objective"][-1] < 0.6 * problem.f0


def test_momentum_as_negiar_et_al_write_it():
    problem, X, y = small("squared", n=20)
    given = {
        "batch": "5",
        "momentum": "negiar",
        "rule": "moved",
        "tol": 1e-14,
        "max_steps": 50,
    }
    result = walk_path(problem, "sfw_mokhtari", [2.0], **given)
    w, r, drawn = np.zeros(X.shape[1]), 0.0, batches(20, 5, 0)
    for t in range(50):
        i, c = next(drawn), 1 / (t + 1) ** (2 / 3)
        r = (1 - c) * r + c * 4 * X[i].T @ (X[i] @ w - y[i])
        j = np.abs(r).argmax()
        w = w + 2 / (t + 8) * (-2.0 * np.sign(r[j]) * (np.arange(w.size) == j) - w)
    np.testing.assert_allclose(result.coefs.toarray()[:, 0], w, atol=1e-10)


def test_a_start_from_the_gradient_is_charged():
    problem, X, y = small("logistic", n=300)
    cold, warm = (
        walk_path(
            problem, "sfw_rows", [3.0], batch="1", start=start, rule="moved", tol=1e-14, max_steps=1
        )
        for start in ("zero", "full-pass")
    )
    assert warm.trace["grads"][0] - cold.trace["grads"][0] == problem.m
    assert warm.trace["gap"][0] == pytest.approx(
        3.0 * np.abs(X.T @ derivative("logistic", np.zeros(300), y)).max()
    )


def test_the_next_point_begins_where_the_last_one_ended_with_a_step_as_long_as_the_ball_has_grown():
    problem, _, _ = small("squared", n=100)
    walk = Walk(
        problem,
        "sfw_rows",
        [2.0, 2.1],
        {"batch": "10", "rule": "moved", "tol": 1e-14, "max_steps": 1000},
    )
    ends = [(s.point, s.indices, s.coefficients) for s in toys.follow(walk, wanted=1)]
    last = next(k for k, end in enumerate(ends) if end[0] == 1) - 1
    before, after = (toys.dense(problem.p, *ends[k][1:]) for k in (last, last + 1))
    assert 0 < np.abs(before - after).max() <= (0.1 / 2.1) * 1.05 * 4.1


def test_momentum_from_the_gradient_weighs_the_first_batch_as_the_second():
    problem, X, y = small("squared", n=20)
    given = {"batch": "5", "start": "full-pass", "rule": "moved", "tol": 1e-14, "max_steps": 1}
    result = walk_path(problem, "sfw_mokhtari", [2.0], **given)
    i, c = next(batches(20, 5, 0)), 4 / 9 ** (2 / 3)
    r = (1 - c) * X.T @ -y + c * 4 * X[i].T @ -y[i]
    assert result.trace["gap"][0] == pytest.approx(2.0 * np.abs(r).max())
    assert result.trace["grads"][0] == 25


@pytest.mark.parametrize("name", NAMES)
def test_a_much_larger_ball_does_not_forget_the_last_point(name):
    problem, _, _ = small("logistic", n=200)
    walk = Walk(
        problem, name, [1.0, 50.0], {"batch": "20", "rule": "moved", "tol": 1e-14, "max_steps": 500}
    )
    ends = [toys.dense(problem.p, s.indices, s.coefficients) for s in toys.follow(walk, wanted=1)]
    kept = ends[500] @ ends[499] / (ends[499] @ ends[499])
    assert np.count_nonzero(ends[500]) >= np.count_nonzero(ends[499])
    assert abs(kept) > 0.2

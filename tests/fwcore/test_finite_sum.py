"""Frank-Wolfe on sampled rows: the algorithms as printed, their gaps, their order, and what they
refuse.
"""

from itertools import product

import numpy as np
import pytest
import scipy.sparse
import toys
from real_data import needs
from scipy.special import expit

from fwcore import ParameterError, Problem, Status, Walk, datasets, find_solver, walk_path, warmup
from fwcore.experiments import race
from fwcore.experiments.solver_spec import parse_specs
from fwcore.kernels.random import new_stream, uniform_int
from fwcore.kernels.tournament_tree import argmax_abs
from fwcore.solvers.finite_sum._gradient import gradient_at

NAMES = ("sfw_rows", "sfw_mokhtari", "sfw_lu_freund")
LOSSES = ("squared", "logistic")


def small(loss="logistic", storage="dense", n=37, p=11, density=1.0, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, p)) * (random.random((n, p)) < density)
    y = X[:, 0] - 2 * X[:, 3] + 0.3 * random.standard_normal(n)
    y = np.where(y > 0, 1.0, -1.0) if loss == "logistic" else y
    return Problem.from_arrays(toys.store(X, storage), y, loss=loss, standardize=False), X, y


def derivative(loss, u, y):
    return u - y if loss == "squared" else -y * expit(-y * u)


def batches(n, b, seed):
    """The batches that a run of this seed draws."""
    stream, order = new_stream(seed), np.arange(n)
    while True:
        for k in range(b if b < n else 0):
            other = k + uniform_int(stream, n - k)
            order[k], order[other] = order[other], order[k]
        yield order[:b].copy()


def printed(name, loss, X, y, delta, b, turns, seed):
    """The algorithms of the three papers in NumPy, for the mean of the losses."""
    n, p = X.shape
    w, alpha, sigma, drawn, q = np.zeros(p), np.zeros(n), np.zeros(n), batches(n, b, seed), n / b
    if name == "sfw_lu_freund":
        alpha = derivative(loss, sigma, y) / n
    r, gaps = X.T @ alpha, []

    def vertex(of):
        j = np.abs(of).argmax()
        s = np.zeros(p)
        s[j] = -delta if of[j] > 0 else delta
        gaps.append(of @ (w - s))
        return s

    for t in range(turns):
        i = next(drawn)
        if name == "sfw_rows":
            new = derivative(loss, X[i] @ w, y[i]) / n
            r = r + X[i].T @ (new - alpha[i])
            alpha[i] = new
            s, g = vertex(r), 2 / (t + 2)
        elif name == "sfw_mokhtari":
            c = min(1.0, 4 / (t + 8) ** (2 / 3))
            r = (1 - c) * r + c * X[i].T @ derivative(loss, X[i] @ w, y[i]) / b
            s, g = vertex(r), 2 / (t + 8)
        else:
            s = vertex(r)
            e, g = 2 * q / (2 * q + t + 1), 2 * (2 * q + t) / ((t + 1) * (4 * q + t))
            sigma[i] = (1 - e) * sigma[i] + e * (X[i] @ s)
            new = derivative(loss, sigma[i], y[i]) / n
            r = r + X[i].T @ (new - alpha[i])
            alpha[i] = new
        w = (1 - g) * w + g * s
    return w, np.array(gaps)


@pytest.mark.parametrize(("name", "loss", "storage"), toys.diagonal(NAMES, LOSSES, toys.STORAGES))
def test_is_the_printed_algorithm(name, loss, storage):
    problem, X, y = small(loss, storage, density=0.4)
    result = walk_path(
        problem, name, [3.0], seed=5, batch="4", rule="moved", tol=1e-14, max_steps=300
    )
    w, gaps = printed(name, loss, X, y, 3.0, 4, 300, 5)
    np.testing.assert_allclose(result.coefs.toarray()[:, 0], w, atol=1e-10)
    np.testing.assert_allclose(result.trace["gap"] / problem.m, gaps, atol=1e-10)
    before = problem.m if name == "sfw_lu_freund" else 0
    np.testing.assert_array_equal(result.trace["grads"], before + 4 * np.arange(1, 301))
    assert result.trace["dots"][-1] == 0


@pytest.mark.parametrize(("name", "loss"), toys.diagonal(NAMES, LOSSES))
def test_dense_rows_and_sparse_ones_of_the_same_numbers_agree_bit_for_bit(name, loss):
    X, y = (
        np.random.default_rng(1).standard_normal((30, 9)),
        np.sign(np.random.default_rng(2).standard_normal(30)),
    )
    coefs = [
        walk_path(
            Problem.from_arrays(toys.store(X, storage), y, loss=loss, standardize=False),
            name,
            [2.0],
            max_steps=200,
        )
        for storage in toys.STORAGES
    ]
    np.testing.assert_array_equal(coefs[0].coefs.toarray(), coefs[1].coefs.toarray())


@pytest.mark.parametrize(("name", "loss"), toys.diagonal(NAMES, LOSSES))
def test_dense_rows_and_short_ones_agree_but_for_rounding(name, loss):
    found = []
    for storage in toys.STORAGES:
        problem, _, _ = small(loss, storage, n=60, p=40, density=0.3)
        found.append(
            walk_path(
                problem, name, [2.0], batch="3", rule="moved", tol=1e-14, max_steps=2000
            ).coefs.toarray()
        )
    np.testing.assert_allclose(*found, atol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
def test_all_rows_are_deterministic_frank_wolfe_with_the_open_loop_step(loss):
    problem, X, y = small(loss)
    result = walk_path(
        problem, "sfw_rows", [3.0], batch="100%", rule="moved", tol=1e-14, max_steps=200
    )
    w, gaps = np.zeros(X.shape[1]), []
    for t in range(200):
        gradient = X.T @ derivative(loss, X @ w, y)
        j = np.abs(gradient).argmax()
        s = -3.0 * np.sign(gradient[j]) * (np.arange(w.size) == j)
        gaps.append(gradient @ (w - s))
        w = (1 - 2 / (t + 2)) * w + 2 / (t + 2) * s
    np.testing.assert_allclose(result.coefs.toarray()[:, 0], w, atol=1e-12)
    # The stochastic gap is the true gap, then.
    np.testing.assert_allclose(result.trace["gap"], gaps, atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_gaps_differ_by_no_more_than_the_error_of_the_gradient_allows(loss):
    """Proposition 1: abs(true gap - stochastic gap) <= D H_t, D = 2 delta the l1 diameter, H_t =
    max abs(f'(w) - r).
    """
    problem, X, y = small(loss, n=60)
    walk, delta, differ = (
        Walk(
            problem,
            "sfw_rows",
            [3.0],
            {"batch": "3", "rule": "moved", "tol": 1e-14, "max_steps": 400},
        ),
        3.0,
        0,
    )
    state = walk._state
    w = np.zeros(X.shape[1])
    steps = walk.snapshots(1)
    for _ in range(400):
        snapshot = steps.send(1) if walk.chunks else next(steps)
        gradient = X.T @ derivative(loss, X @ w, y)
        true_gap = gradient @ w + delta * np.abs(gradient).max()
        error = np.abs(gradient - state.slope).max()
        gap = snapshot.rows["gap"][0]
        assert abs(true_gap - gap) <= 2 * delta * error + 1e-9
        differ += abs(true_gap - gap) > 1e-3
        w = toys.dense(w.size, snapshot.indices, snapshot.coefficients)
    assert differ > 200


def gradient(state):
    """r, whatever its weight and ages."""
    it = state.iterate[0]
    return np.array([gradient_at(state.tree, state.slope, it, j) for j in range(state.slope.size)])


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


@pytest.mark.parametrize("storage", toys.STORAGES)
def test_the_gradient_does_not_drift(storage):
    """r is X'alpha recomputed to 1e-9 after a million steps, and what is kept of it follows."""
    problem, X, _ = small("logistic", storage, n=200, p=50, density=0.2)
    walk = Walk(
        problem,
        "sfw_rows",
        [3.0],
        {"batch": "1", "rule": "moved", "tol": 1e-14, "max_steps": 10**6},
    )
    solver, state = walk.solver, walk._state
    solver.set_point(problem, state, walk.options, 3.0, 0.0)
    for _ in range(100):
        assert len(solver.advance(problem, state, 10_000)) == 10_000
    r = X.T @ state.table
    np.testing.assert_allclose(state.slope, r, atol=1e-9)
    indices, values = solver.coefficients(state)
    assert state.iterate["along"][0] == pytest.approx(r[indices] @ values, abs=1e-9)
    assert state.tree[1, 0] == np.abs(state.slope).max()


@pytest.mark.parametrize("kind", toys.KINDS)
@pytest.mark.parametrize(("name", "loss", "storage"), toys.diagonal(NAMES, LOSSES, toys.STORAGES))
def test_comes_near_the_optimum(name, loss, kind, storage):
    X, y = toys.arrays(kind)
    y = np.where(y > np.median(y), 1.0, -1.0) if loss == "logistic" else y
    problem = Problem.from_arrays(toys.store(X, storage), y, loss=loss)
    # The gap of momentum falls like t^(-1/3) only.
    within = {"sfw_rows": 0.02, "sfw_lu_freund": 0.1, "sfw_mokhtari": 0.2}[name]
    result = walk_path(
        problem, name, [0.5, 2.0], batch="20%", rule="moved", tol=1e-14, max_steps=5_000
    )
    assert (result.points["true_gap"] <= within * problem.f0).all()
    for point in result.points:
        least = race.certified_minimum(problem, "ball", point["value"])
        assert -1e-8 * problem.f0 <= point["objective"] - least <= point["true_gap"] + 1e-12
        assert point["l1"] <= point["value"] * (1 + 1e-12)


def test_a_stochastic_gap_is_confirmed_before_it_ends_a_point():
    problem, _, _ = small("squared", n=400)
    given = {"batch": "1", "tol": 0.05, "max_steps": 50_000}
    sure = walk_path(problem, "sfw_rows", [1.0, 3.0], **given)
    assert sure.status == Status.SMALL_GAP
    assert sure.max_relative_gap <= 0.05 * (1 + 1e-9)
    # A first batch of one knows nothing of the others.
    hasty = walk_path(problem, "sfw_rows", [1.0, 3.0], confirm=False, **given)
    assert hasty.max_relative_gap > 0.05
    # Each look at the true gap is charged as the pass that it is.
    steps, grads = sure.trace["step"][-1], sure.trace["grads"][-1]
    assert (grads - steps) % problem.m == 0
    assert grads >= steps + 2 * problem.m
    # No two looks within a pass of batches.
    looks = np.flatnonzero(np.diff(sure.trace["grads"], prepend=0) > 1)
    for point in (0, 1):
        assert (np.diff(looks[sure.trace["point"][looks] == point]) >= problem.m).all()


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


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_zeros_and_a_single_sample(name):
    _, X, y = small("squared", n=30)
    X = X.copy()
    X[5] = 0.0
    for storage in toys.STORAGES:
        zero = Problem.from_arrays(toys.store(X, storage), y, standardize=False)
        result = walk_path(zero, name, [2.0], batch="2", rule="moved", tol=1e-14, max_steps=3000)
        assert result.points["true_gap"][0] <= 0.2 * zero.f0
    one = Problem.from_arrays(X[:1], y[:1], standardize=False)
    assert walk_path(one, name, [0.1], batch="1", max_steps=50).points["l1"][0] <= 0.1 * (1 + 1e-12)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({"batch": "38"}, "batch"),
        ({"batch": "0"}, "batch"),
        ({"batch": "0%"}, "batch"),
        ({"batch": "top:0.9,0.1"}, "batch"),
        ({"batch": "some"}, "batch"),
        ({"step": "long"}, "step"),
        ({"start": "warm"}, "start"),
        ({"grid": [0.0]}, "delta grid"),
        ({"grid": [-1.0]}, "delta grid"),
    ],
)
def test_bad_input_is_told_before_anything_runs(given, name):
    problem, _, _ = small()
    options = dict(given)
    with pytest.raises(ParameterError, match=f"The '{name}' parameter"):
        Walk(problem, "sfw_rows", options.pop("grid", [1.0]), options)


@pytest.mark.parametrize(
    "given",
    [{"step": "short"}, {"step": "line-search"}, {"direction": "away"}, {"direction": "pairwise"}],
)
def test_a_substitute_gradient_goes_with_the_steps_of_its_paper_only(given):
    problem, _, _ = small()
    with pytest.raises(ParameterError, match=f"'{next(iter(given))}' parameter"):
        Walk(problem, "sfw_lu_freund", [1.0], given)


def test_momentum_from_the_gradient_weighs_the_first_batch_as_the_second():
    problem, X, y = small("squared", n=20)
    given = {"batch": "5", "start": "full-pass", "rule": "moved", "tol": 1e-14, "max_steps": 1}
    result = walk_path(problem, "sfw_mokhtari", [2.0], **given)
    i, c = next(batches(20, 5, 0)), 4 / 9 ** (2 / 3)
    r = (1 - c) * X.T @ -y + c * 4 * X[i].T @ -y[i]
    assert result.trace["gap"][0] == pytest.approx(2.0 * np.abs(r).max())
    assert result.trace["grads"][0] == 25


def test_what_has_seen_nothing_has_no_gap():
    problem, _, _ = small("squared", n=50)
    result = walk_path(
        problem, "sfw_lu_freund", [2.0], batch="1", start="zero", confirm=False, max_steps=5
    )
    assert np.isnan(result.trace["gap"][0])
    assert len(result.trace) > 1


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


FIGURE_1 = [
    pytest.param("breast-cancer-original", "logistic", 5.0, 200, None),
    pytest.param(
        "california-ratios",
        "squared",
        0.1,
        200,
        1e5,
        marks=(needs("california-ratios"), pytest.mark.slow),
    ),
    pytest.param(
        "rcv1-sample",
        "logistic",
        100.0,
        40,
        None,
        marks=(needs("rcv1-sample"), pytest.mark.slow),
    ),
]


@pytest.mark.parametrize(("name", "loss", "delta", "passes", "unit"), FIGURE_1)
def test_figure_1_of_negiar_et_al(name, loss, delta, passes, unit):
    """Batches of n / 100, 20 seeds: what keeps derivatives of samples is below both others in the
    median, at as many of them.
    """
    read = datasets.read(name)
    problem = Problem.from_arrays(read.X, read.y / (unit or 1.0), loss=loss, standardize=False)
    least, ends = race.certified_minimum(problem, "ball", delta), {}
    for solver in NAMES:
        budget = passes * problem.m
        # To the end of the budget, or to just before, where a look is a little late.
        curves = [
            race.race(problem, parse_specs(solver), delta, grads=budget, seed=seed)[0]
            for seed in range(20)
        ]
        reached = [
            (curve.at(budget, "grads") - least) / (curve.objective[0] - least) for curve in curves
        ]
        assert min(reached) >= -1e-6
        ends[solver] = np.median(reached)
        # Faster than the theory of momentum, t^(-1/3), or about as fast, all of them.
        assert np.median([curve.slope(least) for curve in curves]) < -0.2
    assert ends["sfw_rows"] < min(ends["sfw_mokhtari"], ends["sfw_lu_freund"])


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("breast-cancer-original", 0.9297),
        pytest.param("california-ratios", 0.0399, marks=needs("california-ratios")),
    ],
)
def test_kappa_of_table_2(name, share):
    """0.929 and 0.040: of features in [-1, 1] as LIBSVM scales them, and as they are in
    scikit-learn.
    """
    assert datasets.kappa_share(datasets.read(name).X) == pytest.approx(share, abs=1e-4)


def test_kappa_of_what_is_walked_is_told_with_a_run():
    problem, X, _ = small(storage="csc", density=0.4)
    assert walk_path(problem, "sfw_rows", [1.0], max_steps=1).notes["kappa_share"] == pytest.approx(
        datasets.kappa_share(X)
    )
    standard = Problem.from_arrays(scipy.sparse.csc_array(X), X[:, 0])
    dense = standard.design.matrix()
    assert walk_path(standard, "sfw_rows", [1.0], max_steps=1).notes[
        "kappa_share"
    ] == pytest.approx(datasets.kappa_share(dense))


def test_kappa_of_what_is_known():
    assert datasets.kappa_share(np.array([[1.0, -2.0], [0.0, 2.0]])) == 1.0
    assert datasets.kappa_share(scipy.sparse.csc_array(np.eye(4))) == 0.25
    assert np.isnan(datasets.kappa_share(np.zeros((3, 2))))


def test_a_short_row_changes_the_slopes_of_its_columns_only():
    """Of a million columns; what a step touches besides is measured by the benchmark."""
    random, p = np.random.default_rng(0), 10**6
    X = scipy.sparse.random_array((50, p), density=20 / p, format="csc", rng=random)
    y = np.where(random.random(50) < 0.5, 1.0, -1.0)
    problem = Problem.from_arrays(X, y, loss="logistic", standardize=False)
    walk = Walk(
        problem,
        "sfw_rows",
        [5.0],
        {"batch": "1", "rule": "moved", "tol": 1e-14, "max_steps": 10**6},
    )
    state = walk._state
    walk.solver.set_point(problem, state, walk.options, 5.0, 0.0)
    for _ in range(20):
        before = state.slope.copy()
        rows = walk.solver.advance(problem, state, 1)
        changed = np.flatnonzero(state.slope != before)
        own = X[[int(state.order[0])]].tocoo().coords[1]
        assert set(changed) <= set(own)
        assert rows["entries"][0] == state.counters["entries"][0]
    assert state.counters["entries"][0] < 20 * 100


def test_the_first_steps_are_not_charged_with_a_compiler(monkeypatch):
    """Rows of a sparse design that is not centred are warmed up as they are."""
    made = []
    monkeypatch.setattr(warmup, "_ready", set())
    toy = warmup._toy
    monkeypatch.setattr(
        warmup, "_toy", lambda design, loss: made.append(toy(design, loss)) or made[-1]
    )
    for standardize in (True, False):
        X, y = toys.arrays("sparse")
        problem = Problem.from_arrays(scipy.sparse.csc_array(X), y, standardize=standardize)
        warmup.ready(find_solver("sfw_rows"), problem.design)
        assert type(made[-1].rows) is type(problem.rows)
    assert len(made) == 2

"""Frank-Wolfe on sampled rows: the algorithms as printed, their gaps, their order, and what they
refuse.
"""

import numpy as np
import pytest
import scipy.sparse
import toys
from finite_sums import LOSSES, NAMES, batches, derivative, small

from fwcore import ParameterError, Problem, Status, Walk, find_solver, walk_path, warmup
from fwcore.experiments import race


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

    # Algorithm 1 of Négiar et al. counts t = 1, 2, ...; the other papers count from 0.
    for t in range(turns):
        i = next(drawn)
        if name == "sfw_rows":
            new = derivative(loss, X[i] @ w, y[i]) / n
            r = r + X[i].T @ (new - alpha[i])
            alpha[i] = new
            s, g = vertex(r), 2 / (t + 1 + 2)
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
    for t in range(1, 201):
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


def test_what_has_seen_nothing_has_no_gap():
    problem, _, _ = small("squared", n=50)
    result = walk_path(
        problem, "sfw_lu_freund", [2.0], batch="1", start="zero", confirm=False, max_steps=5
    )
    assert np.isnan(result.trace["gap"][0])
    assert len(result.trace) > 1


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

"""The papers' competitors: right against independent references, for both losses, and charged as
told.
"""

import numpy as np
import pytest
import scipy.sparse
import toys
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression

from fwcore import ParameterError, Problem, Walk, design, find_solver, grids, walk_path
from fwcore.kernels.projection import project_l1

VARIANTS = [("scd", {}), ("scd", {"update": "exact"}), ("detcd", {}), ("fista", {}), ("apg", {})]
SLEP = [(name, {"steps": "slep"}) for name in ("fista", "apg")]


def labels(kind, seed=0):
    X, y = toys.arrays(kind, seed)
    return X, np.where(y > np.median(y), 1.0, -1.0)


def logistic(kind, storage="dense", **options):
    X, y = labels(kind)
    return Problem.from_arrays(toys.store(X, storage), y, loss="logistic", **options)


def unit(X):
    return X / np.linalg.norm(X, axis=0)


def grid_for(name, problem, points=4, delta=10.0):
    return (
        grids.delta_grid(delta, points)
        if find_solver(name).form == "ball"
        else grids.lam_grid(problem, points)
    )


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("kind", toys.KINDS)
@pytest.mark.parametrize(("name", "options"), [*VARIANTS, *SLEP])
def test_squared_loss_reaches_the_certified_optimum(name, options, kind, storage):
    problem = toys.problem(kind, storage)
    grid = grid_for(name, problem, delta=4.0)
    result = walk_path(problem, name, grid, rule="gap", tol=1e-7, **options)
    ball = find_solver(name).form == "ball"
    exact = walk_path(
        problem, "corrective_fw" if ball else "active_set", grid, rule="gap", tol=1e-11
    )
    penalty = 0.0 if ball else grid
    ours = result.points["objective"] + penalty * result.points["l1"]
    best = exact.points["objective"] + penalty * exact.points["l1"]
    assert result.max_relative_gap <= 1e-7 * (1 + 1e-6)
    np.testing.assert_allclose(ours, best, rtol=0, atol=1.1e-7 * problem.f0)


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("kind", toys.KINDS)
@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_logistic_loss_reaches_the_optimum_of_liblinear(name, options, kind, storage):
    problem, (X, y) = logistic(kind, storage), labels(kind)
    lam = problem.lam_max / 5
    model = LogisticRegression(
        l1_ratio=1.0,
        solver="liblinear",
        C=1 / lam,
        fit_intercept=False,
        tol=1e-12,
        max_iter=200_000,
        random_state=0,
    )
    best = model.fit(unit(X), y).coef_[0]
    norm = np.abs(best).sum()
    ball = find_solver(name).form == "ball"
    result = walk_path(
        problem, name, [norm] if ball else [lam], rule="gap", tol=1e-8, max_steps=10**6, **options
    )
    value = np.logaddexp(0, -y * (unit(X) @ best)).sum()
    ours = result.points["objective"][-1] + (
        0.0 if ball else lam * (result.points["l1"][-1] - norm)
    )
    assert ours == pytest.approx(value, rel=1e-6)
    assert result.points["true_gap"][-1] <= 1e-8 * problem.f0 * (1 + 1e-6)


FRANK_WOLFE = [
    ("fw", {}),
    ("sfw", {"sampling": "60%"}),
    ("sfw", {"sampling": "60%", "draw": "blocks", "block": 3}),
    ("sfw", {"draw": "with-replacement", "sampling": "60%"}),
]


@pytest.mark.parametrize("kind", toys.KINDS)
@pytest.mark.parametrize(("case", "storage"), toys.diagonal(FRANK_WOLFE, toys.STORAGES))
def test_frank_wolfe_reaches_the_logistic_optimum(case, storage, kind):
    name, options = case
    problem = logistic(kind, storage)
    radii = np.array([2.0, 6.0])
    best = walk_path(problem, "apg", radii, rule="gap", tol=1e-8, max_steps=10**6).points[
        "objective"
    ]
    result = walk_path(problem, name, radii, rule="gap", tol=2e-3, max_steps=10**6, **options)
    assert (result.points["objective"] - best).max() <= (
        2e-3 if name == "fw" else 5e-2
    ) * problem.f0
    assert (result.points["l1"] <= radii * (1 + 1e-12)).all()
    np.testing.assert_allclose(
        result.trace["objective"][-1], result.points["objective"][-1], rtol=1e-10
    )
    if name == "fw":
        # The gap is that over all columns, and exact line search never ascends.
        assert result.max_relative_gap <= 2e-3 * (1 + 1e-9)
        within = np.diff(result.trace["point"]) == 0
        assert (np.diff(result.trace["objective"])[within] <= 1e-12 * problem.f0).all()


def test_the_step_of_logistic_frank_wolfe_minimises_along_its_segment():
    X, y = labels("easy")
    problem, Z = logistic("easy"), unit(X)
    trace = walk_path(problem, "fw", [4.0], rule="gap", tol=1e-12, max_steps=12)
    a = np.zeros(problem.p)
    for k in range(12):
        r = y / (1 + np.exp(y * (Z @ a)))
        slopes = -Z.T @ r
        j = int(np.abs(slopes).argmax())
        vertex = np.zeros(problem.p)
        vertex[j] = -4.0 * np.sign(slopes[j])
        found = minimize_scalar(
            lambda g, a=a, s=vertex: np.logaddexp(0, -y * (Z @ (a + g * (s - a)))).sum(),
            bounds=(0, 1),
            method="bounded",
            options={"xatol": 1e-12},
        )
        a = a + found.x * (vertex - a)
        assert trace.trace["objective"][k] == pytest.approx(found.fun, rel=1e-7)
    np.testing.assert_allclose(trace.coefs[:, [0]].toarray().ravel(), a, atol=1e-3)


@pytest.mark.parametrize("form", ["penalty", "ball"])
def test_the_judge_of_the_logistic_loss_bounds_the_suboptimality(form):
    problem, random = logistic("wide"), np.random.default_rng(0)
    value = problem.lam_max / 5 if form == "penalty" else 8.0
    name = "fista" if form == "penalty" else "apg"
    best = walk_path(problem, name, [value], rule="gap", tol=1e-10, max_steps=10**6).points[-1]
    optimum = best["objective"] + (value * best["l1"] if form == "penalty" else 0.0)
    for _ in range(50):
        indices = np.sort(random.choice(problem.p, 6, replace=False))
        a = random.standard_normal(6)
        a *= min(1.0, value / np.abs(a).sum()) if form == "ball" else random.uniform(0, 5)
        verdict = problem.judge(indices, a, form, value)
        objective = verdict.objective + (value * verdict.l1 if form == "penalty" else 0.0)
        assert verdict.true_gap >= objective - optimum - 1e-9
    assert best["true_gap"] >= -1e-9


def test_lam_max_of_the_logistic_loss_is_where_the_first_column_enters():
    problem = logistic("wide")
    assert problem.f0 == pytest.approx(problem.m * np.log(2))
    at, below = (
        walk_path(problem, "detcd", [problem.lam_max * c], rule="gap", tol=1e-9)
        for c in (1.0, 0.98)
    )
    assert at.points["nnz"][-1] == 0
    assert below.points["nnz"][-1] > 0


def test_the_error_of_the_logistic_loss_is_the_share_on_the_wrong_side():
    X, y = labels("easy")
    problem = Problem.from_arrays(X[:40], y[:40], loss="logistic", test=(X[40:], y[40:]))
    result = walk_path(problem, "fista", grids.lam_grid(problem, 5), rule="gap", tol=1e-6)
    a = result.coefs[:, [4]].toarray().ravel() / np.linalg.norm(X[:40], axis=0)
    assert result.points["test_error"][-1] == np.mean(np.sign(X[40:] @ a) != y[40:])
    assert result.points["train_error"][-1] == np.mean(np.sign(X[:40] @ a) != y[:40])


@pytest.mark.parametrize("y", [[0.0, 1.0, 1.0], [1.0, 2.0, 1.0], [-1.0, 1.0, 0.5]])
def test_labels_are_minus_one_or_plus_one(y):
    with pytest.raises(ParameterError, match=r"'y' parameter of Problem must be -1 or \+1"):
        Problem.from_arrays(np.eye(3), y, loss="logistic")


def test_a_centred_design_is_refused_for_the_logistic_loss():
    X, y = labels("wide")
    centred = design.standardized(design.from_matrix(X))
    with pytest.raises(ParameterError, match="without offsets"):
        Problem.from_arrays(centred, y, loss="logistic", standardize=False)


def test_the_hash_of_a_problem_tells_its_loss():
    X, y = labels("wide")
    squared, other = (
        Problem.from_arrays(X, y, loss=loss, standardize=False) for loss in ("squared", "logistic")
    )
    assert squared.content_hash != other.content_hash


def test_few_updates_a_step_do_not_end_a_point_early():
    problem = toys.problem("wide")
    lam = [problem.lam_max / 20]
    whole, few = (
        walk_path(problem, "scd", lam, tol=1e-4, max_steps=10**6, updates=n) for n in (0, 3)
    )
    assert few.max_relative_gap <= 3 * whole.max_relative_gap


@pytest.mark.parametrize("name", ["away_fw", "pairwise_fw", "cd", "corrective_fw", "active_set"])
def test_a_loss_that_a_solver_lacks_is_refused_by_name(name):
    with pytest.raises(
        ParameterError, match=rf"'loss' parameter of {type(find_solver(name)).__name__}"
    ):
        Walk(logistic("wide"), name, [1.0])


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize(("name", "options"), VARIANTS[:3])
def test_the_objective_of_coordinate_descent_never_rises(name, options, loss):
    problem = logistic("correlated") if loss == "logistic" else toys.problem("correlated")
    lam = problem.lam_max / 20
    trace = walk_path(problem, name, [lam], rule="gap", tol=1e-6, max_steps=3000, **options).trace
    # The sum of both parts of the weights is what these methods penalise.
    objective = trace["objective"] + lam * trace["l1"]
    assert (np.diff(objective) <= 1e-10 * problem.f0).all()


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize(("name", "options"), VARIANTS)
def test_what_a_trace_tells_is_what_the_judge_finds(name, options, loss):
    problem = logistic("sparse", "csc") if loss == "logistic" else toys.problem("sparse", "csc")
    result = walk_path(problem, name, grid_for(name, problem), rule="gap", tol=1e-5, **options)
    ends = np.flatnonzero(np.diff(np.append(result.trace["point"], -1)))
    np.testing.assert_allclose(
        result.trace["objective"][ends], result.points["objective"], rtol=1e-9
    )
    np.testing.assert_array_equal(result.trace["nnz"][ends], result.points["nnz"])
    np.testing.assert_allclose(
        result.trace["gap"][ends], result.trace["true_gap"][ends], rtol=0.5, atol=1e-6 * problem.f0
    )


def reference_steps(Z, y, lam, steps, curvature, bound=None):
    """Greedy coordinate descent by plain NumPy, on the 2p weights."""
    p = Z.shape[1]
    w = np.zeros(2 * p)
    signed = np.hstack([Z, -Z])
    for _ in range(steps):
        u = signed @ w
        r = y - u if curvature == 1.0 else y / (1 + np.exp(y * u))
        g = lam - signed.T @ r
        beta = curvature * (signed**2).sum(axis=0) if bound is None else bound
        eta = np.maximum(-w, -g / beta)
        w[np.argmax(-(g * eta + 0.5 * beta * eta**2))] += eta[
            np.argmax(-(g * eta + 0.5 * beta * eta**2))
        ]
    return w[:p] - w[p:]


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_greedy_steps_are_those_of_the_formula(loss):
    X, y = labels("easy") if loss == "logistic" else toys.arrays("easy")
    Z, t = (unit(X), y) if loss == "logistic" else toys.standardized(X, y)
    problem = Problem.from_arrays(X, y, loss=loss)
    lam = problem.lam_max / 10
    result = walk_path(problem, "detcd", [lam], rule="gap", tol=1e-14, max_steps=25)
    wanted = reference_steps(Z, t, lam, 25, 0.25 if loss == "logistic" else 1.0)
    np.testing.assert_allclose(result.coefs[:, [0]].toarray().ravel(), wanted, atol=1e-10)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("storage", toys.STORAGES)
def test_the_printed_bound_is_one_number_for_all_columns(storage, loss):
    """m times the curvature, where features are in [-1, 1]: 1 or 1/4 of the mean of the losses."""
    X, y = labels("sparse") if loss == "logistic" else toys.arrays("sparse")
    X = X / abs(X).max()
    problem = Problem.from_arrays(toys.store(X, storage), y, loss=loss, standardize=False)
    lam = problem.lam_max / 10
    beta = len(y) * (0.25 if loss == "logistic" else 1.0)
    stored = {"rule": "gap", "tol": 1e-14, "max_steps": 25, "bound": "printed"}
    result = walk_path(problem, "detcd", [lam], **stored)
    wanted = reference_steps(X, y, lam, 25, 0.25 if loss == "logistic" else 1.0, beta)
    np.testing.assert_allclose(result.coefs[:, [0]].toarray().ravel(), wanted, atol=1e-10)
    slow = walk_path(problem, "scd", [lam], bound="printed", tol=1e-14, max_steps=20)
    fast = walk_path(problem, "scd", [lam], tol=1e-14, max_steps=20)
    assert fast.points["true_gap"][0] < slow.points["true_gap"][0] < problem.f0
    with pytest.raises(ParameterError, match="'bound'"):
        walk_path(problem, "scd", [lam], bound="printed", update="exact")


@pytest.mark.parametrize("storage", toys.STORAGES)
def test_cost_is_counted_as_told(storage):
    problem = toys.problem("wide", storage)
    p, lam = problem.p, [problem.lam_max / 5]
    scd = walk_path(problem, "scd", lam, tol=1e-14, max_steps=4, updates=17).trace
    np.testing.assert_array_equal(scd["dots"], p + 17 * np.arange(1, 5))
    detcd = walk_path(problem, "detcd", lam, rule="gap", tol=1e-14, max_steps=4).trace
    np.testing.assert_array_equal(detcd["dots"], p + p * np.arange(1, 5))
    np.testing.assert_array_equal(detcd["entries"], problem.entries * (1 + np.arange(1, 5)))
    fista = walk_path(problem, "fista", lam, tol=1e-14, max_steps=4).trace
    # A gradient, and at least one product X a by the non-zero coefficients it leaves.
    assert (np.diff(fista["dots"], prepend=p) >= p + fista["nnz"]).all()


def test_the_weights_of_scd_stay_non_negative_and_columns_of_zeros_at_zero():
    X, y = toys.arrays("wide")
    X[:, 4] = 0.0
    problem = Problem.from_arrays(X, y)
    walk = Walk(problem, "scd", [problem.lam_max / 10], {"rule": "gap", "tol": 1e-6})
    toys.follow(walk)
    weights = walk._state.weights
    assert weights.min() >= 0.0
    assert weights[:, 4].sum() == 0.0


@pytest.mark.parametrize("name", ["scd", "detcd", "fista", "apg"])
def test_columns_of_wild_scales_and_duplicates(name):
    X, y = toys.arrays("easy")
    X = np.hstack([X, X[:, :3], np.zeros((len(X), 1))]) * 10.0 ** np.linspace(-9, 9, 16)
    problem = Problem.from_arrays(scipy.sparse.csc_array(X), y)
    result = walk_path(
        problem, name, grid_for(name, problem, delta=3.0), rule="gap", tol=1e-6, max_steps=10**6
    )
    assert result.max_relative_gap <= 1e-6 * (1 + 1e-6)


def by_sleps_rules(problem, form, grid, tol):
    """The listing of LeastR and LeastC in SLEP's manual, in NumPy: steps and non-zeros a point."""
    X, y = problem.design.matrix(), problem.y
    x, before, found = np.zeros(problem.p), np.zeros(problem.p), []
    for value in grid:
        L, t_before, t, size, steps = 1.0, 0.0, 1.0, np.abs(x).sum(), 0
        if size >= 1e-6:
            u = X @ x
            best = (u @ y - (0 if form == "ball" else value * size)) / (u @ u)
            x = x * (min(best, value / size) if form == "ball" else best)
        before, moved = x, np.inf
        while moved > tol:
            s = x + (t_before - 1) / t * (x - before)
            slopes = X.T @ (y - X @ s)
            while True:
                new = np.empty_like(s)
                if form == "ball":
                    project_l1(s + slopes / L, value, new)
                else:
                    new = s + slopes / L
                    new = np.sign(new) * np.maximum(np.abs(new) - value / L, 0.0)
                along, square = np.sum((X @ (new - s)) ** 2), np.sum((new - s) ** 2)
                if along <= square * L * (1 + 1e-9) or square <= 1e-20:
                    break
                L = max(2 * L, along / square)
            moved = np.abs(new - x).max()
            before, x, t_before, t = x, new, t, (1 + np.sqrt(1 + 4 * t * t)) / 2
            steps += 1
        found.append((steps, np.count_nonzero(x)))
    return np.array(found)


@pytest.mark.parametrize(("name", "options"), SLEP)
def test_steps_as_sleps_are_those_of_its_listing(name, options):
    problem = toys.problem("wide")
    # At lam max itself the answer is rounding error.
    grid = grid_for(name, problem, points=12, delta=4.0)[1:]
    points = walk_path(problem, name, grid, tol=1e-3, **options).points
    expected = by_sleps_rules(problem, find_solver(name).form, grid, 1e-3)
    np.testing.assert_array_equal(points["steps"], expected[:, 0].cumsum())
    np.testing.assert_array_equal(points["nnz"], expected[:, 1])


@pytest.mark.parametrize(("name", "options"), SLEP)
def test_steps_as_sleps_need_a_parabola(name, options):
    with pytest.raises(ParameterError, match="'steps' parameter"):
        Walk(logistic("easy"), name, options=options)

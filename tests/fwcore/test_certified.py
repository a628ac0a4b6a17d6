"""The certified solver on every loss: its answers, its bounds, and the choice of its engine."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse
import toys
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy_judge import NumpyJudge
from sklearn.linear_model import ElasticNet

from fwcore import ParameterError, Problem, Status, Walk, datasets, grids, walk_path
from fwcore.solvers.working_set import _prices, _trial, certified
from fwcore.solvers.working_set._extrapolation import shares


def weighted(loss, seed):
    """A problem with twins, a column of zeros, a constant one and one that depends on others;
    sparse every other time; with weights of its rows, which are 1 elsewhere, two times of seven,
    and a column without a penalty as often, where both signs are allowed. And these weights.
    """
    random = np.random.default_rng(seed)
    m, p = (25, 60) if seed % 2 else (60, 25)
    X = random.standard_normal((m, p)) * (random.random((m, p)) < 0.5)
    X[:, 1], X[:, 2], X[:, 3], X[:, 8] = X[:, 0], 0.0, X[:, 4] - X[:, 5], 1.5
    y = X[:, 6] - 2.0 * X[:, 7] + random.standard_normal(m) * (1.0 + 9.0 * (random.random(m) < 0.1))
    X = scipy.sparse.csc_array(X) if seed % 4 < 2 else X
    y = np.where(y > np.median(y), 1.0, -1.0) if loss == "logistic" else y
    given = {"loss": loss, "positive": seed % 3 == 0}
    if seed % 7 in (3, 6) and not given["positive"]:
        given |= {"unpenalised": [9], "standardize": False, "intercept": seed % 5 < 3}
        return Problem.from_arrays(X, y, **given), 1.0
    if seed % 7 not in (2, 5):
        intercept = loss != "squared" and seed % 5 < 3
        return Problem.from_arrays(X, y, intercept=intercept, **given), 1.0
    weights = random.integers(1, 5, m)
    given |= {"weights": weights, "standardize": False, "intercept": seed % 5 < 3}
    return Problem.from_arrays(X, y, **given), weights


def mixed(loss, seed):
    return weighted(loss, seed)[0]


@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 200), marks=pytest.mark.slow)], ids=["few", "many"]
)
@pytest.mark.parametrize("loss", ["squared", "logistic", "huber"])
@pytest.mark.parametrize("engine", ["auto", "descent"])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_a_path_of_any_loss_ends_at_the_minimum(loss, engine, l1_ratio, seeds):
    for seed in seeds:
        problem, weights = weighted(loss, seed)
        judge = NumpyJudge.of(problem, weights)
        at_zero = judge.objective(np.zeros(problem.p))
        assert at_zero == pytest.approx(problem.f0, rel=1e-12)
        grid = problem.lam_max * np.geomspace(0.9, 0.05, 6)
        result = walk_path(problem, "certified", grid, tol=1e-10, l1_ratio=l1_ratio, engine=engine)
        assert result.status == Status.SMALL_GAP
        assert result.max_relative_gap <= 1e-10 * (1 + 1e-6)
        ridges = grid * (1.0 / l1_ratio - 1.0)
        for lam, ridge, a in zip(grid, ridges, result.coefs.toarray().T, strict=True):
            assert judge.gap(a, "penalty", lam, ridge) <= 1.001e-10 * at_zero
        for k in (2, 5):
            reached = judge.objective(result.coefs[:, [k]].toarray()[:, 0], grid[k], ridges[k])
            least = judge.minimum(grid[k], ridges[k])
            assert reached <= least + 1e-9 * at_zero
            assert reached >= least - 1e-6 * at_zero


@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 200), marks=pytest.mark.slow)], ids=["few", "many"]
)
@pytest.mark.parametrize(
    ("loss", "engine"),
    [("squared", "auto"), ("squared", "descent"), ("logistic", "auto"), ("huber", "auto")],
)
def test_a_ball_of_any_loss_holds_the_minimum_of_its_penalty(loss, engine, seeds):
    for seed in seeds:
        problem, weights = weighted(loss, seed)
        judge = NumpyJudge.of(problem, weights)
        grid = problem.lam_max * np.geomspace(0.9, 0.05, 6)
        penalised = walk_path(problem, "certified", grid, tol=1e-11).points
        penalised = penalised[penalised["l1"] > 0.0]
        radii = penalised["l1"]
        result = walk_path(problem, "certified_ball", radii, tol=1e-9, engine=engine)
        assert result.status == Status.SMALL_GAP
        assert result.max_relative_gap <= 1e-9 * (1 + 1e-6)
        for radius, a in zip(radii, result.coefs.toarray().T, strict=True):
            assert np.abs(a).sum() <= radius * (1 + 1e-12)
            assert judge.gap(a, "ball", radius) <= 1.001e-9 * problem.f0
        # Below the penalised minimum by no more than its own gap.
        difference = result.points["objective"] - penalised["objective"]
        assert np.abs(difference).max() <= 1e-7 * problem.f0


@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_a_ball_that_holds_nothing_back_has_the_minimum_of_all(loss):
    random = np.random.default_rng(0)
    X = random.standard_normal((80, 10))
    problem = Problem.from_arrays(X, X[:, 0] + random.standard_normal(80), loss=loss)
    free = scipy.optimize.minimize(
        lambda a: problem.loss.value(problem.design.matrix() @ a, problem.y),
        np.zeros(10),
        jac=lambda a: (
            problem.design.matrix().T
            @ problem.loss.derivative(problem.design.matrix() @ a, problem.y)
        ),
        options={"gtol": 1e-12},
    )
    radii = np.abs(free.x).sum() * np.array([0.5, 2.0, 100.0])
    for engine in ["descent", "auto"]:
        result = walk_path(problem, "certified_ball", radii, tol=1e-9, engine=engine)
        assert result.max_relative_gap <= 1e-9 * (1 + 1e-6)
        assert result.points["objective"][1:] == pytest.approx(free.fun, abs=1e-9 * problem.f0)


@pytest.mark.parametrize("name", ["certified", "certified_ball"])
@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_the_gap_of_every_round_bounds_the_true_gap_of_any_loss(loss, name):
    for seed in range(6):
        problem = mixed(loss, seed)
        grid = grids.lam_grid(problem, 8)
        grid = grid if name == "certified" else grids.delta_grid(problem.f0 / grid[0], 8)
        walk = Walk(problem, name, grid, {"tol": 1e-7})
        for snapshot in toys.follow(walk, wanted=1):
            judged = problem.judge(
                snapshot.indices, snapshot.coefficients, walk.solver.form, snapshot.value
            )
            assert snapshot.rows["gap"][0] >= judged.true_gap - 1e-12 * problem.f0


@pytest.mark.parametrize("name", ["active_set", "certified"])
def test_signs_and_ridges_are_those_of_scikit_learn(name):
    for seed in (1, 4, 7, 10):
        problem = mixed("squared", seed)
        lam = 0.1 * problem.lam_max
        for positive in (False, True):
            again = Problem.from_arrays(
                problem.design, problem.y, standardize=False, positive=positive
            )
            (point,) = walk_path(again, name, [lam], tol=1e-12, l1_ratio=0.7).points
            model = ElasticNet(
                alpha=lam / 0.7 / problem.m,
                l1_ratio=0.7,
                positive=positive,
                fit_intercept=False,
                tol=1e-14,
                max_iter=10**6,
            ).fit(problem.design.matrix(), problem.y)
            a = model.coef_
            left = problem.y - problem.design.matrix() @ a
            ridge = lam * (1.0 / 0.7 - 1.0)
            least = 0.5 * (left @ left + ridge * a @ a) + lam * np.abs(a).sum()
            assert point["objective"] + lam * point["l1"] == pytest.approx(least, abs=1e-9)


@pytest.mark.parametrize("engine", ["faces", "descent"])
def test_columns_against_the_sign_keep_nobody_out(engine):
    random = np.random.default_rng(0)
    common = random.standard_normal((400, 1))
    X = np.hstack([-common - 0.1 * random.standard_normal((400, 650)), random.random((400, 50))])
    y = common[:, 0] + X[:, -20:].sum(axis=1)
    problem = Problem.from_arrays(X, y, positive=True)
    grid = problem.lam_max * np.array([0.9, 0.5, 0.1])
    result = walk_path(problem, "certified", grid, tol=1e-8, engine=engine)
    assert result.status == Status.SMALL_GAP
    assert result.max_relative_gap <= 1e-8 * (1 + 1e-6)
    assert result.points["nnz"][-1] >= 20


@pytest.mark.parametrize("loss", ["squared", "logistic"])
def test_a_thousand_columns_that_are_equally_steep_join_all_the_same(loss):
    y = np.where(np.arange(1000) % 2, 1.0, -1.0)
    X = scipy.sparse.eye_array(1000, format="csc")
    problem = Problem.from_arrays(X, y, loss=loss, standardize=False)
    result = walk_path(problem, "certified", problem.lam_max * np.array([0.9, 0.4]), tol=1e-9)
    assert result.status == Status.SMALL_GAP
    assert result.points["nnz"].tolist() == [1000, 1000]


@pytest.mark.parametrize("seed", [4, 5])
def test_a_model_of_poor_condition_is_minimised_to_rounding_error(seed):
    """Rows that come several times, columns of one sign and a small ridge: a cycle gains 0.1 %, and
    near the end no objective tells two iterates apart. Cycles alone took 250 rounds.
    """
    random = np.random.default_rng(seed)
    kinds = random.integers(0, 15, 24)
    X = scipy.sparse.csc_array(random.random((15, 30))[kinds])
    y = random.integers(-1, 2, 15)[kinds].astype(float)
    weights = 1.0 + random.integers(0, 4, 24)
    problem = Problem.from_arrays(X, y, weights=weights, standardize=False, intercept=True)
    grid = problem.lam_max * np.geomspace(1e-1, 1e-3, 5)
    result = walk_path(problem, "certified", grid, tol=1e-12, l1_ratio=0.5)
    assert result.status == Status.SMALL_GAP
    assert result.points["steps"].max() <= 40


def test_a_tolerance_below_rounding_leads_nowhere_else():
    """Of these radii some led to an l1 norm of 1e12, which of them depends on the compiler: a
    column in the span of the face took the place of one of it, by a share that was rounding error.
    """
    problem = datasets.load("diabetes")
    for radius in np.linspace(5.0, 5.7, 15):
        points = walk_path(problem, "certified_ball", grids.delta_grid(radius, 4), tol=1e-14).points
        assert (points["true_gap"] <= 1e-12 * problem.f0).all()
        assert (points["l1"] <= radius * (1.0 + 1e-12)).all()


def near_copies(seed, apart):
    """Thirty columns and their copies, 10^apart off."""
    random = np.random.default_rng(seed)
    columns = random.standard_normal((40, 30))
    copies = random.choice([-1.0, 1.0], 30) * columns
    copies += 10.0**apart * random.standard_normal(copies.shape)
    y = columns[:, :10] @ random.standard_normal(10) + 0.1 * random.standard_normal(40)
    return Problem.from_arrays(np.hstack([columns, copies]), y)


@given(seed=st.integers(0, 10**6), apart=st.floats(-9.0, -4.0))
@settings(max_examples=25, deadline=None)
def test_columns_that_nearly_depend_on_others_take_turns_on_the_face(seed, apart):
    """Here the small part of a column that is its own makes it steeper."""
    problem = near_copies(seed, apart)
    penalties = problem.lam_max * np.geomspace(1.0, 1e-4, 6)
    for solver, grid in (("certified", penalties), ("certified_ball", grids.delta_grid(3.0, 6))):
        assert walk_path(problem, solver, grid, tol=1e-10).status == Status.SMALL_GAP


@given(seed=st.integers(0, 10**6), apart=st.floats(-9.0, -4.0))
@example(seed=836, apart=-5.326530612244898)
@example(seed=788, apart=-5.122448979591837)
@settings(max_examples=25, deadline=None)
def test_a_ball_that_holds_nothing_back_is_never_left(seed, apart):
    """A column took the place of one that it does not depend on, was found dependent then, and left
    what it stood for to nobody: the loss rose from 0.09 f(0) to 68, outside of the ball.
    """
    problem = near_copies(seed, apart)
    points = walk_path(problem, "certified_ball", grids.delta_grid(30.0, 6), tol=1e-10).points
    assert (points["l1"] <= points["value"] * (1.0 + 1e-12)).all()
    assert (np.diff(points["objective"]) <= 1e-6 * problem.f0).all()


def test_a_point_begins_on_the_line_through_the_last_two():
    random = np.random.default_rng(0)
    X = np.linalg.qr(random.standard_normal((30, 8)))[0]
    problem = Problem.from_arrays(X, X[:, :3] @ [3.0, -2.0, 1.5], standardize=False)
    grid = problem.lam_max * np.array([0.3, 0.25, 0.2, 0.15])
    trace = walk_path(problem, "certified", grid, engine="descent", rule="gap", tol=1e-9).trace
    first = [trace["moved"][trace["point"] == k][0] for k in range(4)]
    # Columns are orthogonal, so that coefficients are linear in lam: the third point is known.
    assert min(first[:2]) > 1e-3
    assert max(first[2:]) < 1e-12


def test_a_combination_that_does_not_exist_is_the_last_iterate():
    last = np.arange(12.0).reshape(6, 2)
    for coefs in (np.zeros((6, 2)), np.full((6, 2), np.nan)):
        assert shares(coefs, 2).tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert shares(1e9 * last, 2).sum() == pytest.approx(1.0)


def test_an_engine_of_parabolas_refuses_other_losses():
    with pytest.raises(ParameterError, match="'auto' or 'descent'"):
        Walk(mixed("logistic", 1), "certified", options={"engine": "faces"})


def points(trial, costs, least=0.0, price=0.0, last=1e6, grown=1.0):
    """Walk points of these costs: where the engine is to be changed."""
    changes, work = [], 0
    for k, cost in enumerate(costs):
        trial.begin_point(work)
        work += cost
        ahead = last - k
        outlook = _trial.Outlook(ahead, grown, least, ahead * least, price)
        if not trial.passes_over(work) and trial.end_point(work, outlook):
            changes.append(k)
            trial.begin_engine(work)
    return changes


def test_what_is_cheaper_stays_and_what_costs_more_is_left():
    big = 10 * _trial.SMALL
    # Three points are compared with three; after them nothing changes while costs do not treble.
    assert points(_trial.Trial(), [big] * 3 + [big // 2] * 20) == [2]
    # The second point of the trial is one too many: back again.
    assert points(_trial.Trial(), [big] * 3 + [2 * big] * 2 + [big] * 20) == [2, 4]
    # Three times as dear: another trial.
    assert points(_trial.Trial(), [big] * 3 + [4 * big] + [3 * big] * 4) == [2, 3]
    assert points(_trial.Trial(), [big] * 3 + [4 * big] + [3 * big + 1] * 3) == [2, 3, 6]
    # What the next points would have cost is compared, rather than what the last ones did.
    assert points(_trial.Trial(), [big] * 3 + [2 * big] * 20, grown=2.0) == [2]
    assert points(_trial.Trial(), [big] * 3 + [2 * big + 1] * 3, grown=2.0) == [2, 5]


def test_what_costs_little_or_is_dear_to_change_is_not_tried():
    assert points(_trial.Trial(), [_trial.SMALL] * 20) == []
    # Only points in a row are compared.
    big = 10 * _trial.SMALL
    assert points(_trial.Trial(), [big, big, 0] * 6) == []
    assert points(_trial.Trial(), [big] * 20, price=1e15) == []
    assert points(_trial.Trial(), [big] * 20, least=big, grown=2.0) == []
    # Points that were walked together cost little, unless they were free.
    for cheap in (False, True):
        followed = _trial.Trial(costs=(big, big))
        followed.go_on(0, cheap)
        assert points(followed, [big]) == ([] if cheap else [0])
    # What may be gained is twelve times what a trial costs that fails.
    for price in (0.0, 3.0 * big):
        enough = 12 * (3 * big + price) / big
        assert points(_trial.Trial(), [big] * 20, price=price, last=2 + enough + 1) == [2]
        assert points(_trial.Trial(), [big] * 20, price=price, last=2 + enough) == []


def test_the_points_ahead_cost_more_as_columns_become_active_and_nothing_where_they_are_kept():
    walk = Walk(toys.problem("correlated"), "certified", [0.5, 0.25], {"engine": "faces"})
    for _ in walk.snapshots():
        pass
    run, prices = walk._state.arrays, walk._state.prices
    given = {"nnz": 10, "growth": 2.0, "left": 3.0, "points": 8, "kept": 2}
    for name, value in given.items():
        run.it[name] = value
    seen = certified._outlook(run, prices)
    assert seen.ahead == pytest.approx(0.75 * (1.2**2 + 1.4**2 + 1.6**2))
    assert seen.least_ahead == pytest.approx(0.75 * (1.2 + 1.4 + 1.6) * seen.least)
    assert seen.grown == pytest.approx(1.6**2)
    run.it["growth"] = -1.0
    assert certified._outlook(run, prices)[:2] == (0.75 * 3, 1.0)


def test_descent_foresees_levels_of_a_ball_from_those_of_faces():
    problem, radii, ends = toys.problem("correlated"), grids.delta_grid(2.0, 12), []
    for some in (radii[:-1], radii):
        walk = Walk(problem, "certified_ball", some, {"engine": "faces", "tol": 1e-9})
        for _ in walk.snapshots(64):
            pass
        ends.append(walk._state.arrays.it[0])
    fell, grew = (ends[1][name] - ends[0][name] for name in ("level", "l1"))
    assert ends[1]["rate"] == pytest.approx(fell / grew)
    assert fell < 0.0


def trial(problem, grid, chunk):
    """The engines of a path, point by point, where every choice is worth a trial."""
    walk, engines = Walk(problem, "certified", grid, {"tol": 1e-8}), []
    walk._state.most = _trial.SMALL
    for snapshot in walk.snapshots(chunk):
        if snapshot.verdict is not None:
            engines.append(walk._state.arrays.engine.exact)
    return walk.result(), engines


def test_engines_are_tried_and_no_choice_depends_on_chunks(monkeypatch):
    monkeypatch.setattr(_trial, "SMALL", 0)
    monkeypatch.setattr(_prices, "_CYCLES", 0)
    monkeypatch.setattr(_prices, "_SWEEPS", 0)
    problem = toys.problem("correlated")
    grid = grids.lam_grid(problem, 40)
    one, engines = trial(problem, grid, 1)
    many, same = trial(problem, grid, 64)
    assert True in engines
    assert False in engines
    assert engines == same
    np.testing.assert_array_equal(one.coefs.toarray(), many.coefs.toarray())
    assert one.max_relative_gap <= 1e-8 * (1 + 1e-6)

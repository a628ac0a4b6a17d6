"""Several points of a grid by one kernel call: the same as point by point, whatever a call ends
with.
"""

from itertools import count, islice

import numpy as np
import pytest
import toys

from fwcore import Problem, Status, Walk, all_solvers, find_solver, grids, solve, warmup
from fwcore.solvers.working_set import _points, _working_set, certified
from fwcore.solvers.working_set._points import Stretch

SEVERAL = ("certified", "certified_ball", "active_set", "corrective_fw")
COLUMNS = ("point", "step", "dots", "entries", "objective", "gap", "true_gap", "l1", "nnz", "moved")


def made(name, problem=None, points=40, **options):
    problem = problem or toys.problem("wide")
    penalty = name in ("certified", "active_set")
    grid = grids.lam_grid(problem, points) if penalty else grids.delta_grid(3.0, points)
    return Walk(problem, name, grid, {"tol": 1e-6, **options}, seed=1)


def calls(walk, monkeypatch):
    """Walk to the end; how many points ended in each call that may walk several."""
    counts, walk_points = [], type(walk.solver).walk_points

    def counted(self, *arguments):
        rows, ended = walk_points(self, *arguments)
        counts.append(len(ended))
        return rows, ended

    with monkeypatch.context() as patched:
        patched.setattr(type(walk.solver), "walk_points", counted)
        for _ in walk.snapshots():
            pass
    return counts


def require_same(one, other):
    ours, theirs = one.result(), other.result()
    assert ours.digest() == theirs.digest()
    assert ours.status == theirs.status
    for column in COLUMNS:
        np.testing.assert_array_equal(ours.trace[column], theirs.trace[column], column)
    for column in set(ours.points.dtype.names) - {"seconds"}:
        np.testing.assert_array_equal(ours.points[column], theirs.points[column], column)


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("kind", ["wide", "sparse"])
def test_points_of_one_call_are_those_of_many(name, kind, monkeypatch):
    problem = toys.problem(kind)
    several, single = made(name, problem), made(name, problem)
    assert max(calls(several, monkeypatch)) > 1
    toys.follow(single, 1)
    require_same(several, single)


@pytest.mark.parametrize(
    "options", [{"l1_ratio": 0.7}, {"rule": "moved"}, {"engine": "descent"}, {"max_steps": 1}]
)
def test_so_they_are_with_other_options(options, monkeypatch):
    several, single = made("certified", **options), made("certified", **options)
    assert max(calls(several, monkeypatch)) > 1
    toys.follow(single, 1)
    require_same(several, single)


@pytest.mark.parametrize("shared", [0, certified._SHARED])
def test_so_they_are_of_the_logistic_loss(shared, monkeypatch):
    monkeypatch.setattr(certified, "_SHARED", shared)
    X, y = toys.arrays("wide")
    problem = Problem.from_arrays(X, np.sign(y - np.median(y) + 1e-9), loss="logistic")
    several, single = made("certified", problem), made("certified", problem)
    # Forty points, one of which costs nothing.
    assert len(calls(several, monkeypatch)) == (1 if shared else 39)
    toys.follow(single, 1)
    require_same(several, single)


def test_so_they_are_where_all_columns_join(monkeypatch):
    random = np.random.default_rng(0)
    X = random.standard_normal((600, 40))
    problem = Problem.from_arrays(X, X.sum(axis=1) + random.standard_normal(600))
    several, single = made("certified", problem, 20), made("certified", problem, 20)
    assert max(calls(several, monkeypatch)) > 1
    toys.follow(single, 1)
    assert several._state.arrays.size == problem.p
    require_same(several, single)


def test_a_call_may_end_within_a_point(monkeypatch):
    monkeypatch.setattr(solve, "ROWS", 1)
    several, single = made("certified", tol=1e-10), made("certified", tol=1e-10)
    unfinished = [s for s in several.snapshots() if s.status == Status.RUNNING]
    assert any(snapshot.rows.size > 0 for snapshot in unfinished)
    toys.follow(single, 1)
    require_same(several, single)


@pytest.mark.parametrize("rows", [1, 8])
@pytest.mark.parametrize("tol", [1e-6, 1e-4])
def test_supports_may_need_more_room(tol, rows, monkeypatch):
    monkeypatch.setattr(_points, "_ENTRIES", 1)
    monkeypatch.setattr(solve, "ROWS", rows)
    grown, grow = [], Stretch.grown
    monkeypatch.setattr(Stretch, "grown", lambda self: grown.append(self) or grow(self))
    # At 1e-4 points are kept, whose supports are those before.
    several, single = made("certified", points=200, tol=tol), made("certified", points=200, tol=tol)
    assert max(calls(several, monkeypatch)) > 1
    assert grown
    toys.follow(single, 1)
    require_same(several, single)


def test_no_choice_depends_on_how_many_points_the_first_call_takes():
    # Of long columns, all of which are active in the end: they join at once when that is foreseen.
    random = np.random.default_rng(0)
    X = random.standard_normal((800, 160))
    y = X[:, ::4].sum(axis=1) + 5.0 * random.standard_normal(800)
    problem = Problem.from_arrays(X, y)
    grid = np.geomspace(problem.lam_max, problem.lam_max / 1000, 60)
    several, single = (
        Walk(problem, "certified", grid, {"rule": "gap", "tol": 1e-6}) for _ in range(2)
    )
    assert several._clock.points > grid.size
    toys.follow(several)
    toys.follow(single, 1)
    assert several._state.arrays.it["everything"][0]
    require_same(several, single)


def test_a_point_that_costs_much_is_the_last_of_its_call(monkeypatch):
    several, single = made("certified"), made("certified")
    several._state.most = -1
    assert set(calls(several, monkeypatch)) == {1}
    toys.follow(single, 1)
    require_same(several, single)


@pytest.mark.parametrize("name", SEVERAL)
def test_a_walk_is_held_among_points_that_were_walked_together(name):
    whole = made(name)
    toys.follow(whole, 1)
    for taken in (1, 2, 4, 9, 22):
        held, resumed = made(name), made(name)
        for snapshot in islice(held.snapshots(), taken):
            last = snapshot.point
        resumed.resume(held.hold(), held.points[: held.reached], held.columns, held.chunks)
        assert resumed.reached == held.reached >= last
        toys.follow(resumed)
        require_same(resumed, whole)
        # What is left can be asked for again, too.
        toys.follow(held)
        require_same(held, whole)


def test_the_clock_bounds_how_many_points_are_walked_together():
    clock = solve.Clock()
    clock.charge_points(clock.points, 1e-2)
    assert clock.points == 16
    clock.charge_points(clock.points, 1e-6)
    assert clock.points > 100
    assert clock.points * solve.ROWS < solve.CHECKPOINT
    clock.charge_points(clock.points, 10.0)
    assert clock.points == 1


@pytest.mark.parametrize("name", [s.name for s in all_solvers() if s.compiles])
def test_methods_that_go_point_by_point_begin_the_first(name):
    walk = Walk(toys.problem("wide"), name, None, {})
    given = (walk.problem, walk._state, walk.options, walk.grid[:1], 0.0, 8)
    rows, ended = walk.solver.walk_points(*given)
    assert walk._state.counters["value"][0] == walk.grid[0]
    assert (name in SEVERAL) == (rows.size > 0)
    assert name in SEVERAL or not ended


@pytest.mark.parametrize("wanted", [None, 1])
def test_going_to_a_point_is_charged_where_it_makes_no_step(wanted, monkeypatch):
    walk, ticks = Walk(toys.problem("wide"), "sfw", None, {}), count()
    monkeypatch.setattr(solve, "cpu_seconds", lambda: float(next(ticks)))
    given = (walk.solver, walk.problem, walk._state, walk.options, walk.grid, 0, walk._clock)
    assert solve.walk_points(*given, wanted) == []
    assert walk._clock.seconds == 1.0


def test_changes_of_the_engine_are_compiled_before_a_walk():
    problem, solver = toys.problem("wide"), find_solver("certified")
    warmup.ready(solver, problem.design, solver.Options())
    known = len(_working_set._take_over.signatures)
    state = solver.init(problem, solver.Options(), seed=0)
    for _ in range(2):
        solver._change(problem, state)
    assert len(_working_set._take_over.signatures) == known

"""Cycles of coordinate descent in blocks: where they are made, what they save, and that their
answers are those of visits one by one.
"""

import numpy as np
import pytest
import scipy.sparse

from fwcore import Problem, walk_path
from fwcore.solvers.working_set import _blocks, _prices, certified


def smooth(p=500, m=600, seed=0, **how):
    """Every two neighbours have a correlation of 0.95, two are the same, and one is constant."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, p))
    for j in range(1, p):
        X[:, j] = 0.95 * X[:, j - 1] + np.sqrt(1.0 - 0.95**2) * X[:, j]
    X[:, 40], X[:, 70] = X[:, 41], 3.0
    y = X[:, ::9] @ random.standard_normal(len(range(0, p, 9))) + random.standard_normal(m)
    return Problem.from_arrays(X[:, how.pop("columns", slice(None))], y, **how)


def walked(problem, grid=None, solver="certified", **options):
    grid = problem.lam_max * np.geomspace(1.0, 1e-3, 12) if grid is None else grid
    return walk_path(problem, solver, grid, engine="descent", **{"tol": 1e-8, **options})


@pytest.fixture
def one_by_one(monkeypatch):
    monkeypatch.setattr(_prices, "LONG", 10**9)


@pytest.mark.parametrize(
    "how", [{}, {"positive": True}, {"standardize": False, "unpenalised": [3]}], ids=str
)
@pytest.mark.parametrize("l1_ratio", [1.0, 0.7])
def test_blocks_end_where_visits_one_by_one_do(how, l1_ratio, monkeypatch):
    problem = smooth(**how)
    in_blocks = walked(problem, l1_ratio=l1_ratio)
    monkeypatch.setattr(_prices, "LONG", 10**9)
    plain = walked(problem, l1_ratio=l1_ratio)
    for run in (in_blocks, plain):
        # The gap of the last round of every point, which counts the ridge, too.
        last = np.flatnonzero(np.diff(run.trace["point"], append=-1))
        assert (run.trace["gap"][last] <= 1e-8 * problem.f0).all()
    objectives = (run.points["objective"] for run in (in_blocks, plain))
    np.testing.assert_allclose(*objectives, atol=2e-8 * problem.f0)
    # More columns than there was room for at first, as neighbours come in.
    assert l1_ratio < 1.0 or how or in_blocks.points["nnz"][-1] > 256


def test_blocks_hold_a_ball():
    problem = smooth()
    radii = walked(problem).points["l1"][1:]
    ball = walked(problem, radii, "certified_ball", tol=1e-6)
    assert ball.max_relative_gap <= 1e-6
    assert (ball.points["l1"] <= radii * (1.0 + 1e-12)).all()


def test_neighbours_that_are_alike_settle_in_fewer_visits():
    order = np.random.default_rng(1).permutation(500)
    natural, shuffled = walked(smooth()), walked(smooth(columns=order))
    assert natural.points["dots"][-1] < 0.6 * shuffled.points["dots"][-1]


def test_short_or_sparse_columns_are_visited_one_by_one(one_by_one):
    sparse = Problem.from_arrays(scipy.sparse.csc_array(np.eye(600)[:, :40]), np.arange(600.0))
    for problem in (smooth(), sparse):
        assert certified._descent(problem).products.shape[1] == 0


def test_long_columns_are_visited_in_blocks():
    assert certified._descent(smooth()).products.shape[1] == _blocks.WIDTH
    assert certified._descent(smooth(m=_blocks.LONG - 1)).products.shape[1] == 0


@pytest.mark.parametrize("engine", ["faces", "descent"])
def test_an_elastic_net_of_many_active_columns_lets_the_others_join(engine):
    problem = smooth()
    grid = problem.lam_max * np.geomspace(1.0, 1e-3, 12)
    run = walk_path(problem, "certified", grid, engine=engine, tol=1e-8, l1_ratio=0.7)
    # More than there is room for among those that are looked at.
    assert run.points["nnz"][-1] > 256
    assert (run.points["true_gap"] <= 1e-8 * problem.f0).all()

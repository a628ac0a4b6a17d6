"""Slopes of earlier looks, which bound those of now."""

import numpy as np
import pytest
import toys
from hypothesis import given, settings
from hypothesis import strategies as st

from fwcore import Problem, walk_path
from fwcore.solvers.working_set import _looks
from fwcore.solvers.working_set._looks import Looks, leave_out, remember_look


def long_rows(seed=0, m=20, p=150):
    random = np.random.default_rng(seed)
    return Problem.from_arrays(random.standard_normal((m, p)), random.standard_normal(m))


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.floats(0.0, 1.0), st.booleans())
def test_no_column_above_the_threshold_is_left_out(seed, closeness, positive):
    random, problem = np.random.default_rng(seed), long_rows(seed % 5)
    X, looks, residual = problem.design.matrix(), Looks.of(problem), problem.y.copy()
    norms = np.nextafter(np.linalg.norm(X, axis=0).astype(np.float32), np.float32(np.inf))
    assert looks.residuals.shape == (8, problem.m)
    for _ in range(12):
        away = random.standard_normal(problem.m)
        residual = closeness * residual + (1 - closeness) * away
        slopes = X.T @ residual
        steep = np.maximum(slopes, 0.0) if positive else np.abs(slopes)
        threshold = float(np.quantile(steep, random.random()))
        asked = np.flatnonzero(random.random(problem.p) < 0.5)
        found = asked.copy()
        n = leave_out(looks, norms, residual, threshold, found)
        assert set(asked[steep[asked] > threshold]) <= set(found[:n].tolist()) <= set(asked)
        remember_look(looks, residual, found[:n], slopes[found[:n]], positive)


def test_what_was_looked_at_just_before_is_known_but_for_rounding():
    problem = long_rows()
    X, looks, residual = problem.design.matrix(), Looks.of(problem), problem.y
    norms, found, steep = (
        np.ones(problem.p, np.float32),
        np.arange(problem.p),
        np.abs(X.T @ problem.y),
    )
    assert leave_out(looks, norms, residual, 0.0, found) == problem.p
    remember_look(looks, residual, found, X.T @ residual, False)
    threshold = float(np.sort(steep)[-20])
    n = leave_out(looks, norms, residual, threshold * (1 + 1e-6), found)
    assert set(found[:n]) == set(np.flatnonzero(steep > threshold * (1 + 1e-6)))
    # Further off nothing is ruled out; nor after eight other looks.
    assert leave_out(looks, norms, residual + 1e3, threshold, np.arange(problem.p)) == problem.p
    for _ in range(8):
        remember_look(looks, residual, np.zeros(1, np.int64), np.zeros(1), False)
    found = np.arange(problem.p)
    assert leave_out(looks, norms, residual, threshold, found) == problem.p - 1


def test_of_short_rows_no_look_is_remembered():
    looks = Looks.of(toys.problem("correlated"))
    assert looks.residuals.shape[0] == looks.number.size == 0
    assert leave_out(looks, np.ones(1), np.ones(3), 9.0, np.arange(5)) == 5


@pytest.mark.parametrize("name", ["certified", "certified_ball"])
def test_a_path_takes_fewer_products_to_the_same_gaps(name, monkeypatch):
    problem = long_rows(m=60, p=3000)
    grid = None if name == "certified" else np.geomspace(0.1, 2.0, 60)
    with_looks = walk_path(problem, name, grid, tol=1e-4)
    monkeypatch.setattr(_looks, "_ENTRIES_A_ROW", np.inf)
    without = walk_path(problem, name, grid, tol=1e-4)
    assert with_looks.max_relative_gap <= 1e-4
    assert with_looks.points["dots"][-1] < without.points["dots"][-1]
    np.testing.assert_allclose(
        with_looks.coefs.toarray(), without.coefs.toarray(), rtol=0, atol=0.02
    )

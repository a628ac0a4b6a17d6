"""Matching pursuit: its steps are those of the textbook, and a point has the columns asked for."""

import numpy as np
import pytest
import toys

from fwcore import ParameterError, Problem, Status, walk_path


def reference(Z, y, k, tol=1e-6):
    """Mallat & Zhang in NumPy; the coefficients, and f after each step."""
    a, r, objective = np.zeros(Z.shape[1]), y.copy(), []
    squares = (Z**2).sum(axis=0)
    while r @ r > tol**2 * (y @ y):
        slopes = Z.T @ r
        j = np.abs(slopes).argmax()
        if a[j] == 0.0 and np.count_nonzero(a) >= k:
            break
        a[j] += slopes[j] / squares[j]
        r = y - Z @ a
        objective.append(0.5 * r @ r)
    return a, np.array(objective)


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("standardize", [True, False])
def test_steps_are_those_of_the_textbook(storage, standardize):
    X, y = toys.arrays("wide")
    Z, t = toys.standardized(X, y) if standardize else (X, y)
    problem = Problem.from_arrays(toys.store(X, storage), y, standardize=standardize)
    result = walk_path(problem, "mp", [1, 4, 9])
    for k, column in zip((1, 4, 9), result.coefs.toarray().T, strict=True):
        expected, objective = reference(Z, t, k)
        np.testing.assert_allclose(column, expected, atol=1e-10 * np.abs(expected).max())
        assert np.count_nonzero(column) == k
    made = result.trace["objective"][result.trace["moved"] > 0]
    np.testing.assert_allclose(made, objective, rtol=1e-9)
    assert result.status == Status.REACHED


def test_cost_is_a_pass_and_a_slope_a_step():
    problem = toys.problem("wide")
    trace = walk_path(problem, "mp", [6]).trace
    made = np.cumsum(trace["moved"] > 0)
    passes = np.arange(1, trace.size + 1)
    np.testing.assert_array_equal(trace["dots"], problem.p * passes + made)


def test_it_ends_where_nothing_is_left_or_at_its_limit():
    X = np.random.default_rng(0).standard_normal((30, 8))
    problem = Problem.from_arrays(X, X[:, 2] - X[:, 5], standardize=False)
    result = walk_path(problem, "mp", [8])
    assert result.points["objective"][0] <= 1e-12 * problem.f0
    few = walk_path(problem, "mp", [8], max_steps=3)
    assert few.status == Status.STEP_LIMIT
    assert few.trace.size == 3


def test_an_oracle_with_the_whole_budget_is_exact_and_a_part_is_judged():
    problem = toys.problem("wide")
    exact = walk_path(problem, "mp", [5])
    whole = {"oracle": "successive-halving", "oracle_rule": "budget", "oracle_budget": 1.0}
    same = walk_path(problem, "mp", [5], **whole)
    np.testing.assert_allclose(same.coefs.toarray(), exact.coefs.toarray(), atol=1e-12)
    part = walk_path(problem, "mp", [5], oracle="greedy-rows", oracle_stable="10%")
    assert 0 <= part.hit_rate <= 1


def test_losses_without_a_closed_line_search_are_refused():
    X, y = toys.arrays("easy")
    problem = Problem.from_arrays(X, np.where(y > np.median(y), 1.0, -1.0), loss="logistic")
    with pytest.raises(ParameterError, match="closed-form line search"):
        walk_path(problem, "mp", [1])

"""Descent keeps the residual up, rather than compute it anew each round."""

import numpy as np
import pytest
import scipy.sparse
import toys

from fwcore import Problem, Status, Walk
from fwcore.kernels.records import zero_records
from fwcore.solvers.working_set._control import CONTROL


def rounds(problem, solver, grid, tol):
    """(What rounding may have taken from the gap, the gap, the true gap, the residual and what it
    is kept as) after each round.
    """
    walk = Walk(problem, solver, grid, {"tol": tol, "engine": "descent", "rule": "gap"}, seed=0)
    method = walk.solver
    state = method.init(problem, walk.options, 0)
    for k, value in enumerate(grid):
        method.set_point(problem, state, walk.options, float(value), k / (len(grid) - 1))
        while method.outcome(state) == Status.RUNNING:
            gap = method.advance(problem, state, 1)["gap"][-1]
            columns, values = method.coefficients(state)
            true = problem.judge(columns, values, method.form, float(value)).true_gap
            exact = -problem.loss.derivative(problem.fitted(columns, values), problem.y)
            yield float(state.arrays.it["lost"][0]), gap, true, exact, state.arrays.residual.copy()


@pytest.mark.parametrize("storage", ["dense", "csc"])
@pytest.mark.parametrize("kind", ["wide", "correlated"])
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-12])
def test_what_rounding_may_take_from_a_gap_is_added_to_it(kind, storage, tol):
    problem = toys.problem(kind, storage)
    grid = np.geomspace(problem.lam_max, problem.lam_max / 50, 30)
    lost = []
    for rounding, gap, true, exact, kept in rounds(problem, "certified", grid, tol):
        np.testing.assert_allclose(kept, exact, rtol=0, atol=1e-9 * np.sqrt(problem.f0))
        assert gap >= true - 1e-13 * problem.f0
        assert rounding <= 0.1 * tol * problem.f0
        lost.append(rounding)
    # What rounding may take would be more than the tightest tolerance allows.
    assert (max(lost) > 0.0) == (tol > 1e-9)


@pytest.mark.parametrize("storage", [np.asarray, scipy.sparse.csc_array])
@pytest.mark.parametrize("loss", ["logistic", "huber"])
@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-10])
def test_other_losses_go_on_from_where_the_line_search_ended(loss, storage, tol):
    X, y = toys.arrays("wide")
    y = np.where(y > np.median(y), 1.0, -1.0) if loss == "logistic" else y
    problem = Problem.from_arrays(storage(X), y, loss=loss)
    grid = np.geomspace(problem.lam_max, problem.lam_max / 50, 30)
    lost = []
    for rounding, gap, true, exact, kept in rounds(problem, "certified", grid, tol):
        np.testing.assert_allclose(kept, exact, rtol=0, atol=1e-12 * np.abs(exact).max())
        assert gap >= true - 1e-13 * problem.f0
        assert rounding <= 0.1 * tol * problem.f0
        lost.append(rounding)
    assert max(lost) > 0.0


@pytest.mark.parametrize(
    ("solver", "loss", "intercept"),
    [("certified_ball", "squared", False), ("certified", "huber", True)],
)
def test_in_a_ball_or_beside_an_intercept_the_residual_is_computed(solver, loss, intercept):
    X, y = toys.arrays("wide")
    problem = Problem.from_arrays(X, y, loss=loss, intercept=intercept)
    top = problem.lam_max if solver == "certified" else 4.0
    grid = np.geomspace(top, top / 20, 10)[:: 1 if solver == "certified" else -1]
    assert {lost for lost, *_ in rounds(problem, solver, grid, 1e-4)} == {0.0}


def test_records_are_zeros_that_can_be_written_to():
    made, plain = zero_records(3, CONTROL), np.zeros(3, CONTROL)
    assert made.dtype == plain.dtype
    assert made.tobytes() == plain.tobytes()
    made["target"] = 0.5
    assert made["target"].tolist() == [0.5] * 3

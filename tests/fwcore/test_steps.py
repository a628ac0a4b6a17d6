"""Step rules: the exact one is the numeric minimiser, all descend, and a path may take any."""

from itertools import product

import numpy as np
import pytest
import toys
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from scipy.optimize import minimize_scalar

from fwcore import ParameterError, Problem, find_loss, walk_path
from fwcore.solvers.finite_sum._steps import BatchCurve
from fwcore.step_rules import (
    STEP_RULES,
    Adaptive,
    ExactLineSearch,
    OpenLoop,
    Parabola,
    find_step_rule,
    gap_and_curvature,
    step_length,
)

MEMORY = np.dtype([("estimate", np.float64)])


@njit
def _take(rule, curvature, gap, planned, length, most, memory):
    return step_length(rule, Parabola(curvature), gap, planned, length, most, memory[0])


def take(rule, curvature, gap, planned=0.5, length=1.0, most=1.0, memory=None):
    memory = np.zeros(1, MEMORY) if memory is None else memory
    return _take(rule, curvature, gap, planned, length, most, memory)


def exact_line_search(*quantities):
    gap, curvature = gap_and_curvature(*quantities)
    return take(ExactLineSearch(), curvature, gap)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 7.0]), st.booleans())
def test_the_step_is_the_numeric_minimiser_on_the_segment(seed, radius, at_zero):
    random = np.random.default_rng(seed)
    Z, y = random.standard_normal((12, 6)), random.standard_normal(12)
    a = (
        np.zeros(6)
        if at_zero
        else random.dirichlet(np.ones(6)) * random.choice([-1, 1], 6) * radius
    )
    image = Z @ a
    i = int(random.integers(6))
    gradient = Z[:, i] @ (image - y)
    vertex = -radius * np.sign(gradient)

    def f(step):
        return 0.5 * np.sum(((1 - step) * image + step * vertex * Z[:, i] - y) ** 2)

    step = exact_line_search(
        image @ image, y @ image, gradient, Z[:, i] @ image, Z[:, i] @ Z[:, i], vertex
    )
    numeric = minimize_scalar(f, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    assert 0.0 <= step <= 1.0
    assert f(step) <= min(f(0.0), f(1.0), numeric.fun) + 1e-12 * (1 + f(0.0))


def test_no_step_where_the_vertex_does_not_descend():
    assert exact_line_search(1.0, 2.0, 0.5, 0.1, 1.0, 1.0) == 0.0


def test_no_step_where_the_vertex_is_the_iterate():
    assert exact_line_search(4.0, 1.0, 1.0, 2.0, 1.0, 2.0) == 0.0


def test_an_open_loop_takes_what_is_planned_within_the_segment():
    assert take(OpenLoop(), 3.0, 1.0, planned=0.25) == 0.25
    assert take(OpenLoop(), 3.0, 1.0, planned=0.25, most=0.1) == 0.1


@settings(max_examples=100, deadline=None)
@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.floats(1e-3, 1e3), st.floats(0.0, 1e4))
def test_an_adaptive_step_descends_and_its_estimate_bounds_the_curvature(
    curvature, gap, length, before
):
    memory = np.zeros(1, MEMORY)
    memory["estimate"] = before
    step = take(Adaptive(), curvature, gap, length=length, memory=memory)
    change = step * (0.5 * step * curvature - gap)
    estimate = memory["estimate"][0]
    assert 0.0 < step <= 1.0
    assert change <= 0.5 * step**2 * estimate * length - step * gap + 1e-9 * step * gap
    # Never more than twice what the parabola has, unless it began with more.
    assert estimate <= max(2.0 * curvature / length, 0.9 * before) * (1 + 1e-9)


@njit
def _along_batch(rule, loss, response, image, toward, gap, bound, memory):
    curve = BatchCurve(loss, response, image, toward, 1.0, bound)
    return step_length(rule, curve, gap, 0.5, 2.0, 1.0, memory[0])


@pytest.mark.parametrize("before", [0.0, 1e-300, 1e-3, 1e300])
@pytest.mark.parametrize("slope", [-1.0, 0.0, 1.0])
def test_an_adaptive_step_ends_on_a_batch_that_does_not_descend_as_estimated(slope, before):
    memory = np.zeros(1, MEMORY)
    memory["estimate"] = before
    image, toward = np.array([1.0, 2.0]), np.array([slope, slope])
    rest = (find_loss("squared"), np.zeros(2), image, toward, 0.3, 5.0, memory)
    step, least = _along_batch(Adaptive(), *rest), 0.3 / 5.0
    # A short step where the batch says nothing better.
    assert 0.0 <= step <= 1.0
    if slope > 0.0 and before < 1.0:
        assert 0.5 * least < step <= least
    assert memory["estimate"][0] > 0.0


# A parabola, a segment, pairwise, a batch.
CASES = [
    ("fw", "squared"),
    ("fw", "logistic"),
    ("pairwise_fw", "squared"),
    ("sfw_rows", "huber"),
    ("sfw_mokhtari", "squared"),
    ("away_fw", "squared"),
    ("fw", "huber"),
    *product(["sfw"], ["squared", "logistic", "huber"]),
    *product(["sfw_rows"], ["squared", "logistic"]),
]


@pytest.mark.parametrize(("name", "loss"), toys.first(CASES, at_once=4))
def test_a_path_reaches_the_gap_by_every_rule(name, loss):
    X, y = toys.arrays("easy")
    y = np.where(y > np.median(y), 1.0, -1.0) if loss == "logistic" else y
    problem = Problem.from_arrays(X, y, loss=loss)
    delta = 2.0 if loss == "logistic" else 0.6
    best = walk_path(problem, "apg", [delta], rule="gap", tol=1e-9, max_steps=10**5).points[0]
    rows = name.startswith("sfw_")
    options = {"batch": "100%", "max_steps": 3000} if rows else {"max_steps": 3000}
    options |= {"sampling": "100%"} if name == "sfw" else {}
    for rule in dict.fromkeys(r.name for r in STEP_RULES):
        result = walk_path(problem, name, [delta], rule="gap", tol=1e-3, step=rule, **options)
        left = result.points["objective"][0] - best["objective"]
        assert -1e-9 * problem.f0 <= left <= 2e-3 * problem.f0, rule


def test_a_rule_that_is_not_there():
    with pytest.raises(ParameterError, match=r"'step' parameter of DeterministicFW must be one of"):
        walk_path(toys.problem(), "fw", [1.0], step="giant")
    assert find_step_rule("line-search", find_loss("squared")) == ExactLineSearch()

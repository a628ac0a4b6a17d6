"""Products that equal others, and paths that have them once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import ElasticNet

from fwcore import Problem, Walk, design, walk_path
from fwcore.design import Products


def features(seed=0, m=24):
    """Signs, flags that seldom meet, a copy, and two with values of their own."""
    random = np.random.default_rng(seed)
    signs, flags = random.choice([-1.0, 1.0], (m, 2)), np.eye(4)[random.integers(0, 4, m), :2]
    return np.hstack([signs, flags, flags[:, :1], random.standard_normal((m, 2))])


def problem_of(seed=0, degree=3, **given):
    X = features(seed)
    y = X[:, 0] * X[:, 5] + X[:, 6] ** 2 + np.random.default_rng(seed).standard_normal(len(X))
    return Problem.from_arrays(Products.of(X, degree), y, **given)


def kinds(X, signed):
    """Which of the columns of X (m, p) equal each other: the first that each equals."""
    near = np.linalg.norm(X[:, :, None] - X[:, None, :], axis=0) < 1e-9
    if not signed:
        near |= np.linalg.norm(X[:, :, None] + X[:, None, :], axis=0) < 1e-9
    return near.argmax(axis=1)


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("degree", [1, 2, 3, 4])
@pytest.mark.parametrize("permuted", [False, True])
def test_every_column_that_is_left_out_equals_one_that_is_kept(degree, signed, permuted):
    made = problem_of(degree=degree).design
    if permuted:
        made = made.permuted(np.random.default_rng(1).permutation(made.shape[1]))
    kept, columns = made.distinct(signed)
    X = made.matrix()
    first = np.unique(kinds(X, signed))
    assert set(first) <= set(columns.tolist())
    # A column may stay whose product with the random vector is rounded to another number.
    assert columns.size <= min(first.size + 2, made.shape[1] - 1)
    np.testing.assert_array_equal(kept.matrix(), X[:, columns])
    v = np.random.default_rng(2).standard_normal(len(X))
    for kind, error in ((np.float64, 1e-12), (np.float32, 1e-4)):
        out = np.empty(columns.size, kind)
        design.full_pass(kept, v, float(v.sum()), out)
        np.testing.assert_allclose(out, X[:, columns].T @ v, atol=error)


def test_columns_that_nearly_equal_others_stay():
    X = np.random.default_rng(0).standard_normal((20, 2))
    X = np.hstack([X, X[:, :1] + 1e-9 * X[:, 1:]])
    assert Products.of(X, 3).distinct(False) is None


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([1, 16, 50, 700, 5000]), st.data())
def test_a_pass_into_float32_errs_by_no_more_than_is_said(seed, degree, m, data):
    random, size = np.random.default_rng(seed), 10.0 ** data.draw(st.integers(-25, 25))
    made = Products.of(random.standard_normal((m, 6)), degree)
    sqnorms = np.square(made.matrix()).sum(axis=0)
    v, out = size * random.standard_normal(m), np.empty(made.shape[1], np.float32)
    design.full_pass(made, v, float(v.sum()), out, 1)
    error = made.single_error(sqnorms) * np.sqrt(sqnorms) * np.linalg.norm(v)
    assert (np.abs(out - made.matrix().T @ v) <= error).all()
    assert 0.0 < made.single_error(sqnorms) < 1e-4
    parts = np.empty_like(out)
    design.full_pass(made, v, float(v.sum()), parts, 3)
    np.testing.assert_array_equal(parts, out)
    design.full_pass(made, 0.0 * v, 0.0, out)
    assert not out.any()


@pytest.mark.parametrize("size", [1e-12, 1e12])
def test_products_beyond_float32_are_not_multiplied_in_it(size):
    made = Products.of(size * features(), 4)
    assert made.single_error(np.square(made.matrix()[:, 1:]).sum(axis=0)) == 0.0


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("name", ["certified", "corrective_fw"])
def test_paths_without_equal_columns_are_those_with_them(name, positive):
    made = problem_of(positive=positive)
    X = made.design.matrix()
    dense = Problem.from_arrays(X, made.y, standardize=False, positive=positive)
    walked, columns = made.distinct
    assert walked.p == columns.size < made.p
    assert walked.lam_max == pytest.approx(made.lam_max, rel=1e-14)
    lam = made.lam_max * np.geomspace(0.7, 0.02, 8)
    grid = lam if name == "certified" else [0.1, 0.3, 0.6]
    one, two = (walk_path(problem, name, grid, tol=1e-9) for problem in (made, dense))
    assert (one.points["true_gap"] <= 1e-9 * made.f0).all()
    np.testing.assert_allclose(one.points["objective"], two.points["objective"], rtol=1e-7)
    coefs = one.coefs.toarray()
    assert set(np.flatnonzero(coefs.any(axis=1))) <= set(columns.tolist())
    np.testing.assert_allclose(X @ coefs, X @ two.coefs.toarray(), atol=1e-4)
    assert one.points["dots"][0] >= made.p


def test_a_ridge_divides_coefficients_among_equal_columns():
    made = problem_of()
    X, lam = made.design.matrix(), 0.05 * made.lam_max
    result = walk_path(made, "certified", [lam], tol=1e-12, l1_ratio=0.5)
    # scikit-learn's alpha is lam / m, of the l1 norm with the weight l1_ratio.
    reference = ElasticNet(2 * lam / made.m, l1_ratio=0.5, fit_intercept=False, tol=1e-12)
    reference.max_iter = 100_000
    np.testing.assert_allclose(
        result.coefs.toarray()[:, 0], reference.fit(X, made.y).coef_, atol=1e-6
    )


@pytest.mark.slow
@pytest.mark.parametrize("loss", ["logistic", "huber"])
def test_paths_of_other_losses_have_equal_columns_once(loss):
    made = problem_of()
    y = np.sign(made.y) if loss == "logistic" else made.y
    made = Problem.from_arrays(Products.of(features(), 3), y, loss=loss)
    grid = made.lam_max * np.geomspace(0.7, 0.05, 6)
    result = walk_path(made, "certified", grid, tol=1e-7)
    assert (result.points["true_gap"] <= 1e-7 * made.f0).all()
    assert set(np.flatnonzero(result.coefs.toarray().any(axis=1))) <= set(made.distinct[1].tolist())


def test_a_walk_without_equal_columns_goes_on_elsewhere():
    made = problem_of()
    grid = made.lam_max * np.geomspace(0.7, 0.02, 30)
    walk, other = (Walk(made, "certified", grid, {"tol": 1e-8}) for _ in range(2))
    for snapshot in walk.snapshots():
        if snapshot.point == 12:
            other.resume(walk.hold(), walk.points[: walk.reached], walk.columns, walk.chunks)
            break
    for walking in (walk, other):
        for _ in walking.snapshots():
            pass
    assert walk.result().digest() == other.result().digest()


def test_threads_change_nothing_where_passes_are_in_float32():
    made = problem_of(degree=4)
    grid = made.lam_max * np.geomspace(0.7, 0.02, 20)
    one, two = (walk_path(made, "certified", grid, threads=n) for n in (1, 2))
    np.testing.assert_array_equal(one.coefs.toarray(), two.coefs.toarray())
    np.testing.assert_array_equal(one.trace["gap"], two.trace["gap"])

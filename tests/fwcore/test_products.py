"""Products of base features that are never materialised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import PolynomialFeatures

from fwcore import ParameterError, Problem, design, walk_path
from fwcore.design import ProductNames, Products


def base(m=23, d=4, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (m, d))


@pytest.mark.parametrize(("d", "degree"), [(4, 1), (4, 2), (4, 3), (3, 4), (3, 5), (2, 9)])
def test_every_primitive_agrees_with_the_matrix(d, degree):
    X = base(d=d)
    y = X[:, 0] * X[:, 1] + X[:, 1] ** 2 + 0.1 * np.random.default_rng(1).standard_normal(len(X))
    expansion = PolynomialFeatures(degree).fit(X)
    stored = Products.of(X, degree)
    assert (
        stored.shape == (23, expansion.n_output_features_) == (23, design.product_count(d, degree))
    )
    np.testing.assert_allclose(stored.matrix(), expansion.transform(X), rtol=1e-12)
    made, dense = (
        Problem.from_arrays(stored, y),
        Problem.from_arrays(expansion.transform(X)[:, 1:], y),
    )
    assert made.p == dense.p
    np.testing.assert_allclose(made.sigma, dense.sigma, atol=1e-12)
    np.testing.assert_allclose(made.design.matrix(), dense.design.matrix(), atol=1e-12)
    out = np.empty(made.p)
    design.some_dots(made.design, np.arange(made.p), made.y, 0.0, out)
    np.testing.assert_allclose(out, made.sigma, atol=1e-12)
    # In another order, neighbours have other prefixes.
    mixed = np.random.default_rng(2).permutation(made.p)
    design.some_dots(made.design, mixed, made.y, 0.0, out)
    np.testing.assert_allclose(out, made.sigma[mixed], atol=1e-12)
    indices, values = np.array([0, made.p // 2, made.p - 1]), np.array([0.5, -2.0, 1.5])
    np.testing.assert_allclose(
        made.residual(indices, values), dense.residual(indices, values), atol=1e-12
    )


@pytest.mark.parametrize(
    ("d", "degree"), [(40, 1), (40, 2), (20, 3), (9, 4), (8, 5), (6, 8), (300, 2)]
)
def test_a_range_has_the_same_bits_wherever_it_begins(d, degree):
    X = base(m=21, d=d)
    # Products of binary features that never meet are constant, and go: prefixes with gaps.
    X[:, :5] = np.arange(21)[:, None] % 5 == np.arange(5)
    problem = Problem.from_arrays(Products.of(X, degree), base(m=21)[:, 0])
    v, reference = problem.y + 1.0, np.empty(problem.p)
    design.full_pass(problem.design, v, float(v.sum()), reference, 1)
    np.testing.assert_allclose(reference, problem.design.matrix().T @ v, atol=1e-12)
    for threads in (2, 3, 7, 50):
        out = np.empty(problem.p)
        design.full_pass(problem.design, v, float(v.sum()), out, threads)
        np.testing.assert_array_equal(out, reference)


@given(st.data())
def test_passes_over_any_columns_in_any_order(data):
    d, degree = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 5))
    m, seed = data.draw(st.sampled_from([1, 16, 17, 2100])), data.draw(st.integers(0, 99))
    random = np.random.default_rng(seed)
    X, v = random.standard_normal((m, d)), random.standard_normal(m)
    stored = Products.of(X, degree)
    gone = random.random(stored.shape[1]) < data.draw(st.sampled_from([0.0, 0.1, 0.9]))
    gone[random.integers(gone.size)] = False
    some = stored.without(gone)
    for made in (some, some.permuted(random.permutation(some.shape[1]))):
        out = np.empty(made.shape[1])
        design.full_pass(made, v, float(v.sum()), out)
        np.testing.assert_allclose(out, made.matrix().T @ v, rtol=1e-10, atol=1e-10 * m)


def test_names_are_those_of_the_columns():
    X = base(m=7, d=3)
    stored = Products.of(X, 3)
    names = ProductNames(stored.factors, ["a", "b", "c"])
    assert names[0] == "1"
    assert len(set(names)) == len(names) == 20
    matrix = stored.matrix()
    for j, name in enumerate(names):
        expected = np.ones(7)
        for factor in [] if name == "1" else name.split("·"):
            feature, _, power = factor.partition("^")
            expected = expected * X[:, "abc".index(feature)] ** int(power or 1)
        np.testing.assert_allclose(matrix[:, j], expected, rtol=1e-12)
    assert names[4:6] == [names[4], names[5]]
    assert "a·b^2" in names


def test_constant_products_go_and_names_follow():
    X = base(d=4)
    X[:, 2] = 3.0
    problem = Problem.from_arrays(Products.of(X, 2), X[:, 0], feature_names=list("abcd"))
    assert "c" not in problem.feature_names
    assert "c^2" not in problem.feature_names
    assert problem.feature_names[0] == "a"
    assert len(problem.feature_names) == problem.p == 12
    assert (problem.sqnorms == 1.0).all()


def test_test_rows_are_products_of_the_same_features():
    X, other = base(), base(m=11, seed=3)
    y = X[:, 0] * X[:, 1]
    made = Problem.from_arrays(Products.of(X, 2), y, test=(other, other[:, 0] * other[:, 1]))
    assert walk_path(made, "active_set", tol=1e-8).points["test_error"].min() < 1e-3


def test_the_paths_are_those_of_the_matrix():
    X = base(m=30, d=6)
    y = X[:, 0] * X[:, 1] - X[:, 2] ** 3 + 0.05 * np.random.default_rng(1).standard_normal(30)
    made = Problem.from_arrays(Products.of(X, 3), y)
    dense = Problem.from_arrays(Products.of(X, 3).matrix()[:, 1:], y)
    for name, options in (
        ("sfw", {"sampling": "30%"}),
        ("corrective_fw", {}),
        ("cd", {"rule": "gap"}),
    ):
        grid = [0.1, 0.2, 0.4] if name != "cd" else made.lam_max * np.array([0.5, 0.1])
        one, two = walk_path(made, name, grid, **options), walk_path(dense, name, grid, **options)
        np.testing.assert_allclose(one.coefs.toarray(), two.coefs.toarray(), atol=1e-7)


def test_columns_take_a_few_bytes_each():
    problem = Problem.from_arrays(Products.of(base(m=40, d=30), 3), base(m=40)[:, 0])
    held = [a for a in problem.design if isinstance(a, np.ndarray)]
    assert sum(a.nbytes for a in held) < 23 * problem.p + 60_000


@pytest.mark.slow
def test_ten_to_the_eight_columns_are_sampled():
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, (20, 47))
    problem = Problem.from_arrays(Products.of(X, 6), X[:, 0] * X[:, 1])
    assert problem.p > 2 * 10**7
    result = walk_path(problem, "sfw", [0.1, 0.2], sampling="1000", max_steps=200)
    assert result.points["objective"][-1] < problem.f0


@pytest.mark.parametrize(
    ("X", "degree", "message"),
    [
        (base(), 0, r"'degree'.*at least 1.*Got 0"),
        (base(), 2.5, r"'degree'.*Got 2.5"),
        (base(), True, r"'degree'.*Got True"),
        (base(d=60), 9, r"'degree'.*2147483647 columns.*Got '9: \d+ columns'"),
        (np.full((3, 2), np.nan), 2, r"'X'.*finite"),
        (np.zeros((0, 2)), 2, r"'X'.*rows and columns"),
        (np.zeros(3), 2, r"'X'.*matrix"),
    ],
)
def test_bad_input_is_refused(X, degree, message):
    with pytest.raises(ParameterError, match=message):
        Products.of(X, degree)


def test_names_of_another_number_of_features_are_refused():
    with pytest.raises(ParameterError, match=r"'feature_names'.*length 4"):
        Problem.from_arrays(Products.of(base(), 2), base()[:, 0], feature_names=["a", "b"])


@pytest.mark.parametrize("standardize", [True, "centre"])
def test_a_design_that_was_scaled_is_taken_as_it_is(standardize):
    X = base()
    y = X[:, 0] * X[:, 1] + X[:, 2]
    made = Problem.from_arrays(Products.of(X, 2), y, standardize=standardize)
    again = Problem.from_arrays(made.design, made.y, standardize=False)
    np.testing.assert_allclose(
        again.sqnorms, np.square(made.design.exported()[0]).sum(axis=0), rtol=1e-12
    )
    np.testing.assert_array_equal(again.sigma, made.sigma)


@pytest.mark.parametrize("degree", [1, 2, 4, 5])
@pytest.mark.parametrize("size", [1e-60, 1.0, 1e60])
def test_means_and_norms_of_products_are_those_of_their_columns(degree, size):
    X = base()
    X[:, 1] = 1.0 + 1e-7 * X[:, 1]
    made = Products.of(size * X, degree)
    stored = design.column_moments(made)
    with np.errstate(over="ignore", invalid="ignore"):
        one_by_one = design.column_moments(design.from_matrix(made.matrix()))
    for found, wanted in zip(stored, one_by_one, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-15 * size**degree)

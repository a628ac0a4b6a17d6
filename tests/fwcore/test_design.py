import numpy as np
import pytest
import scipy.sparse
import toys

from fwcore import Problem, design


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("kind", toys.KINDS)
def test_full_pass_equals_numpy_on_the_standardised_matrix(kind, storage):
    X, y = toys.arrays(kind)
    Z, t = toys.standardized(X, y)
    problem = Problem.from_arrays(toys.store(X, storage), y)
    np.testing.assert_allclose(problem.y, t, atol=1e-14)
    np.testing.assert_allclose(problem.sigma, Z.T @ t, atol=1e-13)
    np.testing.assert_allclose(problem.sqnorms, (Z**2).sum(axis=0), atol=1e-13)


@pytest.mark.parametrize("storage", toys.STORAGES)
def test_image_of_coefficients_includes_what_centring_leaves_out(storage):
    X, y = toys.arrays("sparse")
    Z, t = toys.standardized(X, y)
    problem = Problem.from_arrays(toys.store(X, storage), y)
    indices, values = np.array([1, 7, 30]), np.array([0.5, -2.0, 0.25])
    np.testing.assert_allclose(
        problem.residual(indices, values), t - Z[:, indices] @ values, atol=1e-13
    )


def test_sparse_is_never_made_dense():
    X = scipy.sparse.random_array(
        (50, 200_000), density=1e-4, rng=np.random.default_rng(0), format="csc"
    )
    y = np.random.default_rng(1).standard_normal(50)
    stored = Problem.from_arrays(X, y).design
    assert isinstance(stored, design.Csc)
    assert sum(a.nbytes for a in stored.stored) < 2 * 2**20


def test_storage_without_standardising_is_the_matrix_as_it_is():
    X, y = toys.arrays("easy")
    problem = Problem.from_arrays(X, y, standardize=False)
    np.testing.assert_allclose(problem.sigma, X.T @ y, rtol=1e-12)
    np.testing.assert_allclose(problem.sqnorms, (X**2).sum(axis=0), rtol=1e-12)
    assert problem.y_offset == 0.0
    assert problem.y_scale == 1.0


def test_constant_columns_become_zero_even_where_their_mean_rounds():
    X, y = toys.arrays("easy")
    X[:, 4] = 0.1
    X[:, 7] = 1e12 + 3e-5
    problem = Problem.from_arrays(X, y)
    assert problem.sigma[4] == 0.0
    assert problem.sigma[7] == 0.0
    assert problem.sqnorms[[4, 7]].tolist() == [0.0, 0.0]


def test_columns_of_any_scale_are_the_same_problem():
    X, y = toys.arrays("easy")
    scaled = X * np.logspace(-12, 12, X.shape[1])
    np.testing.assert_allclose(
        Problem.from_arrays(scaled, y).sigma, Problem.from_arrays(X, y).sigma, atol=1e-12
    )


def test_primitives_say_that_they_are_for_kernels():
    with pytest.raises(TypeError, match="compiled kernels"):
        design.col_dot(None, 0, None, 0.0)

"""Orthogonal matching pursuit: against scikit-learn, and where it could go wrong."""

import numpy as np
import pytest
import toys
from sklearn.linear_model import orthogonal_mp

from fwcore import ParameterError, Problem, Status, Walk, design, find_solver, grids, walk_path


@pytest.mark.parametrize("seed", range(100))
def test_agrees_with_scikit_learn(seed):
    """Support and coefficients, along the whole path, on sparse and dense designs that were not
    standardised.
    """
    random = np.random.default_rng(seed)
    m, p = random.integers(20, 80), random.integers(30, 150)
    X = random.standard_normal((m, p)) * (random.random((m, p)) < random.choice([0.3, 1.0]))
    X += 0.1 * random.standard_normal((m, 1))
    y = X[:, :6] @ random.standard_normal(6) + 0.1 * random.standard_normal(m)
    k = 10
    problem = Problem.from_arrays(toys.store(X, toys.STORAGES[seed % 2]), y, standardize=False)
    found = walk_path(problem, "omp", np.arange(1, k + 1)).coefs.toarray()
    expected = orthogonal_mp(X, y, n_nonzero_coefs=k, return_path=True)
    np.testing.assert_array_equal(found != 0, expected != 0)
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("storage", [*toys.STORAGES, "products"])
def test_centred_designs_and_products(storage):
    X, y = toys.arrays("sparse" if storage == "csc" else "easy")
    if storage == "products":
        problem = Problem.from_arrays(design.Products.of(X, 2), y)
    else:
        problem = toys.problem("sparse" if storage == "csc" else "easy", storage)
    result = walk_path(problem, "omp", [1, 3, 8])
    Z = problem.design.matrix()
    Z = Z.toarray() if hasattr(Z, "toarray") else Z
    expected = orthogonal_mp(Z, problem.y, n_nonzero_coefs=8, return_path=True)
    np.testing.assert_allclose(result.coefs.toarray(), expected[:, [0, 2, 7]], atol=1e-8)
    # A step is a column, and costs a pass.
    assert result.points["steps"].tolist() == [1, 3, 8]
    assert result.points["dots"].tolist() == [problem.p, 3 * problem.p, 8 * problem.p]
    np.testing.assert_allclose(
        result.trace["objective"][[0, 2, 7]], result.points["objective"], rtol=1e-9
    )
    np.testing.assert_allclose(result.trace["l1"][[0, 2, 7]], result.points["l1"], rtol=1e-9)
    assert np.isnan(result.points["true_gap"]).all()
    assert result.summary()["max_relative_gap"] is None


def test_the_residual_of_each_point_is_orthogonal_to_its_columns():
    problem = toys.problem("correlated")
    result = walk_path(problem, "omp", [5, 10, 20])
    for point in range(3):
        column = result.coefs[:, [point]].tocoo()
        slopes = problem.gradient(problem.residual(column.coords[0], column.data))
        assert np.abs(slopes[column.coords[0]]).max() <= 1e-10
    assert (np.diff(result.trace["objective"]) <= 1e-14).all()


def test_more_columns_than_the_rank_and_an_exact_fit():
    """Duplicates are passed over, and a support that explains all does not grow."""
    X, y = toys.arrays("duplicates")
    problem = Problem.from_arrays(X, y)
    result = walk_path(problem, "omp", [2, 10, 25, 50])
    assert result.status == Status.REACHED
    assert result.points["nnz"].max() <= 20
    assert np.isfinite(result.coefs.toarray()).all()
    exact = Problem.from_arrays(X, X[:, 0] - 2 * X[:, 6], standardize=False)
    result = walk_path(exact, "omp", [1, 2, 3, 40])
    assert result.points["objective"][-1] <= 1e-20 * exact.f0
    assert result.points["nnz"][-1] <= 4
    assert result.points["steps"].tolist() == sorted(result.points["steps"])


def test_more_columns_than_there_are():
    X = np.random.default_rng(0).standard_normal((30, 5))
    problem = Problem.from_arrays(
        X, X @ np.arange(1.0, 6.0) + np.random.default_rng(1).standard_normal(30)
    )
    result = walk_path(problem, "omp", [5, 6, 1000])
    least = np.linalg.lstsq(
        *toys.standardized(
            X, X @ np.arange(1.0, 6.0) + np.random.default_rng(1).standard_normal(30)
        ),
        rcond=None,
    )
    np.testing.assert_allclose(result.coefs.toarray()[:, 2], least[0], atol=1e-10)
    assert result.points["nnz"].tolist() == [5, 5, 5]


@pytest.mark.parametrize("grid", [[0], [-1], [1.5], [2, 2], [3, 1], [np.nan], []])
def test_what_is_no_grid_of_columns(grid):
    with pytest.raises(ParameterError, match="'k grid' parameter"):
        Walk(toys.problem("easy"), "omp", grid)


def test_the_grid_by_default():
    problem = toys.problem("easy")
    assert Walk(problem, "omp").grid.tolist() == list(range(1, 13))
    assert grids.support_grid(toys.problem("wide"), 7).tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_room_grows_along_the_path_and_the_path_does_not_hang_on_it():
    problem = toys.problem("wide")
    whole, last = walk_path(problem, "omp", np.arange(1, 25)), walk_path(problem, "omp", [24])
    np.testing.assert_array_equal(whole.coefs.toarray()[:, -1], last.coefs.toarray()[:, 0])
    state = find_solver("omp").init(problem, find_solver("omp").Options(), 0)
    for k in (1, 2, 3, 30):
        find_solver("omp").set_point(problem, state, None, k, 0.0)
        assert state.arrays.basis.shape[0] <= problem.m

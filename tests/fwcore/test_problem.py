import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import toys

from fwcore import ParameterError, Problem
from fwcore.design import Products, passes


def _products(X):
    return Products.of(X[:, :3], 2)


def test_judge_in_the_ball_equals_its_definition():
    X, y = toys.arrays("wide")
    Z, t = toys.standardized(X, y)
    problem = Problem.from_arrays(X, y)
    indices, values = np.array([0, 3, 8]), np.array([0.2, -0.1, 0.05])
    a = toys.dense(90, indices, values)
    gradient = -Z.T @ (t - Z @ a)
    verdict = problem.judge(indices, values, "ball", 0.5)
    assert verdict.objective == pytest.approx(0.5 * np.sum((t - Z @ a) ** 2))
    assert verdict.true_gap == pytest.approx(gradient @ a + 0.5 * np.abs(gradient).max())
    assert verdict.l1 == pytest.approx(0.35)
    assert verdict.nnz == 3


def test_judge_of_the_penalty_is_primal_minus_a_feasible_dual():
    X, y = toys.arrays("wide")
    Z, t = toys.standardized(X, y)
    problem = Problem.from_arrays(X, y)
    indices, values, lam = np.array([0, 3]), np.array([0.3, -0.2]), 0.1
    residual = t - Z[:, indices] @ values
    theta = residual * min(1.0, lam / np.abs(Z.T @ residual).max())
    assert np.abs(Z.T @ theta).max() <= lam * (1 + 1e-12)
    primal = 0.5 * residual @ residual + lam * 0.5
    dual = 0.5 * t @ t - 0.5 * np.sum((t - theta) ** 2)
    assert problem.judge(indices, values, "penalty", lam).true_gap == pytest.approx(primal - dual)


def test_errors_are_in_the_units_given_and_test_rows_use_the_training_scale():
    X, y = toys.arrays("easy")
    train, test = slice(0, 40), slice(40, None)
    problem = Problem.from_arrays(X[train], y[train], test=(X[test], y[test]))
    mean, scale = X[train].mean(axis=0), np.linalg.norm(X[train] - X[train].mean(axis=0), axis=0)
    indices, values = np.array([0, 3, 5]), np.array([1.0, -0.5, 0.2])
    a = toys.dense(12, indices, values)
    predict = lambda rows: y[train].mean() + np.sqrt(40) * ((rows - mean) / scale) @ a  # noqa: E731
    verdict = problem.judge(indices, values, "ball", 2.0)
    assert verdict.train_error == pytest.approx(np.mean((predict(X[train]) - y[train]) ** 2))
    assert verdict.test_error == pytest.approx(np.mean((predict(X[test]) - y[test]) ** 2))


def test_no_test_rows_is_nan_not_zero():
    assert np.isnan(toys.problem().test_error(np.array([0]), np.array([1.0])))


def test_arrays_of_a_problem_cannot_be_changed():
    problem = toys.problem()
    with pytest.raises(ValueError, match="read-only"):
        problem.y[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        problem.design.values[0, 0] = 1.0


@pytest.mark.parametrize("made", [np.asfortranarray, scipy.sparse.csc_array, _products])
def test_passes_meet_read_only_designs_alone(monkeypatch, made):
    # Others are of another type, for which numba would compile all that reads a design once more.
    X, y = toys.arrays("easy")
    met, passed = [], passes._range

    def noting(design, *rest):
        met.extend(array for array in design if isinstance(array, np.ndarray))
        passed(design, *rest)

    monkeypatch.setattr(passes, "_range", noting)
    problem = Problem.from_arrays(made(X), y)
    problem.gradient(problem.y)
    assert met
    assert not any(array.flags.writeable for array in met)


def test_the_callers_arrays_are_left_alone():
    X, y = toys.arrays("easy")
    X = np.asfortranarray(X)
    copies = X.copy(), y.copy()
    Problem.from_arrays(X, y)
    assert X.flags.writeable
    np.testing.assert_array_equal(X, copies[0])
    np.testing.assert_array_equal(y, copies[1])


def test_content_hash_follows_the_content():
    X, y = toys.arrays("easy")
    same, other = Problem.from_arrays(X, y).content_hash, X.copy()
    other[3, 4] += 1e-9
    assert Problem.from_arrays(X.copy(), y.copy(), name="renamed").content_hash == same
    assert Problem.from_arrays(other, y).content_hash != same
    assert Problem.from_arrays(X, y[::-1]).content_hash != same


def test_names_of_a_data_frame_are_kept():
    X, y = toys.arrays("easy")
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    assert list(Problem.from_arrays(frame, y).feature_names)[:2] == ["c0", "c1"]
    names = Problem.from_arrays(X, y).feature_names
    assert (len(names), names[0], names[-1], names[1:3]) == (12, "x1", "x12", ["x2", "x3"])


X, Y = toys.arrays("easy")
BAD = {
    "no rows": (X[:0], Y[:0], {}, "'X'.*rows and columns"),
    "no columns": (X[:, :0], Y, {}, "'X'.*rows and columns"),
    "one dimension": (X[0], Y, {}, "'X'.*two dimensions"),
    "text": (np.array([["a", "b"]]), Y, {}, "'X'.*numbers"),
    "lengths": (X, Y[:-1], {}, "'y'.*length 60"),
    "nan in X": (np.where(X > 2, np.nan, X), Y, {}, "'X'.*NaN"),
    "inf in y": (X, np.where(Y > 2, np.inf, Y), {}, "'y'.*NaN and infinity"),
    "constant y": (X, np.ones(60), {}, "'y'.*not constant"),
    "constant X": (np.ones((60, 3)), Y, {}, "'X'.*not constant"),
    "loss": (X, Y, {"loss": "hinge"}, "'loss'.*squared"),
    "names": (X, Y, {"feature_names": ["a"]}, "'feature_names'.*12"),
    "test columns": (X, Y, {"test": (X[:, :3], Y)}, "'test'.*12 columns"),
    "test rows": (X, Y, {"test": (X, Y[:5])}, "'test'.*60 rows"),
    "zero y": (X, np.zeros(60), {"standardize": False}, "'y'.*orthogonal"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_clear_error(case):
    design, response, options, message = BAD[case]
    with pytest.raises(ParameterError, match=f"^The {message}.* Got .* instead.$"):
        Problem.from_arrays(design, response, **options)


def test_unknown_form_is_refused():
    with pytest.raises(ParameterError, match="'form'"):
        toys.problem().judge(np.zeros(0, int), np.zeros(0), "simplex", 1.0)

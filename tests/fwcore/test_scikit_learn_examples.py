"""What scikit-learn's gallery does with its Lasso, done with both: its class and ours in its place.

Of the examples "Lasso, Lasso-LARS and elastic net paths", "Lasso model selection",
"L1-based models for sparse signals", "Lasso on dense and sparse data" and "Model-based and
sequential feature selection".
"""

import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn import linear_model
from sklearn.datasets import load_diabetes, make_regression
from sklearn.feature_selection import SelectFromModel, SequentialFeatureSelector
from sklearn.linear_model import enet_path
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fwcore import ParameterError, Problem, estimators, walk_path


def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.mark.parametrize("positive", [False, True])
def test_paths_of_lasso_and_elastic_net(positive):
    X, y = diabetes()
    X /= X.std(axis=0)
    for theirs, ratio in ((linear_model.lasso_path, {}), (enet_path, {"l1_ratio": 0.8})):
        given = {"eps": 5e-3, "positive": positive, "alphas": 100, **ratio}
        alphas, coefs, gaps = estimators.lasso_path(X, y, **given)
        their_alphas, their_coefs, _ = theirs(X, y, **given, tol=1e-8)
        np.testing.assert_allclose(alphas, their_alphas)
        np.testing.assert_allclose(coefs, their_coefs, atol=0.3)
        assert gaps.shape == (100,)
        assert (gaps <= 1.001e-6 * (y @ y) / (2 * y.size)).all()
    found = estimators.lasso_path(X, y, alphas=7, return_n_iter=True, tol=1e-12)
    assert [part.shape for part in found] == [(7,), (10, 7), (7,), (7,)]
    walked = walk_path(
        Problem.from_arrays(X, y, standardize=False), grid=y.size * found[0], tol=1e-12
    )
    assert found[3].tolist() == np.diff(walked.points["steps"], prepend=0).tolist()
    assert found[3].max() < 50


def test_model_selection_by_cross_validation():
    X, y = diabetes()
    rng = np.random.RandomState(42)
    X = np.c_[X, rng.randn(X.shape[0], 14)]

    def selected(kind):
        model = make_pipeline(StandardScaler(), kind(cv=20)).fit(X, y)
        return model[-1]

    ours, theirs = selected(estimators.FWLassoCV), selected(linear_model.LassoCV)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_)
    # At the largest alphas theirs stops at zero already.
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-2)
    assert ours.alpha_ == pytest.approx(theirs.alpha_)
    assert ours.mse_path_.mean(axis=-1).argmin() == theirs.mse_path_.mean(axis=-1).argmin()


def test_models_of_a_sparse_signal():
    rng = np.random.RandomState(0)
    n_samples, n_features, n_informative = 50, 100, 10
    times = np.linspace(0, 2, n_samples)
    freqs = np.sort(rng.uniform(0.01, 1, n_features))
    X = np.array([np.sin(2 * np.pi * freq * times) for freq in freqs]).T
    coef = np.zeros(n_features)
    coef[:n_informative] = (-1) ** np.arange(n_informative) * np.exp(-np.arange(n_informative) / 10)
    y = X @ coef + 0.2 * rng.standard_normal(n_samples)
    parts = train_test_split(X, y, test_size=0.5, shuffle=False)
    X_train, X_test, y_train, y_test = parts
    for ours, theirs in (
        (estimators.FWLasso(alpha=0.14), linear_model.Lasso(alpha=0.14, tol=1e-8)),
        (
            estimators.FWElasticNet(alpha=0.08, l1_ratio=0.5),
            linear_model.ElasticNet(alpha=0.08, l1_ratio=0.5, tol=1e-8),
        ),
    ):
        scores = [
            r2_score(y_test, model.fit(X_train, y_train).predict(X_test))
            for model in (ours, theirs)
        ]
        assert scores[0] == pytest.approx(scores[1], abs=1e-2)


def test_dense_and_sparse_data():
    X, y = make_regression(n_samples=200, n_features=5000, random_state=0)
    dense, sparse = estimators.FWLasso(alpha=1), estimators.FWLasso(alpha=1)
    dense.fit(X, y)
    sparse.fit(scipy.sparse.coo_matrix(X), y)
    np.testing.assert_allclose(dense.coef_, sparse.coef_, atol=1e-2)
    thresholded = X.copy()
    thresholded[thresholded < 2.5] = 0.0
    columns = scipy.sparse.csc_matrix(thresholded)
    assert columns.nnz < 0.02 * X.size
    one, other = (estimators.FWLasso(alpha=0.1, tol=1e-8).fit(A, y) for A in (thresholded, columns))
    theirs = linear_model.Lasso(alpha=0.1, tol=1e-8, max_iter=10**5).fit(columns, y)
    np.testing.assert_allclose(one.predict(columns), other.predict(columns), atol=0.5)
    np.testing.assert_allclose(other.predict(columns), theirs.predict(columns), atol=0.5)


def test_feature_selection():
    X, y = diabetes()

    def selected(kind):
        model = kind(alphas=20).fit(X, y)
        importance = np.abs(model.coef_)
        threshold = np.sort(importance)[-3] + 0.01
        chosen = SelectFromModel(model, threshold=threshold).fit(X, y)
        forward = SequentialFeatureSelector(model, n_features_to_select=2).fit(X, y)
        return [part.get_support().tolist() for part in (chosen, forward)]

    ours, theirs = selected(estimators.FWLassoCV), selected(linear_model.LassoCV)
    assert ours == theirs
    assert sum(ours[0]) == 2


def test_calls_of_scikit_learns_path_run(capsys):
    X, y = diabetes()
    given = {"eps": 1e-2, "coef_init": np.zeros(10), "copy_X": False, "return_n_iter": True}
    products = {"precompute": X.T @ X, "Xy": X.T @ y}
    before = X.copy()
    for more in ({"precompute": True, "alphas": 9}, {**products, "alphas": 9}, {"n_alphas": 9}):
        found = estimators.lasso_path(X, y, **given, **more)
        plain = estimators.lasso_path(X, y, eps=1e-2, alphas=9, return_n_iter=True)
        for ours, expected in zip(found, plain, strict=True):
            np.testing.assert_array_equal(ours, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        theirs = linear_model.lasso_path(X, y, **given, n_alphas=9, tol=1e-8)
    np.testing.assert_allclose(found[0], theirs[0])
    np.testing.assert_allclose(found[1], theirs[1], atol=0.5)
    np.testing.assert_array_equal(X, before)
    estimators.lasso_path(X, y, alphas=9, verbose=True)
    assert capsys.readouterr().err == "." * 9
    estimators.lasso_path(X, y, alphas=2, verbose=2)
    assert capsys.readouterr().out == "Path: 001 out of 002\nPath: 002 out of 002\n"


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"n_alphas": 5, "alphas": 5}, "None where alphas are given"),
        ({"n_alphas": 0}, "a positive int"),
        ({"precompute": "often"}, r'"auto", a bool or finite numbers of shape \(10, 10\)'),
        ({"precompute": np.eye(3)}, r"shape \(10, 10\)"),
        ({"Xy": [1.0]}, r"None or finite numbers of shape \(10,\)"),
        ({"coef_init": np.full(10, np.nan)}, r"None or finite numbers of shape \(10,\)"),
        ({"copy_X": "no"}, "a bool"),
        ({"verbose": -1}, "an int of at least 0"),
    ],
)
def test_what_scikit_learns_path_would_not_take_is_named(given, rule):
    X, y = diabetes()
    with pytest.raises(ParameterError, match=rule) as raised:
        estimators.lasso_path(X, y, **given)
    assert raised.value.name == next(iter(given))

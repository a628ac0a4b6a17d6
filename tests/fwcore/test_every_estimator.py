"""What all eight estimators share, and FWLasso with each of the solvers of its two forms."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

import fwcore.estimators
from fwcore import SOLVERS, ParameterError
from fwcore.estimators import FWLasso, FWLassoCV, certify

KINDS = [
    getattr(fwcore.estimators, name) for name in fwcore.estimators.__all__ if name.startswith("FW")
]
FORMS = {"penalty": "alpha", "ball": "delta"}
WRONG = [
    ("alpha", "1"),
    ("fit_intercept", 2),
    ("fit_intercept", "no"),
    ("max_iter", 0),
    ("one_standard_error", "yes"),
    ("positive", "no"),
    ("solver", "nobody"),
    ("solver", "omp"),
    ("tol", -1.0),
    ("tol", "fine"),
]


def frame(kind):
    """Rows of diabetes by name, and a response that the estimator takes."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X, y = X[:150] / X.std(), y[:150]
    return X, y > 150 if "Logistic" in kind.__name__ else y


def small(kind, **given):
    few = {"cv": 3, "alphas": 5} if kind.__name__.endswith("CV") else {"alpha": 0.1}
    return kind(**few, **given)


def fitted(kind, X, y, **given):
    return small(kind).fit(X, y, **given)


@pytest.mark.parametrize("kind", KINDS)
def test_all_find_their_path_by_the_certified_solver_and_tell_of_it(kind):
    X, y = frame(kind)
    seen = []
    model = fitted(kind, X, y, callback=seen.append)
    assert model.path_.solver == "certified"
    assert {snapshot.point for snapshot in seen} == set(range(model.path_.grid.size))
    assert 0.0 <= model.dual_gap_ <= 1e-3 * model.path_.f0
    assert [*model.feature_names_in_] == [*X.columns]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert kind.__name__ in model._repr_html_()


@pytest.mark.parametrize("kind", KINDS)
def test_all_keep_single_precision(kind):
    X, y = frame(kind)
    single = X.to_numpy(np.float32)
    given, exact = fitted(kind, single, y), fitted(kind, single.astype(np.float64), y)
    assert given.coef_.dtype == np.float32
    np.testing.assert_allclose(given.coef_, exact.coef_, rtol=1e-4, atol=1e-4)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "solver", [one for one in SOLVERS if one.form in FORMS], ids=lambda s: s.name
)
def test_each_solver_is_taken_with_the_parameter_of_its_form(solver):
    if why := solver.missing:
        pytest.skip(why)
    X, y = frame(FWLasso)
    X = StandardScaler().fit_transform(X)
    value = {FORMS[solver.form]: 20.0}
    model = FWLasso(**value, solver=solver.name, max_iter=300).fit(X, y)
    assert model.path_.solver == solver.name
    own = certify(X, y, model.coef_, intercept=model.intercept_, **value)
    assert model.dual_gap_ == pytest.approx(own.gap, rel=1e-6, abs=1e-9 * y.var())
    (other,) = {*FORMS.values()} - {*value}
    with pytest.raises(ValueError, match=rf"'solver' parameter .*\({FORMS[solver.form]}\)"):
        FWLasso(**{other: 20.0}, solver=solver.name).fit(X, y)


@pytest.mark.parametrize(
    ("kind", "name", "wrong"),
    [(kind, *pair) for kind in KINDS for pair in WRONG if pair[0] in kind().get_params()],
)
def test_parameters_are_checked_where_zeros_are_the_answer_too(kind, name, wrong):
    """Columns that are constant do not descend, whatever the response."""
    X, y = np.ones((12, 3)), np.arange(12.0) > 5
    y = y if "Logistic" in kind.__name__ else y + 0.5
    assert not kind().fit(X, y).coef_.any()
    with pytest.raises(ParameterError, match=f"'{name}' parameter of {kind.__name__} must be"):
        kind(**{name: wrong}).fit(X, y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["fit_intercept", "positive"])
@pytest.mark.parametrize("flag", [True, False])
def test_flags_of_numpy_are_flags(kind, name, flag):
    X, y = frame(kind)
    plain, numpy = (small(kind, **{name: cast(flag)}).fit(X, y) for cast in (bool, np.bool_))
    np.testing.assert_array_equal(plain.coef_, numpy.coef_)


@pytest.mark.parametrize("cast", [np.int8, np.float16, np.float32])
def test_numbers_of_any_type_are_those_numbers(cast):
    X, y = load_diabetes(return_X_y=True)
    plain, typed = (FWLasso(alpha=a, tol=1e-9).fit(X, y) for a in (1.0, cast(1)))
    np.testing.assert_array_equal(plain.coef_, typed.coef_)
    given = (X, y, plain.coef_)
    one, other = (certify(*given, alpha=a, intercept=plain.intercept_) for a in (1.0, cast(1)))
    assert one == other
    large = FWLasso(alpha=cast(100)).fit(1e3 * X, y)
    np.testing.assert_array_equal(large.coef_, FWLasso(alpha=100.0).fit(1e3 * X, y).coef_)
    assert large.coef_.any()


def test_huge_integers_are_numbers():
    X, y = frame(FWLasso)
    assert not FWLasso(alpha=10**20).fit(X, y).coef_.any()
    for wrong in (10**400, np.inf, np.nan, True):
        with pytest.raises(ParameterError, match="'alpha' parameter of FWLasso"):
            FWLasso(alpha=wrong).fit(X, y)


@pytest.mark.parametrize("seed", range(40))
def test_an_alpha_that_is_the_largest_but_for_rounding_has_a_path(seed):
    random = np.random.default_rng(seed)
    X, y = random.standard_normal((20, 8)), random.standard_normal(20)
    model = FWLassoCV(alphas=1).fit(X, y)
    assert np.abs(model.coef_).max() < 1e-9
    alpha = model.alpha_
    for _ in range(4):
        alpha = np.nextafter(alpha, 0.0)
        assert FWLasso(alpha).fit(X, y).dual_gap_ <= 1e-6 * y.var()

"""What all eight estimators share, and FWLasso with each of the solvers of its two forms."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import StandardScaler

import fwcore.estimators
from fwcore import SOLVERS
from fwcore.estimators import FWLasso, certify

KINDS = [
    getattr(fwcore.estimators, name) for name in fwcore.estimators.__all__ if name.startswith("FW")
]
FORMS = {"penalty": "alpha", "ball": "delta"}


def frame(kind):
    """Rows of diabetes by name, and a response that the estimator takes."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X, y = X[:150] / X.std(), y[:150]
    return X, y > 150 if "Logistic" in kind.__name__ else y


def fitted(kind, X, y, **given):
    model = kind(**({"cv": 3, "alphas": 5} if kind.__name__.endswith("CV") else {"alpha": 0.1}))
    return model.fit(X, y, **given)


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

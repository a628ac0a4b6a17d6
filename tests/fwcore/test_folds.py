"""alpha by cross-validation, compared with scikit-learn's on the same folds; what is routed to the
splitter.
"""

import re

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNetCV, LogisticRegressionCV
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fwcore import ParameterError
from fwcore.estimators import FWElasticNetCV, FWHuberCV, FWLassoCV, FWLogisticCV


def rows(seed, m=80, p=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, p))
    return X, X[:, :4] @ np.array([2.0, -1.0, 1.5, 1.0]) + rng.normal(size=m)


@pytest.mark.parametrize("seed", range(3))
def test_the_alpha_of_an_elastic_net_is_that_of_scikit_learn(seed):
    X, y = rows(seed)
    folds = KFold(4, shuffle=True, random_state=seed)
    ours = FWElasticNetCV(l1_ratio=0.6, cv=folds, alphas=30, tol=1e-8).fit(X, y)
    theirs = ElasticNetCV(l1_ratio=0.6, cv=folds, alphas=30, tol=1e-8, max_iter=10**5).fit(X, y)
    np.testing.assert_allclose(ours.alphas_, theirs.alphas_)
    np.testing.assert_allclose(ours.mse_path_, theirs.mse_path_, rtol=1e-3)
    assert ours.alpha_ == pytest.approx(theirs.alpha_)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("seed", range(3))
def test_the_alpha_of_two_classes_is_that_of_scikit_learn(seed):
    """Without an intercept, since liblinear penalises it; all folds learn from 58 rows, so that its
    C is one alpha.
    """
    X, u = rows(seed, p=20)
    y = u > 0
    folds = StratifiedKFold(4, shuffle=True, random_state=seed)
    folds = [(train[:58], test) for train, test in folds.split(X, y)]
    ours = FWLogisticCV(cv=folds, alphas=12, eps=1e-2, fit_intercept=False, tol=1e-9).fit(X, y)
    theirs = LogisticRegressionCV(
        Cs=1.0 / (58 * ours.alphas_),
        l1_ratios=(1.0,),
        cv=folds,
        solver="liblinear",
        fit_intercept=False,
        scoring="neg_log_loss",
        tol=1e-8,
        max_iter=10_000,
        use_legacy_attributes=False,
    ).fit(X, y)
    assert pytest.approx(1.0 / (58 * ours.alpha_)) == theirs.C_
    np.testing.assert_allclose(np.squeeze(theirs.scores_), -ours.error_path_.T, atol=1e-4)


@pytest.mark.parametrize("kind", [FWLassoCV, FWHuberCV])
def test_groups_are_routed_to_the_splitter(kind):
    X, y = rows(0)
    groups = np.arange(80) % 8
    with sklearn.config_context(enable_metadata_routing=True):
        splitter = GroupKFold(4)
        model = kind(alphas=5, cv=splitter).fit(X, y, groups=groups)
        told = model.get_metadata_routing()
        assert told.consumes("fit", ["groups", "sample_weight"]) == {"groups"}
        with pytest.raises(TypeError, match="unexpected argument"):
            kind(alphas=5, cv=KFold(4)).fit(X, y, groups=groups)
        listed = iter(list(GroupKFold(4).split(X, y, groups)))
        once = kind(alphas=5, cv=listed).fit(X, y)
        np.testing.assert_array_equal(once.error_path_, model.error_path_)
    folds = list(GroupKFold(4).split(X, y, groups))
    np.testing.assert_array_equal(model.error_path_, kind(alphas=5, cv=folds).fit(X, y).error_path_)


@pytest.mark.parametrize("kind", [FWLassoCV, FWHuberCV])
def test_weights_are_routed_through_other_estimators(kind):
    X, y = rows(0)
    weights = 1.0 + np.arange(80) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        model = kind(alphas=5, cv=3).set_fit_request(sample_weight=True)
        whole = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), model)
        whole.fit(X, y, sample_weight=weights)
    alone = kind(alphas=5, cv=3).fit(StandardScaler().fit_transform(X), y, sample_weight=weights)
    np.testing.assert_array_equal(whole[-1].coef_, alone.coef_)
    plain = kind(alphas=5, cv=3).fit(StandardScaler().fit_transform(X), y)
    assert np.abs(plain.coef_ - alone.coef_).max() > 1e-6


@pytest.mark.parametrize("kind", [FWLassoCV, FWElasticNetCV, FWHuberCV, FWLogisticCV])
def test_folds_in_parallel_have_the_same_errors(kind):
    X, y = rows(1)
    y = y > 0 if kind is FWLogisticCV else y
    # Folds that can be read but once are no more than that in parallel.
    folds = (KFold(3).split(X, y) for _ in range(2))
    one, two = (kind(alphas=8, cv=next(folds), n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.error_path_, two.error_path_)
    np.testing.assert_array_equal(one.coef_, two.coef_)


def test_folds_that_were_given_up_are_told():
    X, y = rows(0)
    told = r"In 3 of 3 folds: The step limit .* Raise max_iter"
    with pytest.warns(ConvergenceWarning) as warned:
        FWLassoCV(solver="cd", alphas=20, cv=3, tol=1e-9, max_iter=2).fit(X, y)
    assert re.match(told, str(warned[0].message))


def test_groups_that_nobody_asks_for_are_told():
    X, y = rows(0)
    with pytest.raises(
        ParameterError, match=r"'groups' parameter of FWLassoCV .* metadata routing"
    ):
        FWLassoCV(cv=GroupKFold(4)).fit(X, y, groups=np.arange(80) % 8)


def test_one_fold_has_no_standard_error():
    X, y = rows(0)
    one = ShuffleSplit(1, random_state=0)
    assert FWLassoCV(cv=one, alphas=5).fit(X, y).error_path_.shape == (5, 1)
    for wrong in ({"cv": one, "one_standard_error": True}, {"cv": iter(())}):
        with pytest.raises(ParameterError, match=r"'cv' parameter of FWLassoCV .* fold or more"):
            FWLassoCV(alphas=5, **wrong).fit(X, y)


def test_folds_by_default_are_those_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    model = FWLassoCV().fit(X, y)
    assert model.mse_path_.shape == (100, 5)
    assert model.alphas_[-1] == pytest.approx(1e-3 * model.alphas_[0])

"""Problems that are made: what they promise, from their own true coefficients."""

import numpy as np
import pytest
import scipy.sparse

from fwcore import ParameterError
from fwcore.datasets.generators import (
    GENERATORS,
    correlated_gaussian,
    synthetic,
    unit_sphere,
    with_noise,
    zipf_sparse,
)

SMALL = {
    "synthetic": {"rows": 60, "columns": 100, "relevant": 7},
    "correlated_gaussian": {"rows": 60, "columns": 100, "relevant": 7, "rho": 0.5, "snr": 2.0},
    "unit_sphere": {"rows": 60, "columns": 100, "relevant": 7},
    "zipf_sparse": {"rows": 60, "columns": 100, "nonzeros": 900, "relevant": 7},
}


@pytest.mark.parametrize("name", GENERATORS)
def test_same_seed_same_problem_and_the_true_coefficients_are_those(name):
    make = GENERATORS[name]
    made, again, other = make(**SMALL[name]), make(**SMALL[name]), make(**SMALL[name], seed=1)
    for first, second in zip(made, again, strict=True):
        assert (first != second).sum() == 0
    assert (made.y != other.y).any()
    assert made.X.shape == (60, 100)
    assert np.count_nonzero(made.coef) == 7
    residual = made.y - made.X @ made.coef
    # By the true coefficients y is nearer than by none.
    assert residual @ residual < 0.8 * (made.y - made.y.mean()) @ (made.y - made.y.mean())


BAD = [
    *(
        (name, change)
        for name in SMALL
        for change in ({"relevant": 0}, {"relevant": 101}, {"rows": 0})
    ),
    *((name, {"snr": 0.0}) for name in SMALL if name != "synthetic"),
    ("correlated_gaussian", {"rho": 1.0}),
    ("correlated_gaussian", {"support": [1, 1, 2, 3, 4, 5, 6]}),
    ("correlated_gaussian", {"support": [0, 1, 2, 3, 4, 5, 100]}),
    ("zipf_sparse", {"nonzeros": 10}),
]


@pytest.mark.parametrize(("name", "change"), BAD)
def test_bad_input_is_refused(name, change):
    with pytest.raises(ParameterError, match=next(iter(change))):
        GENERATORS[name](**SMALL[name] | change)


def test_neighbours_are_correlated_as_told():
    made = correlated_gaussian(20_000, 6, 2, rho=0.8, snr=3.0)
    np.testing.assert_allclose(
        np.corrcoef(made.X.T), 0.8 ** np.abs(np.subtract.outer(range(6), range(6))), atol=0.03
    )
    noise = made.y - made.X @ made.coef
    assert (made.X @ made.coef).var() / noise.var() == pytest.approx(3.0, rel=0.1)


def test_a_support_can_be_given():
    made = correlated_gaussian(50, 30, 3, rho=0.5, snr=3.0, support=[4, 29, 0])
    assert np.flatnonzero(made.coef).tolist() == [0, 4, 29]


def test_columns_are_on_the_sphere_and_coefficients_away_from_zero():
    made = unit_sphere(50, 2000, 400)
    np.testing.assert_allclose(np.linalg.norm(made.X, axis=0), 1.0)
    active = made.coef[made.coef != 0]
    assert active.size == 400
    assert np.abs(active).min() >= 0.1
    assert active.mean() == pytest.approx(0.0, abs=0.2)


def test_synthetic_is_that_of_scikit_learn():
    made = synthetic(50, 20, 3, noise=0.0)
    np.testing.assert_allclose(made.X @ made.coef, made.y)


@pytest.mark.parametrize("exponent", [0.0, 0.7, 1.0, 1.5])
def test_counts_follow_zipf_and_add_up(exponent):
    made = zipf_sparse(300, 5000, 60_000, exponent, relevant=50)
    counts = np.diff(made.X.indptr)
    assert made.X.nnz == 60_000
    assert counts.min() >= 1
    assert counts.max() <= 300
    assert (np.diff(counts) <= 1).all()
    assert made.X.has_canonical_format
    free = (counts > 5) & (counts < 250)
    if exponent and free.sum() > 50:
        slope = np.polyfit(np.log(np.flatnonzero(free) + 3.0), np.log(counts[free]), 1)[0]
        assert slope == pytest.approx(-exponent, abs=0.1)


def test_rows_of_a_column_are_a_uniform_subset():
    made = zipf_sparse(40, 4000, 40_000, 0.0, relevant=10)
    hits = np.bincount(made.X.indices, minlength=40)
    expected = made.X.nnz / 40
    # Chi-square of 39 degrees of freedom: beyond 80 about once in 10,000 times.
    assert ((hits - expected) ** 2 / expected).sum() < 80


def test_noise_says_nothing_and_has_its_density():
    X = np.random.default_rng(0).standard_normal((2000, 3))
    sparse, dense = with_noise(X, "sparse", 50), with_noise(X, "dense", 50)
    assert scipy.sparse.issparse(sparse)
    assert sparse.shape == dense.shape == (2000, 53)
    assert sparse[:, 3:].nnz / 100_000 == pytest.approx(0.05, abs=0.005)
    assert set(np.unique(sparse[:, 3:].data)) == {1.0}
    assert set(np.unique(dense[:, 3:])) == {-1.0, 1.0}
    with pytest.raises(ParameterError, match="'kind'"):
        with_noise(X, "other", 5)


@pytest.mark.slow
def test_ninety_seven_million_entries():
    made = zipf_sparse(16_087, 4_272_227, 97_000_000)
    assert made.X.nnz == 97_000_000
    assert np.diff(made.X.indptr).max() <= 16_087

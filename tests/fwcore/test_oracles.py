import numpy as np
import pytest
import toys
from numba import njit
from scipy.stats import chisquare

from fwcore.oracles import Full, Sampled, steepest
from fwcore.stream import below, new_stream


@njit
def ask(oracle, design, sigma, image, image_sum, kappa):
    return steepest(oracle, design, sigma, 1.0, image, image_sum, kappa)


@njit
def draw(stream, bound, n):
    out = np.empty(n, np.int64)
    for i in range(n):
        out[i] = below(stream, bound)
    return out


def test_the_stream_is_uniform_and_repeats():
    draws = draw(new_stream(5), 97, 97_000)
    assert chisquare(np.bincount(draws, minlength=97)).pvalue > 1e-4
    np.testing.assert_array_equal(draws, draw(new_stream(5), 97, 97_000))
    assert not np.array_equal(draws, draw(new_stream(6), 97, 97_000))


@pytest.mark.parametrize("storage", toys.STORAGES)
def test_full_is_the_arg_max_with_exact_counts(storage):
    problem = toys.problem("sparse", storage)
    image = np.zeros(problem.m)
    best, slope, dots, entries = ask(Full(np.array([problem.p])), problem.design, problem.sigma, image, 0.0, problem.p)
    assert best == np.abs(problem.sigma).argmax()
    assert slope == -problem.sigma[best]
    assert (dots, entries) == (problem.p, problem.entries)


@pytest.mark.parametrize("kappa", [1, 7, 45, 90])
def test_sampled_looks_at_kappa_distinct_columns_each_equally_often(kappa):
    problem = toys.problem("wide")
    oracle = Sampled.of(problem.p, seed=3)
    image, seen = np.zeros(problem.m), np.zeros(problem.p)
    for _ in range(400):
        best, _, dots, entries = ask(oracle, problem.design, problem.sigma, image, 0.0, kappa)
        drawn = oracle.order[:kappa]
        assert len(set(drawn)) == kappa
        assert sorted(oracle.order) == list(range(problem.p))
        assert best == drawn[np.abs(problem.sigma[drawn]).argmax()]
        assert (dots, entries) == (kappa, kappa * problem.m)
        seen[drawn] += 1
    assert seen.sum() == 400 * kappa
    if kappa == problem.p:
        assert (seen == 400).all()
        return
    # The counts of a draw without replacement vary less than multinomial ones, by the factor (p - kappa) / (p - 1).
    statistic = ((seen - 400 * kappa / 90) ** 2).sum() / (400 * kappa / 90) / ((90 - kappa) / 89)
    assert 40 < statistic < 160


def test_oracles_say_that_they_are_for_kernels():
    with pytest.raises(TypeError, match="compiled kernels"):
        steepest(None, None, None, None, None, None, None)

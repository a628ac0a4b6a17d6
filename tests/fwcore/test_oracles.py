import numpy as np
import pytest
import toys
from numba import njit
from scipy.stats import chisquare

from fwcore import walk_path
from fwcore.kernels.random import new_stream, uniform_int
from fwcore.oracles import Blocks, Full, Replaced, Sampled, steepest


@njit
def ask(oracle, design, sigma, image, image_sum, kappa):
    return steepest(oracle, design, sigma, 1.0, image, image_sum, kappa, False, 0.0)


@njit
def draw(stream, bound, n):
    out = np.empty(n, np.int64)
    for i in range(n):
        out[i] = uniform_int(stream, bound)
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
    best, slope, dots, entries = ask(
        Full(np.array([problem.p])), problem.design, problem.sigma, image, 0.0, problem.p
    )
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
    # The counts of a draw without replacement vary less than multinomial ones, by the factor (p -
    # kappa) / (p - 1).
    statistic = ((seen - 400 * kappa / 90) ** 2).sum() / (400 * kappa / 90) / ((90 - kappa) / 89)
    assert 40 < statistic < 160


@pytest.mark.parametrize(("width", "kappa"), [(1, 7), (8, 7), (8, 20), (64, 30), (200, 89)])
def test_blocks_give_every_column_the_same_probability(width, kappa):
    problem = toys.problem("wide")
    oracle = Blocks.of(problem.design, problem.sigma, width, seed=1)
    image, p = np.zeros(problem.m), problem.p
    for _ in range(100):
        best, slope, dots, entries = ask(oracle, problem.design, problem.sigma, image, 0.0, kappa)
        assert slope == -problem.sigma[best]
        assert (dots, entries) == (kappa, kappa * problem.m)
    # A column is seen when it is the only one with a slope; the draws for different columns are
    # independent.
    seen, unit = np.zeros(p), Blocks.of(problem.design, np.zeros(p), width, seed=2)
    draws = 2000
    for j in range(p):
        unit.sigma[:] = unit.columns == j
        for _ in range(draws):
            seen[j] += ask(unit, problem.design, problem.sigma, image, 0.0, kappa)[1] != 0.0
    share = kappa / p
    statistic = ((seen - draws * share) ** 2).sum() / (draws * share * (1 - share))
    assert 40 < statistic < 160


def test_blocks_read_neighbours_of_a_shuffled_copy():
    problem = toys.problem("sparse", "csc")
    oracle = Blocks.of(problem.design, problem.sigma, 16, seed=1)
    assert sorted(oracle.columns) == list(range(problem.p))
    np.testing.assert_array_equal(oracle.sigma, problem.sigma[oracle.columns])
    best, slope, dots, entries = ask(
        oracle, problem.design, problem.sigma, np.zeros(problem.m), 0.0, problem.p
    )
    assert best == np.abs(problem.sigma).argmax()
    assert slope == -problem.sigma[best]
    assert (dots, entries) == (problem.p, problem.entries)


def test_with_replacement_a_column_is_seen_as_often_as_it_should():
    problem = toys.problem("wide")
    oracle, image, p, kappa, draws = Replaced.of(4), np.zeros(problem.m), problem.p, 30, 1000
    seen = np.zeros(p)
    for j in range(p):
        only = (np.arange(p) == j).astype(float)
        for _ in range(draws):
            seen[j] += ask(oracle, problem.design, only, image, 0.0, kappa)[1] != 0.0
    share = 1 - (1 - 1 / p) ** kappa
    assert 40 < ((seen - draws * share) ** 2).sum() / (draws * share * (1 - share)) < 160


@pytest.mark.parametrize("draw", ["subset", "with-replacement", "blocks"])
@pytest.mark.parametrize("storage", toys.STORAGES)
def test_every_way_to_draw_walks_to_the_solution(draw, storage):
    problem = toys.problem("sparse", storage)
    options = {"sampling": "50%", "rule": "gap", "tol": 1e-4, "draw": draw, "block": 8}
    result = walk_path(problem, "sfw", [0.5, 1.0, 2.0], **options)
    assert result.max_relative_gap < 0.05
    again = walk_path(problem, "sfw", [0.5, 1.0, 2.0], **options)
    np.testing.assert_array_equal(result.coefs.toarray(), again.coefs.toarray())


def test_oracles_say_that_they_are_for_kernels():
    with pytest.raises(TypeError, match="compiled kernels"):
        steepest(None, None, None, None, None, None, None, None, None)

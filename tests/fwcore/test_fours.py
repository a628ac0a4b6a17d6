"""Sums of four vectors at a time, against NumPy."""

import numpy as np
import pytest

from fwcore.kernels.fours import add_dots, add_multiples, dots_of_four


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("places", [[], [3], [5, 0], [1, 2, 4], range(4), [6, 2, 9, 0, 5, 1, 8]])
def test_sums_over_some_vectors_of_many(kind, places):
    random, places = np.random.default_rng(0), np.array(places, np.int64)
    vectors, v = random.standard_normal((10, 70)).astype(kind), random.standard_normal(60)
    exact = vectors[:, :60].astype(np.float64)
    dots = random.standard_normal(10)
    expected = dots.copy()
    expected[places] += exact[places] @ v
    add_dots(vectors, places, v, dots)
    np.testing.assert_allclose(dots, expected, atol=1e-13)
    factors, total = random.standard_normal(10), v.copy()
    add_multiples(vectors, places, factors, total)
    np.testing.assert_allclose(total, v + factors[places] @ exact[places], atol=1e-13)


def test_a_product_is_the_same_in_every_place():
    random = np.random.default_rng(0)
    vectors, v = random.standard_normal((4, 701)), random.standard_normal(701)
    found = dots_of_four(*vectors, v)
    np.testing.assert_allclose(found, vectors @ v, atol=1e-12)
    assert dots_of_four(*vectors[[3, 3, 3, 3]], v) == (found[3],) * 4
    assert dots_of_four(*vectors[::-1], v) == found[::-1]

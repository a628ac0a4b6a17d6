"""What is computed in whole registers, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from fwcore.kernels.lanes import SIDE, add_lines, lined_zeros, roundings
from fwcore.kernels.masks import BLOCK, NONE, lowest, mask_above, without_lowest


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 16, 31, 32, 33, 192, 1000])
def test_sums_of_lines_err_by_no_more_than_their_roundings(kind, rows):
    random, lanes, lines = np.random.default_rng(rows), 64 // np.dtype(kind).itemsize, 3
    weights = random.standard_normal((SIDE, rows)).astype(kind)
    tiles = random.standard_normal((lines, rows, lanes)).astype(kind)
    before = random.standard_normal((SIDE, lines * lanes)).astype(kind)
    out = before.copy()
    add_lines(weights, tiles, 1, out)
    untouched = np.r_[:lanes, 2 * lanes : 3 * lanes]
    np.testing.assert_array_equal(out[:, untouched], before[:, untouched])
    changed, unit = slice(lanes, 2 * lanes), np.finfo(kind).eps / 2
    a, b = weights.astype(np.longdouble), tiles[1].astype(np.longdouble)
    apart = np.abs(out[:, changed] - (a @ b + before[:, changed]))
    sizes = np.abs(a) @ np.abs(b) + np.abs(before[:, changed])
    assert (apart <= (roundings(rows) + 1.0) * unit * sizes).all()


def test_zeros_that_begin_with_a_cache_line():
    for rows, size in ((1, 16), (3, 7), (61, 192)):
        zeros = lined_zeros(rows, size)
        assert zeros.shape == (rows, size)
        assert zeros.flags.c_contiguous
        assert not zeros.any()
        assert zeros.ctypes.data % 64 == 0


@njit
def places_above(block, threshold):
    mask, places = mask_above(block, threshold), [0 for _ in range(0)]
    while mask != NONE:
        places.append(lowest(mask))
        mask = without_lowest(mask)
    return places


@settings(deadline=None)
@given(st.data(), st.sampled_from([np.float32, np.float64]))
def test_places_above_a_threshold(data, kind):
    numbers = st.integers(-2, 2).map(float) | st.sampled_from([np.nan, np.inf, -np.inf, 1e-40])
    block = np.array(data.draw(st.lists(numbers, min_size=BLOCK, max_size=BLOCK)), kind)
    threshold = kind(data.draw(st.integers(-3, 3)))
    assert places_above(block, threshold) == np.flatnonzero(block > threshold).tolist()

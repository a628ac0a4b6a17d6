"""What is computed in whole registers, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from fwcore.kernels.lanes import SIDE, add_lines, add_lines_of, lined_zeros, roundings
from fwcore.kernels.masks import BLOCK, NONE, lowest, mask_above, without_lowest
from fwcore.kernels.rotations import ABREAST, rotate
from fwcore.kernels.transposition import transpose_back, transpose_into, transpose_triangle


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


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_zeros_that_begin_with_a_cache_line(kind):
    for rows, size in ((1, 16), (3, 7), (61, 192)):
        zeros = lined_zeros(rows, size, kind)
        assert zeros.shape == (rows, size)
        assert zeros.dtype == kind
        assert zeros.flags.c_contiguous
        assert not zeros.any()
        assert zeros.ctypes.data % 64 == 0


@pytest.mark.parametrize(("begin", "end"), [(0, 90), (3, 4), (40, 77), (5, 5)])
def test_sums_of_a_part_of_the_entries_of_some_vectors(begin, end):
    random = np.random.default_rng(0)
    vectors, tiles = random.standard_normal((20, 100)), random.standard_normal((3, 90, 8))
    out = random.standard_normal((12, 24))
    expected = out.copy()
    expected[4 : 4 + SIDE, 8:16] += vectors[7 : 7 + SIDE, begin:end] @ tiles[1, begin:end]
    add_lines_of(vectors, 7, tiles, 1, (begin, end), out, 4)
    np.testing.assert_allclose(out, expected, atol=1e-13)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("first", "end"), [(0, 50), (7, 8), (13, 41), (9, 9)])
def test_vectors_are_rotated_one_entry_after_the_other(first, end, kind):
    random = np.random.default_rng(0)
    vectors, angles = random.standard_normal((51, ABREAST)).astype(kind), random.random(51)
    cosine, sine, expected = np.cos(angles), np.sin(angles), vectors.copy()
    for k in range(first, end):
        turned = np.array([[cosine[k], sine[k]], [-sine[k], cosine[k]]])
        expected[k : k + 2] = turned @ expected[k : k + 2]
    rotate(vectors, first, end, cosine, sine)
    np.testing.assert_allclose(vectors, expected, atol=100 * np.finfo(kind).eps)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [1, 7, 8, 13, 17, ABREAST])
@pytest.mark.parametrize("first", [0, 5, 20])
def test_rows_of_a_triangle_into_columns_and_back(rows, first, kind):
    triangle, end = np.tril(np.random.default_rng(0).random((60, 60)) + 1.0), 20 + rows
    triangle, tile = triangle.astype(kind), np.full((end, ABREAST), 9.0, kind)
    transpose_triangle(triangle[20:end], first, 21, tile)
    np.testing.assert_array_equal(tile[first:, :rows], triangle[20:end, first:end].T)
    assert (tile[:first] == 9.0).all()
    back = np.zeros((rows, 60), kind)
    transpose_back(tile, first, 21, back)
    np.testing.assert_array_equal(back[:, first:], triangle[20:end, first:])
    assert not back[:, :first].any()


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("size", [0, 5, 8, 16, 29, 40])
def test_as_many_rows_as_fill_a_line_into_columns(size, kind):
    lanes = 64 // np.dtype(kind).itemsize
    rows = np.random.default_rng(0).random((lanes, size)).astype(kind)
    tile = np.zeros((size, lanes), kind)
    transpose_into(rows, tile)
    np.testing.assert_array_equal(tile, rows.T)


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

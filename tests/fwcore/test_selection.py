"""Sorting and searching in kernels, against NumPy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fwcore.kernels.selection import (
    largest_first,
    nth_largest,
    place_among,
    sort_columns,
    sort_decreasing,
)

# Few values, so that many are equal.
numbers = st.lists(st.integers(-4, 4).map(float) | st.floats(-1e9, 1e9), min_size=1, max_size=60)


@settings(deadline=None)
@given(numbers, st.data())
def test_the_nth_largest_stands_between_larger_and_smaller_ones(values, data):
    n = data.draw(st.integers(1, len(values)))
    moved = np.array(values)
    assert nth_largest(moved, n) == moved[n - 1] == sorted(values)[-n]
    assert moved[:n].min() >= moved[n - 1] >= moved[n - 1 :].max()
    assert sorted(moved) == sorted(values)


@settings(deadline=None)
@given(numbers)
def test_what_is_sorted_takes_its_order_along(values):
    keys, order = np.array(values), np.arange(len(values))
    sort_decreasing(keys, order)
    assert keys.tolist() == sorted(values, reverse=True)
    assert [values[k] for k in order] == keys.tolist()
    assert sorted(order) == list(range(len(values)))


@settings(deadline=None)
@given(st.integers(0, 600), st.sampled_from([2, 300, 70_000, 5_000_000_000]), st.integers(0, 99))
def test_columns_are_sorted_whatever_their_number(n, p, seed):
    columns = np.random.default_rng(seed).integers(0, p, n)
    sorted_columns, order = columns.copy(), np.arange(n, dtype=np.float64)
    sort_columns(sorted_columns, order)
    np.testing.assert_array_equal(sorted_columns, np.sort(columns))
    np.testing.assert_array_equal(columns[order.astype(np.int64)], sorted_columns)
    assert np.unique(order).size == n


@settings(deadline=None)
@given(numbers, st.data())
def test_the_largest_come_first_and_of_equal_ones_the_first(values, data):
    n = data.draw(st.integers(1, len(values)))
    keys, order = np.array(values), np.arange(len(values))
    largest_first(keys, order, n)
    assert keys[:n].tolist() == sorted(values, reverse=True)[:n]
    assert [values[k] for k in order] == keys.tolist()
    assert set(order[:n]) == set(np.argsort(-np.array(values), kind="stable")[:n])


@settings(deadline=None)
@given(numbers, st.integers(-5, 5).map(float))
def test_a_place_is_that_of_numpy(values, x):
    values = np.sort(values)
    assert place_among(values, x) == np.searchsorted(values, x)

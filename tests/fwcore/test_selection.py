"""Sorting and searching in kernels, against NumPy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fwcore.kernels.selection import (
    largest_first,
    nth_largest,
    place_among,
    sort_decreasing,
    sort_increasing,
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
    sort_increasing(keys, order)
    assert keys.tolist() == sorted(values)
    assert [values[k] for k in order] == keys.tolist()


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

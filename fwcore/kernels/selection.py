"""Sorting and searching, in place.

numba compiles each of numpy's sorts and partitions for seconds, and again at every level of calls
above it: these compile in a tenth of the time.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# Fewer numbers are sorted sooner by comparing them; a digit has so many bits.
_MANY, _DIGIT = 256, 8


@njit(nogil=True, cache=True)
def place_among(values, x):
    """How many of ``values``, which increase, are less than x."""
    first, last = 0, values.size
    while first < last:
        middle = (first + last) >> 1
        if values[middle] < x:
            first = middle + 1
        else:
            last = middle
    return first


@njit(nogil=True, cache=True)
def nth_largest(values, n):
    """The ``n``-th largest of ``values``, n from 1 on, by Hoare's selection; they come into another
    order.
    """
    first, last, place = 0, values.size - 1, n - 1
    while first < last:
        i, j, pivot = first, last, values[(first + last) >> 1]
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if place <= j:
            last = j
        elif place >= i:
            first = i
        else:
            break
    return values[place]


@njit(nogil=True, cache=True)
def level_of(values, n):
    """(the ``n``-th largest, how many equal to it are among the n largest); values stay."""
    level, ties = nth_largest(values.copy(), n), n
    for k in range(values.size):
        ties -= values[k] > level
    return level, ties


@njit(nogil=True, cache=True)
def sort_decreasing(keys, order):
    """Shell's sort of ``keys``, the largest first; ``order`` follows them."""
    gap = keys.size
    while gap > 1:
        gap = max(1, 5 * gap // 11)
        for k in range(gap, keys.size):
            key, mark, at = keys[k], order[k], k
            while at >= gap and keys[at - gap] < key:
                keys[at], order[at] = keys[at - gap], order[at - gap]
                at -= gap
            keys[at], order[at] = key, mark


@njit(nogil=True, cache=True)
def sort_columns(columns, values):
    """Bring ``columns``, none of them negative, into increasing order; ``values`` follow them."""
    n = columns.size
    if n >= _MANY:
        _sort_digits(columns, values)
        return
    sort_decreasing(columns, values)
    for k in range(n // 2):
        columns[k], columns[n - 1 - k] = columns[n - 1 - k], columns[k]
        values[k], values[n - 1 - k] = values[n - 1 - k], values[k]


@njit(nogil=True, cache=True)
def _sort_digits(columns, values):
    """Digit by digit, the last first (radix sort)."""
    n, largest, shift, last = columns.size, columns.max(), 0, (1 << _DIGIT) - 1
    sorted_columns, sorted_values = np.empty(n, columns.dtype), np.empty(n, values.dtype)
    begins = np.empty(last + 2, np.int64)
    while largest >> shift > 0:
        begins[:] = 0
        for j in columns:
            begins[((j >> shift) & last) + 1] += 1
        for digit in range(1, last + 1):
            begins[digit] += begins[digit - 1]
        for k in range(n):
            digit = (columns[k] >> shift) & last
            at = begins[digit]
            sorted_columns[at], sorted_values[at] = columns[k], values[k]
            begins[digit] += 1
        columns[:], values[:] = sorted_columns, sorted_values
        shift += _DIGIT


@njit(nogil=True, cache=True)
def largest_first(keys, order, n):
    """Bring the ``n`` largest ``keys`` to the front, in decreasing order; ``order`` follows them.

    Of equal ones at the end the first stay.
    """
    front = 0
    if n < keys.size:
        level, ties = level_of(keys, n)
        for k in range(keys.size):
            if keys[k] > level or (keys[k] == level and ties > 0):
                ties -= keys[k] == level
                keys[front], keys[k] = keys[k], keys[front]
                order[front], order[k] = order[k], order[front]
                front += 1
    sort_decreasing(keys[:n], order[:n])


@njit(nogil=True, cache=True)
def keep_in_front(vector, positions):
    """The entries at ``positions``, which increase, in front of ``vector``."""
    for at in range(positions.size):
        vector[at] = vector[positions[at]]

"""The logarithm of kernels, against that of numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import njit

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.logarithm import log_of_share

LEAST = float(np.finfo(np.float64).tiny)


@njit(fastmath=FAST, error_model="numpy")
def _each(x, out):
    for i in range(x.size):
        out[i] = log_of_share(x[i])


def logarithms(x):
    out = np.empty_like(x)
    _each(x, out)
    return out


def are_right(x):
    expected = np.log(x)
    return (np.abs(logarithms(x) - expected) <= 2.0 * np.spacing(np.abs(expected))).all()


@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(LEAST, 1.0)))
def test_it_is_right_to_the_last_digits(x):
    assert are_right(x)


def test_it_is_right_near_one_and_all_the_way_down():
    steps = np.linspace(0.0, 1.0, 1_000_001)
    assert are_right(steps[1:])
    assert are_right(1.0 - 0.5**52 * steps[1:] * 2.0**40)
    assert are_right(np.exp(-708.0 * steps))


def test_what_is_below_the_normal_numbers_adds_nothing_to_an_entropy():
    x = np.array([0.0, 5e-324, 1e-310])
    assert (np.abs(x * logarithms(x)) < 1e-306).all()

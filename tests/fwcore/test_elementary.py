"""The exponential function and the logarithm of kernels, against those of numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import njit

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.exponential import exp_of_negative
from fwcore.kernels.logarithm import log_of_share

LEAST = float(np.finfo(np.float64).tiny)


def of_arrays(function):
    """``function`` of each entry, in a loop that takes several at once."""

    @njit(fastmath=FAST, error_model="numpy")
    def fill(x, out):
        for i in range(x.size):
            out[i] = function(x[i])

    def values(x):
        out = np.empty_like(x)
        fill(x, out)
        return out

    return values


exponentials, logarithms = of_arrays(exp_of_negative), of_arrays(log_of_share)


def are_right(found, expected):
    """To the last digit but one."""
    return (np.abs(found - expected) <= 2.0 * np.spacing(np.abs(expected))).all()


@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(-708.0, 0.0)))
def test_exponentials_are_right(x):
    assert are_right(exponentials(x), np.exp(x))


def test_exponentials_are_right_all_the_way_down():
    x = -np.linspace(0.0, 708.0, 1_000_001)
    assert are_right(exponentials(x), np.exp(x))


def test_an_exponential_that_is_too_small_stays_positive_and_small():
    assert ((low := exponentials(np.array([-708.1, -1e9, -np.inf]))) > 0.0).all()
    assert (low < 1e-307).all()


def test_nan_is_not_hidden_by_an_exponential():
    assert np.isnan(exponentials(np.array([np.nan]))).all()


@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(LEAST, 1.0)))
def test_logarithms_are_right(x):
    assert are_right(logarithms(x), np.log(x))


def test_logarithms_are_right_near_one_and_all_the_way_down():
    steps = np.linspace(0.0, 1.0, 1_000_001)
    for x in (steps[1:], 1.0 - 2.0**-12 * steps, np.exp(-708.0 * steps)):
        assert are_right(logarithms(x), np.log(x))


def test_the_logarithm_of_what_is_not_normal_adds_nothing_to_an_entropy():
    x = np.array([0.0, 5e-324, 1e-310])
    assert (np.abs(x * logarithms(x)) < 1e-306).all()

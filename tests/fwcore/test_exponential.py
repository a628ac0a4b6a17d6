"""The exponential function of kernels, against that of numpy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numba import njit

from fwcore.kernels.dispatch import FAST
from fwcore.kernels.exponential import exp_of_negative


@njit(fastmath=FAST, error_model="numpy")
def _each(x, out):
    for i in range(x.size):
        out[i] = exp_of_negative(x[i])


def exponentials(x):
    out = np.empty_like(x)
    _each(x, out)
    return out


@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(-708.0, 0.0)))
def test_it_is_right_to_the_last_digit_but_one(x):
    expected = np.exp(x)
    assert (np.abs(exponentials(x) - expected) <= 2.0 * np.spacing(expected)).all()


def test_it_is_right_all_the_way_down():
    x = -np.linspace(0.0, 708.0, 1_000_001)
    expected = np.exp(x)
    assert (np.abs(exponentials(x) - expected) <= 2.0 * np.spacing(expected)).all()


def test_what_is_too_small_stays_positive_and_small():
    assert ((low := exponentials(np.array([-708.1, -1e9, -np.inf]))) > 0.0).all()
    assert (low < 1e-307).all()


def test_nan_is_not_hidden():
    assert np.isnan(exponentials(np.array([np.nan]))).all()

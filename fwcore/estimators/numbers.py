"""Parameters that are numbers, and the names of all of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats
from fwcore.options import PenaltyOptions

# Of alpha and delta: the size of data is at most a part of what is left of the range of numbers.
_LEAST, _MOST = 1e-250, 1e250
_LEAST_EPS = 1e-100
# What scikit-learn's users know by another name.
_OURS = {
    "max_steps": "max_iter",
    "weights": "sample_weight",
    "unpenalised": "penalty_factor",
    "intercept": "fit_intercept",
    "lam grid": "alpha",
    "delta grid": "delta",
}


@contextmanager
def by_names_of(owner: str) -> Iterator[None]:
    """Errors name the parameters of ``owner``."""
    try:
        yield
    except ParameterError as error:
        name = _OURS.get(error.name, error.name)
        raise ParameterError(name, owner, error.rule, error.got) from None


def require_number(
    name: str, value: Any, owner: str, high: float = np.inf, low: float = 0.0
) -> None:
    """Raise `ParameterError` unless it is a positive number in [low, high]."""
    number = _as_float(value)
    if not (low <= number <= min(high, sys.float_info.max) and number > 0.0):
        rule = f"a number in {'[' if low else '('}{low:g}, {high:g}]"
        raise ParameterError(name, owner, rule if high < np.inf else "a positive number", value)


def _as_float(value: Any) -> float:
    """The number in double precision; NaN where it is none, or beyond all of them."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        return np.nan
    try:
        return float(value)
    except OverflowError:
        return np.nan


def require_flag(name: str, value: Any, owner: str) -> None:
    """Raise `ParameterError` unless it is True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(name, owner, "True or False", value)


def require_size(name: str, value: Any, owner: str) -> None:
    """Raise `ParameterError` unless it is a positive number whose multiples are such, too."""
    require_number(name, value, owner, _MOST, _LEAST)


def require_ratio(l1_ratio: Any, owner: str) -> None:
    """Raise `ParameterError` unless it is the share of the l1 norm in a penalty."""
    low, high = PenaltyOptions.param.l1_ratio.bounds
    require_number("l1_ratio", l1_ratio, owner, high, low)


def require_alphas(alphas: Any, eps: Any, owner: str) -> None:
    """Raise `ParameterError` unless they are how many alphas a path has, with ``eps`` the least
    over the largest, or the alphas.
    """
    if isinstance(alphas, (int, np.integer)):
        fits = alphas > 0 and not isinstance(alphas, bool)
        if alphas > 1:
            require_number("eps", eps, owner, 1.0 - 1e-6, _LEAST_EPS)
    else:
        grid = listed(alphas)
        fits = bool(grid.size and ((grid >= _LEAST) & (grid <= _MOST)).all())
        fits = fits and np.unique(grid).size == grid.size
    if not fits:
        rule = f"a positive int, or numbers in [{_LEAST:g}, {_MOST:g}] of which no two are equal"
        raise ParameterError("alphas", owner, rule, alphas)


def listed(alphas: Any) -> Floats:
    """The ``alphas`` that were given, as they come; none where they are no numbers."""
    return as_numbers(alphas).ravel()


def as_numbers(given: Any) -> Floats:
    """An array of what was given; empty where that is no numbers."""
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return np.zeros(0)

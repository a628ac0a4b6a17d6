"""The datasets by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from fwcore.datasets import sources
from fwcore.design import Floats, ProductNames, Products, matrix, product_count
from fwcore.errors import ParameterError
from fwcore.problem import Problem

# A matrix of at most so many entries stays in a core's cache, and is then quicker to read than to make.
_CACHED_ENTRIES = 1 << 19


@dataclass(frozen=True)
class Dataset:
    """An entry of the catalogue.

    ``rows`` and ``columns`` count the whole dataset, constant columns included; where ``degree`` is given the columns are the
    products of up to so many features, made on the fly unless they are few. ``test_fraction`` is the default share of rows held
    out; ``relevant`` the number of features that matter, where that is known; ``needs`` a file below FWCORE_DATA, or None.
    """

    name: str
    title: str
    rows: int
    columns: int
    citation: str
    licence: str
    read: Callable[[], tuple[Floats, Floats, Sequence[str]]]
    test_fraction: float
    degree: int | None = None
    relevant: int | None = None
    needs: str | None = None


DATASETS: tuple[Dataset, ...] = (
    Dataset(
        "diabetes",
        "Diabetes, products to degree 4",
        442,
        product_count(10, 4),
        "Efron, Hastie, Johnstone & Tibshirani 2004, Least angle regression",
        "bundled with scikit-learn (BSD-3-Clause)",
        sources.diabetes,
        test_fraction=0.25,
        degree=4,
    ),
    Dataset(
        "synthetic-10000-32",
        "Synthetic, 10,000 columns, 32 relevant",
        400,
        10_000,
        "Frandi et al. 2016, section 5; scikit-learn's make_regression",
        "generated",
        sources.synthetic_32,
        test_fraction=0.5,
        relevant=32,
    ),
    Dataset(
        "synthetic-10000-100",
        "Synthetic, 10,000 columns, 100 relevant",
        400,
        10_000,
        "Frandi et al. 2016, section 5; scikit-learn's make_regression",
        "generated",
        sources.synthetic_100,
        test_fraction=0.5,
        relevant=100,
    ),
    Dataset(
        "pyrim",
        "Pyrim (QSAR), products to degree 5",
        74,
        product_count(27, 5),
        "King, Hurst & Sternberg 1993; Frandi et al. 2016, Table 1",
        "public, UCI Machine Learning Repository",
        sources.pyrim,
        # The paper trains on all 74 rows.
        test_fraction=0.0,
        degree=5,
        needs=sources.PYRIM_FILE,
    ),
    Dataset(
        "triazines",
        "Triazines (QSAR), products to degree 4",
        186,
        product_count(60, 4),
        "King, Hurst & Sternberg 1993; Frandi et al. 2016, Table 1",
        "public, UCI Machine Learning Repository",
        sources.triazines,
        test_fraction=0.0,
        degree=4,
        needs=sources.TRIAZINES_FILE,
    ),
)


def find(name: str) -> Dataset:
    """The entry of that name.

    Raises
    ------
    ParameterError
        There is none.
    """
    for dataset in DATASETS:
        if dataset.name == name:
            return dataset
    raise ParameterError("dataset", "fwcore", f"one of {[d.name for d in DATASETS]}", name)


def available(dataset: Dataset) -> bool:
    """Whether its files are at hand."""
    return dataset.needs is None or sources.data_file(dataset.needs) is not None


def load(name: str, *, split_seed: int = 0, test_fraction: float | None = None) -> Problem:
    """The dataset as a standardised Problem; the last few are kept in memory, shared by all who ask.

    Parameters
    ----------
    name : str
    split_seed : int in [0, 2^32)
        Seed of the random choice of test rows.
    test_fraction : float in [0, 0.9], optional
        Share of the rows held out for the test error, rounded to whole rows; by default the dataset's own.

    Raises
    ------
    ParameterError
        Unknown name, or a value out of range.
    DatasetError
        The dataset's file is not at hand; the message says where it should be.
    """
    dataset = find(name)
    fraction = dataset.test_fraction if test_fraction is None else test_fraction
    if not 0.0 <= fraction <= 0.9:
        raise ParameterError("test_fraction", "fwcore", "a number in [0, 0.9]", fraction)
    if isinstance(split_seed, bool) or not isinstance(split_seed, int) or not 0 <= split_seed < 2**32:
        raise ParameterError("split_seed", "fwcore", "an int in [0, 4294967295]", split_seed)
    return _load(dataset, split_seed, float(fraction))


@lru_cache(maxsize=4)
def _load(dataset: Dataset, split_seed: int, test_fraction: float) -> Problem:
    X, y, names = dataset.read()
    held_out = round(test_fraction * y.size)
    order = np.random.default_rng(split_seed).permutation(y.size) if held_out else np.arange(y.size)
    test, train = np.sort(order[:held_out]), np.sort(order[held_out:])
    few = X.shape[0] * dataset.columns <= _CACHED_ENTRIES
    if dataset.degree is not None and few:
        products = Products.of(X, dataset.degree)
        X, names = matrix(products), ProductNames(products.factors, names)
    design: Any = X[train] if dataset.degree is None or few else Products.of(X[train], dataset.degree)
    tested = (X[test], y[test]) if held_out else None
    return Problem.from_arrays(design, y[train], test=tested, feature_names=names, name=dataset.name)

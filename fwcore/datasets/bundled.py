"""Datasets that come with scikit-learn or with us."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fwcore.kernels.types import Floats

Read = tuple[Floats, Floats, Sequence[str]]


def diabetes() -> Read:
    """442 patients, 10 features of unit variance; the progression of the disease a year later."""
    from sklearn.datasets import load_diabetes

    bunch = load_diabetes()
    # Unit variance keeps the products of four features away from the rounding errors of tiny
    # numbers.
    return bunch.data * np.sqrt(len(bunch.data)), bunch.target, bunch.feature_names


def breast_cancer() -> Read:
    """569 tumours, 30 features; +1 is benign."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    return bunch.data, 2.0 * bunch.target - 1.0, [str(name) for name in bunch.feature_names]


def breast_cancer_original() -> Read:
    """683 tumours, 10 features, each from -1 to 1, the sample code among them, as LIBSVM's
    breast-cancer_scale; +1 is malignant.
    """
    path = Path(__file__).with_name("breast_cancer_original.csv")
    names = path.read_text(encoding="ascii").partition("\n")[0].split(",")[:-1]
    values = np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(len(names)))
    malignant = (
        np.loadtxt(path, delimiter=",", skiprows=1, usecols=len(names), dtype=str) == "malignant"
    )
    low, high = values.min(axis=0), values.max(axis=0)
    return 2.0 * (values - low) / (high - low) - 1.0, np.where(malignant, 1.0, -1.0), names


def digits(negative: int, positive: int) -> Read:
    """8 x 8 images of two digits."""
    from sklearn.datasets import load_digits

    bunch = load_digits()
    rows = np.isin(bunch.target, (negative, positive))
    return (
        bunch.data[rows],
        np.where(bunch.target[rows] == positive, 1.0, -1.0),
        list(bunch.feature_names),
    )


BUNDLED: dict[str, Callable[..., Any]] = {
    "diabetes": diabetes,
    "breast-cancer": breast_cancer,
    "breast-cancer-original": breast_cancer_original,
    "digits": digits,
}
"""What `bundled` in the catalogue may name."""

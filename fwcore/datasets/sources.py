"""Where each dataset comes from; every function returns all rows as (design, response, names of the columns)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes, load_svmlight_file, make_regression

from fwcore.design import Floats
from fwcore.errors import DatasetError

PYRIM_FILE = "pyrim/pyrim_scale.svm"
TRIAZINES_FILE = "triazines/triazines_scale.svm"


def data_file(relative: str) -> Path | None:
    """The file below the folder that FWCORE_DATA names, if it is there."""
    folder = os.environ.get("FWCORE_DATA")
    path = Path(folder, relative) if folder else None
    return path if path is not None and path.is_file() else None


def diabetes() -> tuple[Floats, Floats, Sequence[str]]:
    """442 patients, 10 features of unit variance; response in standard deviations."""
    bunch = load_diabetes()
    # Unit variance keeps the products of four features away from the rounding errors of tiny numbers.
    return bunch.data * np.sqrt(len(bunch.data)), _in_deviations(bunch.target), bunch.feature_names


def synthetic_32() -> tuple[Floats, Floats, Sequence[str]]:
    """Synthetic-10000 with 32 relevant features."""
    return _synthetic(32)


def synthetic_100() -> tuple[Floats, Floats, Sequence[str]]:
    """Synthetic-10000 with 100 relevant features."""
    return _synthetic(100)


def _synthetic(relevant: int) -> tuple[Floats, Floats, Sequence[str]]:
    """400 rows of standard normal features, y linear in ``relevant`` of them plus normal noise of deviation 10; y in deviations."""
    X, y = make_regression(n_samples=400, n_features=10_000, n_informative=relevant, noise=10.0, random_state=0)
    return X, _in_deviations(y), [f"x{j}" for j in range(1, 10_001)]


def _in_deviations(y: Floats) -> Floats:
    """y / std(y): an absolute tolerance then means much the same everywhere, and to predict the mean is an error of 1."""
    return np.asarray(y / y.std())


def pyrim() -> tuple[Floats, Floats, Sequence[str]]:
    """74 pyrimidines, 27 features scaled to [-1, 1]."""
    return _libsvm(PYRIM_FILE, 27)


def triazines() -> tuple[Floats, Floats, Sequence[str]]:
    """186 triazines, 60 features scaled to [-1, 1]."""
    return _libsvm(TRIAZINES_FILE, 60)


def _libsvm(relative: str, features: int) -> tuple[Floats, Floats, Sequence[str]]:
    """A file of LIBSVM's regression page.

    Raises
    ------
    DatasetError
        FWCORE_DATA names no folder that holds the file.
    """
    path = data_file(relative)
    if path is None:
        name = Path(relative).stem
        raise DatasetError(
            f"The file {relative} is needed (LIBSVM's regression page has it as {name}). Put it in a folder of that layout and set "
            "FWCORE_DATA to the folder."
        )
    X, y = load_svmlight_file(str(path), n_features=features)
    return X.toarray(), y, [f"x{j}" for j in range(1, features + 1)]

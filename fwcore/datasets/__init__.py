"""Problems to solve: a catalogue of datasets, and files of one's own.

``load(name)`` gives a standardised Problem; ``read(name)`` the Dataset before that; ``fetch(name)``
downloads what it needs.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from fwcore.datasets import made, reading
from fwcore.datasets.catalogue import Entry, read_catalogue
from fwcore.datasets.dataset import Dataset, kappa_share
from fwcore.datasets.parsing import (
    UPLOAD,
    Limits,
    Parsed,
    ParseOptions,
    Report,
    parse_file,
    parse_upload,
)
from fwcore.datasets.resuming import Progress
from fwcore.datasets.splitting import split
from fwcore.datasets.stages import listening
from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats
from fwcore.problem import Problem
from fwcore.progress import Announce

__all__ = [
    "DATASETS",
    "UPLOAD",
    "Dataset",
    "Entry",
    "Limits",
    "ParseOptions",
    "Parsed",
    "Report",
    "all_datasets",
    "available",
    "fetch",
    "find",
    "kappa_share",
    "load",
    "made",
    "parse_file",
    "parse_upload",
    "read",
    "read_catalogue",
    "register",
    "split",
    "true_coefficients",
    "unregister",
]

DATASETS: tuple[Entry, ...] = read_catalogue()
_registered: dict[str, Entry] = {}


def all_datasets() -> tuple[Entry, ...]:
    """The catalogue, and what was registered since.

    >>> "pyrim" in [entry.name for entry in all_datasets()]
    True
    """
    return (*DATASETS, *_registered.values())


def register(entry: Entry) -> None:
    """Add a dataset to this process, whose ``make`` gives its arrays: it is found by its name, on
    the page as in Python, as those of the catalogue are. Other processes have to register it, too.

    Raises
    ------
    ParameterError
        Its name is taken, or it has no ``make``.

    >>> import numpy as np
    >>> def make():
    ...     X = np.random.default_rng(0).standard_normal((60, 8))
    ...     return X, X[:, 0] - X[:, 1]
    >>> register(Entry("two-of-eight", "Two of eight", "regression", 60, 8, "", "", make=make))
    >>> load("two-of-eight")
    Problem('two-of-eight', 45 x 8, squared)
    >>> unregister("two-of-eight")
    """
    if entry.name in {known.name for known in all_datasets()} or made.is_made(entry.name):
        raise ParameterError("name", "fwcore.datasets", "one that is not taken", entry.name)
    if entry.make is None:
        raise ParameterError("make", "fwcore.datasets", "a function that gives X and y", None)
    _registered[entry.name] = entry


def unregister(name: str) -> None:
    """Take back what `register` added.

    >>> unregister("none-of-that-name")
    """
    _registered.pop(name, None)


def find(name: str) -> Entry:
    """The entry of that name: of the catalogue, or made as the name says (`fwcore.datasets.made`).

    Raises
    ------
    ParameterError
        There is none, or it cannot be made.

    >>> find("pyrim").degree
    5
    """
    if made.is_made(name):
        return made.entry_of(name)
    known = {entry.name: entry for entry in all_datasets()}
    if name in known:
        return known[name]
    raise ParameterError.unknown("dataset", "fwcore", name, known)


def available(entry: Entry) -> bool:
    """Whether it can be loaded without a download.

    >>> available(find("diabetes"))
    True
    """
    return reading.at_hand(entry)


def fetch(name: str | Entry, progress: Progress | None = None) -> None:
    """Download the files of a dataset that are not at hand.

    Parameters
    ----------
    name : str or Entry
    progress : callable of (bytes so far, bytes in all or None), optional

    Raises
    ------
    ParameterError
        Unknown name.
    DatasetError
        A file cannot be had; the message says where to put it by hand.

    >>> fetch(find("diabetes"))  # it comes with scikit-learn: nothing is fetched
    """
    reading.fetch_files(_entry(name), progress)


def read(name: str | Entry) -> Dataset:
    """The dataset as it was read, neither split nor standardised.

    Raises
    ------
    ParameterError
        Unknown name.
    DatasetError
        A file is not at hand, the message says where it should be; or it is not what it should be.

    >>> read(find("diabetes")).X.shape
    (442, 10)
    """
    return reading.read(_entry(name))


def load(
    name: str | Entry,
    *,
    split_seed: int = 0,
    test_fraction: float | None = None,
    loss: str | None = None,
    positive: bool = False,
    memory: int | None = None,
    progress: Announce | None = None,
) -> Problem:
    """The dataset as a standardised Problem; kept in memory and on disk, shared by all who ask.

    Parameters
    ----------
    name : str or Entry
    split_seed : int in [0, 2^32)
        Seed of the random choice of test rows.
    test_fraction : float in [0, 0.9], optional
        Share of the rows held out for the test error, rounded to whole rows; by default the
        dataset's own, which are its official test rows where there are any.
    loss : str, optional
        A loss of `fwcore.losses`; by default the dataset's own.
    positive : bool
        Adds the constraint a >= 0.
    memory : int, optional
        Bytes of X that passes over all columns hold in memory at most, of data that are kept on
        disk; see `fwcore.design.open_folder`. By default the system decides.
    progress : callable of (text, done, in all), optional
        Told of the stages of loading, for data that take long; what it raises ends the loading.

    Raises
    ------
    ParameterError
        Unknown name, or a value out of range.
    DatasetError
        See `read`.

    >>> load("diabetes", test_fraction=0.25)
    Problem('diabetes', 332 x 1,000, squared)
    """
    with listening(progress):
        return reading.load(
            _entry(name),
            split_seed=split_seed,
            test_fraction=test_fraction,
            loss=loss,
            positive=positive,
            memory=memory,
        )


def true_coefficients(name: str | Entry, problem: Problem) -> Floats | None:
    """The coefficients that a generated response was made with, of shape (p,), in the scale of the
    columns of ``problem``; None where they are not known, or columns were dropped.

    Raises
    ------
    ParameterError
        Unknown name.

    >>> problem = load("synthetic-10000-32")
    >>> int((true_coefficients("synthetic-10000-32", problem) != 0).sum())
    32
    """
    entry = _entry(name)
    coef = _made_with(entry)
    known = coef is not None and coef.size == problem.p
    return np.asarray(coef / problem.design.scale) if known else None


@lru_cache(maxsize=8)
def _made_with(entry: Entry) -> Floats | None:
    return read(entry).coef if entry.generator else None


def _entry(name: str | Entry) -> Entry:
    return name if isinstance(name, Entry) else find(name)

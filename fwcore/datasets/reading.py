"""From an entry of the catalogue to a Dataset, and to a problem that is remembered between
processes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.metadata
import json
import threading
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse

from fwcore.arrays import DefaultNames
from fwcore.datasets import made, stages, store
from fwcore.datasets.bundled import BUNDLED
from fwcore.datasets.catalogue import Entry, Layout
from fwcore.datasets.dataset import Dataset
from fwcore.datasets.derived import DERIVED
from fwcore.datasets.fetching import SourceFile, digest, fetch, opened
from fwcore.datasets.generators import GENERATORS, with_noise
from fwcore.datasets.parsing import (
    OWN,
    Parsed,
    ParseOptions,
    Report,
    Source,
    read_labels,
    read_source,
)
from fwcore.datasets.resuming import Progress
from fwcore.datasets.splitting import checked_split
from fwcore.design import mapped
from fwcore.errors import DatasetError
from fwcore.problem import Problem

# Counts up when the same files come to mean other matrices.
_READING = 2
_loading = threading.Lock()
_MAKERS = ("numpy", "scipy", "scikit-learn")
_ABOUT = ("name", "title", "task", "relevant", "origin", "citation", "licence")
_SHARED = (*_ABOUT, "degree", "test_fraction", "response", "loss", "sampling", "points", "dtype")


def at_hand(entry: Entry) -> bool:
    """Whether it can be read without a download."""
    return entry.layout is None or entry.layout.at_hand


def fetch_files(entry: Entry, progress: Progress | None = None) -> None:
    """Fetch the files that are not at hand; ``progress`` is called for one file after the other.

    Raises
    ------
    DatasetError
        See `fwcore.datasets.fetching.fetch`.
    """
    for file in entry.layout.files if entry.layout is not None else ():
        fetch(file, progress)


def read(entry: Entry) -> Dataset:
    """All of it, neither split nor standardised.

    Raises
    ------
    DatasetError
        A file is not at hand, was changed, or is not what the catalogue says.
    """
    coef, test = None, None
    if entry.layout is not None:
        parsed, test = _files(entry.layout)
    elif entry.make is not None:
        X, y, *named = entry.make()
        parsed = _plain(entry, X, y, *(named or [None]))
    elif entry.generator:
        made = _called(GENERATORS, entry.generator)
        coef, parsed = made.coef, _plain(entry, made.X, made.y, None)
    else:
        parsed = _plain(entry, *_called(BUNDLED, entry.bundled))
    X, names = parsed.X, parsed.names
    if entry.derived:
        X, names = DERIVED[entry.derived](X)
    if entry.noise:
        added = dict(entry.noise)
        X = with_noise(X, added["kind"], added["columns"])
        names = [*names, *(f"noise {j}" for j in range(1, added["columns"] + 1))]
    rows = X.shape[0] + (0 if test is None else test[0].shape[0])
    if (rows, X.shape[1]) != (entry.rows, entry.features):
        said = f"{entry.rows:,} x {entry.features:,}"
        found = f"{rows:,} x {X.shape[1]:,}, where its entry says {said}"
        raise DatasetError(
            f"The data of {entry.name} hold {found}. They are not what they should be."
        )
    known = {key: getattr(entry, key) for key in _SHARED}
    return Dataset(
        X=X, y=parsed.y, feature_names=names, report=parsed.report, test=test, coef=coef, **known
    )


def _called(functions: Any, call: tuple[tuple[str, Any], ...]) -> Any:
    arguments = dict(call)
    return functions[arguments.pop("name")](**arguments)


def _plain(entry: Entry, X: Any, y: Any, names: Any) -> Parsed:
    """What was made or bundled, with a report like that of a parser."""
    m, p = X.shape
    nonzeros = int(X.nnz) if scipy.sparse.issparse(X) else int(np.count_nonzero(X))
    report = Report(entry.name, entry.origin, m, p, nonzeros, target="y", task=entry.task)
    return Parsed(X, y, DefaultNames(p) if names is None else names, report)


def _files(layout: Layout) -> tuple[Parsed, tuple[Any, Any] | None]:
    train = _part(layout, layout.train, layout.train_labels)
    if layout.test is None:
        return train, None
    test = _part(layout, layout.test, layout.test_labels)
    if test.X.shape[1] != train.X.shape[1]:
        raise DatasetError(
            f"{layout.test.path} has {test.X.shape[1]:,} columns, {layout.train.path} has "
            f"{train.X.shape[1]:,}."
        )
    return train, (test.X, test.y)


def _part(layout: Layout, file: SourceFile, labels: SourceFile | None) -> Parsed:
    path = opened(file)
    options: ParseOptions = dataclasses.replace(
        layout.options, matrix=file.matrix or layout.options.matrix
    )
    if labels is not None:
        held = read_labels(Source(labels.path, path=opened(labels)), OWN)
        options = dataclasses.replace(options, labels=held)
    return read_source(Source(path.name, path=path), layout.format, options, OWN)


def load(
    entry: Entry,
    *,
    split_seed: int = 0,
    test_fraction: float | None = None,
    loss: str | None = None,
    positive: bool = False,
    memory: int | None = None,
) -> Problem:
    """The entry as a standardised Problem: from memory, from disk, or made again.

    What was made is kept under a hash of all it came from: the content of the files, the entry, the
    split.
    """
    mapped.check(memory)
    fraction = checked_split(
        split_seed, entry.test_fraction if test_fraction is None else test_fraction
    )
    files = tuple(
        digest(opened(file)) for file in (entry.layout.files if entry.layout is not None else ())
    )
    # Two who ask for the same at once: the second finds what the first has made.
    with _loading:
        return _load(entry, files, split_seed, fraction, loss or entry.loss, positive, memory)


def _key(entry: Entry, made_of: tuple[Any, ...]) -> str:
    """A hash of all that a problem comes from."""
    makers = [importlib.metadata.version(package) for package in _MAKERS]
    files, *rest = made_of
    recipe = json.dumps(
        [_READING, dataclasses.asdict(entry), files, makers, *rest], sort_keys=True, default=str
    )
    return hashlib.blake2b(recipe.encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=4)
def _load(
    entry: Entry,
    files: tuple[str, ...],
    split_seed: int,
    fraction: float,
    loss: str,
    positive: bool,
    memory: int | None,
) -> Problem:
    # Nobody knows what a function would make by now; and there may be any number of names that say
    # how to make data.
    stored = entry.make is None and not made.is_made(entry.name)
    made_of = (files, split_seed, fraction, loss, positive)
    key = _key(entry, made_of) if stored else ""
    problem = store.opened(key, memory) if stored else None
    if problem is None:
        stages.READ.tell()
        problem = read(entry).problem(
            split_seed=split_seed, test_fraction=fraction, loss=loss, positive=positive
        )
        if stored:
            stages.KEEP.tell()
            store.keep(key, problem)
            # What was made is whole in memory.
            problem = problem if memory is None else store.opened(key, memory) or problem
    source = {
        "dataset": entry.name,
        "split_seed": split_seed,
        "test_fraction": fraction,
        "loss": loss,
        "positive": positive,
    }
    return dataclasses.replace(problem, source=tuple(source.items()))

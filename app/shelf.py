"""The data that pages choose from: the catalogue, and what was brought by a session or given from
memory.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from app import server
from fwcore import DEFAULT_LOSS, ParameterError, Problem, datasets, loss_for


@dataclass(frozen=True, eq=False)
class Own:
    """Data that no catalogue knows, with what `fwcore.datasets.Entry` says of those that it does.

    ``make(split_seed, test_fraction, loss)`` gives the problem. ``name`` is made of the content, so
    that the same data are found again under the same name.
    """

    name: str
    title: str
    rows: int
    columns: int
    make: Callable[[int, float, str], Problem]
    task: str = "regression"
    test_fraction: float = 0.25
    loss: str = DEFAULT_LOSS
    sampling: str = "1%"
    points: int = 100
    relevant: int | None = None
    response: str = "as given"
    degree: int | None = None
    about: Sequence[tuple[str, str]] = field(default=())
    """What the parser did, line by line."""


Data: TypeAlias = datasets.Entry | Own

_brought: dict[str, tuple[Own, int]] = {}
_lock = threading.Lock()
_MOST_NAMES = 10_000
_RELEVANT = 32


def bring(own: Own) -> Own:
    """Have data found under their name until `leave` was called as often as this."""
    with _lock:
        if own.name not in _brought and len(_brought) >= server.most_brought_in_all():
            raise ParameterError("file", "the server", "one that there is room for now", own.title)
        known, count = _brought.get(own.name, (own, 0))
        _brought[own.name] = known, count + 1
    return known


def renew(own: Own) -> None:
    """Have data that were brought before be read as they are now."""
    with _lock:
        if own.name in _brought:
            _brought[own.name] = own, _brought[own.name][1]


def leave(name: str) -> None:
    """Forget data that nobody else has brought."""
    with _lock:
        own, count = _brought[name]
        if count > 1:
            _brought[name] = own, count - 1
        else:
            del _brought[name]


def find(name: str) -> Data:
    """The data of that name.

    Raises
    ------
    ParameterError
        There are none.
    """
    found = _brought.get(name)
    return datasets.find(name) if found is None else found[0]


def load(
    name: str,
    split_seed: int,
    test_fraction: float,
    loss: str,
    progress: Callable[[str, int, int], None] | None = None,
) -> Problem:
    """The problem of data; ``progress`` and errors as of `fwcore.datasets.load`."""
    data = find(name)
    if isinstance(data, Own):
        return data.make(split_seed, test_fraction, loss)
    how: dict[str, Any] = {"split_seed": split_seed, "test_fraction": test_fraction}
    return datasets.load(name, loss=loss, progress=progress, **how)


def available(data: Data) -> bool:
    """Whether it can be loaded without a download."""
    return isinstance(data, Own) or datasets.available(data)


def relevant_columns(dataset: str) -> int:
    """How many columns of a dataset are taken to matter: as many as it was made with, or 32; of few
    columns a tenth.
    """
    data = find(dataset)
    return data.relevant or max(1, min(_RELEVANT, data.columns // 10))


def is_scaled(dataset: str) -> bool:
    """Whether a response is divided by its standard deviation on the rows learnt from."""
    data = find(dataset)
    return data.task == "regression" and data.response == "deviations"


def own_of(dataset: datasets.Dataset, title: str) -> Own:
    """A dataset that was read from a file, as data of a page."""
    return Own(
        name=_name(
            f"{title} {dataset.degree} {dataset.task}",
            dataset.feature_names,
            *_arrays(dataset.X),
            dataset.y,
        ),
        title=title,
        rows=dataset.rows,
        columns=dataset.columns,
        # A page asks again for each run that is added.
        make=lru_cache(maxsize=2)(
            lambda seed, share, loss: dataset.problem(
                split_seed=seed, test_fraction=share, loss=loss
            )
        ),
        task=dataset.task,
        response=dataset.response,
        degree=dataset.degree,
        loss=loss_for(dataset.task),
        test_fraction=dataset.test_fraction,
        about=(*dataset.report.lines(),),
    )


def own_problem(problem: Problem, title: str) -> Own:
    """A problem that was made in memory, whose split and loss are its own.

    Raises
    ------
    ParameterError
        Another loss is asked for.
    """

    def make(seed: int, share: float, loss: str) -> Problem:
        if loss != problem.loss.name:
            raise ParameterError("loss", "the page", f"{problem.loss.name!r}, as given", loss)
        return problem

    tested = 0 if problem.test_y is None else len(problem.test_y)
    rows = problem.m + tested
    return Own(
        name=_name(
            f"{title} {problem.content_hash}",
            problem.feature_names,
            *(a for a in problem.test_design or () if isinstance(a, np.ndarray)),
            *(() if problem.test_y is None else (problem.test_y,)),
        ),
        title=title,
        rows=rows,
        columns=problem.p,
        make=make,
        task="classification" if problem.labels else "regression",
        loss=problem.loss.name,
        test_fraction=min(0.9, tested / rows),
    )


def _arrays(X: Any) -> tuple[Any, ...]:
    return (X.data, X.indices, X.indptr) if hasattr(X, "indptr") else (np.asarray(X),)


def _name(told: str, names: Sequence[str], *arrays: Any) -> str:
    """A name made of all that is told of data: who brings other data, or calls them otherwise,
    finds nobody else's.
    """
    found = hashlib.blake2b(told.encode(errors="replace"), digest_size=8)
    for j in range(min(len(names), _MOST_NAMES)):
        found.update(f"{names[j]}\0".encode(errors="replace"))
    for array in arrays:
        found.update(str(array.shape).encode())
        found.update(np.ascontiguousarray(array).data)
    return f"own-{found.hexdigest()}"

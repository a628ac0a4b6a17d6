"""The datasets by name: the entries of data/catalogue.toml, and what it takes to read one."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fwcore.datasets.bundled import BUNDLED
from fwcore.datasets.dataset import RESPONSES
from fwcore.datasets.derived import DERIVED
from fwcore.datasets.fetching import SourceFile
from fwcore.datasets.generators import GENERATORS
from fwcore.datasets.parsing import FORMATS, TASKS, ParseOptions
from fwcore.design import product_count
from fwcore.errors import DatasetError
from fwcore.losses import DEFAULT_LOSS

CATALOGUE = Path(__file__).with_name("catalogue.toml")
_FILES = ("train", "train_labels", "test", "test_labels")


@dataclass(frozen=True)
class Layout:
    """One way in which the files of a dataset may lie there, and how they are read."""

    train: SourceFile
    train_labels: SourceFile | None = None
    test: SourceFile | None = None
    test_labels: SourceFile | None = None
    format: str | None = None
    options: ParseOptions = field(default_factory=ParseOptions)

    @property
    def files(self) -> tuple[SourceFile, ...]:
        """All its files, each once."""
        return tuple(
            dict.fromkeys(file for name in _FILES if (file := getattr(self, name)) is not None)
        )

    @property
    def at_hand(self) -> bool:
        """Whether all its files are."""
        return all(file.local() is not None for file in self.files)

    @property
    def fetchable(self) -> bool:
        """Whether those that are not at hand have an address."""
        return all(file.fetchable or file.local() is not None for file in self.files)


@dataclass(frozen=True)
class Entry:
    """An entry of the catalogue; see the head of data/catalogue.toml.

    ``rows`` and ``features`` count the whole dataset, constant columns included. ``make``, of an
    entry that is registered: gives (X, y) or (X, y, feature names) whenever it is called.

    >>> from fwcore.datasets import find
    >>> entry = find("pyrim")
    >>> entry.rows, entry.features, entry.degree
    (74, 27, 5)
    """

    name: str
    title: str
    task: str
    rows: int
    features: int
    citation: str
    licence: str
    degree: int | None = None
    test_fraction: float = 0.25
    test_rows: int = 0
    relevant: int | None = None
    sampling: str = "1%"
    points: int = 100
    response: str = "deviations"
    loss: str = DEFAULT_LOSS
    dtype: str = "float64"
    size: int | None = None
    page: str = ""
    bundled: tuple[tuple[str, Any], ...] = ()
    generator: tuple[tuple[str, Any], ...] = ()
    noise: tuple[tuple[str, Any], ...] = ()
    derived: str = ""
    layouts: tuple[Layout, ...] = ()
    make: Callable[[], tuple[Any, ...]] | None = None

    @property
    def columns(self) -> int:
        """Columns of the design, constant ones included."""
        return self.features if self.degree is None else product_count(self.features, self.degree)

    @property
    def layout(self) -> Layout | None:
        """The first that is complete, else the first that can be fetched, else the first; None if
        there are no files.
        """
        for wanted in (
            lambda layout: layout.at_hand,
            lambda layout: layout.fetchable,
            lambda layout: True,
        ):
            for layout in self.layouts:
                if wanted(layout):
                    return layout
        return None

    @property
    def origin(self) -> str:
        """Where it comes from, in a few words."""
        if self.layouts or self.page:
            return self.page or "files"
        if self.make is not None:
            return "registered"
        return "scikit-learn" if self.bundled else "generated"


def read_catalogue(path: Path = CATALOGUE) -> tuple[Entry, ...]:
    """The entries of a catalogue.

    Raises
    ------
    DatasetError
        A table that is not understood; says which and why.

    >>> "diabetes" in [entry.name for entry in read_catalogue()]
    True
    """
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    return tuple(_entry(name, table) for name, table in tables.items())


def _entry(name: str, table: dict[str, Any]) -> Entry:
    try:
        values = dict(table)
        layouts = tuple(_layout(layout) for layout in values.pop("layouts", ()))
        for key in ("bundled", "generator", "noise"):
            values[key] = tuple(values.get(key, {}).items())
        if values.get("test_rows"):
            values["test_fraction"] = values["test_rows"] / values["rows"]
        entry = Entry(name=name, layouts=layouts, **values)
        _check(entry)
        return entry
    except (TypeError, KeyError, ValueError) as error:
        raise DatasetError(f"The catalogue's table {name!r} is not understood: {error}") from None


def _layout(table: dict[str, Any]) -> Layout:
    values = dict(table)
    files = {key: SourceFile(**values.pop(key)) for key in _FILES if key in values}
    kind, task = values.pop("format", None), values.pop("as", "auto")
    return Layout(**files, format=kind, options=ParseOptions(task=task, **values))


def _check(entry: Entry) -> None:
    sources = [bool(entry.bundled), bool(entry.generator), bool(entry.layouts)]
    rules: tuple[tuple[bool, str, str], ...] = (
        (sum(sources) == 1, "source", "exactly one of bundled, generator, layouts"),
        (entry.task in TASKS[1:], "task", f"one of {TASKS[1:]}"),
        (entry.response in RESPONSES, "response", f"one of {RESPONSES}"),
        (entry.points >= 1, "points", "at least 1"),
        (0.0 <= entry.test_fraction <= 0.9, "test_fraction", "in [0, 0.9]"),
        (
            min(entry.rows, entry.features, 1 if entry.degree is None else entry.degree) >= 1,
            "rows, features and degree",
            "at least 1",
        ),
        (
            not entry.bundled or dict(entry.bundled).get("name") in BUNDLED,
            "bundled",
            f"one of {[*BUNDLED]}",
        ),
        (entry.derived in ("", *DERIVED), "derived", f"one of {[*DERIVED]}"),
        (
            not entry.generator or dict(entry.generator).get("name") in GENERATORS,
            "generator",
            f"one of {[*GENERATORS]}",
        ),
        (
            all(layout.format in (None, *FORMATS) for layout in entry.layouts),
            "format",
            f"one of {[*FORMATS]}",
        ),
    )
    for holds, what, rule in rules:
        if not holds:
            raise ValueError(f"{what} must be {rule}.")

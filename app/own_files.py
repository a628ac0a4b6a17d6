"""Data that were brought to a page, kept in files of the user's data folder, so that a page that is
loaded again and a saved run find them. A public server keeps none.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import tempfile
import time
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from app import server, shelf
from app.history import folder
from fwcore import DatasetError, Problem, datasets

_MOST_BYTES = 4 << 30
"""Of all files; those that were used longest ago go."""
_VERSION = 1
_HALF, _DAY = ".part", 86_400.0
_NAME = re.compile(r"own-[0-9a-f]{16}")
_ABOUT = ("title", "rows", "columns", "task", "test_fraction", "loss", "degree", "response")
_log = logging.getLogger(__name__)


def keep(own: shelf.Own, dataset: datasets.Dataset) -> None:
    """Write data to their files, unless they are there. What cannot be written is not kept, which
    the log says.
    """
    if server.public() or kept(own.name):
        return
    arrays, about = _arrays(dataset), {name: getattr(own, name) for name in _ABOUT}
    about |= {"version": _VERSION, "report": asdict(dataset.report), "lines": own.about}
    about["names"] = [str(name) for name in dataset.feature_names]
    try:
        _make_room(sum(array.nbytes for array in arrays.values()))
        _write(_place(own.name, "npz"), lambda file: np.savez(file, **arrays))
        text = json.dumps(about).encode()
        # The last, so that what is half written counts as none.
        _write(_place(own.name, "json"), lambda file: file.write(text))
    except (OSError, ValueError) as error:
        _log.warning("%s is not kept: %s", own.title, error)


def kept(name: str) -> bool:
    """Whether data are in a file."""
    known = _NAME.fullmatch(name) is not None and not server.public()
    return known and all(_place(name, suffix).exists() for suffix in ("json", "npz"))


def recall(name: str) -> shelf.Own | None:
    """Data that were brought before; None where they are not kept. They are read when they are
    asked for.
    """
    if (own := _told(name)) is not None:
        with contextlib.suppress(OSError):
            os.utime(_place(name, "npz"))
    return own


def listed() -> list[shelf.Own]:
    """All data that are kept, by their titles."""
    names = [path.stem for path in _place("own", "json").parent.glob("*.json")]
    return sorted(filter(None, map(_told, names)), key=lambda own: (own.title, own.name))


def forget(name: str) -> None:
    """Delete the files of data, if there are any."""
    if kept(name):
        _place(name, "json").unlink(missing_ok=True)
        _place(name, "npz").unlink(missing_ok=True)


def _told(name: str) -> shelf.Own | None:
    if not kept(name):
        return None
    try:
        about = json.loads(_place(name, "json").read_text())
        if about["version"] != _VERSION:
            return None
        facts = {key: about[key] for key in _ABOUT}
        lines = [(str(label), str(text)) for label, text in about["lines"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return shelf.Own(name=name, make=_reader(name, about), about=(*lines,), **facts)


def _reader(name: str, about: dict[str, Any]) -> Callable[[int, float, str], Problem]:
    @cache
    def whole() -> shelf.Own:
        try:
            own: shelf.Own | None = shelf.own_of(_read(name, about), about["title"])
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
            own = None
        if own is None or own.name != name:
            # So that it is written anew when the file comes again.
            _place(name, "json").unlink(missing_ok=True)
            title = about["title"]
            raise DatasetError(f"The copy of {title} is gone or changed: bring the file again.")
        return own

    return lambda seed, share, loss: whole().make(seed, share, loss)


def _read(name: str, about: dict[str, Any]) -> datasets.Dataset:
    with _place(name, "npz").open("rb") as file, np.load(file, allow_pickle=False) as held:
        arrays = {key: held[key] for key in held.files}
    shape = tuple(arrays["shape"].tolist())
    if "indptr" in arrays:
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        X: Any = scipy.sparse.csc_array(parts, shape=shape)
    else:
        X = arrays["data"]
    facts: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in about["report"].items()
    }
    report = datasets.Report(**facts)
    parsed = datasets.Parsed(X, arrays["y"], about["names"], report)
    return datasets.Dataset.of(parsed, about["title"], about["degree"], about["test_fraction"])


def _arrays(dataset: datasets.Dataset) -> dict[str, Any]:
    X = dataset.X
    parts = (
        {"data": X.data, "indices": X.indices, "indptr": X.indptr}
        if scipy.sparse.issparse(X)
        else {"data": X}
    )
    return parts | {"y": dataset.y, "shape": np.array(X.shape)}


def _place(name: str, suffix: str) -> Path:
    return folder() / "data" / f"{name}.{suffix}"


def _write(place: Path, write: Callable[[Any], Any]) -> None:
    """A file that is there whole, or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place.parent, suffix=_HALF, delete=False) as file:
        try:
            write(file)
        except BaseException:
            Path(file.name).unlink()
            raise
    os.replace(file.name, place)


def _make_room(size: int) -> None:
    """Remove the files that were used longest ago until there is room.

    Raises
    ------
    ValueError
        There is not so much room at all.
    """
    if size > _MOST_BYTES:
        raise ValueError(f"{size >> 20} MB, where {_MOST_BYTES >> 20} are kept in all")
    for path in _place("own", "npz").parent.glob(f"*{_HALF}"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _DAY:
                path.unlink()
    found = []
    for path in _place("own", "npz").parent.glob("*.npz"):
        with contextlib.suppress(OSError):
            found.append((path.stat().st_mtime, path.stat().st_size, path))
    total = size + sum(bytes_ for _, bytes_, _ in found)
    for _, bytes_, path in sorted(found):
        if total <= _MOST_BYTES:
            return
        path.with_suffix(".json").unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        total -= bytes_

"""Problems on disk: split, standardised, with their products; opened memory-mapped in a fraction of
a second.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fwcore import cache
from fwcore.arrays import ChosenNames, DefaultNames
from fwcore.design import Design, open_folder, save
from fwcore.losses import find_loss
from fwcore.problem import Problem
from fwcore.unpenalised import Unpenalised

_NUMBERS = ("y_offset", "y_scale", "name")
_ARRAYS = ("y", "sigma", "sqnorms", "test_y")


def keep(key: str, problem: Problem) -> None:
    """Write a problem under ``key``; a cache that cannot be written costs time, never a result."""
    if not cache.keeps():
        return
    target = _folder(key)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, ignore_cleanup_errors=True) as made:
            _write(Path(made), problem)
            if target.is_dir() and opened(key) is None:
                # What is not readable would be in the way for good.
                shutil.rmtree(target, ignore_errors=True)
            # Refused where another process was faster.
            os.replace(made, target)
            Path(made).mkdir()
    except OSError:
        return


def opened(key: str, memory: int | None = None) -> Problem | None:
    """What was kept, its values on disk until they are used; None if there is nothing, or nothing
    readable. ``memory`` is as of `open_folder`.
    """
    folder = _folder(key)
    try:
        about = json.loads((folder / "about.json").read_text(encoding="utf-8"))
        train = open_folder(folder / "design", memory)
        arrays = {name: _opened_array(folder, name) for name in _ARRAYS}
        if any(arrays[name] is None for name in _ARRAYS[:3]):
            return None
        return Problem(
            design=train,
            loss=type(find_loss(about["loss"]))(*about["loss_fields"]),
            positive=about["positive"],
            # Folders that were written before there was an intercept have none.
            unpenalised=Unpenalised.constant(train.shape[0], about.get("intercept", False)),
            test_design=open_folder(folder / "test") if (folder / "test").is_dir() else None,
            feature_names=_opened_names(folder, about["names"], train),
            **{name: about[name] for name in _NUMBERS},
            **arrays,
        )
    except Exception:
        # A stored file may be truncated, empty or foreign. In every case it is written again.
        return None


def _folder(key: str) -> Path:
    return cache.folder() / "problems" / key


def _write(folder: Path, problem: Problem) -> None:
    save(problem.design, folder / "design")
    if problem.test_design is not None:
        save(problem.test_design, folder / "test")
    for name in _ARRAYS:
        array = getattr(problem, name)
        if array is not None:
            np.save(folder / f"{name}.npy", array, allow_pickle=False)
    about = {name: getattr(problem, name) for name in _NUMBERS}
    names = _kept_names(folder, problem.feature_names, problem.design)
    loss = {"loss": problem.loss.text, "loss_fields": list(_fields(problem.loss))}
    kind = {"positive": problem.positive, "intercept": problem.intercept}
    text = json.dumps(loss | {"names": names} | kind | about)
    (folder / "about.json").write_text(text, encoding="utf-8")


def _fields(loss: Any) -> tuple[float, ...]:
    """The numbers that kernels read of a loss."""
    return tuple(loss)


def _kept_names(folder: Path, names: Sequence[str], design: Design) -> list[str] | None:
    """The names that are not made when asked for; None of columns called by their numbers."""
    # Names that the design makes of those of its base features are made again.
    if len(names) != design.base_features:
        names = getattr(names, "base", names)
    if isinstance(names, ChosenNames):
        np.save(folder / "chosen.npy", names.columns)
        names = names.base
    return None if isinstance(names, DefaultNames) else [*names]


def _opened_names(folder: Path, names: list[str] | None, design: Design) -> Sequence[str]:
    p = design.base_features
    columns = _opened_array(folder, "chosen")
    base: Sequence[str] = (
        DefaultNames(p if columns is None else int(columns.max()) + 1) if names is None else names
    )
    return design.column_names(base) if columns is None else ChosenNames(base, columns)


def _opened_array(folder: Path, name: str) -> Any:
    path = folder / f"{name}.npy"
    if not path.is_file():
        return None
    array = np.load(path, allow_pickle=False)
    array.setflags(write=False)
    return array

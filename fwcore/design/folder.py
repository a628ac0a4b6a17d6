"""A design as a folder of .npy files, opened memory-mapped: X may be larger than memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fwcore.design import mapped
from fwcore.errors import ParameterError


def save(design: Any, folder: str | Path) -> None:
    """Write the arrays of a design to ``folder``, which is made where it is missing."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in design._asdict().items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


def open_folder(folder: str | Path, memory: int | None = None) -> Any:
    """The design that `save` wrote; its values stay on disk and are read as they are needed.

    ``memory`` bounds the bytes of X that are held in memory by passes over all columns, which are
    those of making a Problem, of the judge, and of the certified solvers, and by the columns that
    these look at between passes. Two columns are held at least. Columns of a working set are in
    memory beside that, each with what the system maps around it, up to 2 MB; other solvers read
    columns as they come; and the system takes back what it needs. None leaves it all to the system.
    Of products the factors are held, which are a few bytes a column.

    A folder of one's own making serves too: ``values.npy`` of shape (p, m), or ``indptr.npy``,
    ``rows.npy``, ``values.npy`` and ``m.npy`` in compressed columns, whose rows increase; without
    ``offset.npy`` and ``scale.npy`` nothing is centred or scaled.

    Raises
    ------
    ParameterError
        There is no design in the folder, its arrays do not fit together, or the bound is none.
    """
    mapped.check(memory)
    # Storages are registered in a module that imports them, and they import this package.
    from fwcore.design.registry import STORAGES

    folder = Path(folder)
    arrays = {path.stem: _mapped(path) for path in sorted(folder.glob("*.npy"))}
    # Before they are looked at, which is a pass over them.
    mapped.bound([*arrays.values()], memory)
    for storage in STORAGES:
        if (design := storage.opened(arrays)) is not None:
            return design
    rule = "a folder with values.npy, or what `save` wrote"
    raise ParameterError("folder", "open_folder", rule, str(folder))


def _mapped(path: Path) -> NDArray[Any]:
    # A plain view: kernels are compiled for ndarray, not for its subclass.
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))

"""A design as a folder of .npy files, opened memory-mapped: X may exceed the memory of the machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fwcore.design.csc import Csc
from fwcore.design.dense import Dense
from fwcore.design.products import Products
from fwcore.errors import ParameterError


def save(design: Dense | Csc | Products, folder: str | Path) -> None:
    """Write the arrays of a design to ``folder``, which is made where it is missing."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in design._asdict().items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)


def open_folder(folder: str | Path) -> Dense | Csc | Products:
    """The design that `save` wrote; its values stay on disk and are read as they are needed.

    A folder of one's own making serves too: ``values.npy`` of shape (p, m), or ``indptr.npy``, ``rows.npy``, ``values.npy`` and
    ``m.npy`` in compressed columns; without ``offset.npy`` and ``scale.npy`` nothing is centred or scaled.

    Raises
    ------
    ParameterError
        There is no design in the folder, or its arrays do not fit together.
    """
    folder = Path(folder)
    if (folder / "factors.npy").is_file():
        return _products(folder)
    names = Csc._fields if (folder / "indptr.npy").is_file() else Dense._fields
    arrays: dict[str, Any] = {name: _mapped(folder, name) for name in names if (folder / f"{name}.npy").is_file()}
    missing = [f"{name}.npy" for name in names if name not in arrays and name not in ("offset", "scale")]
    if missing:
        raise ParameterError("folder", "open_folder", f"a folder with {', '.join(missing)}", str(folder))
    p = arrays["indptr"].size - 1 if "indptr" in arrays else arrays["values"].shape[0]
    arrays = {"offset": np.zeros(p), "scale": np.ones(p)} | arrays
    if "indptr" in arrays:
        fits = arrays["rows"].size == arrays["values"].size == int(arrays["indptr"][-1])
        design: Dense | Csc = Csc(**arrays | {"m": int(arrays["m"])})
    else:
        fits = arrays["values"].ndim == 2 and arrays["values"].flags.c_contiguous
        design = Dense(**arrays)
    if not (fits and arrays["offset"].shape == arrays["scale"].shape == (p,)):
        shapes = {name: getattr(array, "shape", ()) for name, array in arrays.items()}
        raise ParameterError("folder", "open_folder", "a folder of arrays that fit together", shapes)
    return design


def _products(folder: Path) -> Products:
    arrays: dict[str, Any] = {name: _mapped(folder, name) for name in Products._fields}
    fits = arrays["factors"].ndim == 2 and len(arrays["factors"]) == arrays["offset"].size == arrays["scale"].size
    # Factors are followed into the base by compiled code.
    if not fits or int(arrays["factors"].max(initial=0)) >= len(arrays["base"]):
        raise ParameterError("folder", "open_folder", "a folder of arrays that fit together", str(folder))
    return Products(**arrays | {"positions": tuple(range(arrays["factors"].shape[1])), "m": int(arrays["m"])})


def _mapped(folder: Path, name: str) -> NDArray[Any]:
    # A plain view: kernels are compiled for ndarray, not for its subclass.
    return np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))

"""What storages share: how arrays are read from a folder, and the matrix that they stand for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design.mapped import turns
from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats

_Arrays = TypeVar("_Arrays", bound=tuple[Any, ...])


class AsGiven:
    """What storages share whose columns are those of the matrix that they were made of."""

    __slots__ = ()

    @property
    def layout(self: Any) -> tuple[Any, ...]:
        """What kernels are compiled for besides the class."""
        return tuple(array.dtype.str for array in self.stored)

    @property
    def base_features(self: Any) -> int:
        """Columns of the matrix that it was made of."""
        return int(self.offset.size)

    def column_names(self, names: Sequence[str]) -> Sequence[str]:
        """Names of the columns, from those of the base features."""
        return names

    def without(self, constant: NDArray[np.bool_]) -> Any:
        """The design without its ``constant`` columns: they stay, with a scale of 0."""
        return self


def sealed(arrays: _Arrays) -> _Arrays:
    """A design, or other arrays, none of which can be written to any more. Those that can be are of
    another type: a kernel that meets both is compiled twice.
    """
    for array in arrays:
        if isinstance(array, np.ndarray):
            array.setflags(write=False)
    return arrays


def as_seen(stored: Floats, offset: Floats, scale: Floats) -> Floats:
    """The stored columns (p, m), centred and scaled in place, as (m, p) in Fortran order."""
    stored -= offset[:, None]
    stored *= scale[:, None]
    return stored.T


def even_cuts(p: int, parts: int) -> list[int]:
    """0 ... p in ``parts`` ranges of about as many columns."""
    return [p * k // parts for k in range(parts + 1)]


def cuts_by_entries(indptr: NDArray[Any], parts: int) -> list[int]:
    """0 ... p in ``parts`` ranges of about as many entries of compressed columns."""
    # Of another type, they would be sought in a copy.
    wanted = np.array([int(indptr[-1]) * k // parts for k in range(1, parts)], indptr.dtype)
    return [0, *np.searchsorted(indptr, wanted).tolist(), indptr.size - 1]


def require_arrays(arrays: Mapping[str, Any], names: Sequence[str]) -> None:
    """Raise `ParameterError` where a folder lacks one of these arrays."""
    missing = [f"{name}.npy" for name in names if name not in arrays]
    if missing:
        rule = f"a folder with {', '.join(missing)}"
        raise ParameterError("folder", "open_folder", rule, [f"{name}.npy" for name in arrays])


def columns_of(indptr: NDArray[Any], entries: int) -> int:
    """How many compressed columns begin at ``indptr`` (p + 1,), -1 where they do not have so many
    ``entries``.
    """
    fits = indptr.ndim == 1 and indptr.size > 1 and int(indptr[-1]) == entries
    return indptr.size - 1 if fits else -1


def require_placed(design: Any) -> None:
    """Raise `ParameterError` unless compiled code may follow the ``rows`` (entries,) of compressed
    columns, which begin at ``indptr`` (p + 1,), into vectors: they increase in every column, from 0
    to m - 1.
    """
    indptr, rows, m = design.indptr, design.rows, design.shape[0]
    whole = indptr.dtype.kind in "iu" and rows.dtype.kind in "iu"
    edges = indptr[0] == 0 and indptr[-1] == rows.size and not (indptr[1:] < indptr[:-1]).any()
    inside = whole and edges and all(_increase(indptr, rows, m, *turn) for turn in turns(design, 1))
    if not inside:
        rule = (
            "a folder whose rows.npy has, from one of indptr.npy to the next, increasing rows of X"
        )
        raise ParameterError("folder", "open_folder", rule, "others")


@njit(nogil=True, cache=True)
def _increase(indptr, rows, m, first, stop):
    for j in range(first, stop):
        before = np.int64(-1)
        for k in range(indptr[j], indptr[j + 1]):
            row = np.int64(rows[k])
            if not before < row < m:
                return False
            before = row
    return True


def offset_and_scale(arrays: Mapping[str, Any], p: int) -> tuple[Floats, Floats]:
    """Offset and scale of p columns, 0 and 1 where the folder has none.

    Raises
    ------
    ParameterError
        They are not of shape (p,), or p is negative: the other arrays do not fit together.
    """
    offset, scale = arrays.get("offset"), arrays.get("scale")
    offset = np.zeros(max(p, 0)) if offset is None else offset
    scale = np.ones(max(p, 0)) if scale is None else scale
    if not offset.shape == scale.shape == (p,):
        shapes = {name: getattr(array, "shape", ()) for name, array in arrays.items()}
        rule = "a folder of arrays that fit together"
        raise ParameterError("folder", "open_folder", rule, shapes)
    return offset, scale

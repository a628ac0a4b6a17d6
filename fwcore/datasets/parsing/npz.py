"""NumPy .npz archives of arrays, or of a sparse matrix that scipy saved; nothing pickled is ever
read.
"""

from __future__ import annotations

import math
import zipfile
from typing import Any

import scipy.sparse
from numpy.lib import format as npy

from fwcore.datasets.parsing.arrays import chosen, parsed_arrays
from fwcore.datasets.parsing.limits import Limits, refuse
from fwcore.datasets.parsing.report import Parsed, ParseOptions
from fwcore.datasets.parsing.streams import Source

_SPARSE = ("data", "indices", "indptr", "shape")
_MEMBERS = 1000
_KINDS = "biufUS"


def read(source: Source, options: ParseOptions, limits: Limits) -> Parsed:
    """Arrays ``X`` and ``y``, others where they are chosen by name, or the arrays of
    ``scipy.sparse.save_npz`` and ``y``.

    Raises
    ------
    DatasetError
        No zip archive of .npy files, an array of objects, shapes that do not fit, or a limit:
        before an array is read.
    """
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        return _read(source, archive, options, limits)


def _read(
    source: Source, archive: zipfile.ZipFile, options: ParseOptions, limits: Limits
) -> Parsed:
    name, shapes = source.name, _shapes(source, archive, limits)
    if set(_SPARSE) <= set(shapes):
        X, target = _sparse(name, archive, shapes, limits), options.target
        if target is None:
            target = next((key for key in ("y", "target", "labels") if key in shapes), None)
    else:
        matrix, target = chosen(name, shapes, options)
        limits.check_table(name, *shapes[matrix])
        X = _array(archive, matrix)
    y = options.labels if target is None else _array(archive, target)
    return parsed_arrays(name, "NumPy .npz", X, y, target or "label", options)


def _shapes(source: Source, archive: zipfile.ZipFile, limits: Limits) -> dict[str, tuple[int, ...]]:
    """Shape of each array, from the headers; none is larger than its place in the archive and
    the limits say.
    """
    name, members, most = source.name, archive.infolist(), limits.unpacked(source.size)
    if len(members) > _MEMBERS:
        refuse(name, f"{len(members):,} members, where at most {_MEMBERS:,} are read.")
    shapes, total = {}, 0
    for member in members:
        label = member.filename.removesuffix(".npy")
        if label == member.filename or "/" in label or "\\" in label or ".." in label:
            refuse(name, f"a member that is no array of an .npz archive: {member.filename[:80]!r}.")
        total += member.file_size
        if total > most:
            refuse(name, f"unpacks to more than {most >> 20:,} MB.")
        with archive.open(member) as stream:
            version = npy.read_magic(stream)
            header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, _, dtype = header(stream)
        if dtype.kind not in _KINDS:
            if dtype.hasobject:
                refuse(name, f"the array {label!r} holds Python objects, which are not read.")
            continue
        size = math.prod(int(side) for side in shape) * dtype.itemsize
        if size > member.file_size or min(shape, default=0) < 0:
            refuse(
                name,
                f"the array {label!r} claims {size:,} bytes, its member has {member.file_size:,}.",
            )
        shapes[label] = tuple(int(side) for side in shape)
    return shapes


def _array(archive: zipfile.ZipFile, label: str) -> Any:
    with archive.open(f"{label}.npy") as stream:
        return npy.read_array(stream, allow_pickle=False)


def _sparse(
    name: str, archive: zipfile.ZipFile, shapes: dict[str, tuple[int, ...]], limits: Limits
) -> Any:
    kind = str(_array(archive, "format")[()]) if "format" in shapes else "csr"
    kind = kind.strip("b'") if kind.startswith("b'") else kind
    if kind not in ("csr", "csc"):
        refuse(name, f"a sparse matrix in {kind!r} format; only csr and csc are read.")
    rows, columns = (int(side) for side in _array(archive, "shape"))
    if min(rows, columns) < 1:
        refuse(name, f"a matrix of shape ({rows}, {columns}).")
    limits.check_sparse(name, rows, columns, shapes["data"][0] if shapes["data"] else 0)
    data, indices, indptr = (_array(archive, key) for key in _SPARSE[:3])
    return (scipy.sparse.csr_array if kind == "csr" else scipy.sparse.csc_array)(
        (data, indices, indptr), shape=(rows, columns)
    )

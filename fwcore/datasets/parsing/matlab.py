"""MATLAB files up to version 7, by scipy: variables that are matrices of numbers."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import scipy.io

from fwcore.datasets.parsing.arrays import chosen, parsed_arrays
from fwcore.datasets.parsing.limits import Limits, refuse
from fwcore.datasets.parsing.report import Parsed, ParseOptions
from fwcore.datasets.parsing.streams import Source

_NUMBERS = {"double", "single", "sparse", "logical"} | {
    f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64)
}
_HEADER, _TAG, _PACKED, _HDF5 = 128, 8, 15, b"\x89HDF"


def read(source: Source, options: ParseOptions, limits: Limits) -> Parsed:
    """Variables ``X`` and ``y``, or others that are chosen by name or by their shape.

    Raises
    ------
    DatasetError
        Version 7.3, which is HDF5; a broken file; no such variables; or a limit: before a matrix is
        read.
    """
    with source.open() as stream:
        if _HDF5 in stream.read(1024):
            refuse(source.name, "a MATLAB file of version 7.3. Save it with -v7.")
    with source.open() as stream:
        _check_unpacked(source, stream, limits)
        stream.seek(0)
        listed = {name: (shape, kind) for name, shape, kind in scipy.io.whosmat(stream)}
        shapes = {
            name: tuple(map(int, shape))
            for name, (shape, kind) in listed.items()
            if kind in _NUMBERS
        }
        matrix, target = chosen(source.name, shapes, options)
        rows, columns = shapes[matrix]
        if listed[matrix][1] == "sparse":
            limits.check_sparse(source.name, rows, columns, 0)
        else:
            limits.check_table(source.name, rows, columns)
        stream.seek(0)
        values = scipy.io.loadmat(
            stream, variable_names=[matrix] if target is None else [matrix, target]
        )
    y = options.labels if target is None else values[target]
    return parsed_arrays(source.name, "MATLAB", values[matrix], y, target or "label", options)


def _check_unpacked(source: Source, stream: Any, limits: Limits) -> None:
    """How much the packed variables unpack to, without keeping any of it."""
    most = limits.unpacked(source.size)
    head = stream.read(_HEADER)
    if len(head) < _HEADER or head[126:128] not in (b"IM", b"MI"):
        # Version 4, whose variables are not packed.
        return
    order, total = "<" if head[126:128] == b"IM" else ">", 0
    while len(tag := stream.read(_TAG)) == _TAG:
        kind, size = struct.unpack(f"{order}II", tag)
        if kind != _PACKED:
            stream.seek(size, 1)
            continue
        unpack, left = zlib.decompressobj(), size
        while left > 0 and (packed := stream.read(min(left, 1 << 16))):
            left -= len(packed)
            while packed:
                total += len(unpack.decompress(packed, 1 << 20))
                packed = unpack.unconsumed_tail
                if total > most:
                    refuse(source.name, f"unpacks to more than {most >> 20:,} MB.")

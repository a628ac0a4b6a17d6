"""How much of a memory-mapped design passes over its columns hold in memory.

The system takes back what it needs of a mapped file anyway. A bound keeps the rest of the machine
free: columns are gone through in turns, what comes next is read ahead, and what was read is given
back.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fwcore.errors import ParameterError

LEAST = 1 << 24
"""Bytes that a bound is at least: systems map some megabytes around what is read."""

_bounds: WeakKeyDictionary[mmap.mmap, int] = WeakKeyDictionary()


def check(memory: int | None) -> None:
    """Raise `ParameterError` where ``memory`` is no bound, or this system can't keep one."""
    if memory is None:
        return
    whole = isinstance(memory, (int, np.integer)) and not isinstance(memory, bool)
    if not whole or memory < LEAST:
        rule = f"None, or a number of bytes of at least {LEAST}"
        raise ParameterError("memory", "open_folder", rule, memory)
    if not hasattr(mmap.mmap, "madvise"):
        raise ParameterError("memory", "open_folder", "None on this system", memory)


def bound(arrays: Sequence[NDArray[Any]], memory: int | None) -> None:
    """Let passes hold at most ``memory`` bytes of mapped arrays that are read together."""
    files = [_file(array) for array in arrays]
    if memory is not None:
        _bounds.update({file: int(memory) for file in files if file is not None})


def bounded(design: Any) -> bool:
    """Whether a pass over a design may hold only a part of it in memory."""
    return bound_of_pass(design)[0] is not None


def turns(design: Any, threads: int) -> Iterator[list[int]]:
    """The edges (threads + 1,) of the ranges of columns of each turn of a pass, in order: one turn
    where nothing is bounded.
    """
    limit, size = bound_of_pass(design)
    if limit is None:
        yield design.cuts(threads)
        return
    # Two turns are in memory: that which is gone through, and the next.
    n = max(1, -(-2 * size // limit))
    edges = design.cuts(n * threads)
    parts = [edges[k * threads : (k + 1) * threads + 1] for k in range(n)]
    _advise(design.read(parts[0][0], parts[0][-1]), mmap.MADV_WILLNEED)
    for k, part in enumerate(parts):
        if k + 1 < n:
            _advise(design.read(parts[k + 1][0], parts[k + 1][-1]), mmap.MADV_WILLNEED)
        yield part
        # All up to here, as what was mapped around the last turn is in memory, too.
        _advise(design.read(0, part[-1]), mmap.MADV_DONTNEED)


def pieces(array: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The array along its first axis, in as many pieces as its bound asks for."""
    limit, size = _bound_of([array])
    if limit is None:
        yield array
        return
    for piece in np.array_split(array, max(1, -(-size // limit))):
        yield piece
        _advise([piece], mmap.MADV_DONTNEED)


def bound_of_pass(design: Any) -> tuple[int | None, int]:
    """That of a design that tells what a range of its columns reads, and how many bytes all are."""
    return _bound_of(design.stored) if hasattr(design, "read") else (None, 0)


def _bound_of(arrays: Any) -> tuple[int | None, int]:
    """The bound of those that have one, and their bytes."""
    if not _bounds:
        return None, 0
    files = [(_bounds.get(file), a.nbytes) for a in arrays if (file := _file(a)) is not None]
    bounds = [known for known, _ in files if known is not None]
    return (min(bounds), sum(size for _, size in files)) if bounds else (None, 0)


def mapped_pages(arrays: Any) -> list[tuple[int, int]]:
    """Address and bytes of the pages of those that are mapped and have a bound."""
    found = []
    for array in arrays:
        file = _file(array)
        if file is not None and file in _bounds and array.size > 0:
            start, size = _pages(array, file)
            found.append((_origin(file) + start, size))
    return found


def _file(array: Any) -> mmap.mmap | None:
    while isinstance(array, np.ndarray):
        array = array.base
    return array if isinstance(array, mmap.mmap) else None


def _origin(file: mmap.mmap) -> int:
    return np.frombuffer(file, np.uint8).ctypes.data


def _pages(array: NDArray[Any], file: mmap.mmap) -> tuple[int, int]:
    """Where in its ``file`` the pages of an array begin, and their bytes."""
    begin = array.ctypes.data - _origin(file)
    start = begin // mmap.PAGESIZE * mmap.PAGESIZE
    return start, begin + array.nbytes - start


def _advise(arrays: Any, advice: int) -> None:
    for array in arrays:
        file = _file(array)
        if file is not None and array.size > 0:
            file.madvise(advice, *_pages(array, file))

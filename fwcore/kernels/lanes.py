"""Sums of products that stay in registers over many rows, a cache line of them at a time, as the
compiler does not keep those of arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from fwcore.kernels.dispatch import compiled_only

SIDE = 6
"""Lines of sums at once: with one that is loaded and one of weights they fit into sixteen registers
of half a line.
"""
LINE = 64
"""Bytes in a cache line."""
# Sums are of so many rows before they are added up, so that fewer roundings accumulate.
_NEAR = 32


def roundings(rows: int) -> float:
    """How many roundings there are in a sum over ``rows`` that begins at 0, at most."""
    return min(rows, _NEAR) + rows / _NEAR


@njit(nogil=True, cache=True)
def lined_zeros(rows, size, kind):
    """Zeros of shape (rows, size) and of this ``kind`` of floats that begin with a cache line: a
    vector register that is loaded from two of them takes twice as long.
    """
    room = np.zeros(rows * size + LINE // 4, kind)
    first = -room.ctypes.data % LINE // room.itemsize
    return room[first : first + rows * size].reshape(rows, size)


def is_contiguous(array: Any, kind: Any) -> bool:
    """Whether the numba type ``array`` is of contiguous floats of this ``kind``."""
    known = isinstance(array, types.Array) and isinstance(kind, types.Float)
    return known and array.layout == "C" and array.dtype == kind


def are_contiguous(arrays: Any, kind: Any, places: Any) -> bool:
    """The same of several ``arrays``; whether ``places`` are whole numbers, too."""
    counted = isinstance(places, types.UniTuple) and places.dtype == types.intp
    return counted and all(is_contiguous(array, kind) for array in arrays)


def data_of(context: Any, builder: Any, kinds: Any, arrays: Any) -> Any:
    """Where the entries of ``arrays`` of these ``kinds`` begin."""
    return [
        context.make_array(kind)(context, builder, array).data
        for kind, array in zip(kinds, arrays, strict=True)
    ]


def in_all(builder: Any, value: Any, vector: Any) -> Any:
    """A ``vector`` of the code that a ``builder`` writes, which has a value in all lanes."""
    word, unknown = ir.IntType(32), ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(unknown, value, word(0))
    return builder.shuffle_vector(first, unknown, ir.VectorType(word, vector.count)(None))


def lanes_of(array):
    """Entries of ``array`` in a cache line, which a compiler knows."""
    raise compiled_only("lanes_of")


@overload(lanes_of, inline="always")
def _lanes_of(array):
    lanes = LINE // (array.dtype.bitwidth // 8)
    return lambda array: lanes


@njit(nogil=True, cache=True)
def add_lines(weights, tiles, tile, out):
    """out_qc += the sum over rows i of weights_qi tiles_tic, for six q, as there are rows of
    ``weights`` (6, rows), and the lanes c of line t = ``tile`` of ``out`` (6, k), to which
    ``tiles`` (t, rows, lanes) belong. All are contiguous and of one type of floats.
    """
    add_lines_of(weights, 0, tiles, tile, (0, weights.shape[1]), out, 0)


@njit(nogil=True, cache=True)
def add_lines_of(vectors, first, tiles, tile, entries, out, row):
    """The same for six of the ``vectors``, the rows from ``first`` on, and those of their
    ``entries`` that begin with the one and end before the other, into ``out`` from ``row`` on.
    """
    size, length, lanes, width = vectors.shape[1], tiles.shape[1], lanes_of(out), out.shape[1]
    for i in range(entries[0], entries[1], _NEAR):
        at, n, place = (tile * length + i) * lanes, min(_NEAR, entries[1] - i), tile * lanes
        _add_near(vectors, tiles, out, (first * size + i, size, at, n, row * width + place, width))


def _lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, whole = signature.args, ir.IntType(64)
    weights, tiles, out = data_of(context, builder, kinds[:3], arguments[:3])
    first, stride, at, n, place, width = cgutils.unpack_tuple(builder, arguments[3])
    size = kinds[0].dtype.bitwidth // 8
    lanes = LINE // size
    line = ir.VectorType(context.get_value_type(kinds[0].dtype), lanes)

    def place_of(data: Any, start: Any, step: Any, k: Any) -> Any:
        return builder.gep(data, [builder.add(start, builder.mul(step, k))])

    def load(pointer: Any) -> Any:
        return builder.load(builder.bitcast(pointer, line.as_pointer()), align=size)

    sums = [cgutils.alloca_once_value(builder, line(None)) for _ in range(SIDE)]
    with cgutils.for_range(builder, n) as loop:
        entries = load(place_of(tiles, at, whole(lanes), loop.index))
        row = builder.add(first, loop.index)
        for q, register in enumerate(sums):
            weight = builder.load(place_of(weights, row, stride, whole(q)))
            product = builder.fmul(in_all(builder, weight, line), entries, flags=["contract"])
            added = builder.fadd(builder.load(register), product, flags=["contract"])
            builder.store(added, register)
    for q, register in enumerate(sums):
        to = place_of(out, place, width, whole(q))
        added = builder.fadd(load(to), builder.load(register))
        builder.store(added, builder.bitcast(to, line.as_pointer()), align=size)
    return context.get_dummy_value()


def _typed(typingctx: Any, weights: Any, tiles: Any, out: Any, places: Any) -> Any:
    """``places`` are of `add_lines_of`: where the first of the six begins in ``weights``, how far
    apart they are, where in ``tiles``, entries to add, where in ``out``, and the width of that.
    """
    if not are_contiguous((weights, tiles, out), getattr(weights, "dtype", None), places):
        return None
    return types.void(weights, tiles, out, places), _lower


_add_near: Any = intrinsic(_typed)

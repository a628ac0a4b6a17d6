"""Rows into columns, a square with a cache line on a side at a time, in registers."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from fwcore.kernels.lanes import LINE, are_contiguous, data_of, lanes_of


@njit(nogil=True, cache=True)
def transpose_into(rows, tile):
    """``rows`` (l, n) into the columns of a ``tile`` (n, l), where l are the lanes of that."""
    k, n, side = 0, rows.shape[1], lanes_of(tile)
    while k + side <= n:
        _transpose(rows, tile, (0, k, n, side))
        k += side
    for i in range(k, n):
        for a in range(side):
            tile[i, a] = rows[a, i]


@njit(nogil=True, cache=True)
def transpose_triangle(rows, first, length, tile):
    """``rows`` of a lower triangle, the k-th of which ends before entry ``length`` + k, into
    columns of ``tile`` from entry ``first`` on; zeros follow, as far as the longest row.
    """
    for i in range(length, length + rows.shape[0] - 1):
        for a in range(tile.shape[1]):
            tile[i, a] = 0.0
    _carry(rows, first, length, tile, False)


@njit(nogil=True, cache=True)
def transpose_back(tile, first, length, rows):
    """The way back."""
    _carry(rows, first, length, tile, True)


@njit(nogil=True, inline="always")
def _carry(rows, first, length, tile, back):
    n, width, height, side = rows.shape[0], rows.shape[1], tile.shape[1], lanes_of(tile)
    # More rows at a time are more than are fetched ahead.
    for a in range(0, n, side):
        k = first
        while a + side <= n and k + side <= length:
            if back:
                _transpose(tile, rows, (k, a, height, width))
            else:
                _transpose(rows, tile, (a, k, width, height))
            k += side
        for b in range(a, min(a + side, n)):
            for i in range(k, length + b):
                if back:
                    rows[b, i] = tile[i, b]
                else:
                    tile[i, b] = rows[b, i]


def _lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, whole, word = signature.args[:2], ir.IntType(64), ir.IntType(32)
    source, target = data_of(context, builder, kinds, arguments[:2])
    row, column, width, other = cgutils.unpack_tuple(builder, arguments[2])
    align = kinds[0].dtype.bitwidth // 8
    side = LINE // align
    line = ir.VectorType(context.get_value_type(kinds[0].dtype), side)

    def place_of(data: Any, i: Any, k: Any, size: Any) -> Any:
        at = builder.add(builder.mul(i, size), k)
        return builder.bitcast(builder.gep(data, [at]), line.as_pointer())

    def mix(a: Any, b: Any, lanes: list[int]) -> Any:
        mask = ir.Constant(ir.VectorType(word, side), [word(lane) for lane in lanes])
        return builder.shuffle_vector(a, b, mask)

    lines = [
        builder.load(place_of(source, builder.add(row, whole(k)), column, width), align=align)
        for k in range(side)
    ]
    # Squares of 1, 2, 4 ... on a side change places with those across the diagonal.
    for step in takewhile(lambda step: step < side, (1, 2, 4, 8)):
        low = [k + side - step if k & step else k for k in range(side)]
        high = [k + step if not k & step else k + side for k in range(side)]
        for k in range(side):
            if not k & step:
                a, b = lines[k], lines[k + step]
                lines[k], lines[k + step] = mix(a, b, low), mix(a, b, high)
    for k, turned in enumerate(lines):
        place = place_of(target, builder.add(column, whole(k)), row, other)
        builder.store(turned, place, align=align)
    return context.get_dummy_value()


def _typed(typingctx: Any, source: Any, target: Any, places: Any) -> Any:
    """``places`` are the first row and column of the block of ``source``, which are the first
    column and row of that of ``target``, and the columns that these have.
    """
    if not are_contiguous((source, target), getattr(source, "dtype", None), places):
        return None
    return types.void(source, target, places), _lower


_transpose: Any = intrinsic(_typed)

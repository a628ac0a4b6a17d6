"""Plane rotations of many vectors at once, in registers from one rotation to the next."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from fwcore.kernels.lanes import DOUBLES, LINE, in_all, is_contiguous

ABREAST = 32
"""Vectors that are rotated together: their entries fill four cache lines, so that a processor has
something to do while it waits for a product.
"""
_CONTRACT = ["contract"]


@njit(nogil=True, cache=True)
def turn(rows, first, length, tile):
    """Up to 32 ``rows`` into the columns of ``tile`` (n, 32), from entry ``first`` on: the k-th has
    ``length`` + k of them, and zeros follow.
    """
    n = rows.shape[0]
    for i in range(length, length + n):
        for a in range(ABREAST):
            tile[i, a] = 0.0
    # More rows at a time are more than are fetched ahead.
    for a in range(0, n, DOUBLES):
        k = first
        while a + DOUBLES <= n and k + DOUBLES <= length:
            _turn_block(rows, tile, (a, k, rows.shape[1], ABREAST))
            k += DOUBLES
        for b in range(a, min(a + DOUBLES, n)):
            for i in range(k, length + b):
                tile[i, b] = rows[b, i]


@njit(nogil=True, cache=True)
def turn_back(tile, first, length, rows):
    """The way back."""
    n = rows.shape[0]
    for a in range(0, n, DOUBLES):
        k = first
        while a + DOUBLES <= n and k + DOUBLES <= length:
            _turn_block(tile, rows, (k, a, ABREAST, rows.shape[1]))
            k += DOUBLES
        for b in range(a, min(a + DOUBLES, n)):
            for i in range(k, length + b):
                rows[b, i] = tile[i, b]


@njit(nogil=True, cache=True)
def rotate(vectors, first, end, cosine, sine):
    """Rotate entries k and k + 1 of all ``vectors`` (n, 32), a column each, by ``cosine``_k and
    ``sine``_k, one after the other from k = ``first`` to ``end``.
    """
    if first < end:
        _rotate(vectors, cosine, sine, (first, end))


def _lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, whole = signature.args, ir.IntType(64)
    vectors, cosine, sine = (
        context.make_array(kind)(context, builder, argument).data
        for kind, argument in zip(kinds[:3], arguments[:3], strict=True)
    )
    first, end = cgutils.unpack_tuple(builder, arguments[3])
    lanes = LINE * 8 // kinds[0].dtype.bitwidth
    line = ir.VectorType(context.get_value_type(kinds[0].dtype), lanes)
    lines = ABREAST // lanes

    def place_of(k: Any, t: int) -> Any:
        at = builder.add(builder.mul(k, whole(ABREAST)), whole(t * lanes))
        return builder.bitcast(builder.gep(vectors, [at]), line.as_pointer())

    def load(k: Any, t: int) -> Any:
        return builder.load(place_of(k, t), align=lanes)

    def combine(a: Any, b: Any) -> Any:
        return builder.fadd(a, b, flags=_CONTRACT)

    def times(a: Any, b: Any) -> Any:
        return builder.fmul(a, b, flags=_CONTRACT)

    carried = [cgutils.alloca_once_value(builder, load(first, t)) for t in range(lines)]
    with cgutils.for_range_slice(builder, first, end, whole(1)) as (k, _):
        after = builder.add(k, whole(1))
        c, s = (in_all(builder, builder.load(builder.gep(a, [k])), line) for a in (cosine, sine))
        back = builder.fneg(s)
        for t, register in enumerate(carried):
            x, y = builder.load(register), load(after, t)
            builder.store(combine(times(c, x), times(s, y)), place_of(k, t), align=lanes)
            builder.store(combine(times(c, y), times(back, x)), register)
    for t, register in enumerate(carried):
        builder.store(builder.load(register), place_of(end, t), align=lanes)
    return context.get_dummy_value()


def _typed(typingctx: Any, vectors: Any, cosine: Any, sine: Any, places: Any) -> Any:
    """``places`` are of `rotate`: the first entry, and the last."""
    counted = isinstance(places, types.UniTuple) and places.dtype == types.intp
    if not (counted and all(is_contiguous(a, vectors.dtype) for a in (vectors, cosine, sine))):
        return None
    return types.void(vectors, cosine, sine, places), _lower


_rotate: Any = intrinsic(_typed)


def _lower_block(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, whole, word = signature.args, ir.IntType(64), ir.IntType(32)
    source, target = (
        context.make_array(kind)(context, builder, argument).data
        for kind, argument in zip(kinds[:2], arguments[:2], strict=True)
    )
    row, column, width, other = cgutils.unpack_tuple(builder, arguments[2])
    line = ir.VectorType(context.get_value_type(kinds[0].dtype), DOUBLES)

    def place_of(data: Any, i: Any, k: Any, size: Any) -> Any:
        at = builder.add(builder.mul(i, size), k)
        return builder.bitcast(builder.gep(data, [at]), line.as_pointer())

    def mix(a: Any, b: Any, lanes: list[int]) -> Any:
        mask = ir.Constant(ir.VectorType(word, DOUBLES), [word(lane) for lane in lanes])
        return builder.shuffle_vector(a, b, mask)

    lines = [
        builder.load(place_of(source, builder.add(row, whole(k)), column, width), align=DOUBLES)
        for k in range(DOUBLES)
    ]
    # Squares of 1, 2 and 4 on a side change places with those across the diagonal.
    for step in (1, 2, 4):
        low = [k + DOUBLES - step if k & step else k for k in range(DOUBLES)]
        high = [k + step if not k & step else k + DOUBLES for k in range(DOUBLES)]
        for k in range(DOUBLES):
            if not k & step:
                a, b = lines[k], lines[k + step]
                lines[k], lines[k + step] = mix(a, b, low), mix(a, b, high)
    for k, turned in enumerate(lines):
        place = place_of(target, builder.add(column, whole(k)), row, other)
        builder.store(turned, place, align=DOUBLES)
    return context.get_dummy_value()


def _typed_block(typingctx: Any, source: Any, target: Any, places: Any) -> Any:
    """``places`` are the first row and column of the block of ``source``, which are the first
    column and row of that of ``target``, and the columns that these have.
    """
    counted = isinstance(places, types.UniTuple) and places.dtype == types.intp
    if not (counted and all(is_contiguous(a, types.float64) for a in (source, target))):
        return None
    return types.void(source, target, places), _lower_block


_turn_block: Any = intrinsic(_typed_block)

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
        for k in range(first, length + n, DOUBLES):
            for b in range(a, min(a + DOUBLES, n)):
                row = rows[b]
                for i in range(k, min(k + DOUBLES, length + b)):
                    tile[i, b] = row[i]


@njit(nogil=True, cache=True)
def turn_back(tile, first, length, rows):
    """The way back."""
    n = rows.shape[0]
    for a in range(0, n, DOUBLES):
        for k in range(first, length + n, DOUBLES):
            for b in range(a, min(a + DOUBLES, n)):
                row = rows[b]
                for i in range(k, min(k + DOUBLES, length + b)):
                    row[i] = tile[i, b]


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

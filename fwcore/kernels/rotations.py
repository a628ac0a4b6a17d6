"""Plane rotations of many vectors at once, in registers from one rotation to the next."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from fwcore.kernels.lanes import LINE, are_contiguous, data_of, in_all, is_contiguous

ABREAST = 32
"""Vectors that are rotated together: their entries fill two or four cache lines, so that there is
something to do while a product is waited for.
"""
_CONTRACT = ["contract"]


@njit(nogil=True, cache=True)
def rotate(vectors, first, end, cosine, sine):
    """Rotate entries k and k + 1 of all ``vectors`` (n, 32), a column each, by ``cosine``_k and
    ``sine``_k, one after the other from k = ``first`` to ``end``.
    """
    if first < end:
        _rotate(vectors, cosine, sine, (first, end))


def _lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kinds, whole = signature.args, ir.IntType(64)
    vectors, cosine, sine = data_of(context, builder, kinds[:3], arguments[:3])
    first, end = cgutils.unpack_tuple(builder, arguments[3])
    kind, size = context.get_value_type(kinds[0].dtype), kinds[0].dtype.bitwidth // 8
    lanes = LINE // size
    lines = ABREAST // lanes
    line = ir.VectorType(kind, lanes)

    def place_of(k: Any, t: int) -> Any:
        at = builder.add(builder.mul(k, whole(ABREAST)), whole(t * lanes))
        return builder.bitcast(builder.gep(vectors, [at]), line.as_pointer())

    def number(data: Any, k: Any) -> Any:
        double = builder.load(builder.gep(data, [k]))
        return double if double.type == kind else builder.fptrunc(double, kind)

    def load(k: Any, t: int) -> Any:
        return builder.load(place_of(k, t), align=size)

    def combine(a: Any, b: Any) -> Any:
        return builder.fadd(a, b, flags=_CONTRACT)

    def times(a: Any, b: Any) -> Any:
        return builder.fmul(a, b, flags=_CONTRACT)

    carried = [cgutils.alloca_once_value(builder, load(first, t)) for t in range(lines)]
    with cgutils.for_range_slice(builder, first, end, whole(1)) as (k, _):
        after = builder.add(k, whole(1))
        c, s = (in_all(builder, number(a, k), line) for a in (cosine, sine))
        back = builder.fneg(s)
        for t, register in enumerate(carried):
            x, y = builder.load(register), load(after, t)
            builder.store(combine(times(c, x), times(s, y)), place_of(k, t), align=size)
            builder.store(combine(times(c, y), times(back, x)), register)
    for t, register in enumerate(carried):
        builder.store(builder.load(register), place_of(end, t), align=size)
    return context.get_dummy_value()


def _typed(typingctx: Any, vectors: Any, cosine: Any, sine: Any, places: Any) -> Any:
    """``places`` are of `rotate`: the first entry, and the last."""
    known = is_contiguous(vectors, getattr(vectors, "dtype", None))
    if not (known and are_contiguous((cosine, sine), types.float64, places)):
        return None
    return types.void(vectors, cosine, sine, places), _lower


_rotate: Any = intrinsic(_typed)

"""Asking for memory before it is needed: columns drawn at random would otherwise be waited for one
by one.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

AHEAD = 12
"""Columns between asking for one and using it."""
LINE = 8
"""Float64 values of a cache line."""
FETCHED = 64
"""Entries of a column that are asked for; the processor sees where the rest is going."""
REACH = 6
"""Columns between asking for the entries of a vector that a column meets and using them."""
FAR = 1 << 16
"""Entries of a vector that is too long to stay near the processor."""
FURTHER = 48
"""Entries of a column between asking for what one will meet and using it."""
_REACHED = 32


def _prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    if not isinstance(array, types.Array) or not isinstance(index, types.Integer):
        return None

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = context.cast(builder, arguments[1], signature.args[1], types.intp)
        byte = ir.IntType(8).as_pointer()
        element = builder.bitcast(builder.gep(data, [place]), byte)
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [element, word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(array, index), codegen


prefetch: Any = intrinsic(_prefetch)
"""prefetch(array, index) in a kernel: ask for the cache line of an element of a contiguous array,
counted through all its axes.
"""


@njit(nogil=True, inline="always")
def fetch(rows, start, stop):
    """Ask for the first of rows[start:stop]."""
    # Indices are at most half as wide as values.
    for k in range(start, min(stop, start + FETCHED), 2 * LINE):
        prefetch(rows, k)


@njit(nogil=True, inline="always")
def sum_at(rows, start, stop, asked, v):
    """The sum of ``v`` at rows[start:stop]; an entry before ``asked`` asks for what one further on
    in ``rows`` will meet.
    """
    total, middle = 0.0, min(stop, max(start, asked))
    for k in range(start, middle):
        prefetch(v, rows[k + FURTHER])
        total += v[rows[k]]
    for k in range(middle, stop):
        total += v[rows[k]]
    return total


@njit(nogil=True, inline="always")
def reach(rows, start, stop, v):
    """Ask for the entries of ``v`` at the first of rows[start:stop]; worthwhile from `FAR` on."""
    for k in range(start, min(stop, start + _REACHED)):
        prefetch(v, rows[k])

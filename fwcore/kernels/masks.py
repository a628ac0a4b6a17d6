"""Which entries of a block are above a threshold, by a mask of bits: where a few of many are, a
branch for each would be mispredicted too often.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from fwcore.kernels.lanes import in_all, is_contiguous

BLOCK = 64
"""Entries of a block, a bit of the mask each."""


NONE = np.uint64(0)
"""The mask of no entry."""


@njit(nogil=True, inline="always")
def without_lowest(mask):
    """``mask`` without the entry that `lowest` tells."""
    return mask & (mask - np.uint64(1))


def _typed_mask(typingctx: Any, block: Any, threshold: Any) -> Any:
    # A threshold that is rounded up would leave out what is above it.
    if not is_contiguous(block, threshold):
        return None

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = signature.args[0]
        data = context.make_array(array)(context, builder, arguments[0]).data
        entries = ir.VectorType(context.get_value_type(array.dtype), BLOCK)
        pointer = builder.bitcast(data, entries.as_pointer())
        values = builder.load(pointer, align=array.dtype.bitwidth // 8)
        limits = in_all(builder, arguments[1], entries)
        return builder.bitcast(builder.fcmp_ordered(">", values, limits), ir.IntType(BLOCK))

    return types.uint64(block, threshold), codegen


def _typed_lowest(typingctx: Any, mask: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.IntType(1)(1))

    return types.int64(types.uint64), codegen


mask_above: Any = intrinsic(_typed_mask)
"""``mask_above(block, threshold)``: the entries of ``block`` (64,) above the threshold, which is of
the same type, a bit each.
"""
lowest: Any = intrinsic(_typed_lowest)
"""``lowest(mask)``: the place of the first entry of a mask that is not `NONE`."""

"""Single columns of a memory-mapped design with a bound: what kernels read of them here and there
is given back by the system's ``madvise``, which they call by its address.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from fwcore.design.mapped import bound_of_pass, mapped_pages
from fwcore.design.passes import some_dots
from fwcore.kernels.types import Ints

# A system may map so many bytes for one that is read: what it holds of a file in one piece.
_AROUND = 1 << 21


class Lent(NamedTuple):
    """What is given back: ``files`` (k, 2), address and bytes of what is mapped, none where nothing
    is bounded; ``at_once`` (1,) columns are read in between, or 0; ``advise`` (1,) is the address
    of ``madvise``.
    """

    files: Ints
    at_once: Ints
    advise: Ints

    @classmethod
    def of(cls, design: Any) -> Lent:
        """That of a design."""
        limit, size = bound_of_pass(design)
        if limit is None:
            return _NOTHING
        files = np.array(mapped_pages(design.stored), np.int64)
        column = size // design.shape[1] + _AROUND * files.shape[0]
        at_once = max(1, limit // column)
        advise = ctypes.cast(ctypes.CDLL(None).madvise, ctypes.c_void_p).value
        return cls(files, np.array([at_once]), np.array([advise]))


_NOTHING = Lent(np.zeros((0, 2), np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))


def _call(typingctx: Any, advise: Any, begin: Any, size: Any, advice: Any) -> Any:
    if not all(isinstance(number, types.Integer) for number in (advise, begin, size, advice)):
        return None

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, address = ir.IntType(32), ir.IntType(64)
        kind = ir.FunctionType(number, [address, address, number])
        function = builder.inttoptr(arguments[0], kind.as_pointer())
        return builder.call(function, arguments[1:])

    return types.int32(types.int64, types.int64, types.int64, types.int32), codegen


_madvise: Any = intrinsic(_call)
_DONTNEED = np.int32(getattr(mmap, "MADV_DONTNEED", 0))


@njit(nogil=True, cache=True)
def _give_back(lent):
    """Leave to the system what is in memory of the files; it is read again where it is needed."""
    for k in range(lent.files.shape[0]):
        _madvise(lent.advise[0], lent.files[k, 0], lent.files[k, 1], _DONTNEED)


@njit(nogil=True, cache=True)
def dots_in_parts(design, columns, v, v_sum, out, lent):
    """What `some_dots` does, of so many columns at a time as may be in memory."""
    step = lent.at_once[0]
    if step == 0:
        return some_dots(design, columns, v, v_sum, out)
    touched = 0
    for k in range(0, columns.size, step):
        end = min(columns.size, k + step)
        touched += some_dots(design, columns[k:end], v, v_sum, out[k:end])
        _give_back(lent)
    return touched

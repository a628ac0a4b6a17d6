"""The state of a walk as bytes, from which another process goes on to the same result."""

from __future__ import annotations

import importlib
import io
import pickle
from typing import TYPE_CHECKING, Any, NamedTuple

from fwcore import cache
from fwcore.arrays import digest_of
from fwcore.errors import ParameterError
from fwcore.path_result import versions

if TYPE_CHECKING:
    from fwcore.path import Walk

_ARRAYS = {
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
}
"""What NumPy makes its arrays of again: from their bytes, from a copy where they are not contiguous
or are empty, and its numbers.
"""


class _Reader(pickle.Unpickler):
    """Makes arrays, and classes that fwcore defines: bytes from elsewhere call nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _ARRAYS:
            return super().find_class(module, name)
        if module.split(".")[0] == __package__ and "." not in name:
            found = getattr(importlib.import_module(module), name, None)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a state")


class Place(NamedTuple):
    """How far a walk is: the point, the rows that were made of it, whether it has begun, and the
    last step of all.
    """

    point: int = 0
    made: int = 0
    begun: bool = False
    step: int = 0


def _made_of(walk: Walk) -> dict[str, Any]:
    """What a state depends on: one of anything else leads elsewhere."""
    # Which columns equal others is told by sums, whose rounding is the processor's.
    columns = getattr(walk._state, "distinct", None)
    return {
        "code": cache.sources(),
        "versions": versions(),
        "problem": walk.problem.content_hash,
        "solver": walk.solver.name,
        "options": walk.options.settings(),
        "seed": walk.seed,
        "grid": walk.grid.tobytes(),
        "columns": None if columns is None else digest_of("", (columns,)),
    }


def written(walk: Walk, state: Any) -> bytes | None:
    """The state of a walk, and what it was made of; None where it holds what no bytes can."""
    try:
        return pickle.dumps((_made_of(walk), state), protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError):
        return None


def read(content: bytes, walk: Walk) -> Any:
    """A state that was written, of a walk of the same.

    Raises
    ------
    ParameterError
        The bytes are none, or were made of something else.
    """
    try:
        made_of, state = _Reader(io.BytesIO(content)).load()
        differ = [name for name, value in _made_of(walk).items() if made_of[name] != value]
    except Exception as error:
        # Broken bytes fail in more ways than can be listed.
        raise ParameterError("state", "Walk", "bytes of `Walk.hold`", repr(error)[:80]) from error
    if differ:
        rule = f"of a walk of the same {' and '.join(differ)}"
        raise ParameterError("state", "Walk", rule, "those of another")
    return state

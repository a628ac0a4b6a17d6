"""Primitives of compiled kernels, with an implementation for each kind of thing they work on.

A primitive is a plain function that raises; a kind is a NamedTuple class. What is called is picked
when a kernel is compiled, by the type of the first argument, as `numba.extending.overload` does it:
homogeneous tuples keep their class as ``instance_class``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

from numba.extending import overload

# Sums may be reordered (SIMD), but NaN and infinity keep their meaning.
FAST = {"reassoc", "contract", "nsz"}

_Function = TypeVar("_Function", bound=Callable[..., Any])
_KINDS: defaultdict[Callable[..., Any], set[type]] = defaultdict(set)


def implements(primitive: Callable[..., Any], kind: type) -> Callable[[_Function], _Function]:
    """Make the decorated function what ``primitive`` does if its first argument is a ``kind``."""

    def register(function: _Function) -> _Function:
        specialize_by_types(primitive, kind)(lambda *arguments: function)
        return function

    return register


def specialize_by_types(
    primitive: Callable[..., Any], kind: type
) -> Callable[[_Function], _Function]:
    """The same, for a function that returns the implementation for the numba types of the
    arguments.
    """

    def register(choose: _Function) -> _Function:
        def chosen(first: Any, *rest: Any) -> Any:
            return choose(first, *rest) if getattr(first, "instance_class", None) is kind else None

        _KINDS[primitive].add(kind)
        _overload(primitive, chosen)
        return choose

    return register


def otherwise(primitive: Callable[..., Any]) -> Callable[[_Function], _Function]:
    """Make the decorated function what ``primitive`` does of kinds that have no implementation."""

    def register(function: _Function) -> _Function:
        def chosen(first: Any, *rest: Any) -> Any:
            known = getattr(first, "instance_class", None) in _KINDS[primitive]
            return None if known else function

        _overload(primitive, chosen)
        return function

    return register


def _overload(primitive: Callable[..., Any], chosen: Callable[..., Any]) -> None:
    overload(primitive, jit_options={"fastmath": FAST, "nogil": True}, strict=False)(chosen)


def compiled_only(name: str) -> TypeError:
    """What a primitive raises when it is called from the interpreter."""
    return TypeError(
        f"{name} is a primitive of compiled kernels: call it from a function under numba.njit"
    )

"""The page. ``from app import Explorer`` is the whole of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fwcore import use_numba_folder

if TYPE_CHECKING:
    from app.explorer import Explorer

__all__ = ["Explorer"]

# Before numba is imported, which reads it once.
use_numba_folder()


def __getattr__(name: str) -> Any:
    if name == "Explorer":
        from app.explorer import Explorer

        return Explorer
    raise AttributeError(f"module 'app' has no attribute {name!r}")

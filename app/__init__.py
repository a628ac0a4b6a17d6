"""The page. ``from app import Explorer`` is the whole of it; `extension` loads what pictures of
results need into a notebook.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from fwcore import use_numba_folder

if TYPE_CHECKING:
    from app.cell import extension
    from app.explorer import Explorer

__all__ = ["Explorer", "extension"]
_MODULES = {"Explorer": "app.explorer", "extension": "app.cell"}

# Before numba is imported, which reads it once.
use_numba_folder()


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(importlib.import_module(_MODULES[name]), name)
    raise AttributeError(f"module 'app' has no attribute {name!r}")

"""Pictures of problems, results and races, by what is installed for that: fwcore draws nothing."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any

from fwcore.errors import ParameterError


def drawn(shown: Any, kind: str, given: Mapping[str, Any]) -> Any:
    """A picture by the entry point "fwcore.plots".

    Raises
    ------
    ParameterError
        Nothing is installed that draws, or there is no such kind.
    """
    found = [*importlib.metadata.entry_points(group="fwcore.plots")]
    if not found:
        raise ParameterError("kind", "plot", "drawn by a package that is installed", kind)
    return found[0].load()(shown, kind, **given)

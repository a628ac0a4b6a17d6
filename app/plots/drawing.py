"""One way to a picture of anything that fwcore gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

from app.plots import paths, problems, race
from fwcore import ParameterError

FAMILIES: dict[str, Mapping[str, Callable[..., Any]]] = {
    "paths": paths.PLOTS,
    "race": race.PLOTS,
    "problem": problems.PLOTS,
}
"""Pictures by kind, of what says ``pictures = "paths"``, "race" or "problem"."""


def plot(shown: Any, kind: str | None = None, **given: Any) -> Any:
    """A picture of a result, of several by name, of a comparison, a race or a problem.

    Parameters
    ----------
    shown : PathResult, mapping of str to PathResult, Comparison, Race or Problem
    kind : str
        By default the first of its kinds. Paths: "race", "path", "error", "active", "gap",
        "oracle", "overlap", "residuals" (which also takes ``problem``). A race: "race" (which also
        takes ``cost``, ``measure`` and ``least``), "gap", "active". A problem: "response",
        "correlations".

    Returns
    -------
    holoviews object

    Raises
    ------
    ParameterError
        An unknown kind, nothing to be drawn, or a picture that needs more.

    >>> from fwcore import datasets, walk_path
    >>> result = walk_path(datasets.load("diabetes"), "sfw")
    >>> plot(result, "active").get(0).label
    'sfw'
    """
    family = getattr(shown, "pictures", "paths")
    known = FAMILIES[family]
    kind = next(iter(known)) if kind is None else kind
    if kind not in known:
        raise ParameterError.unknown("kind", "plot", kind, known)
    if family == "paths":
        # A comparison holds its paths, and a path alone goes by the name of its solver.
        shown = getattr(shown, "results", shown)
        shown = shown if isinstance(shown, Mapping) else {shown.solver: shown}
        if not shown:
            raise ParameterError("results", "plot", "one at least", "none")
    taken = [*signature(known[kind]).parameters][1:]
    for name in given:
        if name not in taken:
            raise ParameterError(name, "plot", f"left out; {kind!r} takes {taken}", given[name])
    return known[kind](shown, **given)

"""Pictures of paths: what a `PathResult`, or several, have reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import holoviews as hv
import numpy as np

from app.theme import run_style
from fwcore import ParameterError, PathResult

hv.renderer("bokeh")

_L1 = ("l1", "ℓ1 norm of the coefficients")
_LARGEST = 10


def _lines(
    results: Mapping[str, PathResult], x: Any, y: Any, of: Callable[[PathResult], Any], **looks: Any
) -> Any:
    """A line a result, where both of what ``of`` gives are finite, and positive on a log axis."""
    lines = []
    for k, (name, result) in enumerate(results.items()):
        u, v = (np.asarray(values, dtype=float) for values in of(result))
        known = np.isfinite(u) & np.isfinite(v)
        known &= (u > 0) | (not looks.get("logx"))
        known &= (v > 0) | (not looks.get("logy"))
        colour, dash = run_style(k)
        line = hv.Curve((u[known], v[known]), x, y, label=name)
        lines.append(line.opts(color=colour, line_dash=dash, line_width=2, tools=["hover"]))
    return hv.Overlay(lines).opts(responsive=True, min_height=320, show_grid=True, **looks)


def race(results: Mapping[str, PathResult]) -> Any:
    """The least test error so far against dot products (Frandi et al. 2016, Table 5)."""
    return _lines(
        results,
        ("dots", "dot products"),
        ("least_error", "least test error so far"),
        lambda result: (result.points["dots"], np.fmin.accumulate(result.points["test_error"])),
        logx=True,
    )


def error(results: Mapping[str, PathResult]) -> Any:
    """Test error against the l1 norm (Frandi et al. 2016, Figs. 4 to 6)."""
    return _lines(
        results,
        _L1,
        ("test_error", "test error"),
        lambda result: (result.points["l1"], result.points["test_error"]),
    )


def active(results: Mapping[str, PathResult]) -> Any:
    """Active features against the l1 norm (Frandi et al. 2016, Fig. 7)."""
    return _lines(
        results,
        _L1,
        ("nnz", "non-zero coefficients"),
        lambda result: (result.points["l1"], result.points["nnz"]),
    )


def gap(results: Mapping[str, PathResult]) -> Any:
    """The true gap at the end of each point."""
    return _lines(
        results,
        ("point", "point of the path"),
        ("relative_gap", "true gap / f(0)"),
        lambda result: (result.points["point"] + 1, result.points["true_gap"] / result.f0),
        logy=True,
    )


def path(results: Mapping[str, PathResult]) -> Any:
    """The largest coefficients of the first result against the l1 norm (Frandi et al. 2016,
    Fig. 1).
    """
    name, result = next(iter(results.items()))
    sizes = np.asarray(abs(result.coefs).sum(axis=1)).ravel()
    chosen = np.argsort(-sizes, kind="stable")[:_LARGEST]
    rows = result.coefs.tocsr()
    lines = [
        hv.Curve(
            (result.points["l1"], rows[[j]].toarray()[0]),
            _L1,
            ("coefficient", f"coefficient of {name}"),
            label=f"column {j + 1}",
        ).opts(color=run_style(k)[0], line_dash=run_style(k)[1], line_width=2, tools=["hover"])
        for k, j in enumerate(chosen.tolist())
        if sizes[j] > 0
    ]
    return hv.Overlay(lines).opts(responsive=True, min_height=320, show_grid=True)


PLOTS: dict[str, Callable[[Mapping[str, PathResult]], Any]] = {
    "race": race,
    "path": path,
    "error": error,
    "active": active,
    "gap": gap,
}
"""Pictures of results by name; a new one is a function and a line here."""


def plot(results: PathResult | Mapping[str, PathResult], kind: str = "path") -> Any:
    """A picture of one result, or of several by name.

    Parameters
    ----------
    results : PathResult or mapping of str to PathResult
    kind : "race", "path", "error", "active" or "gap"

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ParameterError
        An unknown kind, or no results.
    """
    if kind not in PLOTS:
        raise ParameterError("kind", "plot", f"one of {[*PLOTS]}", kind)
    named = {results.solver: results} if isinstance(results, PathResult) else results
    if not named:
        raise ParameterError("results", "plot", "one at least", "none")
    return PLOTS[kind](named)

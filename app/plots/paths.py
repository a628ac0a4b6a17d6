"""Pictures of paths: what a `PathResult`, or several, have reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import holoviews as hv
import numpy as np

from app.theme import run_style
from fwcore import ParameterError, PathResult, Problem

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


def oracle(results: Mapping[str, PathResult]) -> Any:
    """The share of the oracle's answers so far that were right, where the judge looked
    (Rakotomamonjy et al. 2016).
    """
    hits = {name: result.trace["hit"] for name, result in results.items()}
    if not any(np.isfinite(found).any() for found in hits.values()):
        raise ParameterError("results", "plot", "of an oracle that is judged", [*results])

    def shares(result: PathResult) -> tuple[Any, Any]:
        found = result.trace["hit"]
        found = found[np.isfinite(found)]
        steps = np.arange(1, found.size + 1)
        return steps, np.cumsum(found) / steps

    share = ("share", "share of right answers so far")
    return _lines(results, ("step", "steps that were judged"), share, shares, logx=True)


def overlap(results: Mapping[str, PathResult]) -> Any:
    """The Jaccard index of the supports of each two results at their last point."""
    supports = {
        name: set(result.coefs[:, [-1]].indices.tolist()) for name, result in results.items()
    }
    cells = [
        (a, b, len(left & right) / max(1, len(left | right)))
        for a, left in supports.items()
        for b, right in supports.items()
    ]
    picture = hv.HeatMap(cells, ["run", "other run"], ("overlap", "shared support (Jaccard)"))
    look = {"responsive": True, "min_height": 320, "colorbar": True, "clim": (0.0, 1.0)}
    return picture.opts(cmap="viridis", tools=["hover"], **look)


def residuals(results: Mapping[str, PathResult], problem: Problem | None = None) -> Any:
    """Residuals against predictions at the point of least test error (or the last), on the rows
    that were learnt from.
    """
    if problem is None:
        rule = "given for residuals: plot('residuals', problem=...)"
        raise ParameterError("problem", "plot", rule, None)
    clouds = []
    for k, (name, result) in enumerate(results.items()):
        errors = result.points["test_error"]
        best = int(np.nanargmin(errors)) if np.isfinite(errors).any() else len(errors) - 1
        column = result.coefs[:, [best]]
        residual = problem.residual(column.indices.astype(np.int64), column.data)
        data = (problem.y - residual, residual)
        cloud = hv.Scatter(data, "prediction", "residual", label=name)
        clouds.append(cloud.opts(color=run_style(k)[0], size=5, alpha=0.6, tools=["hover"]))
    return hv.Overlay(clouds).opts(responsive=True, min_height=320, show_grid=True)


CURVES: dict[str, Callable[..., Any]] = {
    "race": race,
    "path": path,
    "error": error,
    "active": active,
    "gap": gap,
}
"""Pictures of any results by name."""
PLOTS = CURVES | {"oracle": oracle, "overlap": overlap, "residuals": residuals}
"""And those that ask for more; a new one is a function and a line here."""

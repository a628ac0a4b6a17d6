"""The figures of papers in their axes: the panels of exhibits, what was printed marked in them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import holoviews as hv
import numpy as np

from app.theme import DASHES, run_style
from fwcore import experiments

published = experiments.published
hv.renderer("bokeh")

LABELS = {
    "l1": "ℓ1 norm of the coefficients",
    "nnz": "active features",
    "feature *": "coefficient",
    "train_error": "training error",
    "test_error": "test error",
    "train_misclassified": "share misclassified, training",
    "test_misclassified": "share misclassified, test",
    "entries": "entries of the matrix touched",
    "grads": "derivatives of samples",
    "objective": "objective, mean of the losses",
    "suboptimality": "(F − F min) / (F at the start − F min)",
    "density": "share of coefficients ≠ 0",
    "seconds": "CPU seconds",
    "snr_db": "signal to noise, dB",
    "relevant": "active elements",
    "oracle_stable": "stable rows",
    "oracle_budget": "budget of pulls, share of the entries",
    "columns": "dictionary elements",
    "rows": "samples",
    "step": "step",
    "P(B(K)), measured": "share of problems without a wrong answer",
    "right answers": "share of right answers",
}
_MANY = " *"
_DPI = 200


def panel(outcome: published.Outcome, shown: published.Panel, backend: str = "bokeh") -> Any:
    """A picture of an exhibit, as a HoloViews overlay styled for the "bokeh" or the "matplotlib"
    backend; None where nothing was measured.

    A curve each method: the mean of the seeds where all of them have the same abscissae, and else
    the first. ``feature *`` draws a line for each of the largest coefficients.
    """
    _load(backend)
    experiment = outcome.experiments.get(shown.experiment)
    if experiment is None:
        return None
    found = outcome.found.get(experiment.name, {})
    names = [m.name for m in experiment.methods if not shown.methods or m.name in shown.methods]
    lines = []
    least = _least(found)
    for k, name in enumerate(names):
        if found.get(name):
            drawn = _lines(k, name, shown, found[name], least)
            lines += [_styled(line, k, backend) for line in drawn]
    if not lines:
        return None
    lines += _marks(experiment, shown, names, backend)
    return hv.Overlay(lines).opts(**_look(shown, backend), backend=backend)


def _load(backend: str) -> None:
    """Load a backend: one that is not loaded drops the styles meant for it, and says nothing."""
    if backend == "matplotlib" and "matplotlib.pyplot" not in sys.modules:
        import matplotlib

        matplotlib.use("Agg")
    hv.renderer(backend)


def _look(shown: published.Panel, backend: str) -> dict[str, Any]:
    axes = {"logx": shown.logx, "logy": shown.logy, "title": shown.title, "show_grid": True}
    if backend == "matplotlib":
        return axes | {"fig_inches": (5.2, 3.6), "aspect": 1.5, "legend_position": "best"}
    legend = {"legend_position": "bottom", "legend_cols": 2, "toolbar": "above"}
    return axes | legend | {"responsive": True, "min_height": 320}


def save(drawn: Any, files: Sequence[Path]) -> None:
    """Write a panel that was drawn for Matplotlib as PNG or SVG, by the endings of the files."""
    figure = hv.render(drawn, backend="matplotlib")
    for file in files:
        figure.savefig(file, dpi=_DPI, bbox_inches="tight")


def _least(found: Mapping[str, Sequence[published.Measured]]) -> float:
    """The least objective that any method reached."""
    ends = [run.curves["objective"] for runs in found.values() for run in runs if _has(run)]
    return min((min(values) for values in ends), default=float("nan"))


def _has(run: published.Measured) -> bool:
    return bool(run.curves.get("objective"))


def _values(run: published.Measured, name: str, least: float) -> Any:
    if name != "suboptimality":
        return np.asarray(run.curves.get(name, []), dtype=float)
    values = np.asarray(run.curves.get("objective", []), dtype=float)
    return (values - least) / (values[0] - least) if values.size else values


def _lines(
    k: int, method: str, shown: published.Panel, runs: Sequence[published.Measured], least: float
) -> list[Any]:
    """The lines of one method."""
    names = [shown.y]
    if shown.y.endswith(_MANY):
        start = shown.y.removesuffix("*")
        names = [name for name in runs[0].curves if name.startswith(start)]
    lines = []
    for number, name in enumerate(names):
        xs = [_values(run, shown.x, least) for run in runs]
        ys = [_values(run, name, least) for run in runs]
        same = all(x.size == xs[0].size and (x == xs[0]).all() for x in xs)
        x, y = xs[0], np.mean(ys, axis=0) if same else ys[0]
        if x.size != y.size:
            continue
        known = np.isfinite(x) & np.isfinite(y)
        known &= ((x > 0) | (not shown.logx)) & ((y > 0) | (not shown.logy))
        label = method if number == 0 else ""
        axes = ((shown.x, LABELS.get(shown.x, shown.x)), (shown.y, LABELS.get(shown.y, shown.y)))
        lines.append(hv.Curve((x[known], y[known]), *axes, label=label))
    return lines


def _styled(line: Any, k: int, backend: str) -> Any:
    colour, dash = run_style(k)
    if backend == "bokeh":
        return line.opts(
            color=colour, line_dash=dash, line_width=2, tools=["hover"], backend=backend
        )
    # Matplotlib counts in widths of the line.
    strokes = tuple(float(part) / 1.6 for part in DASHES[dash].split())
    stroke = (0, strokes) if strokes else "-"
    return line.opts(color=colour, linewidth=1.6, linestyle=stroke, backend=backend)


def _marks(
    experiment: published.Experiment, shown: published.Panel, names: Sequence[str], backend: str
) -> list[Any]:
    """The printed values of a figure, as level lines in the methods' colours."""
    marks = []
    for k, method in enumerate(m for m in experiment.methods if m.name in names):
        text = method.printed.get(shown.marks)
        if text:
            stroke = (
                {"line_dash": "dotted", "line_width": 1}
                if backend == "bokeh"
                else {"linestyle": ":", "linewidth": 0.8}
            )
            level = hv.HLine(published.number(text))
            marks.append(level.opts(color=run_style(k)[0], backend=backend, **stroke))
    return marks

"""A picture of the page as a HoloViews object, by the same declaration and of the same sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import holoviews as hv
import numpy as np

from app.theme import run_style

hv.renderer("bokeh")

_GREY = "#808890"
_MOST_NAMES = 60
_PARTS = {"median": ["_median"], "band": ["_low", "_high"]}
"""Ends of the names of the columns that stand for the chosen one."""


def screen(picture: Mapping[str, Any]) -> Any | None:
    """What the page shows, as `app.onscreen.on_screen` tells of it; None where there is nothing to
    be drawn.

    >>> axis = {"column": "l1", "label": "l1 norm", "log": False}
    >>> layer = {"kind": "line", "source": "points", "x": None, "y": "nnz", "style": {}}
    >>> rows = {"points": {"l1": [0.0, 1.0], "nnz": [0, 3]}}
    >>> run = {"name": "sfw", "colour": "#2498d1", "dash": "solid", "marker": "circle",
    ...        "lead": True, "stop": None, "rows": rows}
    >>> shown = {"x": axis, "y": axis | {"column": "nnz"}, "factors": False, "square": False,
    ...          "layers": [layer], "runs": [run]}
    >>> [element.label for element in screen(shown)]
    ['sfw']
    """
    drawn: list[Any] = []
    named: set[str] = set()
    for layer in picture["layers"]:
        for run in picture["runs"]:
            marks = _marks(picture, layer, run, named=run["name"] not in named)
            marks = [element for element in marks if len(element)]
            named |= {run["name"]} if any(element.label for element in marks) else set()
            drawn += marks
    if not drawn:
        return None
    looks: dict[str, Any] = {"responsive": True, "min_height": 320, "show_grid": True}
    looks |= {"legend_limit": _MOST_NAMES, "legend_position": "right"}
    if picture["factors"]:
        return hv.Overlay(drawn).opts(invert_axes=True, **looks)
    looks |= {f"log{axis}": picture[axis]["log"] for axis in ("x", "y")}
    # Bokeh would keep to the aspect instead of to the width of the page.
    looks |= {"data_aspect": 1, "responsive": False, "width": 520} if picture["square"] else {}
    return hv.Overlay(drawn).opts(**looks)


@dataclass(frozen=True)
class _Mark:
    """One layer of one run: its rows by column, and its columns on the axes, each a name with what
    it says.
    """

    layer: Mapping[str, Any]
    run: Mapping[str, Any]
    rows: Mapping[str, Any]
    x: tuple[str, str]
    ys: list[tuple[str, str]]
    logs: tuple[bool, bool]
    factors: bool
    label: str

    @property
    def y(self) -> tuple[str, str]:
        """The first column upwards."""
        return self.ys[0]

    def drawable(self, *columns: Any) -> tuple[Any, ...]:
        """The rows where all columns can be drawn on their axes, the first across."""
        arrays = [np.array([np.nan if v is None else v for v in c], float) for c in columns]
        fits = np.logical_and.reduce([np.isfinite(values) for values in arrays])
        across, up = self.logs
        for log, values in zip((across, *[up] * (len(arrays) - 1)), arrays, strict=True):
            fits &= (values > 0) | (not log)
        return tuple(values[fits] for values in arrays)

    @property
    def line_look(self) -> dict[str, Any]:
        """How a line of the run looks."""
        style = self.layer["style"].items()
        given = {"color": self.run["colour"], "line_dash": self.run["dash"]}
        return given | {name: value for name, value in style if name.startswith("line")}


def _marks(
    picture: Mapping[str, Any], layer: Mapping[str, Any], run: Mapping[str, Any], *, named: bool
) -> list[Any]:
    """One layer of one run as elements; none where it has no rows."""
    kind, rows = layer["kind"], run["rows"].get(layer["source"], {})
    x = layer["x"] or picture["x"]["column"]
    y = layer["y"] or picture["y"]["column"]
    ys = [y + end for end in _PARTS[kind]] if kind in _PARTS else y.split("|")
    mark = _Mark(
        layer=layer,
        run=run,
        rows=rows,
        x=(x, picture["x"]["label"]),
        ys=[(name, picture["y"]["label"]) for name in ys],
        logs=(picture["x"]["log"], picture["y"]["log"]),
        factors=picture["factors"],
        label=run["name"] if named else "",
    )
    if kind == "level":
        return [] if run["stop"] is None else [hv.HLine(run["stop"]).opts(**mark.line_look)]
    return _DRAWN[kind](mark) if kind in _DRAWN and {x, *ys} <= rows.keys() else []


def _line(mark: _Mark) -> list[Any]:
    data = mark.drawable(mark.rows[mark.x[0]], mark.rows[mark.y[0]])
    curve = hv.Curve(data, mark.x, mark.y, label=mark.label)
    return [curve.opts(tools=["hover"], **mark.line_look)]


def _bound(mark: _Mark) -> list[Any]:
    data = mark.drawable(mark.rows[mark.x[0]], mark.rows[mark.y[0]])
    look = {"color": mark.run["colour"], "alpha": 0.3, "line_width": 4}
    return [hv.Curve(data, mark.x, mark.y).opts(**look)]


def _dots(mark: _Mark) -> list[Any]:
    style, colour = mark.layer["style"], mark.run["colour"]
    filled = mark.layer["kind"] == "dots"
    look = {
        "size": style.get("size", 6),
        "marker": style.get("marker", mark.run["marker"]),
        "line_color": colour,
        "fill_color": colour,
        "fill_alpha": style.get("fill_alpha", 1.0) if filled else 0.0,
    }
    across, up = mark.rows[mark.x[0]], mark.rows[mark.y[0]]
    # Names stand across until the axes are turned.
    data, dims = (
        ((up, across), (mark.y, mark.x))
        if mark.factors
        else (mark.drawable(across, up), (mark.x, mark.y))
    )
    return [hv.Scatter(data, *dims, label=mark.label).opts(tools=["hover"], **look)]


def _bars(mark: _Mark) -> list[Any]:
    if not mark.run["lead"]:
        return []
    data = mark.rows[mark.y[0]], mark.rows[mark.x[0]]
    bars = hv.Bars(data, mark.y, mark.x, label=mark.label)
    return [bars.opts(color=mark.run["colour"], alpha=0.25, line_alpha=0)]


def _area(mark: _Mark) -> list[Any]:
    (low, _), (high, _) = mark.ys
    data = mark.drawable(*(mark.rows[name] for name in (mark.x[0], low, high)))
    # Two with one label would be taken for one.
    area = hv.Area(data, mark.x, [mark.y, high])
    return [area.opts(color=mark.run["colour"], alpha=0.15, line_alpha=0)]


def _paths(mark: _Mark) -> list[Any]:
    """A line a row; those of the selected run are told by name and colour."""
    run, rows, lines = mark.run, mark.rows, []
    other = {"color": run["colour"], "line_dash": run["dash"], "line_width": 0.8, "alpha": 0.5}
    for k, (xs, values) in enumerate(zip(rows[mark.x[0]], rows[mark.y[0]], strict=True)):
        name = rows["name"][k] if run["lead"] and "name" in rows else ""
        line = hv.Curve(mark.drawable(xs, values), mark.x, mark.y, label=name)
        own = {"color": run_style(k)[0], "line_width": 2, "tools": ["hover"]}
        lines.append(line.opts(**(own if run["lead"] else other)))
    return lines


def _contours(mark: _Mark) -> list[Any]:
    pairs = zip(mark.rows[mark.x[0]], mark.rows[mark.y[0]], strict=True)
    lines = [np.column_stack(pair) for pair in pairs]
    return [hv.Path(lines, [mark.x, mark.y]).opts(color=_GREY, alpha=0.6)] if lines else []


_DRAWN: dict[str, Callable[[_Mark], list[Any]]] = {
    "line": _line,
    "median": _line,
    "bound": _bound,
    "dots": _dots,
    "rings": _dots,
    "bars": _bars,
    "band": _area,
    "gulf": _area,
    "paths": _paths,
    "contours": _contours,
}
"""How a layer is drawn, by its kind, as in client/marks.js; a new kind is an entry in both."""

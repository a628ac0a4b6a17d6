"""A picture of the page as a HoloViews object: the same declaration, the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def _marks(
    picture: Mapping[str, Any], layer: Mapping[str, Any], run: Mapping[str, Any], *, named: bool
) -> list[Any]:
    """One layer of one run."""
    kind = layer["kind"]
    if kind == "level":
        if run["stop"] is None:
            return []
        return [hv.HLine(run["stop"]).opts(**_line_look(layer, run))]
    rows = run["rows"].get(layer["source"], {})
    x = layer["x"] or picture["x"]["column"]
    y = layer["y"] or picture["y"]["column"]
    ys = [y + end for end in _PARTS[kind]] if kind in _PARTS else y.split("|")
    if kind not in _DRAWN or not {x, *ys} <= rows.keys():
        return []
    # A tuple names the column and says what it is; columns of a layer's own go by the axis.
    across = (x, picture["x"]["label"])
    up = [(name, picture["y"]["label"]) for name in ys]
    label = run["name"] if named else ""
    made: list[Any] = _DRAWN[kind](picture, layer, run, rows, across, up, label)
    return made


def _known(picture: Mapping[str, Any], *columns: Any) -> list[Any]:
    """The rows where all columns can be drawn on their axes, the first across."""
    arrays = [np.array([np.nan if v is None else v for v in c], float) for c in columns]
    fits = np.logical_and.reduce([np.isfinite(values) for values in arrays])
    for axis, values in zip(("x", *["y"] * (len(arrays) - 1)), arrays, strict=True):
        fits &= (values > 0) | (not picture[axis]["log"])
    return [values[fits] for values in arrays]


def _line_look(layer: Mapping[str, Any], run: Mapping[str, Any]) -> dict[str, Any]:
    given = {"color": run["colour"], "line_dash": run["dash"]}
    return given | {name: value for name, value in layer["style"].items() if name[:4] == "line"}


def _line(picture: Any, layer: Any, run: Any, rows: Any, x: Any, ys: Any, label: str) -> list[Any]:
    data = tuple(_known(picture, rows[x[0]], rows[ys[0][0]]))
    return [hv.Curve(data, x, ys[0], label=label).opts(tools=["hover"], **_line_look(layer, run))]


def _dots(picture: Any, layer: Any, run: Any, rows: Any, x: Any, ys: Any, label: str) -> list[Any]:
    style = layer["style"]
    look = {"size": style.get("size", 6), "marker": style.get("marker", run["marker"])}
    look |= {"line_color": run["colour"], "fill_alpha": style.get("fill_alpha", 1.0)}
    look |= {"fill_color": run["colour"]} if layer["kind"] == "dots" else {"fill_alpha": 0.0}
    if picture["factors"]:
        # Names stand across until the axes are turned.
        data, dims = (rows[ys[0][0]], rows[x[0]]), (ys[0], x)
    else:
        data, dims = tuple(_known(picture, rows[x[0]], rows[ys[0][0]])), (x, ys[0])
    return [hv.Scatter(data, *dims, label=label).opts(tools=["hover"], **look)]


def _bars(picture: Any, layer: Any, run: Any, rows: Any, x: Any, ys: Any, label: str) -> list[Any]:
    if not run["lead"]:
        return []
    bars = hv.Bars((rows[ys[0][0]], rows[x[0]]), ys[0], x, label=label)
    return [bars.opts(color=run["colour"], alpha=0.25, line_alpha=0)]


def _area(picture: Any, layer: Any, run: Any, rows: Any, x: Any, ys: Any, label: str) -> list[Any]:
    data = tuple(_known(picture, rows[x[0]], *(rows[name] for name, _ in ys)))
    # Two with one label would be taken for one.
    low, high = ys[0], ys[1][0]
    return [hv.Area(data, x, [low, high]).opts(color=run["colour"], alpha=0.15, line_alpha=0)]


def _paths(picture: Any, layer: Any, run: Any, rows: Any, x: Any, ys: Any, label: str) -> list[Any]:
    """A line a row; those of the selected run are told by name and colour."""
    lines = []
    for k, (xs, values) in enumerate(zip(rows[x[0]], rows[ys[0][0]], strict=True)):
        name = rows["name"][k] if run["lead"] and "name" in rows else ""
        line = hv.Curve(tuple(_known(picture, xs, values)), x, ys[0], label=name)
        own = {"color": run_style(k)[0], "line_width": 2, "tools": ["hover"]}
        other = {"color": run["colour"], "line_dash": run["dash"], "line_width": 0.8, "alpha": 0.5}
        lines.append(line.opts(**(own if run["lead"] else other)))
    return lines


def _contours(
    picture: Any, layer: Any, run: Any, rows: Any, x: Any, ys: Any, label: str
) -> list[Any]:
    lines = [np.column_stack(pair) for pair in zip(rows[x[0]], rows[ys[0][0]], strict=True)]
    return [hv.Path(lines, [x, ys[0]]).opts(color=_GREY, alpha=0.6)] if lines else []


_DRAWN: dict[str, Callable[..., list[Any]]] = {
    "line": _line,
    "median": _line,
    "dots": _dots,
    "rings": _dots,
    "bars": _bars,
    "band": _area,
    "gulf": _area,
    "paths": _paths,
    "contours": _contours,
}
"""How a layer is drawn, by its kind, as in client/marks.js; a new kind is an entry in both."""

"""A still picture of a page, as HTML that needs no script: what a saved notebook keeps."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.live.picture import Shown, kin_of
from app.live.race import Race
from app.pace import counted
from app.tables import runs_table
from app.theme import DASHES, run_style

_WIDTH, _HEIGHT, _LEFT, _BELOW, _TOP = 640.0, 260.0, 56.0, 34.0, 10.0
_LINE = 14.0
_TEXT = 'font-family="sans-serif" font-size="12" fill="#59636e"'


def still(name: str, headline: str, shown: Sequence[Shown]) -> str:
    """What the runs have reached: the race as a picture, and the table of the runs.

    Parameters
    ----------
    name : str
        Of the cell, whose live page hides the picture while there is one.
    headline : str
        What is solved.
    shown : sequence of Shown
        The runs that have reached a point.
    """
    title = Race().finding(kin_of(shown)) or "What an error costs"
    told = "A still picture: run the cell, and the page is live."
    if not shown:
        body = "<p>Nothing has been run yet.</p>"
    else:
        picture = base64.b64encode(race_svg(shown).encode()).decode()
        source = f"data:image/svg+xml;base64,{picture}"
        body = f'<img src="{source}" alt="{escape(title)}">{_table(runs_table(kin_of(shown)))}'
    return (
        f'<div data-still="{name}"><p><b>{escape(title)}</b><br>{escape(headline)}</p>{body}'
        f"<p><small>{told}</small></p></div>"
    )


def _table(table: dict[str, Any]) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in table["head"])
    rows = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in table["rows"]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def race_svg(shown: Sequence[Shown]) -> str:
    """Least test error so far against dot products, or seconds where a run counts none; the l1 norm
    stands for the error where no rows are held out.
    """
    counted = all(entry.run.counts("dots") for entry in shown)
    tested = all(np.isfinite(entry.run.points["test_error"]).any() for entry in shown)
    x_of, y_of = "dots" if counted else "seconds", "test_error" if tested else "l1"
    lines = {}
    for entry in shown:
        points = entry.run.points
        y = np.fmin.accumulate(points[y_of]) if tested else points[y_of]
        known = (points[x_of] > 0) & np.isfinite(y)
        lines[entry] = np.log10(points[x_of][known].astype(float)), y[known]
    lines = {entry: line for entry, line in lines.items() if line[0].size}
    if not lines:
        return f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH:g}" height="20"></svg>'
    x_range = _range([x for x, _ in lines.values()])
    y_range = _range([y for _, y in lines.values()])
    ends = [_place(y[-1], y_range, _HEIGHT - _BELOW, _TOP) for _, y in lines.values()]
    drawn = [
        _line(k, entry, *line, x_range, y_range, name_at)
        for k, ((entry, line), name_at) in enumerate(zip(lines.items(), _apart(ends), strict=True))
    ]
    labels = (
        "dot products" if counted else "CPU seconds",
        "least test error so far" if tested else "l1 norm",
    )
    size = f'width="{_WIDTH:g}" height="{_HEIGHT:g}"'
    frame = _frame(x_range, y_range, labels)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{frame}{"".join(drawn)}</svg>'


def _range(values: Sequence[NDArray[Any]]) -> tuple[float, float]:
    low, high = (float(f(np.concatenate(values))) for f in (np.min, np.max))
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _apart(places: Sequence[float]) -> list[float]:
    """Where names stand that would cover one another: upwards, a line of text apart."""
    moved, last = [0.0] * len(places), _HEIGHT
    for k in sorted(range(len(places)), key=lambda k: -places[k]):
        last = moved[k] = min(places[k], last - _LINE)
    return moved


def _place(value: Any, ends: tuple[float, float], start: float, stop: float) -> Any:
    return start + (value - ends[0]) / (ends[1] - ends[0]) * (stop - start)


def _short(value: float) -> str:
    return counted(value) if value >= 10 else f"{value:.2g}"


def _frame(x: tuple[float, float], y: tuple[float, float], labels: tuple[str, str]) -> str:
    right, bottom = _WIDTH - 90.0, _HEIGHT - _BELOW
    texts = [
        (_short(10 ** x[0]), _LEFT, bottom + 16, "start"),
        (_short(10 ** x[1]), right, bottom + 16, "end"),
        (labels[0], (_LEFT + right) / 2, bottom + 28, "middle"),
        (f"{y[0]:.3g}", _LEFT - 6, bottom, "end"),
        (f"{y[1]:.3g}", _LEFT - 6, _TOP + 10, "end"),
    ]
    words = "".join(
        f'<text x="{a:.0f}" y="{b:.0f}" text-anchor="{anchor}" {_TEXT}>{escape(text)}</text>'
        for text, a, b, anchor in texts
    )
    middle = (_TOP + bottom) / 2
    words += (
        f'<text transform="translate(14 {middle:.0f}) rotate(-90)" text-anchor="middle" {_TEXT}>'
        f"{labels[1]}</text>"
    )
    path = f"M{_LEFT:g} {_TOP:g}V{bottom:g}H{right:g}"
    return f'<path d="{path}" fill="none" stroke="#808890"/>{words}'


def _line(
    k: int,
    entry: Shown,
    x: Any,
    y: Any,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    name_at: float,
) -> str:
    colour, dash = run_style(k)
    at = _place(x, x_range, _LEFT, _WIDTH - 90.0)
    up = _place(y, y_range, _HEIGHT - _BELOW, _TOP)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(at, up, strict=True))
    style = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{DASHES[dash]}"'
    end = f'x="{at[-1] + 6:.0f}" y="{name_at + 4:.0f}"'
    name = f'<text {end} font-family="sans-serif" font-size="12" fill="{colour}">'
    return f'<polyline points="{points}" {style}/>{name}{escape(entry.name)}</text>'

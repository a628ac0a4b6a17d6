"""How results show themselves in a notebook: a few figures, the path as a small picture, and what
the true gap is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LINES = 10
_WIDTH, _HEIGHT = 240.0, 60.0
# A gap of at most this share of f(0) is called certified.
_SMALL = 1e-3


def result_html(result: Any) -> str:
    """Of a `PathResult`: a table of the summary, the largest coefficients, a badge of the gap."""
    told = result.summary()
    rows = {
        "problem": told["dataset"],
        "points": f"{told['points']:,} of {told['points_asked']:,}",
        "steps": f"{told['steps']:,}",
        "dot products": f"{told['dots']:,}" if told["dots"] else "not counted",
        "mean active features": _number(told["mean_active"]),
        "least test error": _number(told["best_test_error"]),
        "CPU seconds": _number(told["seconds"]),
    }
    title = f"<b>{escape(result.solver)}</b> {badge(told['max_relative_gap'])}"
    sentence = f"<p>{escape(told['message'])}</p>"
    return f"<div>{title}{_table(rows)}{_sparkline(result)}{sentence}</div>"


def problem_html(problem: Any) -> str:
    """Of a `Problem`: its size, its loss and its constraint."""
    tested = 0 if problem.test_y is None else len(problem.test_y)
    free = problem.unpenalised.indices.size
    rows = {
        "rows": f"{problem.m:,}, and {tested:,} held out",
        "columns": f"{problem.p:,}",
        "stored as": type(problem.design).__name__,
        "loss": problem.loss.text,
        "error": problem.loss.error_name,
        "constraint": "a ≥ 0" if problem.positive else "none",
        "intercept": "not penalised" if problem.intercept else "by centring, if at all",
        **({"columns without a penalty": f"{free:,}"} if free else {}),
    }
    return f"<div><b>{escape(problem.name)}</b>{_table(rows)}</div>"


class Html(str):
    """A cell of a table that is markup already."""

    __slots__ = ()


def rows_html(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table with a line for each row; the first says the headings."""
    head = "".join(f"<th>{escape(name)}</th>" for name in (rows[0] if rows else ()))
    lines = ("".join(f"<td>{_cell(value)}</td>" for value in row.values()) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def results_html(results: Mapping[str, Any]) -> str:
    """Of `PathResult` by name: a line each, with its path and the badge of its gap."""
    return rows_html(
        [
            {
                "run": name,
                "points": f"{result.points.size:,} of {result.grid.size:,}",
                **{heading: told[key] for heading, key in _TOLD.items()},
                **pictures_of(result),
            }
            for name, result in results.items()
            for told in [result.summary()]
        ]
    )


_TOLD = {"dot products": "dots", "active": "mean_active", "least test error": "best_test_error"}


def pictures_of(result: Any) -> dict[str, Html]:
    """Cells of a table: the path as a small picture, and the badge of the gap."""
    told = result.max_relative_gap
    return {
        "path": Html(_sparkline(result)),
        "true gap": badge(told if np.isfinite(told) else None),
    }


def _cell(value: Any) -> str:
    if isinstance(value, Html):
        return value
    if isinstance(value, str):
        return escape(value)
    return "" if value is None or np.isnan(value) else f"{value:,.4g}"


def _table(rows: dict[str, str]) -> str:
    cells = (f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows.items())
    return f"<table>{''.join(cells)}</table>"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"


def badge(gap: float | None) -> Html:
    """The worst true gap, relative to f(0), green where it certifies."""
    if gap is None:
        return Html("")
    colour, word = ("#1a7f37", "certified") if gap <= _SMALL else ("#9a6700", "not certified")
    style = f"border:1px solid {colour};color:{colour};border-radius:6px;padding:0 6px"
    text = f"true gap at most {gap:.1e} of f(0): {word} to {_SMALL:g}"
    return Html(f'<span style="{style}">{text}</span>')


def _sparkline(result: Any) -> str:
    """The largest coefficients against the point of the path, as SVG."""
    if result.points.size < 2 or result.coefs.nnz == 0:
        return ""
    means = np.asarray(abs(result.coefs).mean(axis=1)).ravel()
    largest = np.argsort(-means, kind="stable")[: min(_LINES, np.count_nonzero(means))]
    table = result.coefs.tocsr()[largest].toarray()
    return sparkline(table, f"The {len(table)} largest coefficients along the path")


def sparkline(table: NDArray[np.float64], label: str) -> Html:
    """Rows of numbers (k, n) as lines above each other, as SVG."""
    low, high = min(0.0, float(table.min())), max(0.0, float(table.max()))
    x = np.linspace(1.0, _WIDTH - 1.0, table.shape[1])
    y = _HEIGHT - 2.0 - (table - low) / ((high - low) or 1.0) * (_HEIGHT - 4.0)
    lines = "".join(_line(x, row) for row in y)
    size = f'width="{_WIDTH:g}" height="{_HEIGHT:g}"'
    return Html(f'<svg {size} role="img" aria-label="{label}">{lines}</svg>')


def _line(x: Any, y: Any) -> str:
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="currentColor" stroke-opacity="0.7"/>'

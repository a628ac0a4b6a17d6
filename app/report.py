"""The report: one HTML file with pictures, tables and the lines that make the runs again.

``python -m app.report`` reads results from its input, as `app.export` sends them, and writes HTML.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import holoviews as hv
from bokeh.embed import components
from bokeh.resources import Resources

from app.plots import screen
from fwcore import PathResult

_RESOURCES = Resources(mode="inline", components=["bokeh"])
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #24292f; background: #fff; margin: 0 auto;
  max-width: 1100px; padding: 24px; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 1.6em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9em; }
th, td { text-align: right; padding: 3px 10px; border-bottom: 1px solid #d0d7de; }
th:first-child, td:first-child { text-align: left; }
pre { background: #f6f8fa; padding: 10px; overflow: auto; }
caption { text-align: left; font-weight: 600; padding: 10px 0 4px; }
.tables { overflow: auto; max-height: 480px; }
.whole .tables { max-height: none; }
.whole td:nth-child(2), .whole th:nth-child(2) { text-align: left; }
.panels > div { min-width: 0; overflow: hidden; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(420px, 100%), 1fr)); }
"""
_POINTS = ("point", "value", "l1", "nnz", "train_error", "test_error", "true_gap", "steps", "dots")


def report(results: Mapping[str, PathResult], about: Mapping[str, Any]) -> str:
    """The report as HTML, which asks for nothing outside.

    ``about``: headline, what is on screen (`app.onscreen`), the link of the settings, and the runs
    side by side.
    """
    shown = about.get("pictures", [])
    drawn = {picture["name"]: screen(picture) for picture in shown}
    script, parts = embedded({name: made for name, made in drawn.items() if made is not None})
    sections = [_picture(picture, parts.get(picture["name"])) for picture in shown]
    runs = [_run(name, result) for name, result in results.items()]
    body = "\n".join(
        (
            f"<h1>{escape(about.get('headline', ''))}</h1>",
            html_table("The runs", about.get("head", []), about.get("rows", [])),
            *sections,
            f"<p>{escape(about.get('left_out', ''))}</p>",
            *runs,
            _link(about.get("link", "")),
        )
    )
    names = [str(row[0]) for row in about.get("rows", [])] or [*results]
    return html_page(f"Frank-Wolfe Explorer: {', '.join(names)}", script, body)


def embedded(pictures: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """HoloViews objects as a script and, under their names, what stands where they are drawn."""
    figures = {name: hv.render(picture, backend="bokeh") for name, picture in pictures.items()}
    for figure in figures.values():
        figure.sizing_mode, figure.height = "stretch_width", 360
    return components(figures) if figures else ("", {})


def html_page(title: str, script: str, body: str) -> str:
    """A page with pictures of Bokeh that asks for nothing outside."""
    # Panel would add scripts of its own, from a server.
    bundle = "".join(f"<script>{raw}</script>" for raw in _RESOURCES.js_raw) if script else ""
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>{bundle}{script}</head>"
        f"<body><main>{body}</main></body></html>"
    )


def html_table(caption: str, head: list[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table that scrolls by itself where it is large. A number is shown in a few figures; its
    cell holds all of them.
    """
    cells = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return (
        f'<div class="tables" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption>"
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _run(name: str, result: PathResult) -> str:
    rows = [[row[column].item() for column in _POINTS] for row in result.points]
    code = escape(result.to_code())
    versions = ", ".join(f"{package} {version}" for package, version in result.versions.items())
    return (
        f"<h2>{escape(name)}</h2><pre>{code}</pre>"
        f"<p>Digest {result.digest()}. {escape(versions)}.</p>"
        + html_table(f"The points of {name}", [*_POINTS], rows)
    )


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td><data value="{value!r}">{value:.5g}</data></td>'
    return f"<td>{escape(str(value))}</td>"


def _picture(picture: Mapping[str, Any], part: str | None) -> str:
    """A picture under what it has found, with its legend."""
    blank = picture["blank"]
    said = blank.get(picture["y"]["column"], blank[""])
    return (
        f"<h2>{escape(picture['finding'] or picture['title'])}</h2>"
        f"{f'<p>{escape(said)}</p>' if part is None else part}"
        f"<p>{escape(picture['legend'])}</p>"
    )


def _link(link: str) -> str:
    if not link:
        return ""
    return (
        "<h2>The settings</h2><p>Open the Explorer with this at the end of its address: "
        f"<code>{escape(link)}</code></p>"
    )


def main() -> None:
    """Read results, write HTML."""
    results, about = pickle.load(sys.stdin.buffer)
    sys.stdout.buffer.write(report(results, about).encode())


if __name__ == "__main__":
    main()

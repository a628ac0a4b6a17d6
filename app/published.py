"""The page of a paper: what was printed beside ours, and its pictures, as one HTML file that opens
offline, beside its numbers as Parquet and its pictures as PNG and SVG.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from app.plots.papers import panel, save
from app.report import embedded, html_page, html_table
from fwcore import experiments

published = experiments.published
_HEAD = ("method", "figure", "printed", "ours", "least", "most", "ratio", "verdict")
_PICTURES = ("png", "svg")


def write(outcome: published.Outcome, folder: Path) -> list[Path]:
    """Write the page of what was run into a folder, which is made; the files.

    ``<paper>.html``; ``<paper>.parquet``, the cells; ``<paper>-claims.parquet``;
    ``<paper>-curves.parquet``, what the pictures show; and each picture as PNG and SVG where
    Matplotlib is installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = outcome.paper.name
    tables = {"": _cell_rows, "-claims": _claim_rows, "-curves": _curve_rows}
    files = [folder / f"{name}{rest}.parquet" for rest in tables]
    for file, rows in zip(files, tables.values(), strict=True):
        _write_table(rows(outcome), file)
    files.append(folder / f"{name}.html")
    files[-1].write_text(page(outcome), encoding="utf-8")
    return files + _write_pictures(outcome, folder)


def _cell_rows(outcome: published.Outcome) -> Iterator[dict[str, Any]]:
    for exhibit in outcome.exhibits:
        for cell in outcome.cells(exhibit):
            yield {"exhibit": exhibit.label} | cell.told()


def _claim_rows(outcome: published.Outcome) -> Iterator[dict[str, Any]]:
    for exhibit in outcome.exhibits:
        for claim in outcome.claims(exhibit):
            yield {"exhibit": exhibit.label, "verdict": claim.verdict} | claim.told()


def _curve_rows(outcome: published.Outcome) -> Iterator[dict[str, Any]]:
    for experiment, methods in outcome.found.items():
        for method, runs in methods.items():
            for seed, run in enumerate(runs):
                for column, values in run.curves.items():
                    for place, value in enumerate(values):
                        yield {
                            "experiment": experiment,
                            "method": method,
                            "seed": seed,
                            "column": column,
                            "place": place,
                            "value": value,
                        }


def _write_table(rows: Iterator[dict[str, Any]], file: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet

    held = [*rows]
    names = dict.fromkeys(name for row in held for name in row)
    table = pa.table({name: [row.get(name) for row in held] for name in names})
    pyarrow.parquet.write_table(table, str(file))


def page(outcome: published.Outcome) -> str:
    """The page as HTML, which asks for nothing outside."""
    script, parts = embedded(dict(_panels(outcome, "bokeh")))
    paper = outcome.paper
    sections = [_section(outcome, exhibit, parts) for exhibit in outcome.exhibits]
    body = (
        f"<h1>{escape(paper.title)}</h1><p>{escape(paper.citation)}. What was printed beside what "
        "was measured here: the median of the seeds, with the least and the greatest.</p>"
        + _absent(outcome)
        + "\n".join(sections)
    )
    whole = f'<div class="whole">{body}</div>'
    return html_page(f"{paper.citation}: printed and ours", script, whole)


def _absent(outcome: published.Outcome) -> str:
    lines = [
        f"{outcome.experiments[name].title}: the files of {', '.join(files)} are absent."
        for name, files in outcome.absent.items()
    ]
    lines += [
        f"{outcome.experiments[name].title}: data of a similar size, made here ({made}); its "
        "figures prove nothing about the printed."
        for name, made in outcome.standins.items()
    ]
    small = [e.title for e in outcome.experiments.values() if e.made]
    small = [title for title in small if not any(title in line for line in lines)]
    if small:
        lines.append(f"At small sizes, which prove nothing of the printed: {'; '.join(small)}.")
    return "".join(f"<p>{escape(line)}</p>" for line in lines)


def _section(outcome: published.Outcome, exhibit: published.Exhibit, parts: dict[str, str]) -> str:
    title = escape(f"{exhibit.label}: {exhibit.title}")
    if exhibit.absent:
        return f"<h2>{title}</h2><p>{escape(exhibit.absent)}</p>"
    told = [f"<h2>{title}</h2>"]
    drawn = [f"<div>{parts[where]}</div>" for where, _ in _places(exhibit) if where in parts]
    told += ['<div class="panels">', *drawn, "</div>"] if drawn else []
    for name in exhibit.experiments:
        if name not in outcome.experiments:
            continue
        cells = [cell for cell in outcome.cells(exhibit) if cell.experiment == name]
        rows = [_row(cell) for cell in cells if cell.printed is not None or cell.ours is not None]
        if rows:
            told.append(
                html_table(f"{exhibit.label}. {outcome.experiments[name].title}", [*_HEAD], rows)
            )
        told += [f"<p>{escape(reason)}</p>" for reason in published.reasons(cells)]
    told += [
        f"<p>{escape(claim.sentence)}: <b>{claim.verdict}</b>, {claim.numbers}.</p>"
        for claim in outcome.claims(exhibit)
    ]
    return "".join(told)


def _row(cell: published.Cell) -> list[str]:
    numbers = (cell.printed, cell.ours, cell.least, cell.most)
    ratio = "" if cell.ratio is None else f"{cell.ratio:.2f}"
    told = (published.number_text(number) for number in numbers)
    return [cell.method, cell.figure, *told, ratio, cell.verdict]


def _places(exhibit: published.Exhibit) -> Iterator[tuple[str, published.Panel]]:
    for k, shown in enumerate(exhibit.panels):
        slug = re.sub(r"[^a-z0-9]+", "-", f"{exhibit.label} {k + 1}".lower())
        yield slug.strip("-"), shown


def _panels(outcome: published.Outcome, backend: str) -> Iterator[tuple[str, Any]]:
    for exhibit in outcome.exhibits:
        for where, shown in _places(exhibit):
            drawn = panel(outcome, shown, backend)
            if drawn is not None:
                yield where, drawn


def _write_pictures(outcome: published.Outcome, folder: Path) -> list[Path]:
    if importlib.util.find_spec("matplotlib") is None:
        return []
    files = []
    for where, drawn in _panels(outcome, "matplotlib"):
        pictures = [folder / f"{outcome.paper.name}-{where}.{kind}" for kind in _PICTURES]
        save(drawn, pictures)
        files += pictures
    return files

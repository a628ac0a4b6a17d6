"""``fwcore paper``: tables and figures of papers, what was printed beside what is measured here."""

from __future__ import annotations

import json
import sys
import tempfile
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from fwcore.cli.common import (
    INTERRUPTED,
    Quiet,
    interruptible,
    progress_line,
    reporting_errors,
)
from fwcore.errors import ParameterError
from fwcore.experiments import published
from fwcore.experiments.published import Cell, Exhibit, Outcome, number_text, reasons

_WIDTH = 80


def add(app: typer.Typer, help_text: str) -> None:
    """Add the command."""
    app.command("paper", help=help_text)(run)


def run(
    name: Annotated[str | None, typer.Argument(help="Name of a paper; none: list.")] = None,
    table: Annotated[list[str] | None, typer.Option(help="Number of a table; again for more.")] = (
        None
    ),
    figure: Annotated[
        list[str] | None, typer.Option(help="Number of a figure; again for more.")
    ] = None,
    section: Annotated[
        list[str] | None, typer.Option(help="Number of a section; again for more.")
    ] = None,
    dataset: Annotated[
        list[str] | None, typer.Option(help="Only these datasets or experiments.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="Only methods of these names, such as 'FW 1 %'.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Seeds 0, 1, ... of each method.")] = 1,
    standin: Annotated[
        bool, typer.Option("--standin", help="Made data of a similar size where files are absent.")
    ] = False,
    small: Annotated[
        bool, typer.Option("--small", help="Each experiment at a size that takes seconds.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Run again what was kept.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for an HTML page, its numbers as Parquet, its pictures."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    with reporting_errors():
        if name is None:
            _list(as_json)
            return
        paper = published.find_paper(name)
        asked = {"table": table, "figure": figure, "section": section}
        chosen = [paper.find(kind, n) for kind, numbers in asked.items() for n in numbers or ()]
        write = None if out is None else _writer(out)
        with interruptible() as stopped, progress_line(quiet or as_json) as announce:
            outcome = published.reproduce(
                paper,
                chosen or None,
                datasets=dataset or (),
                methods=method or (),
                seeds=seeds,
                standin=standin,
                small=small,
                fresh=fresh,
                progress=announce,
                stopped=stopped.is_set,
            )
        written = [] if write is None or out is None else write(outcome, out)
    if as_json:
        print(json.dumps(_told(outcome, written), indent=2, ensure_ascii=False))
    else:
        _show(outcome, written)
    if stopped.is_set():
        raise typer.Exit(INTERRUPTED)


def _writer(out: Path) -> Any:
    """What writes the page of a paper into a folder, which is made: of a package that draws."""
    found = [*entry_points(group="fwcore.pages")]
    if not found:
        rule = "left out: nothing is installed that draws"
        raise ParameterError("out", "fwcore paper", rule, str(out))
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        rule = f"a folder that can be written ({error.strerror})"
        raise ParameterError("out", "fwcore paper", rule, str(out)) from None
    return found[0].load()


def _list(as_json: bool) -> None:
    listed = [
        {
            "paper": paper.name,
            "citation": paper.citation,
            "exhibits": [
                {"kind": e.kind, "number": e.number, "title": e.title, "absent": absent}
                for e, absent, _ in published.listed(paper)
            ],
        }
        for paper in published.papers().values()
    ]
    if as_json:
        print(json.dumps(listed, indent=2, ensure_ascii=False))
        return
    console = Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)
    for paper in published.papers().values():
        console.print(f"[bold]{paper.name}[/]  {escape(paper.citation)}")
        for exhibit, absent, made in published.listed(paper):
            rest = " (--standin)" if made else ""
            told = exhibit.absent or f"absent: {', '.join(absent)}{rest}"
            console.print(f"  {exhibit.label:15} {escape(exhibit.title)}")
            if exhibit.absent or absent:
                console.print(Padding(f"[dim]{escape(told)}[/]", (0, 0, 0, 18), expand=False))


def _told(outcome: Outcome, written: list[Path]) -> dict[str, Any]:
    return {
        "paper": outcome.paper.name,
        "small": outcome.small,
        "absent": outcome.absent,
        "standins": outcome.standins,
        "exhibits": [
            {
                "kind": exhibit.kind,
                "number": exhibit.number,
                "cells": [cell.told() for cell in outcome.cells(exhibit)],
                "claims": [claim.told() for claim in outcome.claims(exhibit)],
            }
            for exhibit in outcome.exhibits
        ],
        "files": [str(path) for path in written],
    }


def _show(outcome: Outcome, written: list[Path]) -> None:
    console = Console(width=None if sys.stdout.isatty() else _WIDTH, highlight=False)
    if outcome.small:
        console.print("Small sizes: the figures prove nothing about the printed.")
    for name, made in outcome.standins.items():
        console.print(f"{name}: made data of a similar size ({made}), no proof of the printed.")
    for name, files in outcome.absent.items():
        rest = "; --standin takes made data" if _has_standin(outcome, name) else ""
        console.print(f"{name}: the files of {', '.join(files)} are absent{rest}.")
    for exhibit in outcome.exhibits:
        _show_exhibit(console, outcome, exhibit)
    for path in written:
        console.print(f"Wrote {path}")
    drawn = any(exhibit.panels for exhibit in outcome.exhibits)
    if written and drawn and find_spec("matplotlib") is None:
        console.print(escape("No PNG or SVG: they need Matplotlib, frank-wolfe-explorer[figures]."))


def _has_standin(outcome: Outcome, name: str) -> bool:
    return bool(outcome.experiments[name].standin) and name not in outcome.standins


def _show_exhibit(console: Console, outcome: Outcome, exhibit: Exhibit) -> None:
    title = f"{exhibit.label}: {exhibit.title}"
    if exhibit.absent:
        console.print(f"{escape(title)}\n  {escape(exhibit.absent)}")
        return
    for name in exhibit.experiments:
        if name not in outcome.experiments:
            continue
        cells = [c for c in outcome.cells(exhibit) if c.experiment == name]
        _show_table(console, f"{title}. {outcome.experiments[name].title}", cells)
    for claim in outcome.claims(exhibit):
        console.print(escape(f"{claim.sentence}: {claim.verdict}, {claim.numbers}."))


def _show_table(console: Console, title: str, cells: list[Cell]) -> None:
    known = [cell for cell in cells if cell.printed is not None or cell.ours is not None]
    if not known:
        return
    table = Table(title=escape(title), title_justify="left", padding=(0, 0))
    for heading in ("method", "figure", "printed", "ours", "ratio", "verdict"):
        table.add_column(heading, justify="left" if heading in ("method", "figure") else "right")
    for cell in known:
        ratio = "" if cell.ratio is None else f"{cell.ratio:.2f}"
        numbers = (number_text(cell.printed), number_text(cell.ours), ratio)
        table.add_row(escape(cell.method), cell.figure, *numbers, cell.verdict)
    console.print(table)
    for reason in reasons(known):
        console.print(escape(reason))

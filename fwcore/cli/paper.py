"""``fwcore paper``: experiments of papers, what was printed beside what is measured here."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from fwcore import datasets
from fwcore.cli.common import (
    INTERRUPTED,
    Quiet,
    interruptible,
    progress_line,
    reporting_errors,
)
from fwcore.experiments import papers

_WIDTH = 80


def add(app: typer.Typer, help_text: str) -> None:
    """Add the command."""
    app.command("paper", help=help_text)(run)


def run(
    name: Annotated[str | None, typer.Argument(help="Name of an experiment; none: list.")] = None,
    seeds: Annotated[int, typer.Option(help="Seeds 0, 1, ... of each method.")] = 1,
    standin: Annotated[
        bool, typer.Option("--standin", help="Made data of the same shape where files are absent.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    with reporting_errors():
        if name is None:
            _list(as_json)
            return
        with interruptible() as stopped, progress_line(quiet or as_json) as announce:
            cells = papers.reproduce(
                name, seeds=seeds, standin=standin, progress=announce, stopped=stopped.is_set
            )
    entry = papers.find(name)
    made = standin and not datasets.available(datasets.find(entry["dataset"]))
    if as_json:
        told = {"experiment": name, "standin": made, "cells": [cell.told() for cell in cells]}
        print(json.dumps(told, indent=2))
    else:
        _show(entry, cells, made)
    if stopped.is_set():
        raise typer.Exit(INTERRUPTED)


def _list(as_json: bool) -> None:
    entries = [
        {
            **{key: entry[key] for key in ("name", "paper", "title", "dataset")},
            "available": datasets.available(datasets.find(entry["dataset"])),
        }
        for entry in papers.experiments().values()
    ]
    if as_json:
        print(json.dumps(entries, indent=2, ensure_ascii=False))
        return
    for entry in entries:
        absent = "" if entry["available"] else " (its files are absent: --standin)"
        print(f"{entry['name']}{absent}\n    {entry['paper']}\n    {entry['title']}")


def _show(entry: dict[str, Any], cells: list[papers.Cell], made: bool) -> None:
    console = Console(width=None if sys.stdout.isatty() else _WIDTH)
    if made:
        console.print("Made data of the same shape: the figures prove nothing about the printed.")
    table = Table(title=escape(f"{entry['paper']}: {entry['title']}"))
    for heading in ("method", "figure", "printed", "ours", "ratio", "verdict"):
        table.add_column(heading, justify="left" if heading in ("method", "figure") else "right")
    for cell in cells:
        ratio = "" if cell.ratio is None else f"{cell.ratio:.2f}"
        numbers = (_number(cell.printed), _number(cell.ours), ratio)
        table.add_row(escape(cell.method), cell.figure, *numbers, cell.verdict)
    console.print(table)
    console.print(escape(f"What differs: {entry['differs']}"))


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.3g}" if value >= 1e5 else f"{value:,.4g}"

"""``fwcore datasets``: what there is, ``info NAME``, ``fetch NAME``, ``formats``."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from fwcore import datasets
from fwcore.cli.common import download_line, messages, reporting_errors
from fwcore.datasets import documentation, parsing

_Name = Annotated[str, typer.Argument(help="Name of a dataset; see `fwcore datasets`.")]


def build_datasets() -> typer.Typer:
    """The group of commands."""
    group = typer.Typer(help="List the datasets; or see one, or fetch it.", invoke_without_command=True, rich_markup_mode=None)
    group.callback()(_list)
    group.command("info")(_info)
    group.command("fetch")(_fetch)
    group.command("formats")(_formats)
    return group


def _list(
    context: typer.Context, markdown: Annotated[bool, typer.Option("--markdown", help="As data/README.md has them.")] = False
) -> None:
    """List the datasets."""
    if context.invoked_subcommand is not None:
        return
    if markdown:
        print(documentation.markdown(), end="")
        return
    table = Table()
    table.add_column("name", no_wrap=True)
    table.add_column("what")
    for heading in ("rows", "columns"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("here", no_wrap=True)
    for entry in datasets.DATASETS:
        table.add_row(entry.name, entry.title, f"{entry.rows:,}", f"{entry.columns:,}", documentation.whereabouts(entry))
    Console().print(table)


def _info(name: _Name) -> None:
    """Say what a dataset is and, where it is at hand, what is in it."""
    with reporting_errors():
        table = Table(show_header=False, box=None)
        for label, text in documentation.facts(datasets.find(name)):
            table.add_row(label, text)
        Console().print(table)


def _fetch(name: _Name) -> None:
    """Download the files of a dataset; a download that was broken off goes on."""
    with reporting_errors():
        entry = datasets.find(name)
        if datasets.available(entry):
            messages.print(f"{name} is at hand.")
            return
        with download_line(name) as announce:
            datasets.fetch(entry, announce)
        messages.print(f"{name} was fetched.")


def _formats() -> None:
    """List the formats of files that `fwcore path --data` reads."""
    table = Table("format", "endings", "packed too (.gz, .bz2, .xz)")
    for form in parsing.FORMATS.values():
        if form.endings:
            table.add_row(form.what, " ".join(form.endings), "yes" if form.packed else "no")
    Console().print(table)

"""``fwcore datasets``: what there is, ``info NAME``, ``fetch NAME``, ``formats``."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from fwcore import datasets
from fwcore.cli.common import download_line, messages, reporting_errors
from fwcore.datasets import documentation, parsing

_MADE = "made:synthetic:rows=200,columns=500"
_Name = Annotated[str, typer.Argument(help="Name of a dataset; see `fwcore datasets`.")]


def add(app: typer.Typer, help_text: str) -> None:
    """Add the group of commands."""
    group = typer.Typer(help=help_text, invoke_without_command=True, rich_markup_mode=None)
    group.callback()(_list)
    group.command("info")(_info)
    group.command("fetch")(_fetch)
    group.command("formats")(_formats)
    app.add_typer(group, name="datasets")


def _list(
    context: typer.Context,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As data/README.md has them.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """List the datasets."""
    if context.invoked_subcommand is not None:
        return
    if markdown:
        print(documentation.markdown(), end="")
        return
    if as_json:
        known = [{**_brief(entry), "citation": entry.citation} for entry in datasets.all_datasets()]
        print(json.dumps(known, indent=2, ensure_ascii=False))
        return
    print(f"{'name':<26}{'rows':>8}{'columns':>12}  {'task':<15}{'here':<15}")
    for entry in datasets.all_datasets():
        brief = _brief(entry)
        size = f"{brief['rows']:>8,}{brief['columns']:>12,}"
        print(f"{brief['name']:<26}{size}  {brief['task']:<15}{brief['here']:<15}".rstrip())
    print("\nfwcore datasets info NAME describes one; fwcore datasets fetch NAME gets it.")
    print(f"A name may say how to make data: {_MADE}.")


def _brief(entry: datasets.Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "title": entry.title,
        "task": entry.task,
        "rows": entry.rows,
        "columns": entry.columns,
        "here": documentation.whereabouts(entry),
    }


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

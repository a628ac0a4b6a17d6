"""The command line: ``fwcore path``, ``compare``, ``datasets``, ``solvers``, ``warmup``; exit codes in `fwcore.cli.common`."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.table import Table

from fwcore import warmup
from fwcore.cli import compare
from fwcore.cli.common import BAD_INPUT, FAILED, INTERRUPTED, STEP_LIMIT
from fwcore.cli.datasets import build_datasets
from fwcore.cli.flags import flag, of_files, of_solvers, with_flags
from fwcore.cli.path import path
from fwcore.solvers import solvers

__all__ = ["BAD_INPUT", "FAILED", "INTERRUPTED", "STEP_LIMIT", "build_app", "main"]


def build_app() -> typer.Typer:
    """The commands, with a flag for every option that a registered solver declares."""
    app = typer.Typer(
        help="Walk regularisation paths of the Lasso.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
    )
    app.command("path")(with_flags(path, reading=of_files(), options=of_solvers()))
    app.command("compare")(compare.run)
    app.add_typer(build_datasets(), name="datasets")
    app.command("solvers")(_solvers)
    app.command("warmup")(_warmup)
    return app


def main() -> None:
    """Entry point."""
    build_app()()


def _solvers() -> None:
    """List the solvers and their options."""
    table = Table("name", "title", "form", "options", "reference")
    for solver in solvers():
        options = [f"--{flag(name)} {value}" for name, value in solver.Options().settings().items()]
        table.add_row(solver.name, solver.title, solver.form, "\n".join(options), solver.reference)
    Console().print(table)


def _warmup() -> None:
    """Compile every solver, so that later starts read them from disk."""
    for name in warmup.every_solver():
        print(f"ready: {name}")

"""The command line: ``fwcore path``, ``compare``, ``paper``, ``datasets``, ``solvers`` and
``warmup``; exit codes in `fwcore.cli.common`.

A command is imported when it is called: ``fwcore --help`` needs none of them. A new one is a file
here with ``add(app)``, and a line in `COMMANDS`.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any

from fwcore import cache

COMMANDS = {
    "path": "Walk a path and write it to files. Ctrl-C writes what was reached.",
    "compare": "Walk the same path with several solvers, side by side.",
    "paper": "Tables and figures of papers: what was printed beside what is measured here.",
    "datasets": "List the datasets; or describe one, or fetch it.",
    "solvers": "List the solvers; or one with its options.",
    "warmup": "Compile every solver, so that later starts read them from disk.",
}
BAD_INPUT, FAILED, INTERRUPTED, STEP_LIMIT = 2, 1, 130, 3

__all__ = ["BAD_INPUT", "COMMANDS", "FAILED", "INTERRUPTED", "STEP_LIMIT", "build_app", "main"]


def build_app(arguments: Sequence[str] | None = None) -> Any:
    """The commands, with a flag for every option that a registered solver declares.

    Of ``arguments`` that begin with a command, only that one is imported; without them all are.
    """
    import typer

    app = typer.Typer(
        help="Walk regularisation paths of the Lasso.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
    )
    wanted = set(COMMANDS) if arguments is None else set(arguments[:1])
    for name, help_text in COMMANDS.items():
        if name in wanted:
            importlib.import_module(f"fwcore.cli.{name}").add(app, help_text)
        else:
            app.command(name, help=help_text)(_nothing)
    return app


def _nothing() -> None:
    """Stands for a command that is not called."""


def main() -> None:
    """Entry point."""
    cache.use_numba_folder()
    build_app(sys.argv[1:])()

"""What the commands share: exit codes, messages, errors, Ctrl-C, progress.

Exit codes: 0 done; 1 something failed; 2 bad input, before anything ran; 3 a step limit, or
divergence, ended a point; 130 interrupted, and what was reached was written.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from fwcore.cli import BAD_INPUT, FAILED, INTERRUPTED, STEP_LIMIT
from fwcore.errors import DatasetError, ParameterError
from fwcore.progress import Announce, progress_bar

__all__ = ["BAD_INPUT", "FAILED", "INTERRUPTED", "STEP_LIMIT"]

messages = Console(stderr=True)

# Options of more than one command.
DeltaMax = Annotated[
    float | None, typer.Option(help="End of the delta grid; found and cached if not given.")
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress line.")]


@contextmanager
def reporting_errors() -> Iterator[None]:
    try:
        yield
    except (ParameterError, DatasetError) as error:
        messages.print(f"[bold red]Error:[/] {escape(str(error))}", highlight=False, soft_wrap=True)
        raise typer.Exit(BAD_INPUT) from None


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; a second one interrupts as usual."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    previous = signal.getsignal(signal.SIGINT)

    def note(signum: int, frame: Any) -> None:
        event.set()
        signal.signal(signal.SIGINT, previous)

    signal.signal(signal.SIGINT, note)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def progress_line(quiet: bool) -> Iterator[Announce]:
    with progress_bar(messages, hidden=quiet or not sys.stderr.isatty()) as announce:
        yield announce


@contextmanager
def download_line(name: str) -> Iterator[Callable[[int, int | None], None]]:
    """Progress of the files of a dataset, a bar each."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=messages, disable=not sys.stderr.isatty(), transient=True
    ) as bar:
        task = bar.add_task(f"fetching {name}", total=None)

        def announce(done: int, total: int | None) -> None:
            bar.update(task, completed=done, total=total)

        yield announce

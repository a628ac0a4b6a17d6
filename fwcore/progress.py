"""A bar for what takes a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

Announce = Callable[[str, int, int], None]
"""Takes a text, how much is done, and how much there is in all."""


@contextmanager
def progress_bar(console: Console | None = None, *, hidden: bool = False) -> Iterator[Announce]:
    """A bar with an estimate of the time left: on ``console``, or where rich shows one, which in a
    notebook is the cell. It is gone when it has ended.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=hidden, transient=True) as bar:
        task = bar.add_task("loading", total=None)

        def announce(text: str, done: int, total: int) -> None:
            bar.update(task, description=text, completed=done, total=total)

        yield announce

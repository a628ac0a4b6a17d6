"""A bar for what takes a while."""

from __future__ import annotations

import html
import importlib.util
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

Announce = Callable[[str, int, int], None]
"""Takes a text, how much is done, and how much there is in all."""
_REDRAW = 0.1


@contextmanager
def progress_bar(console: Console | None = None, *, hidden: bool = False) -> Iterator[Announce]:
    """A bar with an estimate of the time left: on ``console``, or where rich shows one, which in a
    notebook is a widget in the cell. It is gone when it has ended.
    """
    from rich import get_console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    widgets = importlib.util.find_spec("ipywidgets") is not None
    if not (hidden or widgets) and (console or get_console()).is_jupyter:
        with _cell_bar() as announce:
            yield announce
        return
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


@contextmanager
def _cell_bar() -> Iterator[Announce]:
    """The bar of a notebook without ipywidgets, which rich needs there."""
    from IPython.display import HTML, display

    shown = display(HTML(""), display_id=True)
    begun = drawn = time.monotonic()

    def announce(text: str, done: int, total: int) -> None:
        nonlocal drawn
        now = time.monotonic()
        if now - drawn < _REDRAW:
            return
        drawn = now
        left = f", {(now - begun) * (total - done) / done:.0f} s left" if done else ""
        bar = f'<progress value="{done}" max="{total}"></progress>'
        shown.update(HTML(f"{html.escape(text)} {bar} {done}/{total}{left}"))

    try:
        yield announce
    finally:
        shown.update(HTML(""))

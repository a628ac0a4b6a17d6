"""``fwcore warmup``: compile every solver."""

from __future__ import annotations

import typer

from fwcore import warmup


def add(app: typer.Typer, help_text: str) -> None:
    """Add the command."""
    app.command("warmup", help=help_text)(_warmup)


def _warmup() -> None:
    for name in warmup.every_solver():
        print(f"ready: {name}")

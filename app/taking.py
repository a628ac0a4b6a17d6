"""Taking results away: what the page shows, made a file by a thread that no page waits for."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from app import commands, words
from app.export import FORMATS
from app.live.picture import Shown
from app.onscreen import on_screen
from app.tables import runs_table
from fwcore import DatasetError, ParameterError

if TYPE_CHECKING:
    from app.explorer import Explorer

_MOST_BYTES = 14_000_000
"""A message of the websocket holds not much more, and base64 takes a third."""


class Taking:
    """Commands that make files, for `app.commander.Commander`."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer

    def do_take(self, data: dict[str, Any]) -> None:
        """Make a file of the runs that are shown."""
        kind = commands.text(data, "format", 20)
        if kind not in FORMATS:
            raise ParameterError("format", "the page", f"one of {[*FORMATS]}", kind)
        shown = self._shown(kind)
        if not shown:
            rule = "asked for once a run was walked here: press Run"
            raise ParameterError("format", "the page", rule, kind)
        if self._explorer.making.busy:
            raise ParameterError("format", "the page", "asked for once the last is made", kind)
        make, told = self._maker(kind, shown), self._left_out()
        self._explorer.making.start(
            lambda: _file(kind, make()) | {"told": told},
            self._send,
            lambda text: self._send({"error": text}),
        )
        self._explorer.watch()

    def made(self, kind: str) -> bytes:
        """A file of the runs that are shown, for Python.

        Raises
        ------
        ParameterError
            There is no such format, or no run has reached a point.
        """
        if kind not in FORMATS:
            raise ParameterError.unknown("file", "Explorer.save", kind, FORMATS)
        shown = self._shown(kind)
        if not shown:
            raise ParameterError("file", "Explorer.save", "asked for once a run has a point", kind)
        return self._maker(kind, shown)()

    def _shown(self, kind: str) -> list[Shown]:
        """The runs that a file holds: those on screen, and of these the ones that are whole where
        the format needs them to be.
        """
        reached = [entry for entry in self._explorer.feed.shown() if entry.run.reached]
        return [entry for entry in reached if entry.run.exact or not FORMATS[kind].whole]

    def _left_out(self) -> str:
        """What a file lacks of what is on screen, in a sentence."""
        reached = [entry for entry in self._explorer.feed.shown() if entry.run.reached]
        recorded = [entry.name for entry in reached if not entry.run.exact]
        if not recorded:
            return ""
        return f"Recorded in short, without their points: {', '.join(recorded)}. Run walks them."

    def _maker(self, kind: str, shown: list[Shown]) -> Callable[[], bytes]:
        """What makes the file, of what the page shows now."""
        page, make = self._explorer, FORMATS[kind].make
        about, outlook = self._about(shown), page.feed.outlook
        pictures = partial(
            on_screen,
            outlook.pictures(),
            shown,
            outlook,
            point=page.feed.point,
            styles={entry.key: page.settings.find(entry.key).style for entry in shown},
        )
        return lambda: make(_results(shown), about, pictures)

    def _about(self, shown: list[Shown]) -> dict[str, Any]:
        """What a report says besides the results."""
        page = self._explorer
        table = runs_table(shown)
        experiment = page.session.experiment or page.settings.chosen()
        return {
            "headline": words.headline(experiment, [entry.run.solver.name for entry in shown]),
            "head": table["head"],
            "rows": table["rows"],
            "left_out": self._left_out(),
            "link": page.pages.link(),
        }

    def _send(self, file: dict[str, Any]) -> None:
        self._explorer.wire.once(file=file)


def _results(shown: list[Shown]) -> dict[str, Any]:
    """By name; a name that was given twice has the number of its run."""
    found: dict[str, Any] = {}
    for entry in shown:
        if not entry.run.exact:
            continue
        name = f"{entry.name} ({entry.key})" if entry.name in found else entry.name
        found[name] = entry.run.walk.result()
    return found


def _file(kind: str, content: bytes) -> dict[str, Any]:
    """The file as the page takes it."""
    name, mime = FORMATS[kind].name, FORMATS[kind].mime
    if len(content) > _MOST_BYTES:
        sizes = f"{len(content) // 2**20} MB, where {_MOST_BYTES // 2**20} can be sent"
        raise DatasetError(f"{name} has {sizes}. Hide some runs.")
    return {"name": name, "mime": mime, "data": base64.b64encode(content).decode()}

"""What the page does with saved runs, links and results to take away."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from app import commands, papers, server, shelf
from app.loading import load
from app.settings import MOST_RUNS
from fwcore import ParameterError

if TYPE_CHECKING:
    from app.explorer import Explorer

_LISTED = 50
_LONGEST_NOTE = 500
_MOST_LISTED = 10**6


class SavedRuns:
    """Commands about saved runs, for `app.commander.Commander`."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._asked: dict[str, Any] = {}

    @commands.heard(worth=commands.TURNS, saving=False)
    def do_return(self, data: dict[str, Any]) -> None:
        self._explorer.pages.come_back(commands.text(data, "token", 100))

    def do_share(self, data: dict[str, Any]) -> None:
        self._explorer.event("share", query=self._explorer.pages.link())

    def do_papers(self, data: dict[str, Any]) -> None:
        self._explorer.wire.put(papers=papers.listed())

    @commands.heard(worth=commands.TURNS)
    def do_paper(self, data: dict[str, Any]) -> None:
        """Turn to the settings of a preset."""
        name = commands.text(data, "name", 60)
        page = self._explorer
        page.begin_again(papers.settings_of(name, page.settings))
        page.event("turned", name=papers.view_of(name))

    def do_history(self, data: dict[str, Any]) -> None:
        self._asked = {
            "text": commands.text(data, "text", 200),
            "offset": commands.whole(data, "offset", 0, _MOST_LISTED),
        }
        self._list()

    def _list(self) -> None:
        history, owner = self._explorer.keeper.history, self._explorer.pages.owner
        asked = self._asked or {"text": "", "offset": 0}
        rows = history.find(owner, asked["text"], _LISTED + 1, asked["offset"])
        told = {"rows": rows[:_LISTED], "more": len(rows) > _LISTED, "all": history.count(owner)}
        self._explorer.wire.put(history=asked | told)

    def _uid(self, data: dict[str, Any]) -> str:
        return commands.text(data, "uid", 40)

    @commands.heard(worth=commands.TURNS)
    def do_show(self, data: dict[str, Any]) -> None:
        """Show a saved run beside the others; of other data, by their name too."""
        page = self._explorer
        found = load(page.keeper.history, page.pages.owner, self._uid(data))
        if found is None:
            raise ParameterError("uid", "the page", "that of a saved run", "another")
        experiment, name = found.experiment, found.name
        settings, before = page.settings, page.session.experiment
        if len(settings.runs) >= server.most_runs(MOST_RUNS):
            rule = "one of fewer: remove a run first"
            raise ParameterError("runs", "the page", rule, len(settings.runs) + 1)
        settings.choose(experiment.dataset)
        apart = before is not None and not experiment.alike(before)
        if apart and page.session.runs and found.kept is not None:
            title = shelf.find(experiment.dataset).title
            name = f"{name}, {title}"[: commands.LONGEST_NAME]
        page.offer()
        settings.loss = experiment.loss
        settings.param.update(
            split_seed=experiment.split_seed,
            test_fraction=experiment.test_fraction,
            points=experiment.points,
            delta_max=experiment.delta_max,
        )
        spec = settings.add(found.solver)
        spec.take(found.options, found.seed)
        spec.given_name = "" if name == spec.name else name
        settings.selected = spec.key
        if found.kept is None:
            page.refusal = f"{name} had not reached a point. Run walks it."
        else:
            page.session.show(experiment, spec, [found.kept], name)

    def do_note(self, data: dict[str, Any]) -> None:
        self._change(data, "note", commands.text(data, "text", _LONGEST_NOTE).strip())

    def do_keep(self, data: dict[str, Any]) -> None:
        self._change(data, "pinned", int(data.get("pinned") is True))

    def do_delete(self, data: dict[str, Any]) -> None:
        self._change(data, "deleted", int(data.get("deleted") is not False))

    def _change(self, data: dict[str, Any], name: str, value: Any) -> None:
        history = self._explorer.keeper.history
        try:
            history.change(self._explorer.pages.owner, self._uid(data), name, value)
        except sqlite3.Error:
            raise ParameterError("run", "the page", history.trouble, name) from None
        self._list()

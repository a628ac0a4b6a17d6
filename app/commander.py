"""The commands of the page, one method each."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app import commands, outlook, server
from app.controls.fields import take
from app.controls.problem import certified_answer
from app.controls.run import take_run
from app.downloads import download
from app.runs import RunState
from app.settings import MOST_RUNS
from fwcore import ParameterError

if TYPE_CHECKING:
    from app.explorer import Explorer

_CERTIFIED = 1e-6
_MOST = 2**31
_REPEAT_AFTER_SECONDS = 0.25


class Commander:
    """Obeys messages of the form ``{"do": name, ...}``."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._settings, self._session = explorer.settings, explorer.session
        self._feed = explorer.feed
        self._known: dict[str, Callable[[dict[str, Any]], None]] = {
            name[3:]: getattr(part, name)
            for part in (self, *explorer.parts)
            for name in dir(part)
            if name.startswith("do_")
        }
        self._repeated_at = 0.0

    def manner(self, data: Any) -> commands.Manner:
        """How a message is heard."""
        return getattr(self._method(data), "manner", commands.Manner())

    def _method(self, data: Any) -> Callable[[dict[str, Any]], None] | None:
        name = data.get("do") if isinstance(data, dict) else None
        return self._known.get(name) if isinstance(name, str) else None

    def obey(self, data: Any) -> None:
        """Do what a message asks for.

        Raises
        ------
        ParameterError
            The message is none, or what it asks for does not fit.
        DatasetError
            Files are not at hand.
        """
        method = self._method(data)
        if method is None:
            name = data.get("do") if isinstance(data, dict) else None
            raise ParameterError("do", "the page", f"one of {[*self._known]}", str(name)[:40])
        method(data)

    def _key(self, data: dict[str, Any]) -> int:
        return self._settings.find(commands.whole(data, "run", 1, _MOST)).key

    def _key_or_all(self, data: dict[str, Any]) -> int | None:
        return None if data.get("run") is None else self._key(data)

    # Runs that walk.

    def do_run(self, data: dict[str, Any]) -> None:
        self._start(paused=False)

    def _start(self, *, paused: bool) -> None:
        self._explorer.faults.check({spec.key for spec in self._settings.runs})
        experiment = self._settings.experiment()
        pace = self._explorer.pace
        self._session.start(experiment, self._settings.runs, pace, paused=paused)
        self._feed.point = -1

    def do_pause(self, data: dict[str, Any]) -> None:
        self._session.pause(self._key_or_all(data))

    def do_resume(self, data: dict[str, Any]) -> None:
        self._session.resume(self._key_or_all(data))

    def do_step(self, data: dict[str, Any]) -> None:
        if self._session.live:
            self._session.step(self._key_or_all(data))
        else:
            self._start(paused=True)

    def do_stop(self, data: dict[str, Any]) -> None:
        self._session.stop(self._key_or_all(data))

    def do_reset(self, data: dict[str, Any]) -> None:
        self._session.clear()
        self._explorer.faults.clear()

    def do_recall(self, data: dict[str, Any]) -> None:
        if not self._session.recall({spec.key for spec in self._settings.runs}):
            raise ParameterError("results", "the page", "forgotten, and none in their place", 0)

    def do_pace(self, data: dict[str, Any]) -> None:
        self._explorer.set_pace(commands.pace(data), data["unit"])

    # The list of runs.

    def do_add(self, data: dict[str, Any]) -> None:
        spec = self._settings.add(commands.text(data, "solver"))
        self._settings.selected = spec.key

    def do_certify(self, data: dict[str, Any]) -> None:
        """Add a solver whose every point is certified, at a tolerance that others are measured
        against.
        """
        name = certified_answer(self._settings)
        if not name:
            rule = "without a certified answer, of a form that has one"
            raise ParameterError("runs", "the page", rule, len(self._settings.runs))
        spec = self._settings.add(name)
        spec.options.param.update(rule="gap", tol=_CERTIFIED)
        spec.given_name = "certified"
        self._settings.selected = spec.key

    def do_duplicate(self, data: dict[str, Any]) -> None:
        spec = self._settings.find(self._key(data))
        self._settings.selected = self._settings.add(spec.solver, beside=spec).key

    def do_remove(self, data: dict[str, Any]) -> None:
        key = self._key(data)
        self._settings.remove(key)
        self._explorer.faults.forget(key)
        self._session.set_aside(key)

    def do_restore(self, data: dict[str, Any]) -> None:
        spec = self._settings.restore()
        if spec is None:
            raise ParameterError("runs", "the page", f"at most {MOST_RUNS}, one of them removed", 0)
        self._session.bring_back(spec.key)
        self._settings.selected = spec.key

    def do_move(self, data: dict[str, Any]) -> None:
        self._settings.move(self._key(data), commands.whole(data, "to", 0, MOST_RUNS))

    def do_select(self, data: dict[str, Any]) -> None:
        self._settings.selected = self._key(data)

    def do_hide(self, data: dict[str, Any]) -> None:
        spec = self._settings.find(self._key(data))
        spec.hidden = not spec.hidden

    def do_pin(self, data: dict[str, Any]) -> None:
        key = self._key(data)
        for spec in self._settings.runs:
            spec.pinned = spec.key == key and not spec.pinned

    def do_rename(self, data: dict[str, Any]) -> None:
        name = commands.text(data, "name", commands.LONGEST_NAME)
        self._settings.find(self._key(data)).call(name)

    def do_code(self, data: dict[str, Any]) -> None:
        spec = self._settings.find(self._key(data))
        run = self._session.runs.get(spec.key)
        walked = run is not None and run.state is RunState.DONE
        if run is None or not walked or self._session.changed(spec, self._settings.chosen()):
            rule = "walked to its end, and not changed since, before its code is copied"
            raise ParameterError("run", "the page", rule, self._feed.name(spec))
        made = run.walk.result()
        try:
            shell = made.to_command()
        except ValueError:
            # No flags describe arrays, or a grid of one's own.
            shell = ""
        digest = made.digest() if run.exact else ""
        code = {"python": made.to_code(), "shell": shell, "digest": digest}
        count = len(self._session.group(spec.key))
        which = f", the first of {count} seeds" if count > 1 else ""
        self._explorer.event("code", of=f"{self._feed.name(spec)}{which}", **code)

    # Settings.

    def do_set(self, data: dict[str, Any]) -> None:
        name, value = commands.text(data, "name"), commands.text(data, "value")
        if data.get("run") is not None:
            take_run(self._settings.find(self._key(data)), self._settings, name, value)
        elif name == "dataset":
            self._settings.choose(value)
            self._explorer.faults.clear()
        else:
            take(self._settings, name, value)
        self._explorer.faults.mend(data)

    def do_fetch(self, data: dict[str, Any]) -> None:
        if server.public():
            rule = "at hand: a public server downloads nothing"
            raise ParameterError("dataset", "the page", rule, self._settings.dataset)
        self._explorer.download = download(self._settings.dataset)
        self._explorer.watch()

    # What is looked at.

    def do_look(self, data: dict[str, Any]) -> None:
        names = commands.names(data, "pictures")
        seen = outlook.read(data) if "view" in data else None
        self._feed.look_at(names, data.get("table") is True, seen)

    @commands.heard(saving=False)
    def do_point(self, data: dict[str, Any]) -> None:
        self._feed.point = commands.whole(data, "point", -1, _MOST)

    @commands.heard(saving=False)
    def do_lost(self, data: dict[str, Any]) -> None:
        # A page asks at most about three times a second; who asks more often waits.
        if time.monotonic() - self._repeated_at > _REPEAT_AFTER_SECONDS:
            self._repeated_at = time.monotonic()
            self._explorer.drain.repeat()

"""Saves runs while they go on: once a second, by a thread that no page waits for."""

from __future__ import annotations

import contextlib
import functools
import json
import logging
import sqlite3
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from app import server, shelf
from app.history import LIVE, History, folder
from app.kept import facts_of
from app.live.features import TopFeatures
from app.packing import packed, packed_state
from app.runs import Run, RunState
from app.scheduler import be_nice
from app.settings import Experiment

_log = logging.getLogger(__name__)
_EVERY_SECONDS = 1.0
_ASKED_SECONDS = 0.05
"""In which runs come to the end of a chunk."""
_NAMES = 300
"""Features of the last point whose names are kept, the largest first."""
_NEVER = float("inf")
_MOST_STATE = 64 << 20
_SHARE_OF_STATES = 0.05
_STATES_SECONDS = 0.05
"""Bytes of a state that is saved; the share of time that is spent on saving states, and about how
much at once, so that no click waits for the states of ten runs.
"""


@dataclass
class _Followed:
    """A run that is being saved, and how far."""

    run: Run
    owner: str
    name: str
    experiment: Experiment
    title: str
    created: float = field(default_factory=time.time)
    points: int = 0
    chunks: int = 0
    piece: int = 0
    listed: bool = False
    state_at: float = 0.0
    state_took: float = 0.005
    features: TopFeatures = field(default_factory=TopFeatures)
    facts: dict[str, Any] = field(default_factory=dict)


class Keeper:
    """Follows runs, and saves what they have reached."""

    def __init__(self, history: History) -> None:
        self.history = history
        self._followed: dict[str, _Followed] = {}
        self._pages: dict[str, tuple[str, Mapping[str, Any]]] = {}
        self._lock, self._saving = threading.Lock(), threading.Lock()
        self._thread: threading.Thread | None = None
        self._states_after = self._states_took = 0.0

    def follow(self, run: Run, owner: str, name: str, experiment: Experiment) -> None:
        """Save a run from its start to its end."""
        # Data that were brought may be gone when the run ends.
        title = shelf.find(experiment.dataset).title
        with self._lock:
            if run.uid in self._followed:
                run.rename()
            self._followed[run.uid] = _Followed(run, owner, name, experiment, title)
        self._begin()

    def keep_page(self, token: str, owner: str, shown: Mapping[str, Any]) -> None:
        """Save what a page shows, with the next turn."""
        with self._lock:
            self._pages[token] = owner, shown
        self._begin()

    def page(self, token: str, owner: str) -> dict[str, Any] | None:
        """What a page showed, whether that was saved yet or not; None where it is not known."""
        with self._lock:
            whose, shown = self._pages.get(token, (None, {}))
        if whose == owner:
            known: dict[str, Any] = json.loads(json.dumps(shown))
            return known
        return self.history.page(token, owner)

    def _begin(self) -> None:
        with self._lock:
            if self._thread is None:
                name = "fwcore-keeper"
                self._thread = threading.Thread(target=self._go_on, name=name, daemon=True)
                self._thread.start()

    def _go_on(self) -> None:
        """Save until nothing is left to be saved: a notebook that closes its pages keeps no
        thread.
        """
        be_nice()
        while True:
            begun = time.monotonic()
            self.ask()
            time.sleep(_ASKED_SECONDS)
            self.save()
            time.sleep(max(0.05, _EVERY_SECONDS - (time.monotonic() - begun)))
            with self._lock:
                if not self._followed and not self._pages:
                    self._thread = None
                    return

    def ask(self) -> None:
        """Have runs hold their states after their present chunks, to be saved next, those first
        that were saved last the longest ago. Large states take long: they are asked for less often,
        and of fewer runs at once, so that no more than a share of the time goes to them.
        """
        due = self.history.lasting and time.monotonic() >= self._states_after
        with self._lock:
            followed = sorted(self._followed.values(), key=lambda one: one.state_at)
        room = _STATES_SECONDS if due else 0.0
        for one in followed:
            one.run.holds = room > 0.0 and one.state_at < _NEVER
            if one.run.holds and one.run.walk is not None:
                # States name it: known already, no step waits for it.
                _ = one.run.walk.problem.content_hash
            room -= one.state_took

    def save(self) -> None:
        """Save what is new; what cannot be saved is tried again."""
        # Of two at once each would take pieces of a run for its own.
        with self._saving:
            self._save_all()

    def _save_all(self) -> None:
        with self._lock:
            followed, pages = [*self._followed.values()], [*self._pages.items()]
        self._states_took = 0.0
        # `History.trouble` says what it was.
        with contextlib.suppress(sqlite3.Error):
            quiet = [one.run.uid for one in followed if not self._saved(one)]
            if quiet:
                self.history.beat(quiet)
            if self._states_took:
                now = time.monotonic()
                self._states_after = now + self._states_took / _SHARE_OF_STATES - _EVERY_SECONDS
            for token, shown in pages:
                self.history.keep_page(token, *shown)
                with self._lock:
                    # It may show something else by now.
                    if self._pages.get(token) is shown:
                        del self._pages[token]

    def _saved(self, one: _Followed) -> bool:
        """As `_save`; a run of which something is not as it should be is let go, and told of
        once.
        """
        try:
            return self._save(one)
        except sqlite3.Error:
            raise
        except Exception:
            _log.exception("%s cannot be saved", one.name)
            self._leave(one)
            return True

    def _save(self, one: _Followed) -> bool:
        """Save one run; whether there was anything to be saved."""
        run = one.run
        over = run.state.over
        # First the state: what is saved of the path may be later.
        state = None if over else self._state(one)
        reached = run.reached
        if not reached and not run.known and self._announced(one, over):
            return True
        if over and (not reached or (reached <= run.known and run.state is not RunState.DONE)):
            self._leave(one)
            return True
        if over and run.turning:
            return False
        # What was saved before stays until it has been overtaken.
        if not over and not run.overtakes:
            return False
        if not over and reached == one.points and (state is None or one.facts):
            if state is not None:
                self.history.hold(run.uid, state)
            return state is not None
        chunks = [rows for rows in run.walk.chunks[one.chunks :] if rows["point"][0] < reached]
        piece = packed(run.walk, one.points, reached, chunks)
        one.features.follow(run.walk.columns, reached)
        whole = run.known > 0 and one.piece == 0
        if whole and self._walked_on(one):
            run.rename()
            whole = False
        row = self._row(one, over, reached)
        self.history.add(run.uid, row, {one.piece: piece}, whole=whole, state=state)
        one.points, one.piece = reached, one.piece + 1
        one.chunks += len(chunks)
        if over:
            self._leave(one)
        return True

    def _state(self, one: _Followed) -> bytes | None:
        """The state of a run, if there is a new one."""
        run, begun = one.run, time.monotonic()
        held, run.held = run.held, None
        if held is None:
            return None
        if len(held.state) > _MOST_STATE:
            # It will be no smaller: the steps need not stop for it again.
            one.state_at = _NEVER
            return None
        state = packed_state(run.walk, held)
        one.state_at = time.monotonic()
        one.state_took = one.state_at - begun
        self._states_took += one.state_took
        return state

    def _announced(self, one: _Followed, over: bool) -> bool:
        """List a run that has no point yet, so that it is not lost if the server ends before its
        first; whether there was anything to be done.
        """
        if not self.history.lasting:
            # In memory it would take the place of one that has points.
            return False
        run, goes_on = one.run, one.run.before is not None
        if over != one.listed:
            return False
        if over:
            # What was saved of one that was interrupted stays.
            if not goes_on:
                self.history.remove(run.uid)
            self._leave(one)
            return True
        if goes_on and not self._walked_on(one):
            self.history.beat([run.uid])
        else:
            if goes_on:
                run.rename()
            facts = self._facts_of(one) | {"experiment": asdict(one.experiment)}
            figures = {"dots": 0, "active": 0, "error": None, "digest": ""}
            row = {"reached": 0, "total": one.experiment.points, "status": LIVE}
            self.history.add(run.uid, self._told(one, figures, facts) | row, {})
        one.listed = True
        return True

    @staticmethod
    def _facts_of(one: _Followed) -> dict[str, Any]:
        """What is known of a run before it has begun."""
        run = one.run
        return {"solver": run.solver.name, "settings": run.options, "seed": run.seed}

    @staticmethod
    def _told(one: _Followed, figures: dict[str, Any], facts: dict[str, Any]) -> dict[str, Any]:
        """The part of a row that any run has."""
        return {
            "owner": one.owner,
            "created": one.created,
            "name": one.name,
            "title": one.title,
            "solver": one.run.solver.name,
            "figures": json.dumps(figures),
            "facts": json.dumps(facts, default=float),
        }

    def _walked_on(self, one: _Followed) -> bool:
        """Whether somebody else has walked an interrupted run on meanwhile, or removed it."""
        stored = self.history.facts(one.owner, one.run.uid)
        return stored is None or stored["reached"] != one.run.known or stored["status"] == LIVE

    def _leave(self, one: _Followed) -> None:
        with self._lock:
            # Its name may have changed since.
            self._followed = {uid: o for uid, o in self._followed.items() if o is not one}

    def _row(self, one: _Followed, over: bool, reached: int) -> dict[str, Any]:
        run, walk = one.run, one.run.walk
        if over or not one.facts:
            # It is long in the making once there are many steps.
            one.facts |= facts_of(walk.result())
        one.features.choose()
        points, last = walk.points[:reached], []
        if reached:
            indices, values = walk.columns[reached - 1]
            last = [int(j) for j in indices[np.argsort(-np.abs(values))[:_NAMES]]]
        errors = points["test_error"]
        facts = one.facts | {
            "experiment": asdict(one.experiment),
            "p": walk.problem.p,
            "names": {int(j): run.feature_name(int(j)) for j in {*one.features.indices, *last}},
            "content": walk.problem.content_hash,
        }
        figures = {
            "dots": int(points["dots"][-1]) if reached else 0,
            "active": int(points["nnz"][-1]) if reached else 0,
            "error": float(np.nanmin(errors)) if np.isfinite(errors).any() else None,
            "digest": walk.result().digest()[:12] if over else "",
        }
        row = {"status": run.state.value if over else LIVE, "reached": reached, "total": run.total}
        return self._told(one, figures, facts) | row


@functools.cache
def the_keeper() -> Keeper:
    """The keeper of this server."""
    if server.public():
        return Keeper(History(None, most=server.MOST_RUNS_KEPT))
    history = History(folder() / "runs.sqlite")
    # `History.trouble` says what it was.
    with contextlib.suppress(sqlite3.Error):
        history.sweep()
    return Keeper(history)

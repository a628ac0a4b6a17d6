"""Pages that are open or were: one that is loaded again shows what it showed, runs that go on
included.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias
from weakref import WeakValueDictionary

from app import address, own_files, server
from app.links import document, read_link, restored, to_link
from app.loading import load
from app.outlook import Outlook, as_known
from app.pace import FIRST_PACE, Pace
from app.settings import Experiment, Settings
from fwcore import DatasetError, ParameterError

if TYPE_CHECKING:
    from app.explorer import Explorer

_OPEN: WeakValueDictionary[str, Explorer] = WeakValueDictionary()
"""The pages that are open, by the token that each alone knows."""


_Shown: TypeAlias = tuple[Sequence[Any], str, Experiment | None]
"""A run with its repeats, its name and its problem."""


@dataclass(frozen=True)
class _Seen:
    """What a page shows, for another to show it again; ``runs`` are those of the settings."""

    settings: Settings
    look: Outlook
    lesson: Any
    experiment: Experiment | None
    runs: Sequence[_Shown]


def count() -> int:
    """Pages that are open."""
    return len(_OPEN)


class Pages:
    """What a page needs to be found again."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self.token = secrets.token_urlsafe(16)
        self.asked = Outlook()
        """How the link that was opened looks at its runs."""

    @property
    def outlook(self) -> Outlook:
        """How the page looks at its runs, the pace included where it was changed."""
        unit, rate = self._explorer.pace_told
        changed = [unit, rate] != [FIRST_PACE.unit, FIRST_PACE.rate]
        look: Outlook = self._explorer.feed.outlook
        return replace(look, pace=(unit, rate) if changed else None)

    def turn(self, outlook: Outlook) -> None:
        """Have the page look as its link says, or as the one that it stands for did."""
        page = self._explorer
        page.feed.outlook = outlook
        if outlook.pace is not None:
            unit, rate = outlook.pace
            page.set_pace(None if rate is None else Pace(unit, rate), unit)
        if outlook != Outlook():
            told = {"view": outlook.view, "axes": outlook.axes, "large": outlook.large}
            page.event("outlook", **told)

    def link(self) -> str:
        """The query of an address that shows the settings elsewhere; nothing for data of one's own,
        which others have not.
        """
        settings = self._explorer.settings
        if settings.dataset in {own.name for own in settings.own}:
            return ""
        return f"?s={to_link(settings, self.outlook)}"

    def asked_for(self) -> Settings:
        """The settings of the link that was opened, or those that a page begins with."""
        asked = address.asked("s")
        if asked:
            try:
                settings, self.asked = read_link(asked)
                return settings
            except (ParameterError, DatasetError, ValueError) as error:
                self._explorer.refusal = str(error)
        return Settings()

    @property
    def owner(self) -> str:
        """Whose runs the page saves and finds: on a public server its own alone."""
        return self.token if server.public() else ""

    def enter(self, token: str) -> None:
        """Be found under a token from now on, and under no other."""
        self.leave()
        self.token = token
        _OPEN[token] = self._explorer

    def leave(self) -> None:
        """Be found no more."""
        if _OPEN.get(self.token) is self._explorer:
            del _OPEN[self.token]

    def renew(self) -> None:
        """Be found under another token: this one went to a page that was made of this one, by a
        reload, or in a tab that was duplicated.
        """
        self.leave()
        self.enter(secrets.token_urlsafe(16))
        self._explorer.wire.put(token=self.token)
        self._explorer.wire.send()

    def keep(self) -> None:
        """Save what the page shows, where its data can be found again."""
        page = self._explorer
        experiment = page.session.experiment
        lost = {own.name for own in page.settings.own if not own_files.kept(own.name)}
        if page.settings.dataset in lost or (experiment and experiment.dataset in lost):
            return
        groups = [page.session.group(spec.key) for spec in page.settings.runs]
        shown = {
            "document": document(page.settings),
            "experiment": None if experiment is None else asdict(experiment),
            "uids": [[run.uid for run in group] for group in groups],
            "experiments": [
                asdict(found) if (found := page.session.experiments.get(spec.key)) else None
                for spec in page.settings.runs
            ],
            "lesson": page.teaching.at,
            "look": self.outlook.document(),
        }
        page.keeper.keep_page(self.token, self.owner, shown)

    def come_back(self, token: str) -> None:
        """Show what the page of a token showed: its settings, and its runs."""
        page, other = self._explorer, _OPEN.get(token)
        if other is page:
            return
        seen = _of_open(other) if other is not None else self._of_store(token)
        if seen is None:
            return
        page.begin_again(seen.settings)
        page.teaching.resume(seen.lesson)
        page.set_pace(FIRST_PACE)
        self.turn(seen.look)
        for spec, (group, name, experiment) in zip(seen.settings.runs, seen.runs, strict=True):
            if group and experiment is not None:
                page.session.show(experiment, spec, group, name)
        page.session.experiment = seen.experiment
        # In public a token is also whose the saved runs are, and both tabs are the same visitor's.
        if other is not None and not server.public():
            other.pages.renew()
        self.enter(token)
        page.wire.put(token=token)
        page.drain.start()

    def _of_store(self, token: str) -> _Seen | None:
        """What a page showed that is open no more."""
        page, owner = self._explorer, token if server.public() else ""
        held = page.keeper.page(token, owner)
        if held is None:
            return None
        look = as_known(held.get("look", {}))
        settings = restored(held["document"], page.settings)
        first = held["experiment"]
        # Before runs of several grids could stand side by side there was one for all.
        own = held.get("experiments") or [first] * len(held["uids"])
        runs = [
            self._saved(uids, owner, made_of)
            for uids, made_of in zip(held["uids"], own, strict=True)
        ]
        experiment = None if first is None else Experiment(**first)
        return _Seen(settings, look, held.get("lesson"), experiment, runs)

    def _saved(self, uids: Sequence[str], owner: str, made_of: Any) -> _Shown:
        """A run with its repeats, its name and its problem."""
        history = self._explorer.keeper.history
        found = [*filter(None, (load(history, owner, uid) for uid in uids))]
        group = [saved.kept for saved in found if saved.kept is not None]
        name = next((saved.name for saved in found), "")
        return group, name, None if made_of is None else Experiment(**made_of)


def _of_open(other: Explorer) -> _Seen:
    """What an open page shows."""
    session, specs = other.session, other.settings.runs
    return _Seen(
        settings=restored(document(other.settings), other.settings),
        look=other.pages.outlook,
        lesson=other.teaching.at,
        experiment=session.experiment,
        runs=[
            (session.group(s.key), session.names.get(s.key, ""), session.experiments.get(s.key))
            for s in specs
        ],
    )

"""What the page shows of the runs: their rows in the sources, and what is said of them."""

from __future__ import annotations

import logging
import time
from collections import ChainMap
from collections.abc import Callable
from functools import partial
from typing import Any

from app import shelf
from app.live import all_pictures
from app.live.computed import Computation
from app.live.features import TopFeatures
from app.live.picture import Picture, Shown, kin_of, leader
from app.live.reference import measures_of, reference_of
from app.live.sources import RunSources
from app.live.spread import reached_by_all, spread
from app.outlook import Outlook
from app.run_spec import RunSpec, times
from app.runs import Run
from app.scheduler import Job
from app.session import Session
from app.settings import Experiment, Settings
from app.tables import points_table, printed_table, runs_table
from app.wire import Wire

_CHOOSE_EVERY_SECONDS = 1.0
_log = logging.getLogger(__name__)


class Feed:
    """Sends what is new of all runs of the list that are not hidden.

    Pictures that nobody looks at are not fed; one that is opened is sent what it missed.
    """

    def __init__(
        self, wire: Wire, settings: Settings, session: Session, submit: Callable[[Job], None]
    ) -> None:
        self._wire, self._settings, self._session = wire, settings, session
        self._submit = submit
        self._sources: dict[int, RunSources] = {}
        self.open: tuple[str, ...] = ()
        """Names of the pictures that somebody looks at."""
        self.table = False
        self.lead: int | None = None
        """Key of the run that is selected."""
        self._led: int | None = None
        self.outlook = Outlook()
        self.point = -1
        """The point under the cursor, of the lead."""
        self._features, self._chosen_at = TopFeatures(), 0.0
        self._features_of: Run | None = None
        self._names_drawn: dict[int, str] = {}
        self._experiments_drawn: dict[int, Experiment] = {}
        self._computing: dict[tuple[int, str], Computation] = {}
        self._held: dict[tuple[int, str], tuple[Any, ...]] = {}
        self._silent: set[str] = set()
        """Pictures whose words have failed, which is told once."""

    def shown(self) -> list[Shown]:
        """The runs to be drawn, in the order of the list."""
        runs, experiment = self._standing(), self._session.experiment
        if experiment is None:
            return []
        specs = [s for s in self._settings.runs if s.key in runs and not s.hidden]
        self._led = self._leader([s.key for s in specs if runs[s.key].reached])
        made_of = {s.key: self._made_of(s.key, runs[s.key], experiment) for s in specs}
        led = made_of.get(self._led, experiment) if self._led is not None else experiment
        return [
            Shown(
                spec.key,
                self._called(spec, runs[spec.key]),
                runs[spec.key],
                lead=spec.key == self._led,
                pinned=spec.pinned,
                kin=made_of[spec.key].alike(led),
                relevant=shelf.relevant_columns(made_of[spec.key].dataset),
                surely=bool(shelf.find(made_of[spec.key].dataset).relevant),
                scaled=shelf.is_scaled(made_of[spec.key].dataset),
                planned=getattr(getattr(spec.options, "sampling", None), "text", ""),
                group=self._group(spec.key, runs[spec.key]),
            )
            for spec in specs
        ]

    def _made_of(self, key: int, run: Run, experiment: Experiment) -> Experiment:
        """What a run that is drawn was walked over; one that stands for another keeps its own."""
        if run is self._session.runs[key]:
            self._experiments_drawn[key] = self._session.experiments.get(key, experiment)
        return self._experiments_drawn.get(key, experiment)

    def experiment_of(self, key: int | None) -> Experiment | None:
        """The problem of what is drawn of an entry, also while that stands for another run; of one
        that was not run, the last that was shown.
        """
        if key is not None and self._standing().get(key) is not self._session.runs.get(key):
            return self._experiments_drawn.get(key)
        return self._session.experiment_of(key)

    def _group(self, key: int, run: Run) -> tuple[Run, ...]:
        """A run and its repeats; one that stands for another has none any more."""
        return (*self._session.group(key),) if run is self._session.runs[key] else (run,)

    def _leader(self, reached: list[int]) -> int | None:
        """The run whose features and points the pictures show: the selected one, or while that has
        no point the one that was shown before it.
        """
        if self.lead in reached or not reached:
            return self.lead
        return self._led if self._led in reached else reached[0]

    def _called(self, spec: RunSpec, run: Run) -> str:
        """The name of a run that is drawn; one that stands for another keeps its own."""
        if run is self._session.runs[spec.key]:
            self._names_drawn[spec.key] = self.name(spec)
        return self._names_drawn.get(spec.key) or self.name(spec)

    def name(self, spec: RunSpec) -> str:
        """What a run is called where its data are shown, whatever has been set since; of those
        with the same name all but the oldest have a number.
        """
        name = self._plain(spec)
        known = (s.key for s in self._settings.runs if self._plain(s) == name)
        return name if spec.key == min(known, default=spec.key) else f"{name} ({spec.key})"

    def listed(self, spec: RunSpec) -> str:
        """What a run is called in the list, with the number that tells it apart."""
        name = self.name(spec)
        return name if name.startswith(f"{spec.name} (") else spec.name

    def _plain(self, spec: RunSpec) -> str:
        if spec.given_name:
            return spec.given_name + times(len(self._session.group(spec.key)) or spec.repeats)
        return self._session.names.get(spec.key) or spec.name

    def look_at(
        self, pictures: tuple[str, ...], table: bool, outlook: Outlook | None = None
    ) -> None:
        """Feed these pictures from now on, and the table; ``outlook``: looked at in another way."""
        self.outlook = outlook or self.outlook
        known = tuple(picture.name for picture in all_pictures() if picture.name in pictures)
        if not self._names(known) <= self._names(self.open):
            self.resend()
        self.open, self.table = known, table

    @staticmethod
    def _names(pictures: tuple[str, ...]) -> set[str]:
        """The sources of pictures."""
        opened = [picture.sources for picture in all_pictures() if picture.name in pictures]
        return set().union(*opened)

    def resend(self) -> None:
        """Send everything again at the next tick."""
        self._held.clear()
        for sources in self._sources.values():
            sources.resend()

    def tick(self) -> None:
        """Send what is new of all runs."""
        shown = self.shown()
        self._wire.put(lead=self._led)
        self._follow(shown)
        changed = self._choose_features(shown)
        names = self._names(self.open)
        reference = reference_of(shown)
        entries = {entry.key: entry for entry in shown}
        for key, sources in self._sources.items():
            features, beside = measures_of(entries[key], self._features, reference)
            sources.tick(names, features, changed, beside)
            if self._wire.state.get(f"stop:{key}") is None and sources.run.walk is not None:
                rule, tol = sources.run.stopping or ("", None)
                # Another rule bounds moves: its threshold is none of a gap.
                if rule == "gap":
                    self._wire.put(**{f"stop:{key}": tol})
        self._send_at_cursor(shown)
        if "spread" in names:
            self._send_spread(shown, reference)

    def _send_spread(self, shown: list[Shown], reference: Run | None) -> None:
        """The quartiles of the repeats, where a point more was reached by all."""
        for entry in shown:
            _, beside = measures_of(entry, self._features, reference)
            at, known = (reached_by_all(entry.runs), entry.run, beside), (entry.key, "spread")
            if len(entry.runs) > 1 and at[0] and self._held.get(known) != at:
                self._held[known] = at
                self._wire.rows(entry.key, "spread", spread(entry.runs, beside), replace=True)

    def _standing(self) -> dict[int, Run]:
        """The runs by key: those that are drawn stand for those that take their place, until one of
        these has made a step.
        """
        runs = dict(self._session.runs)
        drawn = {key: source.run for key, source in self._sources.items() if key in runs}
        old = {key: run for key, run in drawn.items() if run is not runs[key]}
        waits = all(runs[key].latest is None and not runs[key].state.over for key in old)
        return runs | old if waits else runs

    def _follow(self, shown: list[Shown]) -> None:
        """Turn to the runs that are shown now; what was shown of others goes."""
        runs = {entry.key: entry.run for entry in shown}
        for key in [k for k, s in self._sources.items() if runs.get(k) is not s.run]:
            del self._sources[key]
            self._wire.rows(key, "*", {}, replace=True)
            self._held = {held: at for held, at in self._held.items() if held[0] != key}
            self._wire.put(**{f"stop:{key}": None})
        for key, run in runs.items():
            if key not in self._sources:
                send = partial(self._wire.rows, key)
                self._sources[key] = RunSources(run, send)

    def _choose_features(self, shown: list[Shown]) -> bool:
        """Which coefficients to draw; a change sends all paths again, so while a run goes on there
        is at most one a second.
        """
        walked = [entry for entry in shown if entry.run.reached]
        lead = next((entry.run for entry in walked if entry.lead), None)
        # Whichever run has points, while the selected one waits for its problem.
        lead = lead or next((entry.run for entry in walked), None)
        if self._features_of is not lead:
            # Those of another problem may have no column here.
            self._features, self._chosen_at, self._features_of = TopFeatures(), 0.0, lead
        if lead is None:
            return False
        self._features.follow(lead.walk.columns, lead.reached)
        now = time.monotonic()
        if not lead.state.over and now - self._chosen_at < _CHOOSE_EVERY_SECONDS:
            return False
        if not self._features.choose():
            return False
        self._chosen_at = now
        return True

    @property
    def busy(self) -> bool:
        """Whether something is still computed."""
        return bool(self._computing)

    def _send_at_cursor(self, shown: list[Shown]) -> None:
        """What belongs to the point under the cursor: send what has been computed, and have
        computed what is of another point by now.
        """
        for job in [job for job in self._computing.values() if job.over]:
            del self._computing[job.key, job.source]
            if job.columns is not None and job.key in self._sources:
                self._wire.rows(job.key, job.source, job.columns, replace=True)
        reached = tuple((entry.key, entry.run.reached) for entry in shown)
        lead = leader(shown)
        opened = [picture for picture in all_pictures() if picture.name in self.open]
        patient = frozenset[str]().union(*(picture.patient for picture in opened))
        sights = ((picture, self.outlook.sight(picture, self.point)) for picture in opened)
        computed = ChainMap(*(picture.computes(sight) for picture, sight in sights))
        for source, compute in dict(computed).items():
            for entry in shown:
                at = (self.point, self._led, reached, entry.run, entry.planned, entry.kin)
                known = (entry.key, source)
                if lead is None or self._held.get(known) == at or known in self._computing:
                    continue
                self._held[known] = at
                self._computing[known] = job = Computation(
                    source, compute, (entry, lead, self.point), urgent=source not in patient
                )
                self._submit(job)

    def say(self) -> None:
        """Give the open pictures their titles and captions."""
        shown = [entry for entry in self.shown() if entry.run.reached]
        for picture in all_pictures():
            if picture.name in self.open:
                title, caption = self._said(picture, shown)
                self._wire.put(
                    **{f"title:{picture.name}": title, f"caption:{picture.name}": caption}
                )
        if self.table:
            self._wire.put(
                table=runs_table(kin_of(shown)),
                points=points_table(shown),
                printed=self._printed([entry for entry in shown if entry.run.ended]),
            )

    def _said(self, picture: Picture, shown: list[Shown]) -> tuple[str, list[list[str]]]:
        """The title and the caption of a picture; one that fails says nothing, and the others go
        on.
        """
        try:
            said = [[entry.name, picture.describe(entry.run)] for entry in shown]
            found = picture.finding_at(kin_of(shown), self.outlook.sight(picture, self.point))
            return found, [[name, text] for name, text in said if text]
        except Exception:
            if picture.name not in self._silent:
                self._silent.add(picture.name)
                _log.exception("The picture %s says nothing", picture.name)
            return "", []

    def _printed(self, ended: list[Shown]) -> dict[str, Any]:
        """What a paper printed, beside the runs that are as there."""
        printed, session = self._settings.printed, self._session
        if printed is None:
            return printed_table([], [])
        alike = {
            entry.key: entry
            for entry in ended
            if printed.of(entry.key, session.made_of(entry.key), session.experiments.get(entry.key))
        }
        return printed_table(printed.rows, [alike.get(key) for key in printed.runs])

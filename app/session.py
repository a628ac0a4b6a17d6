"""The runs of one page: what the buttons command."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from app.pace import Pace
from app.preparation import Preparation
from app.reached import Interruption
from app.room import Owner, room
from app.run_spec import RunSpec
from app.runs import Run, RunState
from app.scheduler import Scheduler
from app.settings import Experiment
from fwcore import find_solver

_ORDER = (
    RunState.PREPARING,
    RunState.RUNNING,
    RunState.PAUSED,
    RunState.FAILED,
    RunState.STOPPED,
    RunState.DONE,
)
"""From the most active state to the least: the first of a run's is that of the whole."""


_MOST_ASIDE = 5
"""Removed runs that Undo can bring back with what they reached."""
_REACHED = ("runs", "repeats", "_made_of", "experiments", "experiment")
"""What `Session.clear` forgets, and `Session.recall` brings back."""
_HOLDERS: WeakKeyDictionary[Run, set[int]] = WeakKeyDictionary()
"""The sessions that show a run: a page that is loaded again takes over those of the last."""


class Session:
    """Holds the run of each entry of the list by its key, and what it was run with."""

    def __init__(
        self, scheduler: Scheduler, begun: Callable[[Run, RunSpec, Experiment], None] | None = None
    ) -> None:
        self._scheduler = scheduler
        self._begun = begun
        self._owner = Owner()
        self.runs: dict[int, Run] = {}
        self.repeats: dict[int, list[Run]] = {}
        """Runs of an entry with other seeds, besides the one in ``runs``."""
        self.experiment: Experiment | None = None
        self.names: dict[int, str] = {}
        """What the entries were called when they were run: pictures show what was run."""
        self.experiments: dict[int, Experiment] = {}
        """The problem of each run; a saved one may have another grid than the others."""
        self._made_of: dict[int, tuple[Any, ...]] = {}
        self._aside: dict[int, tuple[list[Run], tuple[Any, ...], Experiment]] = {}
        self._cleared: dict[str, Any] | None = None

    @property
    def live(self) -> bool:
        """Whether a run may still bring something new."""
        return any(not run.state.over for run in self._of(None))

    def experiment_of(self, key: int | None) -> Experiment | None:
        """The problem of the run of an entry; of one that was not run, the last that was shown."""
        return self.experiments.get(key or 0, self.experiment)

    @property
    def comparable(self) -> bool:
        """Whether the errors of all runs are of one loss."""
        return len({experiment.loss for experiment in self.experiments.values()}) <= 1

    @property
    def state(self) -> RunState | None:
        """The state of the whole: that of the most active run; None before the first."""
        return most_active(self._of(None))

    def made_of(self, key: int) -> tuple[Any, ...]:
        """The settings that the run of an entry was begun with."""
        return self._made_of[key]

    def group(self, key: int) -> list[Run]:
        """The run of an entry and its repeats; none where it was not run."""
        return self._of(key)

    def show(self, experiment: Experiment, spec: RunSpec, group: Sequence[Any], name: str) -> None:
        """Show a run that was begun elsewhere, with its repeats, as that of an entry, beside those
        that are shown.
        """
        self.experiment, self._cleared = experiment, None
        self.forget(spec.key)
        self.experiments[spec.key] = experiment
        self.runs[spec.key], self.repeats[spec.key] = group[0], [*group[1:]]
        self.names[spec.key] = name
        first = group[0]
        self._made_of[spec.key] = (first.solver.name, first.options, first.seed, len(group))
        for run in group:
            self._hold(run)

    def outdated(self, spec: RunSpec, experiment: Experiment) -> bool:
        """Whether what is shown of an entry is not what it would give now."""
        group = self.group(spec.key)
        return (
            not group
            or self.changed(spec, experiment)
            or any(run.state in (RunState.FAILED, RunState.STOPPED) for run in group)
        )

    def changed(self, spec: RunSpec, experiment: Experiment) -> bool:
        """Whether an entry that was run has other settings by now."""
        return spec.key in self.runs and (
            experiment != self.experiments[spec.key] or self._made_of[spec.key] != spec.settings()
        )

    def start(
        self,
        experiment: Experiment,
        specs: Sequence[RunSpec],
        pace: Pace | None = None,
        *,
        paused: bool = False,
    ) -> None:
        """Run those entries that are outdated, or all again where none is; ``paused``: held before
        the first step.
        """
        chosen = [spec for spec in specs if self.outdated(spec, experiment)] or list(specs)
        room.admit(sum(spec.repeats for spec in chosen), self._owner)
        if self.experiment is not None and not experiment.alike(self.experiment):
            self.reset()
        self.experiment, self._cleared = experiment, None
        listed = {spec.key for spec in specs}
        for key in [k for k, own in self.experiments.items() if own != experiment]:
            if key not in listed:
                self.forget(key)
        new: list[Run] = []
        for spec in chosen:
            after = self._interruption(spec, experiment)
            made = find_solver(spec.solver), spec.options.settings()
            run = Run(*made, spec.seed, pace, owner=self._owner, after=after)
            self.forget(spec.key)
            if paused:
                run.step()
            more = [
                Run(*made, (spec.seed + k) % 2**32, pace, owner=self._owner)
                for k in range(1, spec.repeats)
            ]
            if paused:
                for repeat in more:
                    repeat.step()
            new += [run, *more]
            for one in (run, *more):
                self._hold(one)
                if self._begun is not None:
                    self._begun(one, spec, experiment)
            self.runs[spec.key], self._made_of[spec.key] = run, spec.settings()
            self.experiments[spec.key] = experiment
            self.names[spec.key] = spec.name
            self.repeats[spec.key] = more
        self._scheduler.submit(Preparation(experiment, new, self._scheduler.submit))

    def _interruption(self, spec: RunSpec, experiment: Experiment) -> Interruption | None:
        """What to walk on from, where the run of an entry was interrupted."""
        run = self.runs.get(spec.key)
        return None if run is None or self.changed(spec, experiment) else run.interruption

    def _hold(self, run: Run) -> None:
        _HOLDERS.setdefault(run, set()).add(id(self))

    def _let_go(self, key: int | None) -> None:
        """Stop runs, except those that another page shows too."""
        for run in self._of(key):
            holders = _HOLDERS.get(run, set())
            holders.discard(id(self))
            if not holders:
                run.stop()

    def forget(self, key: int) -> None:
        """Stop the run of an entry, and forget what it reached."""
        self._let_go(key)
        self.runs.pop(key, None)
        self.repeats.pop(key, None)
        self.experiments.pop(key, None)
        self._made_of.pop(key, None)

    def set_aside(self, key: int) -> None:
        """Stop the run of an entry that is removed, and keep it in case it comes back."""
        if key in self.runs:
            self._let_go(key)
            more = self.repeats.pop(key, [])
            while len(self._aside) >= _MOST_ASIDE:
                self._aside.pop(next(iter(self._aside)))
            group = [self.runs.pop(key), *more]
            self._aside[key] = group, self._made_of.pop(key), self.experiments.pop(key)

    def bring_back(self, key: int) -> None:
        """The run of an entry that is restored, where it is of the data that are shown."""
        if key not in self._aside or self.experiment is None:
            return
        group, made_of, experiment = self._aside.pop(key)
        if experiment.alike(self.experiment):
            for run in group:
                self._hold(run)
            self.runs[key], self._made_of[key] = group[0], made_of
            self.repeats[key], self.experiments[key] = group[1:], experiment

    def _of(self, key: int | None) -> list[Run]:
        """The run of an entry with its repeats, or all."""
        keys = [key] if key in self.runs else [] if key is not None else [*self.runs]
        return [run for k in keys for run in (self.runs[k], *self.repeats.get(k, ()))]

    def pause(self, key: int | None = None) -> None:
        for run in self._of(key):
            run.pause()

    def resume(self, key: int | None = None) -> None:
        for run in self._of(key):
            run.resume()
            self._scheduler.submit(run)

    def step(self, key: int | None = None) -> None:
        for run in self._of(key):
            run.step()
            self._scheduler.submit(run)

    def stop(self, key: int | None = None) -> None:
        for run in self._of(key):
            run.stop()

    def set_pace(self, pace: Pace | None) -> None:
        for run in self._of(None):
            run.set_pace(pace)
            self._scheduler.submit(run)

    def reset(self) -> None:
        """Stop, and forget what was reached."""
        self._let_go(None)
        self.runs, self.repeats, self._made_of, self._aside = {}, {}, {}, {}
        self.experiment, self.experiments = None, {}
        self._cleared = None

    def clear(self) -> None:
        """`reset`, so that `recall` can take it back."""
        kept = {name: getattr(self, name) for name in _REACHED} if self.runs else self._cleared
        self.reset()
        self._cleared = kept

    def recall(self, listed: Container[int]) -> bool:
        """Bring back what was cleared of the entries that are still listed; whether there was
        something, and nothing has taken its place.
        """
        if self._cleared is None or self.runs:
            return False
        for name, value in self._cleared.items():
            setattr(self, name, value)
        self._cleared = None
        for run in self._of(None):
            self._hold(run)
        for key in [key for key in self.runs if key not in listed]:
            self.forget(key)
        return True


def most_active(runs: Sequence[Run]) -> RunState | None:
    """The state of several runs as one; None of none."""
    states = {run.state for run in runs}
    return next((state for state in _ORDER if state in states), None)

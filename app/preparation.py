"""Loading the problem of an experiment and finding its grids, before its runs can begin."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from typing import Any

from app import recorded, server, shelf
from app.runs import Run, RunState
from app.scheduler import TURN_SECONDS
from app.settings import Experiment
from fwcore import ParameterError, Problem, grids

# Of a design: the certified path that finds δ max takes seconds below it and minutes above.
_MOST_ENTRIES = 5_000_000
# An estimate of what is left is told after so long.
_LONG_SECONDS = 3.0
# Turns of a preparation that finds no grid: one loads, one hands over.
_SHORT = 2


class _StoppedError(Exception):
    """Nobody waits for the data any more."""


class Preparation:
    """Loads the problem of an experiment and finds its grid, then hands both to its runs: a job of
    the scheduler.
    """

    def __init__(
        self, experiment: Experiment, runs: Sequence[Run], start: Callable[[Run], None]
    ) -> None:
        self._experiment = experiment
        self._runs = runs
        self._start = start
        self._problem: Problem | None = None
        self._finding: Generator[tuple[int, int], None, grids.Reference] | None = None
        self._delta_max = experiment.delta_max
        self._turns = 0
        self._begun = 0.0
        self._note = ""
        self._done = False
        self._announce("Loading the data.")

    @property
    def owner(self) -> object:
        """Whose runs they are."""
        return self._runs[0].owner

    @property
    def urgent(self) -> bool:
        """Unless it has to find the end of the grid, which may take long."""
        return self._turns < _SHORT

    def due(self) -> float | None:
        return None if self._done or all(run.state.over for run in self._runs) else 0.0

    def turn(self) -> None:
        self._turns += 1
        try:
            self._done = self._go_on()
        except _StoppedError:
            self._done = True
        except Exception as error:
            self._done = True
            for run in self._runs:
                run.fail(error)

    def _announce(self, text: str) -> None:
        for run in self._runs:
            if run.state is RunState.PREPARING:
                run.message = text

    def _tell(self, text: str, done: int, total: int) -> None:
        """Announce how far what takes long has come, and about how long it still takes.

        Raises
        ------
        _StoppedError
            All runs were stopped, which ends it.
        """
        if all(run.state.over for run in self._runs):
            raise _StoppedError
        # Until something is done, it is compiled, or others are waited for.
        if not done:
            self._begun = time.monotonic()
        taken, left = time.monotonic() - self._begun, ""
        if done and taken > _LONG_SECONDS:
            left = f", about {taken / done * (total - done):.0f} s left"
        self._announce(f"{text}: {done / total:.0%}{left}.")

    def _hand_over(self, problem: Problem, form: str, grid: Any, note: str = "") -> None:
        """Let the runs of one form start."""
        for run in self._runs:
            if run.solver.form == form:
                run.prepare(problem, grid, note)
                self._start(run)

    def _go_on(self) -> bool:
        """One turn of it; whether that was the last."""
        experiment = self._experiment
        if self._problem is None:
            self._problem = shelf.load(
                experiment.dataset,
                experiment.split_seed,
                experiment.test_fraction,
                experiment.loss,
                self._tell,
            )
            # Paths over lam or k need not wait for the end of the delta grid.
            for form in ("penalty", "support"):
                self._hand_over(
                    self._problem, form, grids.grid(self._problem, form, experiment.points)
                )
            if not any(run.solver.form == "ball" for run in self._runs):
                return True
            self._begin_to_find(self._problem)
            return False
        begun = time.monotonic()
        while self._finding is not None:
            try:
                done, total = next(self._finding)
            except StopIteration as end:
                self._delta_max = self._delta_max or end.value.delta_max
                break
            self._tell("Walking the reference path, once for this problem", done, total)
            if time.monotonic() - begun > TURN_SECONDS / 2:
                return False
        grid = grids.delta_grid(self._delta_max or 0.0, experiment.points)
        self._hand_over(self._problem, "ball", grid, self._note)
        return True

    def _begin_to_find(self, problem: Problem) -> None:
        """Find δ max, or take a provisional one where that would take minutes and no run needs the
        reference path itself.
        """
        large = problem.entries > _MOST_ENTRIES and grids.known_reference(problem) is None
        if large and server.public():
            for run in self._runs:
                if run.waits:
                    rule = (
                        "a rule that needs no reference path: the data are too large for one here"
                    )
                    run.fail(ParameterError("sampling", "the server", rule, "hit-path"))
        if any(run.waits and not run.state.over for run in self._runs):
            self._finding = grids.finding_reference(problem)
        elif self._delta_max is not None:
            return
        elif (end := recorded.delta_max(self._experiment, problem)) is not None:
            self._delta_max = end
        elif large:
            self._delta_max = grids.provisional_delta_max(problem)
            self._note = (
                f"The grid ends at a provisional δ max of {self._delta_max:.4g}, 2 f(0) / λ max: "
                "an accurate one would take minutes. Set δ max for another."
            )
        else:
            self._finding = grids.finding_reference(problem)

"""Live and finished runs of one session; no widgets."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator
from enum import Enum
from typing import Any

from app.scheduler import TURN_SECONDS, Scheduler
from app.settings import Experiment
from fwcore import (
    DatasetError,
    ParameterError,
    Problem,
    Snapshot,
    Solver,
    Walk,
    datasets,
    find_solver,
    grids,
    warmup,
)

_log = logging.getLogger(__name__)


class RunState(Enum):
    """What a run is doing; the value is how the page calls it."""

    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return self in (RunState.DONE, RunState.STOPPED, RunState.FAILED)


class Run:
    """One solver walking one path: a job of the scheduler.

    Commands come from the session's thread, turns from a worker; ``state`` and ``walk`` may be read
    from anywhere. A command takes effect between two chunks of steps, about 10 ms apart.
    """

    def __init__(
        self, solver: Solver, options: dict[str, Any], seed: int, speed: float | None
    ) -> None:
        self.solver = solver
        self.options = options
        self.seed = seed
        self.speed = speed
        self.walk: Walk | None = None
        self.latest: Snapshot | None = None
        self.message = "Waiting for the problem."
        self.started_at: float | None = None
        self.last_row_at: float | None = None
        self.walked_seconds = 0.0
        self._state = RunState.PREPARING
        self._paused = False
        self._single_steps = 0
        self._steps: Generator[Snapshot, int | None, None] | None = None
        self._lock = threading.Lock()
        self._next_at = 0.0
        self._counted_at: float | None = None

    @property
    def state(self) -> RunState:
        if self._paused and self._state is RunState.RUNNING:
            return RunState.PAUSED
        return self._state

    def prepare(self, problem: Problem, grid: Any) -> None:
        """Take the problem; checks everything that depends on it. Called by a worker, once."""
        try:
            walk = Walk(problem, self.solver, grid, self.options, seed=self.seed)
        except Exception as error:
            self.fail(error)
            return
        with self._lock:
            if self._state is RunState.PREPARING:
                self.walk, self._state, self.message = walk, RunState.RUNNING, ""
                self.started_at = self._counted_at = time.monotonic()

    def fail(self, error: BaseException) -> None:
        """End with an error that the page shows; only what nobody foresaw goes to the log with its
        traceback.
        """
        if not isinstance(error, (ParameterError, DatasetError)):
            _log.error("%s failed", self.solver.name, exc_info=error)
        text = str(error) or type(error).__name__
        self._end(
            RunState.FAILED,
            text
            if isinstance(error, (ParameterError, DatasetError))
            else f"{type(error).__name__}: {text}",
        )

    def stop(self) -> None:
        """No step is begun after the present chunk; what was reached is kept."""
        self._end(RunState.STOPPED, "Stopped on request. What was reached is kept.")

    def pause(self) -> None:
        """Hold after the present chunk, until resumed or stepped."""
        with self._lock:
            self._paused = True

    def resume(self) -> None:
        """Go on; the caller submits the run to the scheduler."""
        with self._lock:
            self._paused, self._counted_at = False, time.monotonic()

    def step(self) -> None:
        """Hold, and make exactly one step more; the caller submits the run to the scheduler."""
        with self._lock:
            self._paused = True
            self._single_steps += 1

    def due(self) -> float | None:
        with self._lock:
            if not self._may_step():
                return None
            return 0.0 if self._single_steps else max(0.0, self._next_at - time.monotonic())

    def turn(self) -> None:
        begun = time.monotonic()
        try:
            while self._one_chunk() and time.monotonic() - begun < TURN_SECONDS / 2:
                pass
        except Exception as error:
            self.fail(error)

    def _may_step(self) -> bool:
        return (
            self.walk is not None
            and not self._state.over
            and (not self._paused or self._single_steps > 0)
        )

    def _one_chunk(self) -> bool:
        """Make a chunk of steps; whether another may follow at once."""
        with self._lock:
            if not self._may_step() or self.walk is None:
                return False
            walk, speed, single = self.walk, self.speed, self._single_steps > 0
            self._single_steps -= single
        wanted = 1 if single else None if speed is None else max(1, round(speed * TURN_SECONDS))
        if self._steps is None:
            self._steps = walk.snapshots(wanted)
            known = (walk.solver, walk.problem.design, walk.options, walk.problem.loss)
            if not warmup.is_ready(*known):
                self.message = "Compiling the solver, once for this kind of data."
            snapshot = next(self._steps)
            with self._lock:
                self.message = self.message if self._state.over else ""
        else:
            snapshot = self._steps.send(wanted)
        if not snapshot.rows.size:
            # A library is still at it: a single step is one that comes back.
            with self._lock:
                self._single_steps += single
            return True
        self.latest = snapshot
        self.last_row_at = now = time.monotonic()
        self._count(now)
        if walk.reached == walk.grid.size:
            self._end(RunState.DONE, walk.status.sentence)
            return False
        if speed is not None and not single:
            self._next_at = max(self._next_at, now - TURN_SECONDS) + len(snapshot.rows) / speed
            return False
        return not single

    def _count(self, now: float) -> None:
        """Time walked: what has passed since the last chunk, unless the run was held in between."""
        if self._counted_at is not None:
            self.walked_seconds += now - self._counted_at
        self._counted_at = None if self._paused else now

    def _end(self, state: RunState, message: str) -> None:
        with self._lock:
            if not self._state.over:
                self._state, self.message = state, message


class Preparation:
    """Loads the problem of an experiment and finds its grid, then hands both to its runs: a job of
    the scheduler.
    """

    def __init__(
        self, experiment: Experiment, runs: list[Run], start: Callable[[Run], None]
    ) -> None:
        self._experiment = experiment
        self._runs = runs
        self._start = start
        self._problem: Problem | None = None
        self._finding: Generator[tuple[int, int], None, float] | None = None
        self._delta_max = experiment.delta_max
        self._done = False
        self._announce("Loading the data.")

    def due(self) -> float | None:
        return None if self._done or all(run.state.over for run in self._runs) else 0.0

    def turn(self) -> None:
        try:
            self._done = self._go_on()
        except Exception as error:
            self._done = True
            for run in self._runs:
                run.fail(error)

    def _announce(self, text: str) -> None:
        for run in self._runs:
            if run.state is RunState.PREPARING:
                run.message = text

    def _hand_over(self, problem: Problem, form: str, grid: Any) -> None:
        """Let the runs of one form start."""
        for run in self._runs:
            if run.solver.form == form:
                run.prepare(problem, grid)
                self._start(run)

    def _go_on(self) -> bool:
        """One turn of it; whether that was the last."""
        experiment = self._experiment
        if self._problem is None:
            self._problem = datasets.load(
                experiment.dataset,
                split_seed=experiment.split_seed,
                test_fraction=experiment.test_fraction,
                loss=experiment.loss,
            )
            # Paths over lam or k need not wait for the end of the delta grid.
            for form in ("penalty", "support"):
                self._hand_over(
                    self._problem, form, grids.grid(self._problem, form, experiment.points)
                )
            if not any(run.solver.form == "ball" for run in self._runs):
                return True
            if self._delta_max is None:
                self._finding = grids.finding_delta_max(self._problem)
            return False
        begun = time.monotonic()
        while self._delta_max is None and self._finding is not None:
            try:
                done, total = next(self._finding)
            except StopIteration as end:
                self._delta_max = end.value
                break
            self._announce(f"Finding δ max, once for this problem: point {done + 1} of {total}.")
            if time.monotonic() - begun > TURN_SECONDS / 2:
                return False
        self._hand_over(
            self._problem, "ball", grids.delta_grid(self._delta_max or 0.0, experiment.points)
        )
        return True


class Session:
    """The runs of one page: what the buttons command."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self.runs: list[Run] = []
        self.experiment: Experiment | None = None

    @property
    def live(self) -> bool:
        """Whether a run may still bring something new."""
        return any(not run.state.over for run in self.runs)

    @property
    def state(self) -> RunState | None:
        """The state of the whole: that of the most active run; None before the first."""
        order = (
            RunState.PREPARING,
            RunState.RUNNING,
            RunState.PAUSED,
            RunState.FAILED,
            RunState.STOPPED,
            RunState.DONE,
        )
        states = {run.state for run in self.runs}
        return next((state for state in order if state in states), None)

    def start(self, experiment: Experiment, speed: float | None, *, paused: bool = False) -> None:
        """Run an experiment instead of what was there; ``paused``: held before
        the first step.
        """
        self.stop()
        self.experiment = experiment
        self.runs = [
            Run(find_solver(name), options, experiment.seed, speed)
            for name, options in experiment.solvers
        ]
        for run in self.runs:
            if paused:
                run.step()
        self._scheduler.submit(Preparation(experiment, self.runs, self._scheduler.submit))

    def pause(self) -> None:
        for run in self.runs:
            run.pause()

    def resume(self) -> None:
        for run in self.runs:
            run.resume()
            self._scheduler.submit(run)

    def step(self) -> None:
        for run in self.runs:
            run.step()
            self._scheduler.submit(run)

    def set_speed(self, speed: float | None) -> None:
        for run in self.runs:
            run.speed = speed
            self._scheduler.submit(run)

    def stop(self) -> None:
        for run in self.runs:
            run.stop()

    def reset(self) -> None:
        """Stop, and forget what was reached."""
        self.stop()
        self.runs, self.experiment = [], None

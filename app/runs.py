"""One solver walking one path: a job of the scheduler; no widgets."""

from __future__ import annotations

import contextlib
import logging
import math
import secrets
import threading
import time
from collections.abc import Generator
from enum import Enum
from typing import Any

from app.pace import Pace
from app.reached import Held, Interruption, Reached
from app.room import Owner, room
from app.scheduler import TURN_SECONDS
from fwcore import DatasetError, ParameterError, Problem, Snapshot, Solver, Walk, warmup

_log = logging.getLogger(__name__)
_OTHER_DATA = "The data are not those of the run that was interrupted: this is another run."


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


class Run(Reached):
    """One solver walking one path: a job of the scheduler.

    Commands come from the session's thread, turns from a worker; ``state`` and ``walk`` may be read
    from anywhere. A command takes effect between two chunks of steps, about 10 ms apart.
    """

    def __init__(
        self,
        solver: Solver,
        options: dict[str, Any],
        seed: int,
        pace: Pace | None = None,
        *,
        after: Interruption | None = None,
        owner: Owner | None = None,
    ) -> None:
        self.owner: Owner = owner or Owner()
        self.uid = secrets.token_hex(8)
        self._after = after
        if after is not None:
            self.uid, self.content, self.before = after.uid, after.content, after.points
        self.holds = False
        """Whether its state is to be held after the present chunk; it is then ``held``."""
        self.held: Held | None = None
        self.solver = solver
        self.options = options
        self.seed = seed
        self.pace = pace
        self.walk: Any = None
        self.turning = False
        """Whether a worker is at it, also when it is over."""
        self.latest: Snapshot | None = None
        self.message = "Waiting for the problem."
        self.note = ""
        self._made_at = time.monotonic()
        self.started_at: float | None = None
        self.last_row_at: float | None = None
        self.walked_seconds = 0.0
        self._reached_after = [0.0]
        self._state = RunState.PREPARING
        self._paused = False
        self._single_steps = 0
        self._steps: Generator[Snapshot, int | None, None] | None = None
        self._lock = threading.Lock()
        self._next_at = self._spent = 0.0
        # Unknown: the first chunk is a single step.
        self._cost_of_step = math.inf
        self._counted_at: float | None = None
        self._went_on = False
        room.enter(self)

    @property
    def state(self) -> RunState:
        if self._paused and self._state is RunState.RUNNING:
            return RunState.PAUSED
        return self._state

    @property
    def over(self) -> bool:
        """Whether it makes no step any more."""
        return self._state.over

    @property
    def waits(self) -> bool:
        """Whether an option is taken from the reference path of the problem."""
        declared, given = self.solver.Options.declared(), self.options
        values = (declared[n].read(v) if isinstance(v, str) else v for n, v in given.items())
        return any(getattr(value, "waits", False) for value in values)

    @property
    def waiting_seconds(self) -> float:
        """Since it was asked for."""
        return time.monotonic() - self._made_at

    @property
    def seconds_left(self) -> float | None:
        """Until the end of the path, if its points go on to take what the last quarter took; None
        before there are two, of which the first pays for what comes before all, and when nothing
        more comes.
        """
        after = self._reached_after
        if self._state.over or len(after) < 3:
            return None
        last = after[-1 - max(1, len(after) // 4) :]
        return (last[-1] - last[0]) / (len(last) - 1) * (self.total - self.reached)

    @property
    def held_seconds(self) -> float:
        """For how long the pace holds the next step back: what a step cost is waited for."""
        with self._lock:
            free = self.pace is None or self._paused or self._state.over or self.latest is None
            return 0.0 if free else max(0.0, self._next_at - time.monotonic())

    @property
    def ended(self) -> bool:
        """Whether it is over and has reached a point."""
        return self._state.over and self.reached > 0

    def rename(self) -> None:
        """Be another run than the one that was interrupted, which somebody else has walked on."""
        self.uid, self.before, self.content = secrets.token_hex(8), None, ""
        self._after = None

    @property
    def known(self) -> int:
        """Points that were saved when it was interrupted, if it is walked on."""
        return 0 if self.before is None else len(self.before)

    @property
    def repeated(self) -> bool | None:
        """Whether the points of a run that was interrupted are the same again, bit for bit; None
        before all of them are reached, and where there were none.
        """
        if not 0 < self.known <= self.reached:
            return None
        names = [name for name in self.before.dtype.names if name != "seconds"]
        again = self.points[: len(self.before)]
        return all(again[name].tobytes() == self.before[name].tobytes() for name in names)

    @property
    def overtakes(self) -> bool:
        """Whether it has all that was saved of it, and more: from the first step where it went on,
        and from the next point where it is walked again.
        """
        return self.reached > self.known or (
            self.reached == self.known and (self._went_on or not self.known)
        )

    def prepare(self, problem: Problem, grid: Any, note: str = "") -> None:
        """Take the problem; checks everything that depends on it. Called by a worker, once.
        ``note``: what is special about the grid.
        """
        self.note = note
        if self.content and self.content != problem.content_hash:
            self.rename()
            self.note = f"{_OTHER_DATA} {note}".strip()
        try:
            walk = Walk(problem, self.solver, grid, self.options, seed=self.seed)
            self._go_on(walk)
        except Exception as error:
            self.fail(error)
            return
        with self._lock:
            if self._state is RunState.PREPARING:
                self.walk, self._state, self.message = walk, RunState.RUNNING, ""
                self.started_at = self._counted_at = time.monotonic()

    def _go_on(self, walk: Walk) -> None:
        """Begin where it was interrupted; at its start where nothing else is known, or the state is
        that of another version.
        """
        after = self._after
        if after is None or not after.state:
            return
        with contextlib.suppress(ParameterError):
            walk.resume(after.state, after.points, after.columns, after.chunks)
            self._went_on = True
            # It was paid for before.
            self._spent = self._paid(walk)

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
        self._end(RunState.STOPPED, f"Stopped on request. {self._kept()}")

    def _kept(self) -> str:
        return "What was reached is kept." if self.reached else "No point was reached."

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

    @property
    def urgent(self) -> bool:
        """Until the first step."""
        return self._steps is None

    def due(self) -> float | None:
        with self._lock:
            if not self._may_step():
                return None
            return 0.0 if self._single_steps else max(0.0, self._next_at - time.monotonic())

    def turn(self) -> None:
        begun = time.monotonic()
        self.turning = True
        try:
            while self._one_chunk() and time.monotonic() - begun < TURN_SECONDS / 2:
                pass
        except Exception as error:
            self.fail(error)
        finally:
            self.turning = False

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
            walk, pace, single = self.walk, self.pace, self._single_steps > 0
            self._single_steps -= single
        wanted = 1 if single else None if pace is None else self._affordable(pace)
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
        if self.holds and (state := walk.hold()) is not None:
            self.holds, self.held = False, Held(state, walk.reached, len(walk.chunks))
        if full := room.take(self, snapshot.rows.size):
            self._end(RunState.STOPPED, f"{full} {self._kept()}")
            return False
        if walk.reached == walk.grid.size:
            self._end(RunState.DONE, walk.status.sentence)
            return False
        if pace is not None and not single:
            self._charge(pace, snapshot.rows, now)
            return False
        return not single

    def _affordable(self, pace: Pace) -> int:
        """Steps of about a turn at the pace, by what the last ones cost."""
        return max(1, min(10**6, round(pace.rate * TURN_SECONDS / self._cost_of_step)))

    def _charge(self, pace: Pace, rows: Any, now: float) -> None:
        """Put the next steps off by what these have cost."""
        spent = pace.spent(rows)
        # X'y, which many methods compute before their first step, is charged with that.
        cost = spent - self._spent if spent >= self._spent else 0.0
        if spent == spent:
            self._spent = spent
            self._cost_of_step = max(cost / len(rows), 1e-9)
            self._next_at = max(self._next_at, now - TURN_SECONDS) + cost / pace.rate

    def set_pace(self, pace: Pace | None) -> None:
        """Go on at another pace; the caller submits the run to the scheduler."""
        with self._lock:
            self.pace, self._next_at, self._cost_of_step = pace, 0.0, math.inf
            self._spent = self._paid(self.walk)

    def _paid(self, walk: Walk | None) -> float:
        """What has been spent so far, in the unit of the pace."""
        if self.pace is None or walk is None or not walk.chunks:
            return 0.0
        spent = self.pace.spent(walk.chunks[-1])
        return spent if spent == spent else 0.0

    def _count(self, now: float) -> None:
        """Time walked: what has passed since the last chunk, unless the run was held in between."""
        if self._counted_at is not None:
            self.walked_seconds += now - self._counted_at
        self._counted_at = None if self._paused else now
        unknown = self.reached + 1 - len(self._reached_after)
        self._reached_after += [self.walked_seconds] * unknown

    def _end(self, state: RunState, message: str) -> None:
        with self._lock:
            if not self._state.over:
                self._state, self.message = state, message

"""THE LOOP over steps: nothing else in the project loops over them."""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fwcore.design import cpu_seconds
from fwcore.judging import Verdict
from fwcore.kernels.types import Floats, Ints
from fwcore.options import Options
from fwcore.problem import Problem
from fwcore.solvers.base import Solver
from fwcore.status import Status
from fwcore.trace import Rows, new_rows

CHECKPOINT = 1000
"""Steps of a point from one true gap to the next; constant, so that no trace depends on speed."""

ROWS = 8
"""Rows that there is room for, a point, where several are walked at once."""

_CHUNK_SECONDS = 0.01
_FIRST_CHUNK = 8
# Points are walked at once from the start where the judge's passes over X, one each, come to no
# more entries: a few milliseconds.
_JUDGED_AT_ONCE = 20_000_000
_MOST_POINTS = (CHECKPOINT - 1) // ROWS
# What is off the clock takes time, too: a chunk does not keep others waiting for it.
_JUDGED_SECONDS = 0.02


@dataclass(frozen=True)
class Snapshot:
    """What one chunk of steps left behind.

    ``rows`` are the new rows of the trace (none where a step size is searched for, or the work is
    done elsewhere), ``indices`` and ``coefficients`` the iterate after them. ``verdict`` is the
    judge's word on the point, given with its last chunk; ``status`` is then no longer RUNNING.

    >>> from fwcore import Walk, datasets
    >>> walk = Walk(datasets.load("diabetes"), "fw", [1.0])
    >>> snapshot = next(walk.snapshots())
    >>> snapshot.point, len(snapshot.rows) > 0
    (0, True)
    """

    point: int
    value: float
    rows: Rows
    indices: Ints
    coefficients: Floats
    status: Status
    verdict: Verdict | None = None


@dataclass
class Clock:
    """CPU seconds spent in kernels, and the length of the next chunk that keeps one near 10 ms: in
    steps, and in points where a solver walks several at once.
    """

    seconds: float = 0.0
    chunk: int = field(default=_FIRST_CHUNK)
    points: int = _FIRST_CHUNK

    @classmethod
    def of(cls, problem: Problem) -> Clock:
        """That of a path."""
        points = _JUDGED_AT_ONCE // max(1, problem.entries)
        return cls(points=min(max(points, _FIRST_CHUNK), _MOST_POINTS))

    def charge(self, rows: Rows, elapsed: float) -> None:
        """Spread ``elapsed`` over ``rows`` and adapt the chunk. Results do not depend on it: a step
        is the same in any chunk.
        """
        n = len(rows)
        if n == 0:
            self.seconds += elapsed
            return
        rows["seconds"] = [self.seconds + elapsed * (k + 1) / n for k in range(n)]
        self.seconds += elapsed
        wanted = int(n * _CHUNK_SECONDS / max(elapsed, 1e-9))
        self.chunk = max(1, min(wanted, 4 * self.chunk, CHECKPOINT))

    def charge_points(self, n: int, waited: float) -> None:
        """Adapt the number of points to that ``n`` took ``waited`` seconds, the judge included."""
        wanted = int(n * _JUDGED_SECONDS / max(waited, 1e-9))
        self.points = max(1, min(wanted, _MOST_POINTS))


def _advance(problem: Problem, solver: Solver, state: Any, n: int, clock: Clock) -> Rows:
    start = cpu_seconds()
    rows = solver.advance(problem, state, n)
    clock.charge(rows, _spent(solver, rows, start))
    return rows


def _spent(solver: Solver, rows: Rows, start: float) -> float:
    """Seconds since ``start``; what is done elsewhere tells its own."""
    return cpu_seconds() - start if solver.compiles else float(rows["seconds"].sum())


def _chunk(problem: Problem, solver: Solver, state: Any, n: int, clock: Clock, done: int) -> Rows:
    """Up to n steps after the first ``done`` of a point; those whose oracle is to be judged are
    made one by one.
    """
    answer = solver.answer(state)
    if answer is None or not answer.every:
        return _advance(problem, solver, state, n, clock)
    parts: list[Rows] = []
    made, begun = 0, time.monotonic()
    while (
        made < n
        and solver.outcome(state) == Status.RUNNING
        and (not parts or time.monotonic() - begun < _JUDGED_SECONDS)
    ):
        after = (done + made) % answer.every
        before, looked = solver.coefficients(state), int(state.counters["entries"][0])
        rows = _advance(
            problem, solver, state, min(n - made, answer.every - after) if after else 1, clock
        )
        found = solver.answer(state)
        # A step that finds nothing left to explain asks nobody.
        if not after and found is not None and state.counters["entries"][0] > looked:
            rows["hit"], rows["certain"] = problem.hit(*before, found.columns), found.certain
        parts.append(rows)
        made += len(rows)
    return np.concatenate(parts)


def walk_points(
    solver: Solver,
    problem: Problem,
    state: Any,
    options: Options,
    grid: Floats,
    point: int,
    clock: Clock,
    wanted: int | None = None,
) -> list[Snapshot]:
    """Go to a point of the grid; and where the solver walks several by one kernel call, through it
    and as many after it as the clock allows: a Snapshot of each, and of one that goes on. Where
    steps are ``wanted`` one chunk at a time there are none.
    """
    values, progress = grid[point : point + clock.points], point / max(1, grid.size - 1)
    start, begun = cpu_seconds(), time.monotonic()
    if wanted is None:
        n = ROWS * values.size
        rows, ended = solver.walk_points(problem, state, options, values, progress, n)
    else:
        solver.set_point(problem, state, options, float(values[0]), progress)
        rows, ended = new_rows(0), []
    # A change of engine costs, too, where no step was made.
    clock.charge(rows, _spent(solver, rows, start))
    if not rows.size:
        return []
    rows["point"] = point
    snapshots: list[Snapshot] = []
    first = 0
    for end in ended:
        made, value = rows[first : end.rows], float(values[len(snapshots)])
        verdict = problem.judge(*end.support, solver.form, value, end.ridge)
        made["true_gap"][-1] = verdict.true_gap
        snapshots.append(Snapshot(point, value, made, *end.support, end.outcome, verdict))
        point, first = point + 1, end.rows
        rows["point"][first:] = point
    if first < rows.size:
        going = (*solver.coefficients(state), Status.RUNNING)
        snapshots.append(Snapshot(point, float(grid[point]), rows[first:], *going))
    clock.charge_points(len(snapshots), time.monotonic() - begun)
    return snapshots


def iterate(
    problem: Problem,
    solver: Solver,
    state: Any,
    point: int,
    value: float,
    clock: Clock,
    wanted: int | None = None,
    steps: int = 0,
) -> Generator[Snapshot, int | None, None]:
    """Walk one path point, a Snapshot per chunk; the last one carries the verdict.

    ``wanted`` bounds the steps of the first chunk, a number sent those of the next; None leaves the
    choice to the clock. The state must be at the point already (``solver.set_point``), ``steps``
    steps into it. The true gap, outside the clock, is computed at the end and every `CHECKPOINT`
    steps of the point.
    """
    while True:
        n = min(clock.chunk if wanted is None else max(1, wanted), CHECKPOINT - steps % CHECKPOINT)
        rows = _chunk(problem, solver, state, n, clock, steps)
        steps += len(rows)
        rows["point"] = point
        status = solver.outcome(state)
        indices, coefficients = solver.coefficients(state)
        verdict = None
        if status != Status.RUNNING or (len(rows) > 0 and steps % CHECKPOINT == 0):
            judged = problem.judge(indices, coefficients, solver.form, value, solver.ridge(state))
            rows["true_gap"][-1] = judged.true_gap
            verdict = judged if status != Status.RUNNING else None
        wanted = yield Snapshot(point, value, rows, indices, coefficients, status, verdict)
        if verdict is not None:
            return

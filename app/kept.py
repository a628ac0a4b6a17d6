"""Runs that have ended and are shown again, as they were recorded or saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from app.pace import Pace
from app.reached import Interruption, Reached
from app.runs import RunState
from fwcore import PathResult, Solver, Status, find_loss, find_solver

Column = tuple[NDArray[Any], NDArray[Any]]


class KeptProblem:
    """The problem of a run that is shown again: what was kept of it, and the rest of it loaded when
    it is asked for.
    """

    def __init__(
        self, loss: str, f0: float, p: int, names: Mapping[int, str], load: Callable[[], Any]
    ) -> None:
        self.loss = find_loss(loss)
        self.f0 = f0
        self.p = p
        self.feature_names = _Names(names)
        self._load = load

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)


class _Names(dict[int, str]):
    """Names of features that were kept. The others have their number: no page waits for data to be
    loaded.
    """

    def __missing__(self, j: int) -> str:
        return f"x{j + 1}"


class KeptWalk:
    """What was kept of a walk, as a `Walk` gives it. ``facts``: versions, seed, source and status
    of the result, and whether it was kept in short, its coefficients rounded; ``under_way``: steps
    of the point after those that were reached.
    """

    def __init__(
        self,
        problem: KeptProblem,
        grid: NDArray[Any],
        points: NDArray[Any],
        columns: Sequence[Column],
        trace: NDArray[Any],
        facts: Mapping[str, Any],
        under_way: NDArray[Any] | None = None,
    ) -> None:
        self.problem, self.grid, self.points, self.columns = problem, grid, points, columns
        self.reached = len(points)
        steps = np.split(trace, np.flatnonzero(np.diff(trace["point"])) + 1)
        self.chunks = [rows for rows in steps if rows.size]
        if under_way is not None and under_way.size and under_way["point"][0] == self.reached:
            self.chunks.append(under_way)
        self.notes: dict[str, Any] = facts.get("notes", {})
        self._trace, self._facts = trace, facts
        self.whole = not facts.get("short", False)
        """Whether the result is at hand bit for bit."""
        self.options: Any = None
        """As of a `Walk`."""

    def result(self) -> PathResult:
        """The result; its trace holds the steps that were kept."""
        facts = self._facts
        lengths = [0, *(len(indices) for indices, _ in self.columns)]
        rows = [indices for indices, _ in self.columns] or [np.zeros(0, np.int64)]
        data = [values for _, values in self.columns] or [np.zeros(0)]
        held = (np.concatenate(data), np.concatenate(rows), np.cumsum(lengths))
        return PathResult(
            problem=facts["problem"],
            solver=facts["solver"],
            form=find_solver(facts["solver"]).form,
            settings=facts["settings"],
            seed=facts["seed"],
            status=Status[facts["ended"]],
            f0=self.problem.f0,
            grid=self.grid,
            points=self.points,
            coefs=scipy.sparse.csc_array(held, shape=(self.problem.p, self.reached)),
            trace=self._trace,
            versions=facts["versions"],
            notes=self.notes,
            source=tuple((name, value) for name, value in facts["source"]),
        )


def facts_of(result: PathResult) -> dict[str, Any]:
    """What makes a result besides its arrays, ready for JSON."""
    names = ("problem", "solver", "settings", "seed", "versions", "notes", "source", "f0")
    held = {name: getattr(result, name) for name in names}
    return held | {"ended": result.status.name, "grid": result.grid.tolist()}


@dataclass(frozen=True)
class Origin:
    """What a saved run was: its name in the store, its seed, the digest of its problem, whether it
    was interrupted, and its state then; one that was recorded has none of it.
    """

    uid: str = ""
    seed: int = 0
    content: str = ""
    interrupted: bool = False
    state: bytes = b""


class Kept(Reached):
    """A run that has ended, of which the points and some of the steps are at hand."""

    latest = None
    pace: Pace | None = None
    note = ""
    urgent = False
    walked_seconds = 0.0
    last_row_at = None

    def __init__(
        self,
        solver: str,
        options: dict[str, Any],
        walk: KeptWalk,
        label: str,
        message: str,
        origin: Origin | None = None,
    ) -> None:
        origin = origin or Origin()
        self.uid, self.seed, self.content = origin.uid, origin.seed, origin.content
        self.solver = find_solver(solver)
        self.options = options
        self.walk = walk
        walk.options = _read(self.solver, options)
        self.label, self.message = label, message
        self.state = RunState.DONE if walk.reached == len(walk.grid) else RunState.STOPPED
        if origin.interrupted and self.reached < self.total:
            path = walk.points, walk.columns, walk.chunks
            self.interruption = Interruption(self.uid, self.content, *path, origin.state)

    @property
    def ended(self) -> bool:
        """It has reached what it ever will."""
        return self.reached > 0

    @property
    def exact(self) -> bool:
        """Not what was recorded in short."""
        return bool(self.walk.whole)

    def pause(self) -> None:
        """Nothing is left to be held; nor is there anything to be done for the commands below."""

    resume = step = stop = turn = pause

    def set_pace(self, pace: Pace | None) -> None:
        """There is no pace to something that has ended."""

    def due(self) -> float | None:
        """Never."""
        return None


def _read(solver: Solver, options: Mapping[str, Any]) -> Any:
    """The options of a run; the defaults where an older version wrote what this one cannot read."""
    try:
        return solver.Options(**options)
    except (TypeError, ValueError):
        return solver.Options()


def some_steps(trace: NDArray[Any], most: int) -> NDArray[Any]:
    """The first and last steps of each point, the last that were judged, and some between: about
    ``most`` a point.
    """
    kept: list[NDArray[Any]] = [np.zeros(0, np.int64)]
    ends = np.flatnonzero(np.diff(trace["point"])) + 1
    for steps in np.split(np.arange(trace.size), ends):
        if steps.size > most:
            places = np.geomspace(1, steps.size, most).astype(int) - 1
            judged = steps[np.isfinite(trace["true_gap"][steps])]
            steps = np.unique([*steps[places], *judged[-2:], steps[-1]])
        kept.append(steps)
    return np.asarray(trace[np.concatenate(kept)])

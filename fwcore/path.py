"""A whole path: walked point by point with warm starts, and kept as a PathResult."""

from __future__ import annotations

import textwrap
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from fwcore import grids, held, warmup
from fwcore.errors import ParameterError
from fwcore.held import Place
from fwcore.kernels.records import zero_records
from fwcore.kernels.types import Floats
from fwcore.losses import is_weighted
from fwcore.options import Options, build
from fwcore.path_result import PathResult, versions
from fwcore.problem import Problem
from fwcore.progress import progress_bar
from fwcore.solve import Clock, Snapshot, iterate, walk_points
from fwcore.solvers import SOLVERS, Solver, certified_solver, find_solver
from fwcore.status import Status
from fwcore.trace import Rows, join_rows

POINT = np.dtype(
    [
        ("point", np.int64),
        ("value", np.float64),
        ("l1", np.float64),
        ("nnz", np.int64),
        ("objective", np.float64),
        ("true_gap", np.float64),
        ("train_error", np.float64),
        ("test_error", np.float64),
        ("train_misclassified", np.float64),
        ("test_misclassified", np.float64),
        ("seconds", np.float64),
        ("steps", np.int64),
        ("dots", np.int64),
        ("entries", np.int64),
        ("grads", np.float64),
        ("empty", np.float64),
        ("status", np.int64),
    ]
)
"""The table of points: verdicts of the judge, and counters since the start of the path."""


Column = tuple[NDArray[Any], Floats]
"""Indices and values of the coefficients of a point."""


class Walk:
    """A path being walked; validated and ready when made, then a generator of snapshots.

    Parameters
    ----------
    problem : Problem
    solver : str or Solver
    grid : sequence of float, optional
        delta increasing (ball), lam decreasing (penalty) or k increasing (support); by default 100
        points to `grids.delta_max`, down to lam_max / 100, or from one column to a hundred.
    options : mapping or Options
        Options of the solver by name.
    seed : int in [0, 2^32)

    Raises
    ------
    ParameterError
        Anything does not fit; before anything runs.

    >>> from fwcore import Walk, datasets
    >>> walk = Walk(datasets.load("diabetes"), "cd", [0.1, 0.05], options={"tol": 1e-2})
    >>> points = [snapshot.point for snapshot in walk.snapshots()]
    >>> points[0], points[-1], walk.reached
    (0, 1, 2)
    """

    def __init__(
        self,
        problem: Problem,
        solver: str | Solver,
        grid: Sequence[float] | Floats | None = None,
        options: Mapping[str, Any] | Options | None = None,
        *,
        seed: int = 0,
    ) -> None:
        self.problem = problem
        self.solver = find_solver(solver) if isinstance(solver, str) else solver
        for name, rule, got in self.solver.misfits(problem):
            raise ParameterError(name, type(self.solver).__name__, rule, got)
        if isinstance(options, Options):
            options = options.settings()
        self.options = build(self.solver.Options, type(self.solver).__name__, options or {})
        if (
            isinstance(seed, bool)
            or not isinstance(seed, (int, np.integer))
            or not 0 <= seed < 2**32
        ):
            raise ParameterError("seed", "fwcore", "an int in [0, 4294967295]", seed)
        self.seed = int(seed)
        form = self.solver.form
        given = None if grid is None else grids.check(grid, form)
        self._resolve()
        # The state checks the options that depend on the problem, such as kappa; the first point
        # needs it anyway.
        self._state = self.solver.init(problem, self.options, self.seed)
        self.grid = grids.check(grids.grid(problem, form), form) if given is None else given
        self.points = zero_records(self.grid.size, POINT)
        self.reached = 0
        self.status = Status.RUNNING
        self._rows: list[Rows] = []
        self._columns: list[Column] = []
        self._clock = Clock.of(problem)
        self._place = Place()
        self._walked: deque[Snapshot] = deque()

    def _resolve(self) -> None:
        """Ask the reference path for what options take from it: after all other checks, as it may
        be walked for that.
        """
        for name, kind in self.options.declared().items():
            if hasattr(kind, "resolved"):
                rule = getattr(self.options, name)
                found = kind.resolved(rule, lambda: grids.reference(self.problem).mean_active)
                self.options.param.update({name: found})

    def snapshots(self, wanted: int | None = None) -> Generator[Snapshot, int | None, None]:
        """Walk the path, a Snapshot per chunk.

        ``wanted`` bounds the steps of the first chunk, a number sent those of the next; None leaves
        the choice to the clock. It begins where the walk is: at its start, where another such
        generator was left, or where it was resumed.
        """
        warmup.ready(self.solver, self.problem.design, self.options, self.problem.loss)
        while self._place.point < self.grid.size:
            point, made, begun, _ = self._place
            if not begun and not self._walked:
                given = (self.problem, self._state, self.options, self.grid, point)
                self._walked.extend(walk_points(self.solver, *given, self._clock, wanted))
            if self._walked:
                self._keep(snapshot := self._walked.popleft())
                wanted = yield snapshot
                continue
            value = float(self.grid[point])
            steps = iterate(
                self.problem, self.solver, self._state, point, value, self._clock, wanted, made
            )
            snapshot = next(steps)
            while True:
                self._keep(snapshot)
                wanted = yield snapshot
                try:
                    snapshot = steps.send(wanted)
                except StopIteration:
                    break

    @property
    def chunks(self) -> Sequence[Rows]:
        """The trace so far, a block of rows a chunk; only ever appended to, so that another thread
        may follow it.
        """
        return self._rows

    @property
    def columns(self) -> Sequence[Column]:
        """Indices and values of the coefficients of the points reached so far; only ever appended
        to.
        """
        return self._columns

    @property
    def notes(self) -> dict[str, Any]:
        """What the solver found out so far besides the path; see `PathResult`."""
        return self.solver.notes(self._state)

    def hold(self) -> bytes | None:
        """The state between two chunks, for `resume`; None of methods whose state is elsewhere, or
        holds what no bytes can.

        To be called where the walk is walked, while `snapshots` waits.

        >>> from fwcore import Walk, datasets
        >>> problem = datasets.load("diabetes")
        >>> walk, other = (Walk(problem, "sfw", [1.0, 2.0], {"sampling": "20%"}) for _ in range(2))
        >>> snapshot = next(walk.snapshots())
        >>> other.resume(walk.hold(), walk.points[: walk.reached], walk.columns, walk.chunks)
        >>> for walking in (walk, other):
        ...     for _ in walking.snapshots(): pass
        >>> walk.result().digest() == other.result().digest()
        True
        """
        if not self.solver.resumes:
            return None
        walked = [*self._walked]
        state = (self._state, self._place, self._clock, walked, int(self.status))
        return held.written(self, state)

    def resume(
        self, state: bytes, points: Rows, columns: Sequence[Column], chunks: Sequence[Rows]
    ) -> None:
        """Go on where another walk was held: the same steps follow, bit for bit.

        Parameters
        ----------
        state : bytes
            Of `hold`. What is read of them makes arrays and classes of fwcore, and runs nothing.
        points, columns, chunks
            What that walk had reached; of ``chunks`` some rows may have been left out.

        Raises
        ------
        ParameterError
            They are no such bytes, or of another problem, solver, grid, seed or version.
        """
        found = held.read(state, self)
        place: Place = found[1]
        if len(points) < place.point or len(columns) < place.point:
            rule = f"of at least the {place.point} points that had been reached"
            raise ParameterError("points", "Walk", rule, min(len(points), len(columns)))
        self._state, self._place, self._clock, walked, status = found
        self._walked = deque(walked)
        self.status = Status(status)
        self.points[: place.point] = points[: place.point]
        self._columns = [*columns[: place.point]]
        # Steps that were made after it was held are made again.
        before = [rows[rows["step"] <= place.step] for rows in chunks]
        self._rows = [rows for rows in before if rows.size]
        self.reached = place.point

    def _keep(self, snapshot: Snapshot) -> None:
        step = self._place.step
        if snapshot.rows.size:
            self._rows.append(snapshot.rows)
            step = int(snapshot.rows["step"][-1])
        verdict = snapshot.verdict
        if verdict is None:
            made = self._place.made + snapshot.rows.size
            self._place = Place(snapshot.point, made, True, step)
            return
        row, last = self.points[snapshot.point], snapshot.rows[-1]
        row["point"], row["value"], row["status"] = snapshot.point, snapshot.value, snapshot.status
        for name, number in verdict._asdict().items():
            row[name] = number
        row["steps"] = last["step"]
        for name in ("seconds", "dots", "entries", "grads", "empty"):
            row[name] = last[name]
        self._columns.append((snapshot.indices, snapshot.coefficients))
        self._place = Place(snapshot.point + 1, step=step)
        self.reached = snapshot.point + 1
        if self.reached == self.grid.size:
            worst = [
                status
                for status in (Status.DIVERGED, Status.STEP_LIMIT, Status.EMPTY_DRAW)
                if (self.points["status"] == status).any()
            ]
            self.status = worst[0] if worst else snapshot.status

    def result(self) -> PathResult:
        """What has been reached so far; another thread may be walking on."""
        k = self.reached
        columns = self._columns[:k]
        lengths = [0, *(indices.size for indices, _ in columns)]
        data = np.concatenate([values for _, values in columns]) if k else np.zeros(0)
        rows = np.concatenate([indices for indices, _ in columns]) if k else np.zeros(0, np.int64)
        coefs = scipy.sparse.csc_array((data, rows, np.cumsum(lengths)), shape=(self.problem.p, k))
        return PathResult(
            problem=self.problem.name,
            solver=self.solver.name,
            form=self.solver.form,
            settings=self.options.settings(),
            seed=self.seed,
            status=self.status if k == self.grid.size else Status.STOPPED,
            f0=self.problem.f0,
            grid=self.grid,
            points=self.points[:k].copy(),
            coefs=coefs,
            trace=join_rows(self._rows),
            versions=versions(),
            notes=self.notes,
            source=self.problem.source,
        )


def walk_path(
    problem: Problem,
    solver: str | Solver | None = None,
    grid: Sequence[float] | Floats | None = None,
    *,
    seed: int = 0,
    progress: bool = False,
    **options: Any,
) -> PathResult:
    """Walk a whole path and return it; parameters and errors as in `Walk`, options by keyword.

    Where no solver is named, a certified one walks a grid that decreases, which is one of lam, and
    problems with an intercept, unpenalised columns or weights, by delta on a grid that increases;
    "sfw" walks all others, of which the grid may be a single delta. That is "certified" or
    "certified_ball" of every loss whose curvature has a bound.

    With ``progress`` a bar shows the points reached and the time left, in a shell or a notebook,
    and Ctrl-C (in a notebook, interrupting the kernel) returns what was reached.

    >>> from fwcore import datasets
    >>> result = walk_path(datasets.load("diabetes"), "sfw", sampling="2%", tol=1e-4)
    >>> result.points.size
    100
    >>> walk_path(datasets.load("diabetes"), grid=[0.5, 0.1]).solver
    'certified'
    """
    if solver is None:
        ends = np.ravel([] if grid is None else grid)
        first, last = (ends[0], ends[-1]) if ends.size else (0.0, 0.0)
        solver = "sfw"
        if first > last or problem.unpenalised.any or is_weighted(problem.loss):
            solver = certified_solver(problem, "ball" if first < last else "penalty")
    walk = Walk(problem, solver, grid, options, seed=seed)
    if not progress:
        for _ in walk.snapshots():
            pass
        return walk.result()
    with suppress(KeyboardInterrupt), progress_bar() as announce:
        for _ in walk.snapshots():
            announce(f"{walk.solver.name} on {problem.name}", walk.reached, walk.grid.size)
    return walk.result()


def _options_of(solver: Solver) -> str:
    """A solver with its options and their defaults, as lines of a docstring."""
    declared = solver.Options.declared()
    found = (f"{name}={kind.write(kind.default)}" for name, kind in declared.items())
    return textwrap.fill(
        f"{solver.name}: {', '.join(found)}",
        width=96,
        break_on_hyphens=False,
        initial_indent="    ",
        subsequent_indent="        ",
    )


walk_path.__doc__ = f"""{walk_path.__doc__}
    Options of the solvers, with their defaults; `fwcore solvers NAME` says what they mean:

{chr(10).join(map(_options_of, SOLVERS))}
    """

"""A whole path: walked point by point with warm starts, and kept as a PathResult."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from fwcore import grids, warmup
from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats
from fwcore.options import Options, build
from fwcore.problem import Problem
from fwcore.reproduce import code_of, command_of, digest_of
from fwcore.result_files import write_points, write_trace
from fwcore.solve import Clock, Snapshot, iterate
from fwcore.solvers import Solver, find_solver
from fwcore.status import Status
from fwcore.trace import Rows, new_rows

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
        if lacking := self.solver.lacks(problem.loss):
            rule = f"one with {' and '.join(lacking)}"
            raise ParameterError("loss", type(self.solver).__name__, rule, problem.loss.text)
        if problem.positive and not self.solver.positive:
            rule = "False: this method does not know the constraint a >= 0"
            raise ParameterError("positive", type(self.solver).__name__, rule, True)
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
        # The state checks the options that depend on the problem, such as kappa; the first point
        # needs it anyway.
        self._state = self.solver.init(problem, self.options, self.seed)
        self.grid = grids.check(
            grids.grid(problem, self.solver.form) if grid is None else grid, self.solver.form
        )
        self.points = np.zeros(self.grid.size, POINT)
        self.reached = 0
        self.status = Status.RUNNING
        self._rows: list[Rows] = []
        self._columns: list[tuple[NDArray[Any], Floats]] = []

    def snapshots(self, wanted: int | None = None) -> Generator[Snapshot, int | None, None]:
        """Walk the path, a Snapshot per chunk.

        ``wanted`` bounds the steps of the first chunk, a number sent those of the next; None leaves
        the choice to the clock.
        """
        warmup.ready(self.solver, self.problem.design, self.options, self.problem.loss)
        clock = Clock()
        last = max(1, self.grid.size - 1)
        for point, value in enumerate(self.grid.tolist()):
            self.solver.set_point(self.problem, self._state, self.options, value, point / last)
            steps = iterate(self.problem, self.solver, self._state, point, value, clock, wanted)
            snapshot = next(steps, None)
            while snapshot is not None:
                self._keep(snapshot)
                wanted = yield snapshot
                try:
                    snapshot = steps.send(wanted)
                except StopIteration:
                    snapshot = None

    @property
    def chunks(self) -> Sequence[Rows]:
        """The trace so far, a block of rows a chunk; only ever appended to, so that another thread
        may follow it.
        """
        return self._rows

    @property
    def columns(self) -> Sequence[tuple[NDArray[Any], Floats]]:
        """Indices and values of the coefficients of the points reached so far; only ever appended
        to.
        """
        return self._columns

    @property
    def notes(self) -> dict[str, Any]:
        """What the solver found out so far besides the path; see `PathResult`."""
        return self.solver.notes(self._state)

    def _keep(self, snapshot: Snapshot) -> None:
        if snapshot.rows.size:
            self._rows.append(snapshot.rows)
        verdict = snapshot.verdict
        if verdict is None:
            return
        row, last = self.points[snapshot.point], snapshot.rows[-1]
        row["point"], row["value"], row["status"] = snapshot.point, snapshot.value, snapshot.status
        for name, number in verdict._asdict().items():
            row[name] = number
        row["steps"] = last["step"]
        for name in ("seconds", "dots", "entries", "grads", "empty"):
            row[name] = last[name]
        self._columns.append((snapshot.indices, snapshot.coefficients))
        self.reached = snapshot.point + 1
        if self.reached == self.grid.size:
            worst = [
                status
                for status in (Status.DIVERGED, Status.STEP_LIMIT)
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
            trace=np.concatenate(self._rows) if self._rows else new_rows(0),
            versions=versions(),
            notes=self.notes,
            source=self.problem.source,
        )


@dataclass(frozen=True)
class PathResult:
    """A path, or as much of it as was reached.

    Attributes
    ----------
    grid : ndarray
        All values that were asked for; ``points`` and ``coefs`` hold those that were reached.
    points : structured array
        One row a point, see `POINT`.
    coefs : scipy.sparse.csc_array of shape (p, points)
        Coefficients in the solvers' scale (columns of unit norm when standardised).
    trace : structured array
        One row a step, see `fwcore.trace`.
    notes : dict
        What the solver found out besides, such as a step size.
    source : tuple of (str, value)
        What `fwcore.datasets.load` was called with; empty where the problem was made from arrays.
    """

    problem: str
    solver: str
    form: str
    settings: dict[str, Any]
    seed: int
    status: Status
    f0: float
    grid: Floats
    points: NDArray[np.void]
    coefs: scipy.sparse.csc_array[np.float64]
    trace: Rows
    versions: dict[str, str]
    notes: dict[str, Any]
    source: tuple[tuple[str, Any], ...] = ()

    @property
    def max_relative_gap(self) -> float:
        """Largest true gap of a point, relative to f(0); NaN if no point was reached."""
        return float(self.points["true_gap"].max() / self.f0) if self.points.size else float("nan")

    @property
    def hit_rate(self) -> float:
        """Mean ``hit`` of the steps where the judge looked; NaN if it never did."""
        hits = self.trace["hit"][np.isfinite(self.trace["hit"])]
        return float(hits.mean()) if hits.size else float("nan")

    def summary(self) -> dict[str, Any]:
        """The path in a few figures, ready for JSON; what is not known is None."""
        points = self.points
        last = self.trace[-1] if self.trace.size else None
        tested = points["test_error"][np.isfinite(points["test_error"])]
        return {
            "dataset": self.problem,
            "solver": self.solver,
            "settings": self.settings,
            "seed": self.seed,
            "status": self.status.name.lower(),
            "message": self.status.sentence,
            "points": int(points.size),
            "points_asked": int(self.grid.size),
            "steps": int(last["step"]) if last is not None else 0,
            "dots": int(last["dots"]) if last is not None else 0,
            "entries": int(last["entries"]) if last is not None else 0,
            "grads": _number(last["grads"]) if last is not None else None,
            "empty_draws": _number(last["empty"]) if last is not None else None,
            "hit_rate": _number(self.hit_rate),
            "seconds": float(last["seconds"]) if last is not None else 0.0,
            "value_max": float(self.grid.max()),
            "mean_active": float(points["nnz"].mean()) if points.size else None,
            "best_test_error": float(tested.min()) if tested.size else None,
            "max_relative_gap": _number(self.max_relative_gap),
            "notes": self.notes,
            "versions": self.versions,
        }

    def digest(self) -> str:
        """SHA-256 of the points, seconds left out, and of the coefficients, in hexadecimal."""
        return digest_of(self)

    def to_code(self) -> str:
        """Python that makes the result again; see `fwcore.reproduce`."""
        return code_of(self)

    def to_command(self) -> str:
        """The shell line that makes the result again; see `fwcore.reproduce`.

        Raises
        ------
        ValueError
            The problem was made from arrays, or no flags describe the grid.
        """
        return command_of(self)

    def to_parquet(self, file: str | Path) -> None:
        """Write the points with their coefficients; see `fwcore.result_files.write_points`."""
        write_points(self, file)

    def trace_to_parquet(self, file: str | Path) -> None:
        """Write the trace, a row a step."""
        write_trace(self, file)


def walk_path(
    problem: Problem,
    solver: str | Solver = "sfw",
    grid: Sequence[float] | Floats | None = None,
    *,
    seed: int = 0,
    **options: Any,
) -> PathResult:
    """Walk a whole path and return it; parameters and errors as in `Walk`, options by keyword.

    >>> walk_path(datasets.load("diabetes"), "sfw", sampling="2%", tol=1e-4)  # doctest: +SKIP
    """
    walk = Walk(problem, solver, grid, options, seed=seed)
    for _ in walk.snapshots():
        pass
    return walk.result()


def versions() -> dict[str, str]:
    """Versions of what a result depends on."""
    packages = ("frank-wolfe-explorer", "numpy", "scipy", "numba", "scikit-learn")
    return {"python": platform.python_version()} | {
        name: importlib.metadata.version(name) for name in packages
    }


def _number(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None

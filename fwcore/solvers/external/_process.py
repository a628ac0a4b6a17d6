"""What solvers of other libraries share: a process of their own, which nothing of theirs leaves."""

from __future__ import annotations

import importlib.util
import weakref
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats, Ints
from fwcore.options import Amount, Options, WalkOptions
from fwcore.problem import Problem
from fwcore.solvers.base import Solver, new_counters, start_point
from fwcore.solvers.external import _child as child
from fwcore.status import Status
from fwcore.trace import Rows, new_rows

_TURN_SECONDS = 0.03
_IDLE_SECONDS = 30.0
_MOST_ENTRIES = 2**28


class LibraryOptions(Options):
    """What is handed on to the library."""

    tol = Amount(
        default=1e-4,
        bounds=(1e-15, 1.0),
        softbounds=(1e-10, 1e-2),
        label="Its tolerance",
        doc="Tolerance of the library's own stopping rule, in its own units.",
    )


@dataclass
class LibraryState:
    """A run: the process with the design, what it was asked last, and the solution of the last
    point.
    """

    counters: Any
    limit: float
    indices: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    values: Floats = field(default_factory=lambda: np.zeros(0))
    asked: Future[Any] | None = None
    executor: Any = None


class LibrarySolver(Solver):
    """Subclasses name the package, how it is installed, and the module that calls it.

    A point is one row of the trace. The process begins with the first point, idles where the run
    pauses, and ends with it. CPU seconds are those of the call, without imports, compilation and
    the way of the data; dot products and entries cannot be counted, and stay 0.
    """

    family = "Libraries"
    needs = ("closed_line_search",)
    most_entries: ClassVar[int] = _MOST_ENTRIES
    resumes = False
    form = "penalty"
    Options = LibraryOptions
    counts = False
    compiles = False
    package: ClassVar[str]
    install: ClassVar[str]
    module: ClassVar[str]

    @property
    def missing(self) -> str:
        return "" if importlib.util.find_spec(self.package) else self.install

    def limit(self, options: Any) -> float:
        """What a call is given beside the point: the tolerance."""
        return float(options.tol)

    def init(self, problem: Problem, options: Any, seed: int) -> LibraryState:
        if self.missing:
            raise ParameterError(
                "solver", "fwcore", f"one whose package is installed: {self.missing}", self.name
            )
        m, p = problem.design.shape
        if problem.design.entries == m * p > self.most_entries:
            raise ParameterError(
                "X",
                type(self).__name__,
                f"one of at most {self.most_entries:,} entries when made dense",
                f"{m:,} x {p:,}",
            )
        counters = new_counters(problem, WalkOptions())
        counters["dots"] = counters["entries"] = 0
        return LibraryState(counters, self.limit(options))

    def set_point(
        self, problem: Problem, state: LibraryState, options: Any, value: float, progress: float
    ) -> None:
        start_point(state.counters, value)

    def advance(self, problem: Problem, state: LibraryState, n: int) -> Rows:
        """One row where the library has returned, and none while it has not."""
        if state.asked is None:
            value = float(state.counters["value"][0])
            state.asked = self._process(problem, state).submit(
                child.solve, value, state.limit, (state.indices, state.values)
            )
        try:
            indices, values, seconds = state.asked.result(timeout=_TURN_SECONDS)
        except NotYet:
            return new_rows(0)
        before, after = np.zeros((2, problem.p))
        before[state.indices], after[indices] = state.values, values
        state.asked, state.indices, state.values = None, indices, values
        state.counters["steps"] += 1
        state.counters["outcome"] = Status.RETURNED
        row = new_rows(1)
        row["step"], row["seconds"], row["nnz"] = state.counters["steps"], seconds, indices.size
        row["l1"], row["moved"] = np.abs(values).sum(), np.abs(after - before).max()
        return row

    def _process(self, problem: Problem, state: LibraryState) -> Any:
        if state.executor is None:
            from joblib.externals.loky import ProcessPoolExecutor

            initial = (self.module, *handed(problem))
            executor = ProcessPoolExecutor(
                max_workers=1, timeout=_IDLE_SECONDS, initializer=child.hold, initargs=initial
            )
            weakref.finalize(state, executor.shutdown, wait=False, kill_workers=True)
            state.executor = executor
        return state.executor

    def coefficients(self, state: LibraryState) -> tuple[Ints, Floats]:
        return state.indices, state.values


def handed(problem: Problem) -> tuple[Any, Floats, Floats | None]:
    """(X, y, offset) as libraries take them; only a sparse design that is centred has an offset."""
    X, offset = problem.design.exported()
    return X, problem.y.copy(), offset

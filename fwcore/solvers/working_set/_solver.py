"""What the certified solvers share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fwcore.design import Design, full_pass, in_one_part, threads_for
from fwcore.kernels.types import Floats, Ints
from fwcore.options import Choice, Count, PenaltyOptions, WalkOptions
from fwcore.problem import Problem
from fwcore.solvers.base import Ended, RunState, Solver
from fwcore.solvers.working_set._control import EARLY, open_point
from fwcore.solvers.working_set._engine import Engine
from fwcore.solvers.working_set._face import Face
from fwcore.solvers.working_set._loop import DONE, FINER, PASS, ROOM
from fwcore.solvers.working_set._points import KEEP, ONE_POINT, Stretch, walk_on
from fwcore.solvers.working_set._prices import Prices
from fwcore.solvers.working_set._single_face import SingleFace, may_be_single, single_face
from fwcore.solvers.working_set._trial import SMALL
from fwcore.solvers.working_set._working_set import WorkingSet
from fwcore.trace import Rows, new_rows


class CertifiedOptions(WalkOptions):
    """Options of the working-set solvers."""

    rule = Choice(
        default="gap",
        choices={"moved": "coefficients settle", "gap": "gap is small"},
        label="Stop when",
        doc=WalkOptions.param.rule.doc,
    )
    threads = Count(
        default=0,
        bounds=(0, 256),
        label="Threads",
        doc="Threads that share a pass over all columns; they change no bit of a path. 0: two, "
        "where the design has more than 67 million entries.",
    )


class CertifiedPenaltyOptions(CertifiedOptions, PenaltyOptions):
    """Those of the penalty form, elastic nets included."""


@dataclass(kw_only=True)
class CertifiedState(RunState):
    """A run, whose ``arrays`` are a `WorkingSet`; ``threads`` share a pass, and a point that costs
    more than ``most`` operations, by its ``prices``, is the last of a kernel call. ``distinct`` are
    the columns of the problem that it has, where equal ones are taken once; None where it has all.
    It is ``fine`` once single precision was too rough.
    """

    prices: Prices
    threads: int = 1
    most: int = SMALL
    distinct: Ints | None = None
    fine: bool = False

    def walked(self, problem: Problem) -> Problem:
        """The ``problem`` of these columns."""
        return problem if self.distinct is None else problem.distinct[0]


class WorkingSetSolver(Solver):
    """What both forms and all engines share. Columns that equal others, where the design looks for
    them, are left out unless there is a ridge.
    """

    family = "Certified"
    certified = True
    positive = True
    needs: ClassVar[tuple[str, ...]] = ("closed_line_search",)
    Options = CertifiedOptions
    State: ClassVar[type[CertifiedState]] = CertifiedState

    def is_large(self, design: Design, options: Any) -> bool:
        by_gap = self.form == "penalty" and options.rule == "gap"
        return by_gap and may_be_single(design.shape, design.entries, options.tol)

    def rehearse(self, problem: Problem, options: Any, large: bool) -> None:
        if not large:
            return
        state = self.init(problem, options, seed=0)
        walked, run = state.walked(problem), state.arrays
        full = walked.entries == walked.m * walked.p
        if self.form == "penalty" and full and run.engine.exact:
            state.arrays = run.moved_to(walked, SingleFace.of(walked.p, walked.m), everything=True)
            self.set_point(problem, state, options, 0.5 * problem.lam_max, 0.0)
            self._walk_on(problem, state, 1, ONE_POINT)
            state.arrays.moved_to(walked, Face.of())

    @abstractmethod
    def engine(self, problem: Problem, options: Any) -> Engine:
        """What minimises on the working set at first."""

    def init(self, problem: Problem, options: Any, seed: int) -> CertifiedState:
        engine = self.engine(problem, options)
        ridge = options.ridge_weight(1.0) if self.form == "penalty" else 0.0
        # A ridge divides a coefficient among equal columns.
        walked, columns = problem.distinct if ridge == 0.0 else (problem, None)
        prices = Prices.of(walked)
        arrays = WorkingSet.of(walked, prices, engine, options, self.form == "ball", ridge)
        threads = threads_for(walked.design, options.threads or None)
        arrays.it["alone"] = in_one_part(walked.design, threads)
        if columns is not None:
            # X'y had products with all.
            arrays.counters["dots"] += problem.p - walked.p
            for record, name in ((arrays.counters, "entries"), (arrays.it, "seen")):
                record[name] += problem.entries - walked.entries
        return self.State(arrays, prices=prices, threads=threads, distinct=columns)

    def set_point(
        self, problem: Problem, state: CertifiedState, options: Any, value: float, progress: float
    ) -> None:
        run: WorkingSet = state.arrays
        open_point(run.it, run.counters, value)
        if progress > 0.0:
            run.it["left"] = np.rint((run.it["points"] - 1) * (1.0 / progress - 1.0))

    def advance(self, problem: Problem, state: CertifiedState, n: int) -> Rows:
        return self._walk_on(problem, state, n, ONE_POINT)[0]

    def walk_points(
        self,
        problem: Problem,
        state: CertifiedState,
        options: Any,
        values: Floats,
        progress: float,
        n: int,
    ) -> tuple[Rows, list[Ended]]:
        self.set_point(problem, state, options, float(values[0]), progress)
        early = progress == 0.0 and state.prices.long
        rows, stretch = self._walk_several(problem, state, values[:EARLY] if early else values, n)
        return rows, stretch.found(rows, state.distinct)

    def _walk_several(
        self, problem: Problem, state: CertifiedState, values: Floats, n: int
    ) -> tuple[Rows, Stretch]:
        """The points ``values``, of which the first is open."""
        return self._walk_on(problem, state, n, Stretch.of(values, state.most))

    def _walk_on(
        self, problem: Problem, state: CertifiedState, n: int, stretch: Stretch
    ) -> tuple[Rows, Stretch]:
        rows, done, wanted = new_rows(n), 0, PASS
        problem = state.walked(problem)
        seen = (problem.design, problem.samples, problem.loss, problem.sigma, problem.sqnorms)
        while wanted != DONE:
            run: WorkingSet = state.arrays
            made, wanted = walk_on(*seen, problem.entries, run, rows[done:], stretch)
            done += made
            if wanted == PASS:
                total, room = float(run.it["total"][0]), run.screen.room(problem.p)
                full_pass(problem.design, run.residual, total, room, state.threads)
            elif wanted == ROOM:
                state.arrays = self._with_room(problem, state)
            elif wanted == FINER:
                state.arrays, state.fine = _on_faces(problem, run, Face.of()), True
            elif wanted == KEEP:
                stretch = stretch.grown()
        return rows[:done], stretch

    def _with_room(self, problem: Problem, state: CertifiedState) -> WorkingSet:
        run: WorkingSet = state.arrays
        it, by_gap = run.it[0], run.counters["gap_at_most"][0] >= 0.0
        everything = it["everything"] and by_gap and not (it["ball"] or state.fine)
        single = single_face(problem, it["target"] / it["f0"]) if everything else None
        return run.grown() if single is None else _on_faces(problem, run, single, True)

    def coefficients(self, state: CertifiedState) -> tuple[Ints, Floats]:
        run: WorkingSet = state.arrays
        columns, values = run.support()
        return columns if state.distinct is None else state.distinct[columns], values


def _on_faces(
    problem: Problem, run: WorkingSet, faces: Any, everything: bool = False
) -> WorkingSet:
    """A ``run`` on faces goes on on other ``faces``, and so do counts of operations."""
    before: Any = run.engine
    faces.face["work"], begun = before.face["work"], run.it["begun"].copy()
    moved = run.moved_to(problem, faces, everything)
    moved.it["begun"] = begun
    return moved

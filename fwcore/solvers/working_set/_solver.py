"""What the certified solvers share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from fwcore.design import full_pass
from fwcore.kernels.types import Floats, Ints
from fwcore.options import Choice, Count, PenaltyOptions, WalkOptions
from fwcore.problem import Problem
from fwcore.solvers.base import RunState, Solver
from fwcore.solvers.working_set._engine import Engine
from fwcore.solvers.working_set._loop import DONE, PASS, ROOM, rounds
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
        default=1,
        bounds=(1, 256),
        label="Threads",
        doc="Threads that share a pass over all columns.",
    )


class CertifiedPenaltyOptions(CertifiedOptions, PenaltyOptions):
    """Those of the penalty form, elastic nets included."""


@dataclass
class CertifiedState(RunState):
    """A run, whose ``arrays`` are a `WorkingSet`; ``threads`` share a pass, and ``ridge`` is the
    weight of ||a||^2 / 2 as a multiple of lam.
    """

    threads: int = 1
    ridge: float = 0.0


class WorkingSetSolver(Solver):
    """What both forms and all engines share."""

    family = "Certified"
    certified = True
    positive = True
    needs: ClassVar[tuple[str, ...]] = ("closed_line_search",)
    Options = CertifiedOptions
    State: ClassVar[type[CertifiedState]] = CertifiedState

    @abstractmethod
    def engine(self, problem: Problem, options: Any) -> Engine:
        """What minimises on the working set at first."""

    def init(self, problem: Problem, options: Any, seed: int) -> CertifiedState:
        arrays = WorkingSet.of(problem, self.engine(problem, options), options, self.form == "ball")
        ridge = options.ridge_weight(1.0) if self.form == "penalty" else 0.0
        return self.State(arrays, threads=options.threads, ridge=ridge)

    def set_point(
        self, problem: Problem, state: CertifiedState, options: Any, value: float, progress: float
    ) -> None:
        run: WorkingSet = state.arrays
        run.open_point(value, state.ridge * value)

    def advance(self, problem: Problem, state: CertifiedState, n: int) -> Rows:
        rows, done, wanted = new_rows(n), 0, PASS
        seen = (problem.design, problem.samples, problem.loss, problem.sigma, problem.sqnorms)
        while wanted != DONE:
            made, wanted = rounds(*seen, problem.entries, state.arrays, rows[done:])
            done += made
            run: WorkingSet = state.arrays
            if wanted == PASS:
                residual = run.residual
                full_pass(
                    problem.design, residual, float(residual.sum()), run.screen.last, state.threads
                )
            elif wanted == ROOM:
                state.arrays = run.grown()
        return rows[:done]

    def coefficients(self, state: CertifiedState) -> tuple[Ints, Floats]:
        run: WorkingSet = state.arrays
        return run.support()

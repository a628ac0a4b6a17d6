"""Certified paths of any loss: the engine is chosen by what the points cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fwcore.errors import ParameterError
from fwcore.losses import Loss
from fwcore.options import Choice
from fwcore.problem import Problem
from fwcore.solvers.working_set._descent import Descent
from fwcore.solvers.working_set._engine import Engine
from fwcore.solvers.working_set._face import Face
from fwcore.solvers.working_set._solver import (
    CertifiedPenaltyOptions,
    CertifiedState,
    WorkingSetSolver,
)
from fwcore.solvers.working_set._working_set import WorkingSet
from fwcore.status import Status
from fwcore.trace import Rows

# What an entry of X costs where they are gathered by index, beside one in the order of memory.
_GATHERED = 5
# Points that cost so many cycles of descent each make the other engine worth a trial, of so many
# points, and again once they cost so many times as much.
_CYCLES, _TRIAL, _DEARER = 15, 3, 2
# Below so many operations a point, half a millisecond, no choice is worth a trial.
_SMALL = 1_000_000


class CertifiedEngineOptions(CertifiedPenaltyOptions):
    """Those of `Certified`."""

    engine = Choice(
        default="auto",
        choices={
            "auto": "by what points cost",
            "faces": "steps on faces",
            "descent": "coordinate descent",
        },
        label="Engine",
        doc="faces: exact steps on few active columns, of the squared loss. descent: proximal "
        "Newton steps, each by coordinate descent. auto: whichever costs fewer operations.",
    )


@dataclass
class ChosenState(CertifiedState):
    """A run, in operations: ``begun`` when the point began, or the trial that is on; ``costs`` of
    the last points in this engine; ``budget``, what a trial may cost, 0 where none is on, and
    ``left``, its points to come; ``fixed``, what the points cost that decided the last trial.
    """

    begun: int = 0
    costs: tuple[int, ...] = ()
    budget: int = 0
    left: int = 0
    fixed: int = 0


class Certified(WorkingSetSolver):
    """min f(a) + (r / 2) ||a||^2 + lam * sum abs(a) of any loss, on a working set; r as of
    `CoordinateDescent`.

    Few active columns of the squared loss are minimised over exactly, as by `ActiveSet`. Many, and
    those of other losses, are minimised over by proximal Newton steps, each by coordinate descent
    with extrapolation. Where both can, operations are counted: once points on faces cost many
    cycles each, three are tried with descent, and the cheaper engine goes on. The gap of the trace
    is an upper bound of the duality gap, in every round.
    """

    name = "certified"
    title = "Certified working set"
    reference = (
        "Lee, Sun & Saunders 2014; Bertrand & Massias 2021; Osborne, Presnell & Turlach 2000"
    )
    form = "penalty"
    needs = ("curvature_bound",)
    intercept = True
    Options = CertifiedEngineOptions

    def variant(self, options: Any) -> dict[str, Any]:
        return {"engine": options.engine}

    def rehearsals(self, options: Any, loss: Loss) -> tuple[dict[str, Any], ...]:
        if options.engine == "auto" and loss.closed_line_search:
            return {"engine": "faces"}, {"engine": "descent"}
        return ({"engine": options.engine},)

    def engine(self, problem: Problem, options: Any) -> Engine:
        exact = problem.loss.closed_line_search
        if options.engine == "faces" and not exact:
            rule = "'auto' or 'descent' where the loss has no closed-form line search"
            raise ParameterError("engine", type(self).__name__, rule, options.engine)
        return Face.of() if exact and options.engine != "descent" else Descent.of(problem.m)

    def init(self, problem: Problem, options: Any, seed: int) -> ChosenState:
        state = super().init(problem, options, seed)
        return ChosenState(state.arrays, threads=state.threads)

    def set_point(
        self, problem: Problem, state: Any, options: Any, value: float, progress: float
    ) -> None:
        super().set_point(problem, state, options, value, progress)
        both = options.engine == "auto" and problem.loss.closed_line_search
        if both and progress > 0.0:
            self._choose(problem, state)
        if not state.budget:
            state.begun = _work(problem, state)

    def advance(self, problem: Problem, state: Any, n: int) -> Rows:
        if not state.budget:
            return super().advance(problem, state, n)
        # Round by round, so that no choice depends on the chunks.
        rows = super().advance(problem, state, 1)
        if self.outcome(state) == Status.RUNNING:
            self._end_trial(problem, state)
        return rows

    def _end_trial(self, problem: Problem, state: ChosenState) -> None:
        """Go back where the trial costs more than the points before it did."""
        if _work(problem, state) - state.begun > state.budget:
            state.budget = 0
            self._swap(problem, state)

    def _choose(self, problem: Problem, state: ChosenState) -> None:
        if state.budget:
            self._end_trial(problem, state)
            state.left -= 1
            if state.budget and not state.left:
                # The trial was cheaper.
                state.budget, state.fixed = 0, _work(problem, state) - state.begun
            return
        state.costs = (*state.costs, _work(problem, state) - state.begun)[-_TRIAL:]
        active, budget = int(state.arrays.it["nnz"][0]), sum(state.costs)
        if (
            len(state.costs) == _TRIAL
            and budget > _DEARER * state.fixed
            and budget > _TRIAL * max(_SMALL, _CYCLES * _cycle(problem, active))
        ):
            state.fixed = budget
            if state.arrays.engine.exact or _face(problem, active) < budget:
                state.budget, state.left = budget, _TRIAL
                self._swap(problem, state)

    def _swap(self, problem: Problem, state: ChosenState) -> None:
        """Go on with the other engine; what the change costs is charged to the trial."""
        state.begun, state.costs = _on_entries(problem, state.arrays), ()
        engine = Descent.of(problem.m) if state.arrays.engine.exact else Face.of()
        state.arrays = state.arrays.moved_to(problem, engine)


def _entry(problem: Problem) -> int:
    return 1 if problem.entries == problem.m * problem.p else _GATHERED


def _on_entries(problem: Problem, run: WorkingSet) -> int:
    """Operations on entries of X so far, full passes left out."""
    entries = int(run.counters["entries"][0]) - problem.entries * int(run.it["passes"][0])
    return _entry(problem) * entries


def _work(problem: Problem, state: ChosenState) -> int:
    run: WorkingSet = state.arrays
    return run.engine.operations + _on_entries(problem, run)


def _column(problem: Problem) -> float:
    return _entry(problem) * problem.entries / problem.p


def _cycle(problem: Problem, active: int) -> float:
    """Operations of a cycle of descent over the ``active`` columns."""
    return 2.0 * active * _column(problem)


def _face(problem: Problem, active: int) -> float:
    """Operations to multiply and factor the ``active`` columns."""
    return 0.5 * active**2 * (_column(problem) + active / 3.0)

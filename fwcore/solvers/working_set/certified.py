"""Certified paths of any loss: the engine is chosen by what the points cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats
from fwcore.losses import Loss
from fwcore.options import Choice
from fwcore.problem import Problem
from fwcore.solvers.working_set._descent import Descent
from fwcore.solvers.working_set._engine import Engine
from fwcore.solvers.working_set._face import Face
from fwcore.solvers.working_set._points import Stretch
from fwcore.solvers.working_set._prices import Prices
from fwcore.solvers.working_set._solver import (
    CertifiedOptions,
    CertifiedPenaltyOptions,
    CertifiedState,
    WorkingSetSolver,
)
from fwcore.solvers.working_set._trial import POINTS, Outlook, Trial
from fwcore.solvers.working_set._working_set import WorkingSet
from fwcore.status import Status
from fwcore.trace import Rows, new_rows

# A trial that fails leaves the face to be made again, and what had joined it to be found again:
# together they cost so many faces.
_REMAKE = 3.0
# Operations, five milliseconds: points of losses that have one engine share a kernel call up to it,
# as no trial waits for its end.
_SHARED = 10_000_000


def _engine_choice() -> Choice:
    return Choice(
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


class CertifiedEngineOptions(CertifiedPenaltyOptions):
    """Those of `Certified`."""

    engine = _engine_choice()


class CertifiedBallOptions(CertifiedOptions):
    """Those of `CertifiedBall`."""

    engine = _engine_choice()


def _descent(problem: Problem) -> Descent:
    return Descent.of(problem.m, blocks=Prices.of(problem).long)


def _outlook(run: WorkingSet, prices: Prices) -> Outlook:
    """What is to come after the points of ``run``: columns become active, and the last coefficients
    are enough for a point, as of late.
    """
    it, active = run.it[0], int(run.it["nnz"][0])
    growth = max(0.0, float(it["growth"])) / max(active, 1)
    sizes = 1.0 + growth * np.arange(1, int(it["left"]) + 1)
    walked = 1.0 - int(it["kept"]) / int(it["points"])
    # Steps on a face cost its square.
    power = 2 if run.engine.exact else 1
    return Outlook(
        ahead=walked * float((sizes**power).sum()),
        grown=(1.0 + POINTS * growth) ** power,
        least=prices.cheap(active),
        least_ahead=walked * float(sizes.sum()) * prices.cheap(active),
        price=_REMAKE * prices.face(active),
    )


@dataclass
class ChosenState(CertifiedState):
    """A run; where there is a ``choice``, ``trial`` compares its engines after each point."""

    trial: Trial = field(default_factory=Trial)
    choice: bool = False


class Certified(WorkingSetSolver):
    """min f(a) + (r / 2) ||a||^2 + lam * sum abs(a) of any loss, on a working set; r as of
    `CoordinateDescent`.

    Few active columns of the squared loss are minimised over exactly, as by `ActiveSet`. Many, and
    those of other losses, are minimised over by proximal Newton steps, each by coordinate descent
    with extrapolation. Where both can, operations are counted: once points on faces cost many
    cycles each, three are tried with descent, and the cheaper engine goes on. The gap of the trace
    is an upper bound of the duality gap, in every round; what single precision rounds, in which
    products of thousands of columns are kept where ``tol`` is 1e-4 or more, is part of it.
    """

    name = "certified"
    title = "Certified working set"
    reference = (
        "Lee, Sun & Saunders 2014; Bertrand & Massias 2021; Osborne, Presnell & Turlach 2000"
    )
    form = "penalty"
    needs = ("curvature_bound",)
    unpenalised = True
    weights = True
    Options = CertifiedEngineOptions
    State = ChosenState

    def variant(self, options: Any) -> dict[str, Any]:
        return {"engine": options.engine}

    def rehearsals(self, options: Any, loss: Loss) -> tuple[dict[str, Any], ...]:
        if options.engine == "auto" and loss.closed_line_search:
            return {"engine": "faces"}, {"engine": "descent"}
        return ({"engine": options.engine},)

    def rehearse(self, problem: Problem, options: Any, large: bool) -> None:
        super().rehearse(problem, options, large)
        state = self.init(problem, options, seed=0)
        if state.choice:
            # There and back: a toy is too small for a trial.
            self._change(problem, state)
            self._change(problem, state)

    def engine(self, problem: Problem, options: Any) -> Engine:
        exact = problem.loss.closed_line_search
        if options.engine == "faces" and not exact:
            rule = "'auto' or 'descent' where the loss has no closed-form line search"
            raise ParameterError("engine", type(self).__name__, rule, options.engine)
        return Face.of() if exact and options.engine != "descent" else _descent(problem)

    def init(self, problem: Problem, options: Any, seed: int) -> Any:
        state: Any = super().init(problem, options, seed)
        several = problem.loss.closed_line_search
        state.choice = several and options.engine == "auto"
        if not several:
            state.most = _SHARED
        return state

    def set_point(
        self, problem: Problem, state: Any, options: Any, value: float, progress: float
    ) -> None:
        run: WorkingSet = state.arrays
        # One that the last coefficients were accurate enough for tells nothing of an engine.
        idle = run.cost == int(run.it["begun"][0])
        super().set_point(problem, state, options, value, progress)
        if not state.choice or (progress > 0.0 and idle):
            return
        work = run.cost
        tells = progress > 0.0 and not state.trial.passes_over(work)
        if tells and state.trial.end_point(work, _outlook(run, state.prices)):
            self._change(problem, state)
            work = state.arrays.cost
        state.trial.begin_point(work)

    def _walk_several(
        self, problem: Problem, state: Any, values: Floats, n: int
    ) -> tuple[Rows, Stretch]:
        if state.trial.on:
            return new_rows(0), Stretch.of(values[:0], 0)
        rows, stretch = super()._walk_several(problem, state, values, n)
        state.trial.go_on(int(state.arrays.it["begun"][0]), bool(stretch.it["cheap"][0]))
        return rows, stretch

    def advance(self, problem: Problem, state: Any, n: int) -> Rows:
        if not state.trial.on:
            return super().advance(problem, state, n)
        # Round by round, so that no choice depends on the chunks.
        rows = super().advance(problem, state, 1)
        running = self.outcome(state) == Status.RUNNING
        if running and state.trial.gives_up(state.arrays.cost):
            self._change(problem, state)
        return rows

    def _change(self, problem: Problem, state: ChosenState) -> None:
        """Go on with the other engine, which has done nothing yet."""
        walked = state.walked(problem)
        engine = _descent(walked) if state.arrays.engine.exact else Face.of()
        state.arrays = state.arrays.moved_to(walked, engine)
        state.trial.begin_engine(state.arrays.cost)


class CertifiedBall(Certified):
    """min f(a) subject to sum abs(a) <= delta, of any loss, on a working set.

    The twin of `Certified` for users of delta. Proximal Newton steps have a penalty whose level is
    searched for, so that the l1 norm is delta; steps on faces keep to the ball themselves. The gap
    of the trace is an upper bound of the true Frank-Wolfe gap over all columns, in every round.
    """

    name = "certified_ball"
    title = "Certified working set, in a ball"
    form = "ball"
    Options = CertifiedBallOptions

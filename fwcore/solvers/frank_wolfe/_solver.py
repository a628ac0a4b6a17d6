"""What the Frank-Wolfe solvers share: options, oracle, and the engine that makes their steps."""

from __future__ import annotations

import math
from typing import Any

from fwcore import theory
from fwcore.errors import ParameterError
from fwcore.kernels.scaled_iterate import coefficients
from fwcore.kernels.types import Floats, Ints
from fwcore.options import BallOptions
from fwcore.oracles.choice import (
    Answer,
    asks_curvature,
    asks_rows,
    last_answer,
    row_oracle_adapter,
    variant_of,
)
from fwcore.problem import Problem
from fwcore.solvers.base import RunState, Solver, new_counters, start_point
from fwcore.solvers.frank_wolfe._smooth import SmoothEngine
from fwcore.solvers.frank_wolfe._squared import SquaredEngine
from fwcore.step_rules import find_step_rule
from fwcore.trace import Rows, new_rows


class FrankWolfeSolver(Solver):
    """Frank-Wolfe on the l1 ball; subclasses say which oracle finds the vertex.

    An elastic net is the same problem with the rows sqrt(r) I below X and zeros below y: S = ||X
    a||^2 + r ||a||^2, the gradient grows by r a and the squared norm of a column by r, and the step
    is that of the Lasso with these.
    """

    family = "Frank-Wolfe"
    form = "ball"
    positive = True
    Options = BallOptions

    def engine(self, problem: Problem, options: Any) -> Any:
        """What makes the steps: with a closed-form line search or without."""
        if not problem.loss.closed_line_search:
            return SmoothEngine()
        # An oracle on rows looks at the image, too.
        fold = None if asks_rows(options) else getattr(problem.design, "folded", None)
        return SquaredEngine() if fold is None else SquaredEngine(fold(problem.sigma))

    def oracle(self, design: Any, sigma: Floats, options: Any, seed: int) -> Any:
        """The oracle of a run on ``design``; ``sigma`` (p,) is what its dot products lack."""
        raise TypeError(f"{type(self).__name__} names no oracle")

    def kappa(self, p: int, options: Any, progress: float) -> int:
        """Columns that a step looks at: all ``p`` where there is no sampling rule."""
        if "sampling" not in options.declared():
            return p
        if options.sampling.waits:
            rule = "resolved by a reference path, as Walk does it"
            raise ParameterError("sampling", type(self).__name__, rule, options.sampling.text)
        try:
            return int(options.sampling.kappa(p, progress))
        except ParameterError as error:
            raise ParameterError(error.name, type(self).__name__, error.rule, error.got) from None

    def redraw_until(self, options: Any) -> int:
        """Columns that a step looks at in vain before it gives up drawing."""
        return 0

    def asks_support(self, options: Any) -> bool:
        """Whether a step that found no descent vertex looks at the support."""
        return True

    def certificate(self, p: int, kappa: int, options: Any) -> tuple[float, float]:
        """Logarithms of the error that is allowed at a point, and of the probability that a step
        misses a column with a larger gap.
        """
        return 0.0, -math.inf

    def ridge_weight(self, options: Any) -> float:
        """The ridge of a path: none where options have none."""
        return float(options.ridge) if "ridge" in options.declared() else 0.0

    def step(self, options: Any) -> str:
        """The name of the step rule."""
        return str(options.step) if "step" in options.declared() else "line-search"

    def variant(self, options: Any) -> dict[str, Any]:
        ridge = {"ridge": 1.0} if self.ridge_weight(options) else {}
        return (
            ridge
            | ({"step": self.step(options)} if "step" in options.declared() else {})
            | variant_of(options)
        )

    def init(self, problem: Problem, options: Any, seed: int) -> RunState:
        engine, kappa = self.engine(problem, options), self.kappa(problem.p, options, 0.0)
        counters = new_counters(problem, options)
        counters["ridge"] = self.ridge_weight(options)
        state = engine.new_state(problem, counters)
        seen = engine.seen(problem, state)
        if asks_rows(options):
            if self.ridge_weight(options) or problem.positive or kappa < problem.p:
                rule = "exact with a ridge, a >= 0 or sampled columns"
                raise ParameterError("oracle", type(self).__name__, rule, options.oracle)
            oracle = row_oracle_adapter(problem, engine.target(problem), options, seed)
        else:
            oracle = self.oracle(seen, engine.sigma(problem), options, seed)
        if asks_curvature(options):
            # Raises where the loss has no bound, before the first step.
            theory.curvature(problem, 1.0)
        state.iterate["redraw_until"] = self.redraw_until(options)
        state.iterate["asks_support"] = self.asks_support(options)
        rule = find_step_rule(self.step(options), problem.loss)
        return RunState(state._replace(oracle=oracle, rule=rule), engine)

    def set_point(
        self, problem: Problem, state: RunState, options: Any, value: float, progress: float
    ) -> None:
        start_point(state.counters, value, self.ridge_weight(options))
        kappa = self.kappa(problem.p, options, progress)
        state.counters["kappa"] = kappa
        log_error, log_miss = self.certificate(problem.p, kappa, options)
        state.counters["log_error"], state.counters["log_miss"] = log_error, log_miss
        if asks_curvature(options):
            state.arrays.oracle.oracle.open_ball(theory.curvature(problem, value) / (2.0 * value))
        state.engine.open_point(problem, state.arrays, value)

    def advance(self, problem: Problem, state: RunState, n: int) -> Rows:
        rows = new_rows(n)
        return rows[: state.engine.advance(problem, state.arrays, rows)]

    def coefficients(self, state: RunState) -> tuple[Ints, Floats]:
        return coefficients(state.arrays)

    def answer(self, state: RunState) -> Answer | None:
        return last_answer(state.arrays.oracle)

"""Options: each parameter of a solver is declared once, and the widget, the flag, the check and the
docs follow from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import param

from fwcore.errors import ParameterError
from fwcore.option_kinds import (
    Amount,
    BatchSize,
    Choice,
    ColumnOracle,
    Count,
    RowCount,
    RowOracle,
    SamplingRule,
    StepRule,
    Switch,
)

__all__ = [
    "RENAMED",
    "Amount",
    "BallOptions",
    "BatchSize",
    "Choice",
    "ColumnOracle",
    "Count",
    "FiniteSumOptions",
    "GapOptions",
    "Options",
    "OracleOptions",
    "PenaltyOptions",
    "RowCount",
    "RowOracle",
    "SamplingRule",
    "StepRule",
    "Switch",
    "WalkOptions",
    "build",
    "judged_every",
]

RENAMED = {
    "stable": "oracle_stable",
    "error": "oracle_error",
    "budget": "oracle_budget",
    "finalists": "oracle_finalists",
    "by_size": "oracle_by_size",
    "judge": "oracle_judge",
}
"""Old names of options, which are refused with the new one."""


class Options(param.Parameterized):
    """What the user can choose of a solver. Subclasses declare kinds of `fwcore.option_kinds` with
    default, bounds and doc.

    >>> from fwcore import find_solver
    >>> find_solver("fw").Options(tol=1e-4).changed()
    {'tol': 0.0001}
    """

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        for name, declared in _found(cls).items():
            if not hasattr(declared, "widget"):
                kind = type(declared).__name__
                raise TypeError(
                    f"The option {name!r} of {cls.__name__} must be of a kind of "
                    f"fwcore.option_kinds. Got param.{kind} instead."
                )

    @classmethod
    def declared(cls) -> dict[str, Any]:
        """The options by name, in the order of declaration."""
        if cls not in _DECLARED:
            _DECLARED[cls] = _found(cls)
        return _DECLARED[cls]

    @classmethod
    def samples(cls) -> bool:
        """Whether a step looks at a part of the columns where nothing else is asked for."""
        rule = cls.declared().get("sampling")
        return rule is not None and not rule.default.everything

    def settings(self) -> dict[str, Any]:
        """The values by name, ready for JSON."""
        return {name: p.write(getattr(self, name)) for name, p in self.declared().items()}

    def changed(self) -> dict[str, Any]:
        """Those of the `settings` that are not the defaults."""
        if type(self) not in _DEFAULTS:
            _DEFAULTS[type(self)] = type(self)().settings()
        default = _DEFAULTS[type(self)]
        return {name: value for name, value in self.settings().items() if value != default[name]}


def _found(options: type[Options]) -> dict[str, Any]:
    """The options that a class has by now: while it is made, not yet its own."""
    return {
        name: p
        for name, p in options.param.objects("existing").items()
        if name != "name" and (p.precedence or 0) >= 0
    }


# A page asks for these of each run ten times a second.
_DECLARED: dict[type[Options], dict[str, Any]] = {}
_DEFAULTS: dict[type[Options], dict[str, Any]] = {}


_RULES = {"moved": "coefficients settle", "gap": "gap is small"}


class WalkOptions(Options):
    """The stopping rule of a path point, common to every solver.

    >>> from fwcore import find_solver
    >>> find_solver("sfw").Options(rule="gap").settings()["rule"]
    'gap'
    """

    rule = Choice(
        default="moved",
        choices=_RULES,
        label="Stop when",
        doc="moved: coefficients settle, none moves by more than tol in a step. gap: the gap is "
        "small, the method's own is at most tol * f(0).",
    )
    tol = Amount(
        default=1e-3,
        bounds=(1e-14, 1.0),
        softbounds=(1e-8, 1e-1),
        label="Tolerance",
        doc="Tolerance of the stopping rule.",
    )
    max_steps = Count(
        default=100_000,
        bounds=(1, 10**12),
        label="Step limit",
        doc="Steps at which a path point is given up.",
    )


class GapOptions(WalkOptions):
    """Those of the solvers whose own gap costs a pass that their steps do not make."""

    check = Count(
        default=10,
        bounds=(1, 10**6),
        label="Compute the gap every",
        doc="Steps from one gap to the next where the gap is the rule; each costs a pass over all "
        "columns.",
    )


def judged_every() -> Count:
    """The option of the solvers whose choice of columns may be wrong."""
    return Count(
        default=1,
        bounds=(0, 10**6),
        softbounds=(0, 100),
        label="Judge every",
        doc="Steps from one check of the oracle's answer to the next, each a pass over all rows "
        "off the clock. 0: no check.",
    )


class OracleOptions(Options):
    """Those of the solvers that may use a part of the rows to find their steepest column."""

    oracle = RowOracle(
        default="exact",
        label="Oracle",
        doc="exact: all rows of all columns. greedy-rows: by decreasing contribution. random-rows: "
        "with weights. successive-halving: all columns on few rows, then half of them on more, and "
        "so on. successive-rejects: the same by single entries, one column fewer each time.",
    )
    oracle_rule = Choice(
        default="stability",
        choices={
            "stability": "the answer is stable",
            "error-bound": "the error is bounded",
            "budget": "the budget is spent",
            "doubling": "a doubled budget agrees",
            "curvature": "Frank-Wolfe keeps its rate",
        },
        label="Rows are enough when",
        doc="stability: some rows left the steepest columns as they were. error-bound: those left "
        "change no slope by more. budget: a share of the entries was touched. doubling: so, until "
        "two budgets agree. curvature: Frank-Wolfe's bound grows by at most the share below. "
        "Halving and rejects take the budget for bounds and stability.",
    )
    oracle_stable = RowCount(
        default="5", label="Stable rows", doc="For stability: how many, or how many per cent."
    )
    oracle_error = Amount(
        default=1e-3,
        bounds=(0.0, 1e6),
        label="Error bound",
        doc="What the rows left may change a slope by, or (curvature) the bound as a share of it.",
    )
    oracle_budget = Amount(
        default=0.2,
        bounds=(1e-6, 1.0),
        softbounds=(0.01, 1.0),
        label="Budget",
        doc="Share of the entries of X; 1: all, once.",
    )
    oracle_finalists = Count(
        default=1,
        bounds=(1, 10**6),
        softbounds=(1, 1000),
        label="Finalists",
        doc="Columns that are left to be compared by all rows at the end. 1: none, as in the "
        "paper.",
    )
    oracle_by_size = Switch(
        default=True,
        label="Rows by size",
        doc="random-rows: with probability proportional to their contribution. Halving and "
        "rejects: in decreasing order of it. Otherwise uniformly.",
    )
    oracle_judge = judged_every()


class PenaltyOptions(WalkOptions):
    """Those of the solvers of the penalty form that walk elastic nets, too."""

    l1_ratio = Amount(
        default=1.0,
        bounds=(1e-6, 1.0),
        softbounds=(0.1, 1.0),
        label="l1 ratio",
        doc="Elastic net: (lam (1 / l1_ratio - 1) / 2) ||a||^2 joins the objective, so that the "
        "l1 norm, of weight lam, has this share in the penalty. 1: the Lasso.",
    )

    def ridge_weight(self, lam: float) -> float:
        """The weight of ||a||^2 / 2 beside ``lam``."""
        return float(lam * (1.0 / self.l1_ratio - 1.0))


class BallOptions(WalkOptions):
    """Those of the solvers of the ball form that walk elastic nets, too."""

    ridge = Amount(
        default=0.0,
        bounds=(0.0, 1e6),
        softbounds=(0.0, 1.0),
        label="Ridge",
        doc="Elastic net: (ridge / 2) ||a||^2 joins the objective; columns have unit norm. 0: the "
        "Lasso.",
    )


def step_rule(default: str = "line-search") -> StepRule:
    """The option of the solvers that take a step rule."""
    return StepRule(
        default=default,
        label="Step",
        doc="line-search: to the minimum along the segment. open-loop: 2 / (t + 2), or as the "
        "method's paper has it. short: by a bound of the curvature. adaptive: by backtracking on a "
        "local Lipschitz estimate.",
    )


DIRECTIONS = ("toward", "away", "pairwise")


class FiniteSumOptions(WalkOptions):
    """Those of the solvers that sample rows."""

    rule = Choice(
        default="gap",
        choices=_RULES,
        label="Stop when",
        doc="moved: throughout a pass of batches no step is longer than tol, in coefficients. "
        "gap: the stochastic gap is at most tol * f(0), and so is the true one, where it is "
        "confirmed.",
    )
    tol = Amount(default=1e-2)
    max_steps = Count(default=10_000)
    batch = BatchSize(
        default="1%",
        label="Batch",
        doc="Samples of a step, a percentage or a count, drawn without replacement.",
    )
    step = StepRule(
        default="open-loop",
        label="Step",
        doc="open-loop: of the method's paper. short: descent over L ||d||^2 along d, with L "
        "estimated by the batches of a pass. line-search, adaptive: on the batch's losses, an "
        "experiment.",
    )
    direction = Choice(
        default="toward",
        choices={"toward": "toward the vertex", "away": "away steps", "pairwise": "pairwise steps"},
        label="Direction",
        doc="toward: all of the iterate shrinks toward the vertex. away: or it grows away from its "
        "own worst vertex, where that descends more. pairwise: weight goes from that vertex to the "
        "other.",
    )
    start = Choice(
        default="zero",
        choices={"zero": "from zero", "full-pass": "a full pass"},
        label="Start",
        doc="zero: from a gradient of 0. full-pass: from the gradient, which a pass over the "
        "samples is charged for.",
    )
    confirm = Switch(
        default=True,
        label="Confirm the gap",
        doc="A stochastic gap may be small by chance: where it would end a point, the true gap is "
        "computed first, and charged.",
    )


def build(options: type[Options], owner: str, values: Mapping[str, Any]) -> Options:
    """Options with ``values`` set, each checked.

    Raises
    ------
    ParameterError
        A name that is not declared, or a value against its rule; ``owner`` is who the message says
        it belongs to.
    """
    declared = options.declared()
    result = options()
    for name, value in values.items():
        if name not in declared:
            known = f"its options are {', '.join(sorted(declared))}"
            if RENAMED.get(name) in declared:
                known = f"it is called {RENAMED[name]!r} now"
            raise ParameterError(name, owner, f"left out: {known}", value)
        kind = declared[name]
        try:
            setattr(result, name, kind.read(value) if isinstance(value, str) else value)
        except ParameterError as error:
            raise ParameterError(error.name, owner, error.rule, error.got) from None
        except (ValueError, TypeError):
            raise ParameterError(name, owner, kind.accepts, value) from None
    return result

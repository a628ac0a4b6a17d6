"""Options: each parameter of a solver is declared once, and the widget, the flag, the check and the docs follow from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import param

from fwcore import sampling
from fwcore.errors import ParameterError
from fwcore.oracles import KINDS, RULES


class SamplingRule(param.String):
    """A sampling rule written as one word; see `fwcore.sampling`."""

    def _validate(self, val: Any) -> None:
        super()._validate(val)
        sampling.parse(val)


class BatchSize(param.String):
    """Samples of a batch: a percentage of them, or a count."""

    def _validate(self, val: Any) -> None:
        super()._validate(val)
        try:
            rule = sampling.parse(val)
        except ParameterError:
            rule = None
        if not isinstance(rule, (sampling.Fraction, sampling.Count)):
            raise ValueError(f"not {rule_of(self)}")


class Options(param.Parameterized):
    """What the user can choose of a solver. Subclasses declare params with default, bounds and doc."""

    @classmethod
    def declared(cls) -> dict[str, param.Parameter]:
        """The options by name, in the order of declaration."""
        return {name: p for name, p in cls.param.objects("existing").items() if name != "name" and (p.precedence or 0) >= 0}

    def settings(self) -> dict[str, Any]:
        """The values by name, ready for JSON."""
        return {name: getattr(self, name) for name in self.declared()}


class WalkOptions(Options):
    """The stopping rule of a path point, common to every solver."""

    rule = param.Selector(
        default="moved",
        objects=["moved", "gap"],
        label="Stop when",
        doc="moved: no coefficient moves by more than tol in a step. gap: the method's own gap is at most tol * f(0).",
    )
    tol = param.Number(
        default=1e-3,
        bounds=(1e-14, 1.0),
        softbounds=(1e-8, 1e-1),
        label="Tolerance",
        doc="Tolerance of the stopping rule.",
    )
    max_steps = param.Integer(
        default=100_000, bounds=(1, 10**12), label="Step limit", doc="Steps at which a path point is given up."
    )


class GapOptions(WalkOptions):
    """Those of the solvers whose own gap costs a pass that their steps do not make."""

    check = param.Integer(
        default=10,
        bounds=(1, 10**6),
        label="Look at the gap every",
        doc="Where the gap is the rule, it is looked at every so many steps, for a pass over all columns each.",
    )


def judged_every() -> param.Integer:
    """The option of the solvers whose choice of columns may be wrong."""
    return param.Integer(
        default=1,
        bounds=(0, 10**6),
        softbounds=(0, 100),
        label="Judge every",
        doc="Steps from one look at whether the answer was right to the next, by a pass over all rows off the clock. 0: no look.",
    )


class OracleOptions(Options):
    """Those of the solvers that may look at a part of the rows for their steepest column."""

    oracle = param.Selector(
        default="exact",
        objects=["exact", *KINDS],
        label="Oracle",
        doc="exact: all rows of all columns. greedy rows: by decreasing contribution. random rows: with weights. halving: all "
        "columns on few rows, then half of them on more, and so on. rejects: the same by single entries, a column less each time.",
    )
    oracle_rule = param.Selector(
        default="stability",
        objects=[*RULES],
        label="Rows are enough when",
        doc="stability: the same columns were the steepest throughout some rows. error bound: the rows left can change no slope by "
        "more. budget: a share of the entries was looked at. doubling: the budget, doubled until two answers agree. Halving and "
        "rejects go by the budget in the place of the first two.",
    )
    stable = param.Integer(default=5, bounds=(1, 10**6), label="Stable rows", doc="How many, for stability.")
    error = param.Number(default=1e-3, bounds=(0.0, 1e6), label="Error bound", doc="What the rows left may change a slope by.")
    budget = param.Number(
        default=0.2, bounds=(1e-6, 1.0), softbounds=(0.01, 1.0), label="Budget", doc="Share of the entries of X; 1: all, once."
    )
    finalists = param.Integer(
        default=1,
        bounds=(1, 10**6),
        softbounds=(1, 1000),
        label="Finalists",
        doc="Columns that are left to be compared by all rows at the end. 1: none, as in the paper.",
    )
    by_size = param.Boolean(
        default=True,
        label="Rows by size",
        doc="Random rows: with probability proportional to their contribution; halving, rejects: in decreasing order of it. Else "
        "uniformly.",
    )
    judge = judged_every()


class PenaltyOptions(WalkOptions):
    """Those of the solvers of the penalty form that walk elastic nets, too."""

    l1_ratio = param.Number(
        default=1.0,
        bounds=(1e-6, 1.0),
        softbounds=(0.1, 1.0),
        label="l1 ratio",
        doc="Elastic net: (lam (1 / l1_ratio - 1) / 2) ||a||^2 joins the objective, so that the l1 norm, of weight lam, has this "
        "share in the penalty. 1: the Lasso.",
    )

    def ridge(self, lam: float) -> float:
        """The weight of ||a||^2 / 2 beside ``lam``."""
        return float(lam * (1.0 / self.l1_ratio - 1.0))


class BallOptions(WalkOptions):
    """Those of the solvers of the ball form that walk elastic nets, too."""

    ridge = param.Number(
        default=0.0,
        bounds=(0.0, 1e6),
        softbounds=(0.0, 1.0),
        label="Ridge",
        doc="Elastic net: (ridge / 2) ||a||^2 joins the objective; columns have unit norm. 0: the Lasso.",
    )


STEPS = ("open loop", "short", "line search")
DIRECTIONS = ("toward", "away", "pairwise")


class FiniteSumOptions(WalkOptions):
    """Those of the solvers that sample rows."""

    rule = param.Selector(
        default="gap",
        objects=["moved", "gap"],
        doc="moved: throughout a pass of batches no step is longer than tol, in coefficients. gap: the stochastic gap is at most "
        "tol * f(0), and so is the true one, where it is confirmed.",
    )
    tol = param.Number(default=1e-2)
    max_steps = param.Integer(default=10_000)
    batch = BatchSize(default="1%", label="Batch", doc="Samples of a step, a percentage or a count, drawn without replacement.")
    step = param.Selector(
        default="open loop",
        objects=[*STEPS],
        label="Step",
        doc="open loop: of the method's paper. short: descent over L ||d||^2 along d, with L estimated by the batches of a pass. "
        "line search: to the minimum of the batch's losses along the segment, an experiment.",
    )
    direction = param.Selector(
        default="toward",
        objects=[*DIRECTIONS],
        label="Direction",
        doc="toward: all of the iterate shrinks toward the vertex. away: or grows away from its own worst vertex, which is found "
        "among the non-zero coefficients, where that descends more. pairwise: weight goes from that one to the other.",
    )
    start = param.Selector(
        default="zero",
        objects=["zero", "full pass"],
        label="Start",
        doc="zero: from a gradient of 0. full pass: from the gradient, which a pass over the samples is charged for.",
    )
    confirm = param.Boolean(
        default=True,
        label="Confirm the gap",
        doc="A stochastic gap may be small by chance: where it would end a point, the true gap is computed first, and charged.",
    )


def rule_of(parameter: param.Parameter) -> str:
    """What a parameter accepts, as the end of a sentence."""
    if isinstance(parameter, SamplingRule):
        return "a sampling rule: a percentage, a count, 'top:C,T', 'hit:R,S' or 'shrink:A,B'"
    if isinstance(parameter, BatchSize):
        return "a percentage or a count of samples, such as '1%' or '32'"
    if isinstance(parameter, param.Selector):
        return f"one of {list(parameter.objects)}"
    if isinstance(parameter, param.Boolean):
        return "True or False"
    kind = "an int" if isinstance(parameter, param.Integer) else "a number"
    if isinstance(parameter, param.Number):
        low, high = parameter.bounds or (None, None)
        ends = ("-inf" if low is None else low, "inf" if high is None else high)
        return f"{kind} in [{ends[0]}, {ends[1]}]"
    return f"a {type(parameter).__name__}"


def read(parameter: param.Parameter, text: str) -> Any:
    """The value that ``text`` (from a shell or a URL) stands for; text that stands for none is returned as it is."""
    kinds: Iterator[type] = iter(())
    if isinstance(parameter, param.Boolean):
        return {"true": True, "false": False}.get(text.lower(), text)
    if isinstance(parameter, param.Integer):
        kinds = iter((int,))
    elif isinstance(parameter, param.Number):
        kinds = iter((float,))
    for kind in kinds:
        try:
            return kind(text)
        except ValueError:
            break
    return text


def build(options: type[Options], owner: str, values: Mapping[str, Any]) -> Options:
    """Options with ``values`` set, each checked.

    Raises
    ------
    ParameterError
        A name that is not declared, or a value against its rule; ``owner`` is who the message says it belongs to.
    """
    declared = options.declared()
    result = options()
    for name, value in values.items():
        if name not in declared:
            raise ParameterError(name, owner, f"left out: its options are {', '.join(sorted(declared))}", value)
        parameter = declared[name]
        value = read(parameter, value) if isinstance(value, str) else value
        try:
            setattr(result, name, value)
        except ParameterError as error:
            raise ParameterError(error.name, owner, error.rule, error.got) from None
        except (ValueError, TypeError):
            raise ParameterError(name, owner, rule_of(parameter), value) from None
    return result

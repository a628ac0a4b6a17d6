"""Kinds of options: what values one takes, how they are read and written, and what shows them.

A kind is a param with a ``widget``, the name of what the page shows for it; ``accepts``, the end of
the sentence "... must be"; ``read``, which turns text from a shell or a URL into a value; and
``write``, which turns a value into what JSON holds. A new kind is a class here and, where no widget
of the page fits, a builder in ``app.controls.fields.WIDGETS``.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import param
from param.parameterized import instance_descriptor

from fwcore import sampling
from fwcore.errors import ParameterError

RENAMED_VALUES = {
    "rejects": "successive-rejects",
    "halving": "successive-halving",
    "4 / (t + 8)^(2/3)": "mokhtari",
    "1 / t^(2/3)": "negiar",
}
"""Old spellings of choices, besides those with a space where there is a hyphen now."""


def _respelled(name: str, text: str, known: Sequence[str]) -> str:
    """The text, or an error that names its new spelling."""
    renamed = RENAMED_VALUES.get(text, text.replace(" ", "-"))
    if text not in known and renamed in known:
        raise ParameterError(name, "fwcore", f"spelled {renamed!r} now", text)
    return text


class Choice(param.Selector):
    """One of a few values in kebab case; ``choices`` is value -> label.

    >>> Choice("fast", choices={"fast": "Fast", "exact": "Exact"}).accepts
    "one of ['fast', 'exact']"
    """

    widget: ClassVar[str] = "select"

    def __init__(self, default: str = "", choices: Mapping[str, str] | None = None, **rest: Any):
        if choices is not None:
            rest["objects"] = {label: value for value, label in choices.items()}
        super().__init__(default=default, **rest)

    @property
    def accepts(self) -> str:
        return f"one of {[*self.objects]}"

    def read(self, text: str) -> Any:
        return _respelled(self.name, text, self.objects)

    def write(self, value: Any) -> Any:
        return value


class Switch(param.Boolean):
    """Yes or no.

    >>> Switch(True).read("false")
    False
    """

    widget: ClassVar[str] = "switch"
    accepts: ClassVar[str] = "True or False"

    def read(self, text: str) -> Any:
        return {"true": True, "false": False}.get(text.lower(), text)

    def write(self, value: Any) -> Any:
        return value


def _interval(kind: str, number: param.Number) -> str:
    (low, high), closed = number.bounds or (None, None), number.inclusive_bounds
    first = "(-inf" if low is None else f"{'[' if closed[0] else '('}{low}"
    last = "inf)" if high is None else f"{high}{']' if closed[1] else ')'}"
    return f"{kind} in {first}, {last}" + (", or nothing" if number.allow_None else "")


class Count(param.Integer):
    """A whole number.

    >>> Count(5, bounds=(1, 10)).accepts
    'an int in [1, 10]'
    """

    widget: ClassVar[str] = "count"

    @property
    def accepts(self) -> str:
        return _interval("an int", self)

    def read(self, text: str) -> Any:
        try:
            return int(text)
        except ValueError:
            return text

    def write(self, value: Any) -> Any:
        return value


class Amount(param.Number):
    """A number; shown on a logarithmic scale where its soft bounds span four decades.

    >>> Amount(1e-3, bounds=(0, 1)).read("0.5")
    0.5
    """

    widget: ClassVar[str] = "amount"

    @property
    def accepts(self) -> str:
        return _interval("a number", self)

    def read(self, text: str) -> Any:
        if self.allow_None and not text.strip():
            return None
        try:
            return float(text)
        except ValueError:
            return text

    def write(self, value: Any) -> Any:
        return value


class SamplingRule(param.Parameter):
    """A rule of `fwcore.sampling`, held as one; given as a rule or as its text.

    >>> from fwcore import find_solver
    >>> find_solver("sfw").Options(sampling="5%").sampling.kappa(1000)
    50
    """

    widget: ClassVar[str] = "sampling"
    accepts: ClassVar[str] = (
        "a sampling rule: a percentage, a count, 'top:C,T', 'hit:R,S', 'hit-path:R' or 'shrink:A,B'"
    )
    kinds: ClassVar[tuple[type, ...]] = tuple(sampling.RULES)

    def __init__(self, default: Any = "1%", **rest: Any):
        super().__init__(default=self.read(default), **rest)

    @instance_descriptor
    def __set__(self, instance: Any, value: Any) -> None:
        super().__set__(instance, self.read(value))

    def read(self, text: Any) -> Any:
        rule = sampling.parse(text) if isinstance(text, str) else text
        if not isinstance(rule, self.kinds):
            raise ValueError(f"not {self.accepts}")
        return rule

    def write(self, value: Any) -> Any:
        return value.text

    def resolved(self, value: Any, active: Callable[[], float]) -> Any:
        """The rule with what it has to know of a problem; see `fwcore.sampling.Rule`."""
        return value.resolved(active)


class BatchSize(SamplingRule):
    """Samples of a batch: a percentage of them, or a count.

    >>> BatchSize.rows(BatchSize("1%").default, 250, "StochasticFrankWolfe")
    3
    """

    widget: ClassVar[str] = "text"
    accepts: ClassVar[str] = "a percentage or a count of samples, such as '1%' or '32'"
    kinds: ClassVar[tuple[type, ...]] = (sampling.Fraction, sampling.Count)

    def read(self, text: Any) -> Any:
        try:
            return super().read(text)
        except ParameterError:
            # It would name the sampling of columns.
            raise ValueError(f"not {self.accepts}") from None

    @staticmethod
    def rows(rule: sampling.Rule, m: int, owner: str) -> int:
        """b, of m samples; raises `ParameterError` where there are fewer."""
        try:
            return int(rule.kappa(m))
        except ParameterError as error:
            accepts = f"a percentage, or an int in [1, {m}], the number of samples"
            raise ParameterError("batch", owner, accepts, rule.text) from error


class RowCount(SamplingRule):
    """Rows: a percentage of them, or a count.

    >>> RowCount.rows(RowCount("500").default, 250)
    250
    """

    widget: ClassVar[str] = "text"
    accepts: ClassVar[str] = "a percentage or a count of rows of at least 1, such as '2%' or '5'"
    kinds: ClassVar[tuple[type, ...]] = (sampling.Fraction, sampling.Count)

    def read(self, text: Any) -> Any:
        plain = isinstance(text, numbers.Integral) and not isinstance(text, bool)
        try:
            rule = super().read(str(text) if plain else text)
            rule.kappa(10**9)
        except ParameterError:
            raise ValueError(f"not {self.accepts}") from None
        return rule

    @staticmethod
    def rows(rule: sampling.Rule, m: int) -> int:
        """How many, of m rows: all of them where more are asked for."""
        try:
            return int(rule.kappa(m))
        except ParameterError:
            return m


class Registered(param.Parameter):
    """The name of something in a table that may grow: subclasses say which.

    >>> StepRule("line-search").accepts
    "one of ['line-search', ...]"
    """

    widget: ClassVar[str] = "select"

    @property
    def names(self) -> dict[str, str]:
        """Title -> name, those registered since included."""
        raise TypeError(f"{type(self).__name__} names no table")

    @property
    def objects(self) -> list[str]:
        """The names."""
        return [*self.names.values()]

    @property
    def accepts(self) -> str:
        return f"one of {self.objects}"

    def _validate(self, val: Any) -> None:
        super()._validate(val)
        if val not in self.objects:
            raise ValueError(f"not {self.accepts}")

    def read(self, text: str) -> Any:
        return _respelled(self.name, text, self.objects)

    def write(self, value: Any) -> Any:
        return value


class StepRule(Registered):
    """The name of a step rule of `fwcore.step_rules.STEP_RULES`.

    >>> "open-loop" in StepRule("line-search").objects
    True
    """

    @property
    def names(self) -> dict[str, str]:
        from fwcore.step_rules import STEP_RULES

        # Two rules may have one name, of which the first has the title.
        titles = {rule.name: rule.title for rule in reversed(STEP_RULES)}
        return {titles[name]: name for name in dict.fromkeys(rule.name for rule in STEP_RULES)}


class ColumnOracle(Registered):
    """The name of one of `fwcore.oracles.COLUMN_ORACLES`.

    >>> ColumnOracle("subset").objects
    ['subset', ...]
    """

    @property
    def names(self) -> dict[str, str]:
        from fwcore.oracles import COLUMN_ORACLES

        return {oracle.title: oracle.name for oracle in COLUMN_ORACLES}


class RowOracle(Registered):
    """``exact``, or the name of one of `fwcore.oracles.ROW_ORACLES`.

    >>> RowOracle("exact").objects
    ['exact', ...]
    """

    @property
    def names(self) -> dict[str, str]:
        from fwcore.oracles import ROW_ORACLES

        return {"all rows": "exact"} | {oracle.title: oracle.name for oracle in ROW_ORACLES}


class LossName(Registered):
    """A loss of `fwcore.losses.LOSSES`, with its options: ``squared``, ``huber:2``.

    >>> LossName("squared").read("huber:2")
    'huber:2'
    """

    @property
    def names(self) -> dict[str, str]:
        from fwcore.losses import LOSSES

        return {name: name for name in LOSSES}

    def read(self, text: str) -> Any:
        from fwcore.losses import find_loss

        return find_loss(text).text

    def _validate(self, val: Any) -> None:
        from fwcore.losses import find_loss

        find_loss(val)

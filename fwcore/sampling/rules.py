"""Rules that give kappa, the number of columns a step looks at.

A rule is written as one word of text, the same in a call, on the command line and on the page:

=================  ================================================================================
``1%``             a fraction of the p columns, rounded up
``2014``           a count
``top:0.98,0.02`` Theorem 1: with confidence 0.98 the best sampled column is among the top 2 % of
all
``hit:0.99,32``    eq. 12: with probability 0.99 one of the 32 relevant columns at least is sampled
``hit-path:0.99``  eq. 12 for as many as are active on average along the reference path
``shrink:10%,1%`` section 4.5: from 10 % at the start of the path to 1 % at its end, in equal ratios
=================  ================================================================================

Source: Frandi et al. 2016. kappa never exceeds p: a probability that asks for more columns than
there are gets all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol

from fwcore.errors import ParameterError

OWNER = "sampling"


class Rule(Protocol):
    """A way to choose kappa."""

    prefix: ClassVar[str]
    title: ClassVar[str]
    formula: ClassVar[str]

    @property
    def text(self) -> str:
        """The rule as one word; `parse` reads it back."""
        ...

    @property
    def everything(self) -> bool:
        """Whether it asks for all columns, however many there are."""
        ...

    @property
    def waits(self) -> bool:
        """Whether it has to be `resolved` by a reference path."""
        ...

    def kappa(self, p: int, progress: float = 0.0) -> int:
        """Columns per step, in [1, p]; ``progress`` in [0, 1] is the part of the path already
        walked.
        """
        ...

    def resolved(self, active: Callable[[], float]) -> Rule:
        """The rule with what it has to know of a problem; ``active`` gives the mean number of
        non-zero coefficients of a point of its reference path.
        """
        ...


class _Known:
    """A rule that needs to know nothing of a problem but p, and seldom asks for everything."""

    @property
    def everything(self) -> bool:
        return False

    @property
    def waits(self) -> bool:
        return False

    def resolved(self, active: Callable[[], float]) -> Any:
        return self


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.10g}%"


def _fraction(text: str, name: str = "fraction") -> float:
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ParameterError(name, OWNER, "a number or a percentage", text) from None
    return value


def check_share(name: str, value: float, *, closed_above: bool = False) -> None:
    """Raise `ParameterError` unless the value is in (0, 1), or in (0, 1]."""
    inside = 0 < value <= 1 if closed_above else 0 < value < 1
    if not inside:
        raise ParameterError(name, OWNER, f"a number in (0, 1{']' if closed_above else ')'}", value)


def _at_most(p: int, kappa: float) -> int:
    # Fractions such as 0.07 * 100 = 7.000000000000001 must not be rounded up past the count that
    # was meant.
    return max(1, min(p, math.ceil(kappa * (1 - 1e-12))))


@dataclass(frozen=True)
class Fraction(_Known):
    """kappa = ceil(fraction * p).

    >>> Fraction(0.01).kappa(p=1500)
    15
    """

    fraction: float = 0.01
    prefix: ClassVar[str] = "fraction"
    title: ClassVar[str] = "a fraction of the columns"
    formula: ClassVar[str] = "κ = ⌈fraction · p⌉"

    def __post_init__(self) -> None:
        check_share("fraction", self.fraction, closed_above=True)

    @property
    def text(self) -> str:
        return _percent(self.fraction)

    @property
    def everything(self) -> bool:
        return self.fraction == 1.0

    def kappa(self, p: int, progress: float = 0.0) -> int:
        return _at_most(p, self.fraction * p)


@dataclass(frozen=True)
class Count(_Known):
    """kappa columns.

    >>> Count(194).kappa(p=1000)
    194
    """

    count: int = 194
    prefix: ClassVar[str] = "count"
    title: ClassVar[str] = "a number of columns"
    formula: ClassVar[str] = "κ as given"

    @property
    def text(self) -> str:
        return str(self.count)

    def kappa(self, p: int, progress: float = 0.0) -> int:
        if not 1 <= self.count <= p:
            raise ParameterError("kappa", OWNER, f"an int in [1, {p}]", self.count)
        return self.count


@dataclass(frozen=True)
class Top(_Known):
    """Theorem 1: kappa = ln(1 - confidence) / ln(1 - top), rounded up; independent of p.

    >>> Top(confidence=0.98, top=0.02).kappa(p=10**6)
    194
    """

    confidence: float = 0.98
    top: float = 0.02
    prefix: ClassVar[str] = "top"
    title: ClassVar[str] = "one of the steepest, with confidence (Theorem 1)"
    formula: ClassVar[str] = "κ = ln(1 − confidence) / ln(1 − top)"

    def __post_init__(self) -> None:
        check_share("confidence", self.confidence)
        check_share("top", self.top)

    @property
    def text(self) -> str:
        return f"top:{self.confidence:.10g},{self.top:.10g}"

    def kappa(self, p: int, progress: float = 0.0) -> int:
        return _at_most(p, math.log1p(-self.confidence) / math.log1p(-self.top))


@dataclass(frozen=True)
class Hit(_Known):
    """eq. 12: kappa = ln(1 - rho) / ln(1 - s / p), rounded up, for s relevant columns.

    >>> Hit(rho=0.99, relevant=32).kappa(p=10_000)
    1437
    """

    rho: float = 0.99
    relevant: int = 32
    prefix: ClassVar[str] = "hit"
    title: ClassVar[str] = "a relevant column, with probability (eq. 12)"
    formula: ClassVar[str] = "κ = ln(1 − ρ) / ln(1 − s / p)"

    def __post_init__(self) -> None:
        check_share("rho", self.rho)
        if self.relevant < 1:
            raise ParameterError("relevant", OWNER, "an int of at least 1", self.relevant)

    @property
    def text(self) -> str:
        return f"hit:{self.rho:.10g},{self.relevant}"

    def kappa(self, p: int, progress: float = 0.0) -> int:
        if self.relevant >= p:
            return 1
        return _at_most(p, math.log1p(-self.rho) / math.log1p(-self.relevant / p))


@dataclass(frozen=True)
class HitPath(_Known):
    """eq. 12 with s the mean number of active columns along the reference path, rounded up (Frandi
    et al. 2016, section 5.1); before it is `resolved`, with s = 1.

    >>> HitPath(0.99).kappa(p=1000)
    1000
    """

    rho: float = 0.99
    prefix: ClassVar[str] = "hit-path"
    title: ClassVar[str] = "a column of the reference path, with probability (eq. 12)"
    formula: ClassVar[str] = "κ = ln(1 − ρ) / ln(1 − s / p), s: mean active columns of the path"

    def __post_init__(self) -> None:
        check_share("rho", self.rho)

    @property
    def text(self) -> str:
        return f"hit-path:{self.rho:.10g}"

    @property
    def waits(self) -> bool:
        return True

    def kappa(self, p: int, progress: float = 0.0) -> int:
        return Hit(self.rho, 1).kappa(p)

    def resolved(self, active: Callable[[], float]) -> Rule:
        return _ResolvedHitPath(self.rho, max(1, math.ceil(active())))


@dataclass(frozen=True)
class _ResolvedHitPath(HitPath):
    relevant: int = 1

    @property
    def waits(self) -> bool:
        return False

    def kappa(self, p: int, progress: float = 0.0) -> int:
        return Hit(self.rho, self.relevant).kappa(p)

    def resolved(self, active: Callable[[], float]) -> Rule:
        return self


@dataclass(frozen=True)
class Shrink(_Known):
    """Section 4.5: kappa falls from start * p to end * p along the path, in equal ratios from point
    to point.

    >>> rule = Shrink(0.1, 0.01)
    >>> rule.kappa(1000, progress=0.0), rule.kappa(1000, progress=1.0)
    (100, 10)
    """

    start: float = 0.1
    end: float = 0.01
    prefix: ClassVar[str] = "shrink"
    title: ClassVar[str] = "from many to few along the path (section 4.5)"
    formula: ClassVar[str] = "κ = p · start · (end / start)^progress"

    def __post_init__(self) -> None:
        check_share("start", self.start, closed_above=True)
        check_share("end", self.end, closed_above=True)
        if self.end > self.start:
            raise ParameterError("end", OWNER, f"at most start = {self.start}", self.end)

    @property
    def text(self) -> str:
        return f"shrink:{_percent(self.start)},{_percent(self.end)}"

    @property
    def everything(self) -> bool:
        return self.start == self.end == 1.0

    def kappa(self, p: int, progress: float = 0.0) -> int:
        return _at_most(p, p * self.start * (self.end / self.start) ** progress)


RULES: tuple[type[Any], ...] = (Fraction, Count, Top, Hit, HitPath, Shrink)


def parse(text: str) -> Rule:
    """The rule that ``text`` names.

    Raises
    ------
    ParameterError
        The text is no rule, or a number in it is out of its range.

    >>> parse("1%").kappa(10_000), parse("hit:0.99,32").kappa(10_000)
    (100, 1437)
    """
    text = text.strip()
    prefix, colon, rest = text.partition(":")
    if not colon:
        return _number(text)
    kinds = {kind.prefix: kind for kind in RULES if kind not in (Fraction, Count)}
    numbers = rest.split(",")
    if prefix not in kinds or len(numbers) != len(fields(kinds[prefix])):
        raise _unreadable(text)
    read = []
    for number, part in zip(numbers, fields(kinds[prefix]), strict=True):
        whole = isinstance(part.default, int)
        if whole and not number.strip().isdigit():
            raise _unreadable(text)
        read.append(int(number) if whole else _fraction(number, part.name))
    rule: Rule = kinds[prefix](*read)
    return rule


def _number(text: str) -> Rule:
    if text.endswith("%"):
        return Fraction(_fraction(text))
    if text.lstrip("+-").isdigit():
        return Count(int(text))
    raise _unreadable(text)


def _unreadable(text: str) -> ParameterError:
    rule = (
        "written as '1%', '2014', 'top:0.98,0.02', 'hit:0.99,32', 'hit-path:0.99' or "
        "'shrink:10%,1%'"
    )
    return ParameterError("sampling", OWNER, rule, text)

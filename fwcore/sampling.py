"""Rules that give kappa, the number of columns a step looks at.

A rule is written as one word of text, the same in a call, on the command line and on the page:

=================  ================================================================================
``1%``             a fraction of the p columns, rounded up
``2014``           a count
``top:0.98,0.02`` Theorem 1: with confidence 0.98 the best sampled column is among the top 2 % of
all
``hit:0.99,32``    eq. 12: with probability 0.99 one of the 32 relevant columns at least is sampled
``shrink:10%,1%`` section 4.5: from 10 % at the start of the path to 1 % at its end, in equal ratios
=================  ================================================================================

Source: Frandi et al. 2016. kappa never exceeds p: a probability that asks for more columns than
there are gets all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from fwcore.errors import ParameterError

_OWNER = "sampling"
# As many factors are as quickly multiplied as looked up.
_MOST_FACTORS = 10**6


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

    def kappa(self, p: int, progress: float = 0.0) -> int:
        """Columns per step, in [1, p]; ``progress`` in [0, 1] is the part of the path already
        walked.
        """
        ...


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.10g}%"


def _fraction(text: str, name: str = "fraction") -> float:
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise ParameterError(name, _OWNER, "a number or a percentage", text) from None
    return value


def _check(name: str, value: float, *, closed_above: bool = False) -> None:
    inside = 0 < value <= 1 if closed_above else 0 < value < 1
    if not inside:
        raise ParameterError(
            name, _OWNER, f"a number in (0, 1{']' if closed_above else ')'}", value
        )


def _at_most(p: int, kappa: float) -> int:
    # Fractions such as 0.07 * 100 = 7.000000000000001 must not be rounded up past the count that
    # was meant.
    return max(1, min(p, math.ceil(kappa * (1 - 1e-12))))


@dataclass(frozen=True)
class Fraction:
    """kappa = ceil(fraction * p)."""

    fraction: float = 0.01
    prefix: ClassVar[str] = "fraction"
    title: ClassVar[str] = "a fraction of the columns"
    formula: ClassVar[str] = "κ = ⌈fraction · p⌉"

    def __post_init__(self) -> None:
        _check("fraction", self.fraction, closed_above=True)

    @property
    def text(self) -> str:
        return _percent(self.fraction)

    @property
    def everything(self) -> bool:
        return self.fraction == 1.0

    def kappa(self, p: int, progress: float = 0.0) -> int:
        return _at_most(p, self.fraction * p)


@dataclass(frozen=True)
class Count:
    """kappa columns."""

    count: int = 194
    prefix: ClassVar[str] = "count"
    title: ClassVar[str] = "a number of columns"
    formula: ClassVar[str] = "κ as given"

    @property
    def text(self) -> str:
        return str(self.count)

    @property
    def everything(self) -> bool:
        return False

    def kappa(self, p: int, progress: float = 0.0) -> int:
        if not 1 <= self.count <= p:
            raise ParameterError("kappa", _OWNER, f"an int in [1, {p}]", self.count)
        return self.count


@dataclass(frozen=True)
class Top:
    """Theorem 1: kappa = ln(1 - confidence) / ln(1 - top), rounded up; independent of p."""

    confidence: float = 0.98
    top: float = 0.02
    prefix: ClassVar[str] = "top"
    title: ClassVar[str] = "one of the steepest, with confidence (Theorem 1)"
    formula: ClassVar[str] = "κ = ln(1 − confidence) / ln(1 − top)"

    def __post_init__(self) -> None:
        _check("confidence", self.confidence)
        _check("top", self.top)

    @property
    def text(self) -> str:
        return f"top:{self.confidence:.10g},{self.top:.10g}"

    @property
    def everything(self) -> bool:
        return False

    def kappa(self, p: int, progress: float = 0.0) -> int:
        return _at_most(p, math.log1p(-self.confidence) / math.log1p(-self.top))


@dataclass(frozen=True)
class Hit:
    """eq. 12: kappa = ln(1 - rho) / ln(1 - s / p), rounded up, for s relevant columns."""

    rho: float = 0.99
    relevant: int = 32
    prefix: ClassVar[str] = "hit"
    title: ClassVar[str] = "a relevant column, with probability (eq. 12)"
    formula: ClassVar[str] = "κ = ln(1 − ρ) / ln(1 − s / p)"

    def __post_init__(self) -> None:
        _check("rho", self.rho)
        if self.relevant < 1:
            raise ParameterError("relevant", _OWNER, "an int of at least 1", self.relevant)

    @property
    def text(self) -> str:
        return f"hit:{self.rho:.10g},{self.relevant}"

    @property
    def everything(self) -> bool:
        return False

    def kappa(self, p: int, progress: float = 0.0) -> int:
        if self.relevant >= p:
            return 1
        return _at_most(p, math.log1p(-self.rho) / math.log1p(-self.relevant / p))


@dataclass(frozen=True)
class Shrink:
    """Section 4.5: kappa falls from start * p to end * p along the path, in equal ratios from point
    to point.
    """

    start: float = 0.1
    end: float = 0.01
    prefix: ClassVar[str] = "shrink"
    title: ClassVar[str] = "from many to few along the path (section 4.5)"
    formula: ClassVar[str] = "κ = p · start · (end / start)^progress"

    def __post_init__(self) -> None:
        _check("start", self.start, closed_above=True)
        _check("end", self.end, closed_above=True)
        if self.end > self.start:
            raise ParameterError("end", _OWNER, f"at most start = {self.start}", self.end)

    @property
    def text(self) -> str:
        return f"shrink:{_percent(self.start)},{_percent(self.end)}"

    @property
    def everything(self) -> bool:
        return self.start == self.end == 1.0

    def kappa(self, p: int, progress: float = 0.0) -> int:
        return _at_most(p, p * self.start * (self.end / self.start) ** progress)


RULES: tuple[type[Fraction] | type[Count] | type[Top] | type[Hit] | type[Shrink], ...] = (
    Fraction,
    Count,
    Top,
    Hit,
    Shrink,
)


def parse(text: str) -> Rule:
    """The rule that ``text`` names.

    Raises
    ------
    ParameterError
        The text is no rule, or a number in it is out of its range.
    """
    text = text.strip()
    prefix, colon, rest = text.partition(":")
    if not colon:
        return _number(text)
    first, comma, second = rest.partition(",")
    if comma and prefix == Top.prefix:
        return Top(_fraction(first, "confidence"), _fraction(second, "top"))
    if comma and prefix == Hit.prefix and second.strip().isdigit():
        return Hit(_fraction(first, "rho"), int(second))
    if comma and prefix == Shrink.prefix:
        return Shrink(_fraction(first, "start"), _fraction(second, "end"))
    raise _unreadable(text)


def _number(text: str) -> Rule:
    if text.endswith("%"):
        return Fraction(_fraction(text))
    if text.lstrip("+-").isdigit():
        return Count(int(text))
    raise _unreadable(text)


def _unreadable(text: str) -> ParameterError:
    rule = "written as '1%', '2014', 'top:0.98,0.02', 'hit:0.99,32' or 'shrink:10%,1%'"
    return ParameterError("sampling", _OWNER, rule, text)


def log_miss(p: int, kappa: int, columns: int, *, replace: bool = False) -> float:
    """Logarithm of the probability that kappa of p columns hold none of ``columns`` given ones;
    -inf where they cannot miss them all.

    That of `miss_probability`, or kappa ln(1 - columns / p) where columns are drawn with
    replacement. A sum of the logarithms of its factors: a difference of factorials has no digits
    left for large p.
    """
    if replace:
        return kappa * math.log1p(-columns / p) if columns < p else -math.inf
    few, many = sorted((kappa, columns))
    if few + many > p:
        return -math.inf
    if few > _MOST_FACTORS:
        from scipy.special import gammaln

        return float(
            gammaln(p - few + 1)
            - gammaln(p - few - many + 1)
            - gammaln(p + 1)
            + gammaln(p - many + 1)
        )
    return float(np.log1p(-many / (p - np.arange(few, dtype=np.float64))).sum())


def miss_probability(p: int, kappa: int, relevant: int) -> float:
    """P(none of ``relevant`` columns is among ``kappa`` drawn from p without replacement) (eq. 11).

    C(p - s, kappa) / C(p, kappa), at most (1 - s / p)^kappa, the bound from which eq. 12 follows.
    """
    return float(min(1.0, math.exp(log_miss(p, kappa, relevant))))


def draws_to_certify(
    p: int, kappa: int, rho: float, columns: int = 1, *, replace: bool = False, streak: int = 0
) -> int:
    """The fewest draws of kappa columns that all miss ``columns`` given ones with a probability of
    at most 1 - rho.

    If so many draws at one iterate all have a sampled gap of at most eps, then with confidence rho
    fewer than ``columns`` columns have a vertex whose gap is larger: the smallest N with q^N <= 1 -
    rho, where q is `miss_probability` (Frandi et al. 2016, eq. 11), or (1 - columns / p)^kappa
    where they are drawn with replacement (eq. 12). For one column N * kappa exceeds p by far where
    kappa is small: a full pass is cheaper then, and certain.

    A run examines many iterates, and each may end it by chance. With ``streak`` = j the j-th of
    them gets the share 6 / (pi^2 j^2) of 1 - rho, so that all of them together end it too early
    with a probability of at most 1 - rho: what the option ``certify`` of ``sfw`` waits for.

    Raises
    ------
    ParameterError
        rho is not in (0, 1), or kappa or columns not in [1, p].
    """
    _check("rho", rho)
    for name, value in (("kappa", kappa), ("columns", columns)):
        if not 1 <= value <= p:
            raise ParameterError(name, _OWNER, f"an int in [1, {p}]", value)
    log_q = log_miss(p, kappa, columns, replace=replace)
    if streak:
        # numba takes long to import, and rules alone do not need it.
        from fwcore.kernels.streaks import draws_in_streak

        return int(draws_in_streak(math.log1p(-rho), log_q, streak))
    return max(1, math.ceil(math.log1p(-rho) / log_q * (1 - 1e-12)))

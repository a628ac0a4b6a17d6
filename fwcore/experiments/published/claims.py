"""What papers say in words, and whether it holds here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fwcore.experiments.published.cells import SAME, Cell, number_text
from fwcore.experiments.published.declared import Experiment, Statement


@dataclass(frozen=True)
class Claim:
    """A `Statement` about an experiment, with the figure of ours, the number that it is compared
    with, and whether it ``holds`` here.
    """

    experiment: str
    text: str
    ours: float
    other: float
    holds: bool
    own: bool = False

    @property
    def verdict(self) -> str:
        """In words."""
        return "holds" if self.holds else "does not hold"

    @property
    def numbers(self) -> str:
        """What was compared, in words."""
        return f"{number_text(self.ours)} and {number_text(self.other)}"

    @property
    def sentence(self) -> str:
        """What is claimed, and by whom."""
        return f"{'Found here' if self.own else 'The paper'}: {self.text} ({self.experiment})"

    def told(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def claims(
    experiment: Experiment, table: Sequence[Cell], figures: Sequence[str] = ()
) -> list[Claim]:
    """The statements about an experiment whose figures were measured, of those ``figures`` where
    any are named; none where it is of other data or another size than the paper's.
    """
    ours = {(cell.method, cell.figure): cell.ours for cell in table}
    told = []
    for said in () if experiment.made else experiment.statements:
        other = said.below or said.about
        bound = said.at_most if said.at_least is None else said.at_least
        rest = ours.get((other, said.figure)) if other else bound
        value = ours.get((said.method, said.figure))
        if value is None or rest is None or (figures and said.figure not in figures):
            continue
        holds = _holds(said, value, rest)
        told.append(Claim(experiment.name, said.text, value, rest, holds, said.own))
    return told


def _holds(said: Statement, value: float, rest: float) -> bool:
    if said.about:
        return max(value, rest) <= SAME * min(value, rest)
    return value <= rest if said.at_least is None else value >= rest

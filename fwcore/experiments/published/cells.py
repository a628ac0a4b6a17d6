"""What was printed beside what was measured, a cell a figure of a method, and what papers claim."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from fwcore.experiments.published.declared import Exhibit, Experiment, Method
from fwcore.experiments.published.kinds import KINDS, Measured

NEAR, SAME = 2.0, 1.15
"""Ratios to what was printed, or of it to ours, that count as the same and as of the same size."""

Found = Mapping[str, Sequence[Measured]]
"""What was measured of an experiment: by method, a seed after the other."""


@dataclass(frozen=True)
class Cell:
    """A figure of a method: what was printed, if it was, and the median of ours over the seeds,
    with their least and greatest, which a figure that compares methods has not. ``proves``: whether
    ours is of the paper's data and size.
    """

    experiment: str
    method: str
    figure: str
    printed: float | None
    ours: float | None = None
    least: float | None = None
    most: float | None = None
    because: str = ""
    otherwise: str = ""
    proves: bool = True

    @property
    def ratio(self) -> float | None:
        """Ours over what was printed, where that says anything."""
        if not self.printed or self.ours is None or not self.proves:
            return None
        return self.ours / self.printed

    @property
    def verdict(self) -> str:
        """How near ours is; nothing where one of both is missing."""
        if self.ratio is None:
            return ""
        away = max(self.ratio, 1.0 / self.ratio) if self.ratio > 0 else float("inf")
        return "within 15 %" if away <= SAME else "within a factor 2" if away <= NEAR else "differs"

    @property
    def reason(self) -> str:
        """Why ours differs, as far as it is on file: a reason of its own, or that of the whole
        experiment where it differs by more than a factor 2; nothing where it is the same.
        """
        if self.verdict in ("", "within 15 %"):
            return ""
        return self.because or (self.otherwise if self.verdict == "differs" else "")

    def told(self) -> dict[str, Any]:
        """As plain values."""
        own = asdict(self)
        for name in ("because", "otherwise", "proves"):
            own.pop(name)
        return own | {"ratio": self.ratio, "verdict": self.verdict, "reason": self.reason}


def number(text: str) -> float:
    """The number that a paper printed, such as ``2.28e-1`` or ``130,303``."""
    return float(text.replace(",", ""))


def cells(experiment: Experiment, found: Found, exhibit: Exhibit | None = None) -> list[Cell]:
    """The cells of an experiment, of those methods and figures that the exhibit shows."""
    wanted = exhibit.methods if exhibit else ()
    figures = (exhibit.figures if exhibit else ()) or experiment.figures
    shown = [method for method in experiment.methods if not wanted or method.name in wanted]
    medians = {
        name: {key: statistics.median(values) for key, values in _by_figure(runs)}
        for name, runs in found.items()
        if runs
    }
    table = []
    for figure in figures:
        derived = KINDS[experiment.kind].derived(experiment, figure, medians)
        for method in shown:
            runs = found.get(method.name, ())
            values = [run.numbers[figure] for run in runs if figure in run.numbers]
            cell = _cell(experiment, method, figure, values)
            if method.name in derived:
                cell = replace(cell, ours=derived[method.name], least=None, most=None)
            table.append(cell)
    order = {method.name: k for k, method in enumerate(shown)}
    return sorted(table, key=lambda cell: order[cell.method])


def _cell(experiment: Experiment, method: Method, figure: str, values: Sequence[float]) -> Cell:
    text, because = method.printed.get(figure), experiment.reason(method.name, figure)
    printed = None if text is None else number(text)
    known = [value for value in values if math.isfinite(value)]
    return Cell(
        experiment.name,
        method.name,
        figure,
        printed,
        statistics.median(known) if known else None,
        min(known, default=None),
        max(known, default=None),
        because,
        experiment.differs,
        not experiment.made,
    )


def _by_figure(runs: Sequence[Measured]) -> Iterator[tuple[str, list[float]]]:
    for figure in runs[0].numbers:
        yield figure, [run.numbers[figure] for run in runs if figure in run.numbers]


def reasons(cells: Sequence[Cell]) -> list[str]:
    """Why cells differ, each reason once, with the figures and methods that it is of."""
    named: dict[str, dict[str, list[str]]] = {}
    for cell in cells:
        if cell.reason:
            of = named.setdefault(cell.reason, {}).setdefault(cell.figure, [])
            of.append(cell.method)
    told = []
    for reason, figures in named.items():
        which = "; ".join(f"{figure} of {', '.join(of)}" for figure, of in figures.items())
        told.append(f"Differs: {which}. {reason}")
    return told


def number_text(value: float | None) -> str:
    """A number as a table shows it."""
    if value is None:
        return "–"
    if float(value).is_integer() and abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 1e5 or 0 < abs(value) < 1e-3 else f"{value:,.4g}"

"""Papers as they are declared: a TOML file each in ``papers/``, which holds the experiments (data,
methods, what was printed of them) and the exhibits, the tables and figures that show them.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fwcore.errors import ParameterError

FOLDER = Path(__file__).with_name("papers")


@dataclass(frozen=True)
class Method:
    """One line of a table: a solver with options, or other values that its kind of experiment
    understands, and what was printed by figure. ``once``: no seed changes it. ``heavy``: left out
    where somebody waits, on the page.
    """

    name: str
    solver: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[str, str] = field(default_factory=dict)
    once: bool = False
    heavy: bool = False


@dataclass(frozen=True)
class Statement:
    """What a paper says of a figure of a method in words: that it is ``below`` that of another, or
    ``about`` it (within 15 %), or ``at_least`` or ``at_most`` a number. ``own``: not the paper says
    so, but what was found here.
    """

    text: str
    figure: str
    method: str
    below: str = ""
    about: str = ""
    at_least: float | None = None
    at_most: float | None = None
    own: bool = False

    @property
    def methods(self) -> set[str]:
        """Those that are compared."""
        return {self.method, self.below, self.about} - {""}


@dataclass(frozen=True)
class Experiment:
    """What is run. ``kind`` is one of `fwcore.experiments.published.kinds.KINDS`; ``given`` are the
    values that it understands. ``figures``: what is told of each method, in the order in which a
    method's ``printed`` stands. ``because``: why ours may differ, by figure, method, or both as
    "method, figure". ``small``: values for a size that takes seconds. ``standin``: a dataset of a
    similar size that is made here, for where the files are absent. ``made``: it is of other data or
    of another size than the paper's, so that its figures prove nothing about the printed.
    """

    name: str
    kind: str
    title: str
    figures: Sequence[str]
    methods: Sequence[Method]
    dataset: str = ""
    look: str = ""
    differs: str = ""
    view: str = ""
    because: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    small: Mapping[str, Any] = field(default_factory=dict)
    standin: str = ""
    statements: Sequence[Statement] = ()
    made: bool = False

    def smaller(self) -> Experiment:
        """The same at a size that takes seconds, where it is not that already."""
        values = dict(self.small)
        dataset = values.pop("dataset", self.dataset)
        made = bool(self.small)
        return replace(self, dataset=dataset, given={**self.given, **values}, made=made)

    def reason(self, method: str, figure: str) -> str:
        """Why a figure of a method differs, where a reason of its own is on file."""
        known = (f"{method}, {figure}", figure, method)
        return next((self.because[name] for name in known if name in self.because), "")


@dataclass(frozen=True)
class Panel:
    """A picture: of some methods of an experiment, one curve against another. ``marks``: the figure
    whose printed value is marked on the vertical axis.
    """

    experiment: str
    x: str
    y: str
    title: str = ""
    methods: Sequence[str] = ()
    logx: bool = False
    logy: bool = False
    marks: str = ""


@dataclass(frozen=True)
class Exhibit:
    """A table, a figure or a section of a paper: some figures of some methods of experiments, and
    pictures. ``absent``: why it cannot be made, if so.
    """

    kind: str
    number: str
    title: str
    experiments: Sequence[str] = ()
    methods: Sequence[str] = ()
    figures: Sequence[str] = ()
    panels: Sequence[Panel] = ()
    absent: str = ""

    @property
    def label(self) -> str:
        """As the paper calls it."""
        return f"{self.kind.capitalize()} {self.number}"


@dataclass(frozen=True)
class Paper:
    """A paper with its experiments by name and its exhibits in their order."""

    name: str
    citation: str
    title: str
    experiments: Mapping[str, Experiment]
    exhibits: Sequence[Exhibit]

    def find(self, kind: str, number: str) -> Exhibit:
        """The table, figure or section of that number.

        Raises
        ------
        ParameterError
            The paper has none.
        """
        numbers = [e.number for e in self.exhibits if e.kind == kind]
        if number not in numbers:
            raise ParameterError(kind, f"fwcore paper {self.name}", f"one of {numbers}", number)
        return next(e for e in self.exhibits if (e.kind, e.number) == (kind, number))


@functools.cache
def papers() -> Mapping[str, Paper]:
    """The papers by name."""
    found = (_paper(path) for path in sorted(FOLDER.glob("*.toml")))
    return {paper.name: paper for paper in found}


def find_paper(name: str) -> Paper:
    """The paper of that name.

    Raises
    ------
    ParameterError
        There is none.
    """
    if name not in papers():
        raise ParameterError("paper", "fwcore paper", f"one of {[*papers()]}", name[:40])
    return papers()[name]


def _paper(path: Path) -> Paper:
    with path.open("rb") as file:
        held = tomllib.load(file)
    because = held.get("because", {})
    experiments = [_experiment(table, because) for table in held["experiment"]]
    exhibits = tuple(_exhibit(table) for table in held["exhibit"])
    named = {experiment.name: experiment for experiment in experiments}
    return Paper(held["name"], held["citation"], held["title"], named, exhibits)


def _experiment(table: dict[str, Any], because: Mapping[str, str]) -> Experiment:
    """``because`` holds the reasons that are those of all experiments of the paper."""
    figures = tuple(table.pop("figures"))
    lines = table.pop("method")
    printed = {line["name"]: line.get("printed", []) for line in lines}
    methods = tuple(_method(line, figures, printed) for line in lines)
    statements = tuple(Statement(**claim) for claim in table.pop("claim", ()))
    own = {name: table.pop(name) for name in _OWN if name in table}
    own["because"] = {**because, **own.get("because", {})}
    return Experiment(**own, figures=figures, methods=methods, statements=statements, given=table)


_OWN = (
    *("name", "kind", "title", "dataset", "look", "differs", "view"),
    *("because", "small", "standin"),
)


def _method(
    table: dict[str, Any], figures: Sequence[str], lines: Mapping[str, Sequence[str]]
) -> Method:
    """A method has what was ``printed``, or ``printed_as`` another, of those of ``lines``."""
    printed = lines[table.pop("printed_as", table["name"])]
    table.pop("printed", None)
    if printed and len(printed) != len(figures):
        raise ValueError(f"{table['name']}: {len(printed)} figures printed, not {len(figures)}")
    known = {figure: text for figure, text in zip(figures, printed, strict=bool(printed)) if text}
    return Method(**table, printed=known)


def _exhibit(table: dict[str, Any]) -> Exhibit:
    panels = tuple(Panel(**panel) for panel in table.pop("panel", ()))
    return Exhibit(**table, panels=panels)

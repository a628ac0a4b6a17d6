"""What a picture of the page is: a declaration of layers over the sources of the runs, which the
page draws, and sentences that say what it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from app.pace import COSTS
from app.runs import Run

AXES = {
    "l1": "ℓ1 norm of the coefficients",
    "point": "point of the path",
    "least_error": "least test error so far",
    "test_error": "test error",
    "train_error": "train error",
    "relative_gap": "true gap / f(0)",
    "suboptimality": "suboptimality to the certified run / f(0)",
    "gap": "gap / f(0)",
    "nnz": "non-zero coefficients",
    "coefficient": "coefficient",
    "share": "share so far",
    "place": "step of the point",
    "feature": "feature",
    "name": "feature",
    "own_gap": "own gap / f(0)",
    "excess": "suboptimality, at most / f(0)",
    "actual": "response",
    "predicted": "prediction",
    "residual": "response − prediction",
    "overlap": "shared support (Jaccard)",
    "f_measure": "F-measure of the support",
    "kappa_share": "columns per draw, % of all",
    "miss": "probability of a miss",
    "slope_share": "slope / steepest slope of all",
    "draw_share": "share of draws that find it",
    "empty_share": "without descent, per step",
    "chance_share": "the same, where it ended the point",
    "seen_gap": "gap that the sample saw / f(0)",
    "first": "first coefficient",
    "second": "second coefficient",
    **COSTS,
}
"""Columns of the sources that an axis may show, with a label."""
_SIGNED = {"coefficient", "actual", "predicted", "residual", "first", "second"}


def label_of(column: str, *, log: bool) -> str:
    """What an axis says that shows a column; a logarithmic one has no place for what is negative.

    >>> label_of("residual", log=True)
    'response − prediction, above 0'
    """
    label = AXES.get(column, column)
    return f"{label}, above 0" if log and column in _SIGNED else label


@dataclass(frozen=True)
class Axis:
    """Columns of which the user chooses one, the first by default. The scale of those in ``logs``,
    or of all with ``log``, is logarithmic to begin with; ``factors``: the values are names.
    """

    columns: tuple[str, ...]
    log: bool = False
    factors: bool = False
    logs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layer:
    """One mark of each run: a ``line``, ``dots``, ``rings``, ``bars``, ``paths`` (a line for each
    row, whose values are lists), ``contours`` (the same, in grey), a ``gulf`` between two columns,
    a ``level`` at which the run stops, a ``bound`` that is proven, or a ``band`` and a ``median``
    of repeats.

    ``x`` and ``y`` are columns of the ``source``; None is the column that the user chose for the
    axis. ``named``: with the name of the run, or of the row, at the end. ``label``: words beside a
    gulf or a level of the selected run.
    """

    kind: str
    source: str = "points"
    x: str | None = None
    y: str | None = None
    named: bool = False
    label: str = ""
    style: dict[str, Any] = field(default_factory=dict)


SPREAD = (Layer("band", "spread"), Layer("median", "spread", style={"line_width": 2.6}))
"""Median and quartiles of a run that is repeated with other seeds."""
LEVEL = Layer(
    "level", label="stopping threshold", style={"line_dash": "dotdash", "line_alpha": 0.8}
)


@dataclass(frozen=True)
class Shown:
    """A run as the pictures see it; the ``lead`` is the one that is selected, and the ``pinned``
    one is the baseline of comparisons. ``relevant``: how many columns are taken to matter,
    and whether that is known, ``surely``.
    ``kin``: whether it is of the rows and the loss of the selected run; only then are its columns
    the same, and its errors comparable. ``planned``: the rule of sampling that the list has for it
    by now. ``scaled``: whether the response is in standard deviations. ``group``: the run and its
    repeats with other seeds, where it has any.
    """

    key: int
    name: str
    run: Run
    lead: bool = False
    pinned: bool = False
    kin: bool = True
    relevant: int = 32
    surely: bool = True
    planned: str = ""
    scaled: bool = False
    group: tuple[Run, ...] = ()

    @property
    def runs(self) -> tuple[Run, ...]:
        """The run, and its repeats."""
        return self.group or (self.run,)


@dataclass(frozen=True)
class Sight:
    """How a picture is looked at: the columns on its axes, and the point under the cursor."""

    x: str
    y: str
    point: int = -1


Columns: TypeAlias = dict[str, list[Any]]
Compute: TypeAlias = Callable[[Shown, Shown, int], Columns]
"""What a source holds of a run, given the selected run and the point under the cursor."""


def kin_of(shown: Iterable[Shown]) -> list[Shown]:
    """Those that may be compared."""
    return [entry for entry in shown if entry.kin]


def point_of(lead: Shown, point: int) -> int:
    """The point under the cursor; the last one where nothing was chosen."""
    reached = lead.run.reached
    return point if 0 <= point < reached else reached - 1


def leader(shown: Iterable[Shown]) -> Shown | None:
    """The selected run, once it has reached a point."""
    return next((entry for entry in shown if entry.lead and entry.run.reached), None)


def common_norm(shown: Sequence[Shown]) -> float:
    """The largest l1 norm that all of these runs have reached."""
    return min(float(entry.run.points["l1"].max()) for entry in shown)


def nearest(run: Run, norm: float) -> int:
    """The point of a run whose l1 norm is nearest to that."""
    return int(np.abs(run.points["l1"] - norm).argmin())


class Picture:
    """A picture is stateless: the page draws what is declared here.

    Attributes
    ----------
    name, title : str
        The title stands until there is a `finding`.
    brief : str
        What it shows in two or three words, where pictures are chosen from; by default the title.
    x, y : Axis
    layers : tuple of Layer
    tips : tuple of str
        Columns that hovering shows.
    legend : str
        What the marks are, in at most 22 words.
    help : str
        How to read it, and what to look at: the text behind "?".
    about : tuple of str
        The axes, "x" and "y", that the finding is about: with another column there it is silent.
    lead_only : bool
        Whether only the selected run is drawn.
    square : bool
        Whether both axes have the same scale.
    blank : mapping of str to str
        What is said where nothing can be drawn, by the column of the vertical axis; "" is any.
    computed : mapping of str to callable
        Sources of its own, which are computed at the point under the cursor.
    only_for : mapping of str to str
        Those of them that are computed only while that column is on the vertical axis.
    patient : set of str
        Those of them that take a pass over X, and wait their turn among the steps of the runs.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    brief: ClassVar[str] = ""
    x: ClassVar[Axis]
    y: ClassVar[Axis]
    layers: ClassVar[tuple[Layer, ...]]
    tips: ClassVar[tuple[str, ...]] = ()
    legend: ClassVar[str] = ""
    help: ClassVar[str] = ""
    about: ClassVar[tuple[str, ...]] = ("y",)
    lead_only: ClassVar[bool] = False
    square: ClassVar[bool] = False
    blank: ClassVar[Mapping[str, str]] = {}
    computed: ClassVar[Mapping[str, Compute]] = {}
    only_for: ClassVar[Mapping[str, str]] = {}
    patient: ClassVar[frozenset[str]] = frozenset()

    @property
    def sources(self) -> set[str]:
        """The sources that it draws."""
        return {layer.source for layer in self.layers}

    def computes(self, sight: Sight) -> dict[str, Compute]:
        """The sources that are computed as it is looked at."""
        wanted = (name for name in self.computed if self.only_for.get(name, sight.y) == sight.y)
        return {name: self.computed[name] for name in wanted}

    def finding(self, runs: Sequence[Shown]) -> str:
        """What the picture shows of all runs, as its title; nothing while there is none."""
        return ""

    def finding_at(self, runs: Sequence[Shown], sight: Sight) -> str:
        """The `finding` as the picture is looked at."""
        first = {axis: getattr(self, axis).columns[0] for axis in self.about}
        same = all(getattr(sight, axis) == column for axis, column in first.items())
        return self.finding(runs) if same else ""

    def describe(self, run: Run) -> str:
        """What the picture shows of a run that has reached a point, in words for those who cannot
        see it; nothing where it says nothing of the run.
        """
        return ""

    def declaration(self) -> dict[str, Any]:
        """What the page needs in order to draw it, ready for JSON."""
        drawn = {name for layer in self.layers for name in (layer.x, layer.y) if name}
        columns = {*self.x.columns, *self.y.columns, *self.tips}
        columns |= {part for name in drawn for part in name.split("|")}
        return {
            "name": self.name,
            "title": self.title,
            "brief": self.brief or self.title,
            "x": vars(self.x),
            "y": vars(self.y),
            "layers": [vars(layer) for layer in self.layers],
            "tips": [*self.tips],
            "legend": self.legend,
            "help": self.help,
            "blank": {"": "Nothing to show of these runs.", **self.blank},
            "computed": [name for name in self.computed if name not in self.only_for],
            "leadOnly": self.lead_only,
            "square": self.square,
            "labels": {name: label_of(name, log=False) for name in sorted(columns)},
            "logLabels": {name: label_of(name, log=True) for name in sorted(columns)},
        }

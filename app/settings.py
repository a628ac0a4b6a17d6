"""What the user chose."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import param

from fwcore import (
    LOSSES,
    DatasetError,
    Options,
    ParameterError,
    all_solvers,
    datasets,
    find_loss,
    find_solver,
    grids,
    option_kinds,
)

SPEEDS: dict[str, float | None] = {
    "1 step/s": 1.0,
    "5 steps/s": 5.0,
    "25 steps/s": 25.0,
    "200 steps/s": 200.0,
    "full speed": None,
}


@dataclass(frozen=True)
class Experiment:
    """One press of Run: a problem, and the solvers that walk it. Immutable, and complete: nothing
    else is asked of the page.
    """

    dataset: str
    loss: str
    split_seed: int
    test_fraction: float
    points: int
    delta_max: float | None
    seed: int
    solvers: tuple[tuple[str, dict[str, Any]], ...]


# Of data whose paper holds out nothing: without a test error half of the page is empty.
_HELD_OUT = 0.25
_SOLVERS = ("solver", "competitors")
EXPERIMENT = (*(f.name for f in fields(Experiment) if f.name != "solvers"), *_SOLVERS)
"""The settings that make an experiment, besides the options of its solvers."""


class Settings(param.Parameterized):
    """Everything on the left of the page but the options of the solvers, which are in ``options``
    by the solver's name.
    """

    dataset = param.Selector(default="diabetes", objects=["diabetes"], label="Dataset")
    loss = param.Selector(
        default="squared",
        objects=[*LOSSES],
        label="Loss",
        doc="squared: ½(u − y)². logistic: log(1 + exp(−yu)), of two classes. huber: squared near "
        "the response, absolute far from it. Not every solver takes every loss.",
    )
    test_fraction = param.Number(
        default=0.25,
        bounds=(0.0, 0.9),
        step=0.05,
        label="Rows held out",
        doc="Share of the rows on which the test error is measured.",
    )
    split_seed = option_kinds.Count(
        default=0, bounds=(0, 2**32 - 1), label="Split seed", doc="Seed of the choice of test rows."
    )
    solver = param.Selector(default="sfw", objects=["sfw"], label="Solver")
    competitors = param.ListSelector(
        default=["cd"], objects=["cd"], label="Overlay", doc="Solvers to run beside it."
    )
    points = option_kinds.Count(
        default=grids.POINTS, bounds=(2, 1000), label="Points", doc="Points of the path."
    )
    delta_max = option_kinds.Amount(
        default=None,
        bounds=(0.0, None),
        inclusive_bounds=(False, True),
        allow_None=True,
        label="δ max",
        doc="End of the δ grid. Empty: the l1 norm of the accurate solution at λ max / 100, found "
        "once a problem.",
    )
    seed = option_kinds.Count(
        default=0, bounds=(0, 2**32 - 1), label="Seed", doc="Seed of the solvers."
    )
    speed = param.Selector(default="200 steps/s", objects=list(SPEEDS), label="Speed")
    relevant = option_kinds.Count(
        default=32,
        bounds=(1, 10**6),
        label="Relevant columns",
        doc="How many columns are taken to matter in P(miss).",
    )

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.param.dataset.objects = [d.name for d in datasets.DATASETS]
        self.param.solver.objects = [s.name for s in all_solvers()]
        self.param.competitors.objects = [s.name for s in all_solvers()]
        self.options: dict[str, Options] = {s.name: s.Options() for s in all_solvers()}
        first = datasets.find(self.dataset)
        self._sampling, self._points = first.sampling, first.points

    @param.depends("dataset", watch=True)
    def _take_defaults_of_dataset(self) -> None:
        dataset = datasets.find(self.dataset)
        defaults = {
            "test_fraction": dataset.test_fraction or _HELD_OUT,
            "relevant": dataset.relevant or 32,
            "points": dataset.points,
        }
        # What the user chose stays, but for the split, which is of the dataset.
        if self.points != self._points:
            del defaults["points"]
        self.param.update(**defaults, delta_max=None, loss=dataset.loss)
        for options in self.options.values():
            if "sampling" in options.declared() and options.sampling.text == self._sampling:
                options.param.update(sampling=dataset.sampling)
        self._sampling, self._points = dataset.sampling, dataset.points

    @param.depends("loss", watch=True)
    def _take_away_what_lacks_the_loss(self) -> None:
        self.competitors = [
            name for name in self.competitors if not find_solver(name).lacks(find_loss(self.loss))
        ]
        self.param.update(delta_max=None)

    @property
    def columns(self) -> int:
        """Columns of the dataset, known before it is loaded."""
        return datasets.find(self.dataset).columns

    @property
    def solvers(self) -> list[str]:
        """The chosen solver, and those that run beside it."""
        return [self.solver, *(name for name in self.competitors if name != self.solver)]

    def chosen(self) -> Experiment:
        """The choice as it is."""
        return Experiment(
            **{name: getattr(self, name) for name in EXPERIMENT if name not in _SOLVERS},
            solvers=tuple((name, self.options[name].settings()) for name in self.solvers),
        )

    def experiment(self) -> Experiment:
        """The choice, checked as far as it can be before the data are loaded.

        Raises
        ------
        ParameterError
            A value does not fit.
        DatasetError
            Files are not at hand.
        """
        if not datasets.available(datasets.find(self.dataset)):
            raise DatasetError(
                f"The files of {datasets.find(self.dataset).title} are not at hand: download "
                "them first."
            )
        for name in self.solvers:
            if find_solver(name).missing:
                raise ParameterError(
                    "solver",
                    "the page",
                    f"one that is installed: {find_solver(name).missing}",
                    name,
                )
            if lacking := find_solver(name).lacks(find_loss(self.loss)):
                fitting = [loss for loss in LOSSES if not find_solver(name).lacks(find_loss(loss))]
                rule = (
                    f"one with {' and '.join(lacking)}, such as {' or '.join(fitting)}; or choose "
                    "another solver"
                )
                raise ParameterError("loss", find_solver(name).title, rule, self.loss)
        return self.chosen()

"""What the user chose: a problem, a list of runs, a pace."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any

import param

from app import server, shelf
from fwcore import (
    LOSSES,
    DatasetError,
    Options,
    ParameterError,
    datasets,
    find_loss,
    find_solver,
    grids,
    option_kinds,
)

# Of data whose paper holds out nothing: without a test error half of the page is empty.
_HELD_OUT = 0.25
MOST_RUNS = 40
"""Runs of one page: as many as can be told apart by colour and dash."""
FIRST_RUNS: tuple[tuple[str, dict[str, str]], ...] = (
    ("sfw", {"sampling": "1%"}),
    ("sfw", {"sampling": "10%"}),
    ("fw", {}),
)
"""What the page begins with; recorded in `app.recorded`."""


@dataclass(frozen=True)
class Experiment:
    """The problem that runs walk, and its grid. Immutable, and complete: nothing else is asked of
    the page.
    """

    dataset: str
    loss: str
    split_seed: int
    test_fraction: float
    points: int
    delta_max: float | None


EXPERIMENT = tuple(f.name for f in fields(Experiment))
"""The settings that make an experiment."""


class RunSpec:
    """A run as the user put it together: a solver, its options and a seed, under a name.

    ``key`` never names another run of the page, and ``style`` gives colour, dash and marker for
    good.
    """

    def __init__(self, key: int, style: int, solver: str) -> None:
        self.key = key
        self.style = style
        self.solver = solver
        self.options: Options = find_solver(solver).Options()
        self.seed = 0
        self.repeats = 1
        self.given_name = ""
        self.hidden = False
        self.pinned = False

    @property
    def name(self) -> str:
        """The name that was given, or the solver and those of its options that tell it apart."""
        if self.given_name:
            return self.given_name
        changed = self.options.changed()
        if "sampling" in self.options.declared():
            changed = {"sampling": self.options.settings()["sampling"], **changed}
        values = [
            str(value).replace("%", " %") if name == "sampling" else f"{name} {value}"
            for name, value in changed.items()
        ]
        seed = [f"seed {self.seed}"] if self.seed else []
        times = [f"× {self.repeats}"] if self.repeats > 1 else []
        return " ".join([self.solver, *values[:3], *seed, *times])

    def take(self, options: dict[str, Any], seed: int) -> None:
        """Take over options as they were written, and a seed."""
        declared = self.options.declared()
        for name, value in options.items():
            if name in declared:
                given = declared[name].read(value) if isinstance(value, str) else value
                setattr(self.options, name, given)
        self.seed = seed

    def settings(self) -> tuple[Any, ...]:
        """What makes the run what it is; equal settings give equal results, bit for bit."""
        return (self.solver, self.options.settings(), self.seed, self.repeats)


class Settings(param.Parameterized):
    """The problem, the pace, and the runs in ``runs``, in the order in which they are listed."""

    dataset = param.Selector(
        default="synthetic-10000-32", objects=["synthetic-10000-32"], label="Dataset"
    )
    loss = param.Selector(
        default="squared",
        objects=[*LOSSES],
        label="Loss",
        doc="Not every solver takes every loss.",
    )
    test_fraction = option_kinds.Amount(
        default=0.5,
        bounds=(0.0, 0.9),
        label="Test share",
        doc="Share of the rows on which the test error is measured.",
    )
    split_seed = option_kinds.Count(
        default=0, bounds=(0, 2**32 - 1), label="Split seed", doc="Seed of the choice of test rows."
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

    def __init__(self, **params: Any) -> None:
        super().__init__()
        self.param.dataset.objects = [d.name for d in datasets.DATASETS]
        self.own: list[shelf.Own] = []
        """Data that were brought to this page."""
        self.runs: list[RunSpec] = []
        self._removed: list[tuple[int, RunSpec]] = []
        self._last_key = 0
        first = shelf.find(self.dataset)
        self.param.update(test_fraction=_held_out(first))
        self._sampling, self._points = first.sampling, first.points
        for solver, given in FIRST_RUNS:
            self.add(solver).options.param.update(**given)
        self.param.update(**params)

    @param.depends("dataset", watch=True)
    def _take_defaults_of_dataset(self) -> None:
        dataset = shelf.find(self.dataset)
        defaults: dict[str, Any] = {"test_fraction": _held_out(dataset)}
        # The number of points that the user chose stays.
        if self.points == self._points:
            defaults["points"] = dataset.points
        self.param.update(**defaults, delta_max=None, loss=dataset.loss)
        for spec in self.runs:
            options = spec.options
            if "sampling" in options.declared() and options.sampling.text == self._sampling:
                options.param.update(sampling=dataset.sampling)
            elif "sampling" in options.declared():
                self._fit_sampling(options)
        self._sampling, self._points = dataset.sampling, dataset.points

    def _fit_sampling(self, options: Options) -> None:
        """Look at 1 % where a count of columns is more than the dataset has."""
        try:
            options.sampling.kappa(self.columns)
        except ParameterError:
            options.param.update(sampling="1%")

    @param.depends("loss", watch=True)
    def _forget_delta_max(self) -> None:
        self.param.update(delta_max=None)

    def bring(self, own: shelf.Own) -> None:
        """Offer data that no catalogue knows, and choose them."""
        if own.name not in self.param.dataset.objects:
            self.own.append(shelf.bring(own))
            self.param.dataset.objects = [*self.param.dataset.objects, own.name]
        self.dataset = own.name

    def close(self) -> None:
        """Give back what was brought."""
        for own in self.own:
            shelf.leave(own.name)
        self.own = []

    @property
    def columns(self) -> int:
        """Columns of the dataset, known before it is loaded."""
        return shelf.find(self.dataset).columns

    @property
    def relevant(self) -> int:
        """How many columns are taken to matter in P(miss)."""
        return relevant_columns(self.dataset)

    def find(self, key: int) -> RunSpec:
        """The run of that key.

        Raises
        ------
        ParameterError
            There is none.
        """
        for spec in self.runs:
            if spec.key == key:
                return spec
        raise ParameterError("run", "the page", f"one of {[s.key for s in self.runs]}", key)

    def add(self, solver: str, beside: RunSpec | None = None) -> RunSpec:
        """A new run of ``solver``, last in the list, or a copy ``beside`` another.

        Raises
        ------
        ParameterError
            There are as many as can be, or there is no such solver.
        """
        most = server.most_runs(MOST_RUNS)
        if len(self.runs) >= most:
            raise ParameterError("runs", "the page", f"at most {most}", len(self.runs) + 1)
        self._last_key += 1
        taken = {spec.style for spec in self.runs}
        style = next(k for k in range(MOST_RUNS + 1) if k not in taken)
        spec = RunSpec(self._last_key, style, find_solver(solver).name)
        if beside is None:
            if "sampling" in spec.options.declared():
                spec.options.param.update(sampling=self._sampling)
            self.runs.append(spec)
        else:
            spec.options = find_solver(solver).Options(
                **{name: getattr(beside.options, name) for name in beside.options.declared()}
            )
            spec.seed, spec.repeats = beside.seed, beside.repeats
            self.runs.insert(self.runs.index(beside) + 1, spec)
        return spec

    def clear(self) -> None:
        """Begin with an empty list."""
        self.runs.clear()
        self._last_key = 0

    def remove(self, key: int) -> None:
        """Take a run out of the list; `restore` puts the last one back."""
        spec = self.find(key)
        self._removed.append((self.runs.index(spec), spec))
        self.runs.remove(spec)

    def restore(self) -> RunSpec | None:
        """Put back what was removed last, in its place and in its colour if that is still free."""
        if not self._removed or len(self.runs) >= server.most_runs(MOST_RUNS):
            return None
        place, spec = self._removed.pop()
        taken = {other.style for other in self.runs}
        if spec.style in taken:
            spec.style = next(k for k in range(MOST_RUNS + 1) if k not in taken)
        self.runs.insert(min(place, len(self.runs)), spec)
        return spec

    def move(self, key: int, to: int) -> None:
        """Move a run to a place of the list, counted from 0."""
        spec = self.find(key)
        self.runs.remove(spec)
        self.runs.insert(to, spec)

    def chosen(self) -> Experiment:
        """The problem as it is set."""
        return Experiment(**{name: getattr(self, name) for name in EXPERIMENT})

    def experiment(self) -> Experiment:
        """The problem, checked with the runs as far as they can be before the data are loaded.

        Raises
        ------
        ParameterError
            A value does not fit, or there is nothing to run.
        DatasetError
            Files are not at hand.
        """
        dataset = shelf.find(self.dataset)
        if not shelf.available(dataset):
            raise DatasetError(
                f"The files of {dataset.title} are not at hand: download them first."
            )
        if not self.runs:
            raise ParameterError("runs", "the page", "at least one: add a run", 0)
        for spec in self.runs:
            if reason := why_not(spec.solver, self.loss):
                raise ParameterError("solver", "the page", reason, spec.solver)
        return self.chosen()


def _held_out(data: shelf.Data) -> float:
    """The share of the rows held out by default; data of one's own say themselves."""
    return data.test_fraction or (0.0 if isinstance(data, shelf.Own) else _HELD_OUT)


def formula_of(loss: str) -> str:
    """The objective of a loss as plain text."""
    return re.sub("<[^>]*>", "", find_loss(loss).formula)


def relevant_columns(dataset: str) -> int:
    """How many columns of a dataset are taken to matter: as many as it was made with, or 32."""
    return shelf.find(dataset).relevant or 32


def why_not(name: str, loss: str) -> str:
    """What stands against running a solver on a loss, as the end of "must be ..."; nothing if
    nothing does.
    """
    solver = find_solver(name)
    if solver.missing:
        return f"one that is installed: {solver.missing}"
    lacking = solver.lacks(find_loss(loss))
    if not lacking:
        return ""
    fitting = [known for known in LOSSES if not solver.lacks(find_loss(known))]
    return (
        f"one for this loss, and {solver.title} needs {' and '.join(lacking)}: choose the loss "
        f"{' or '.join(fitting)}, or another solver"
    )

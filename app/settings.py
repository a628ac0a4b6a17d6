"""What the user chose: a problem, a list of runs, a pace."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import param

from app import own_files, server, shelf
from app.option_settings import OptionsAsSettings
from app.run_spec import RunSpec
from fwcore import (
    DEFAULT_LOSS,
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

if TYPE_CHECKING:
    from app.tables import Printed

# Of data whose paper holds out nothing: without a test error half of the page is empty.
_HELD_OUT = 0.25
_MADE_KEPT = 7
_MOST_REMOVED = 8
MOST_RUNS = 40
"""Runs of one page: as many as can be told apart by colour and dash."""
FIRST_RUNS: tuple[tuple[str, dict[str, Any]], ...] = (
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

    def alike(self, other: Experiment) -> bool:
        """Whether coefficients and errors of both may stand beside each other: of the same rows and
        loss, whatever the grid. Of other rows other columns may be constant, which are dropped.
        """
        return replace(self, points=0, delta_max=None) == replace(other, points=0, delta_max=None)


EXPERIMENT = tuple(f.name for f in fields(Experiment))
"""The settings that make an experiment."""


class Settings(OptionsAsSettings, param.Parameterized):
    """The problem, the pace, and the runs in ``runs``, in the order in which they are listed."""

    dataset = param.Selector(
        default="synthetic-10000-32", objects=["synthetic-10000-32"], label="Dataset"
    )
    loss: Any = option_kinds.LossName(
        default=DEFAULT_LOSS, label="Loss", doc="Not every solver takes every loss."
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

    touched = param.Event(doc="Happens when Python has set an option of a run.")

    def __init__(self, **params: Any) -> None:
        super().__init__()
        self.param.dataset.objects = [d.name for d in server.catalogue()]
        self.own: list[shelf.Own] = []
        """Data that were brought to this page."""
        self.printed: Printed | None = None
        self.runs: list[RunSpec] = []
        self.selected = 0
        """Key of the run whose options are shown."""
        self._removed: list[tuple[int, RunSpec]] = []
        self._last_key = 0
        first = shelf.find(self.dataset)
        self.param.update(test_fraction=_held_out(first))
        self._sampling, self._points = first.sampling, first.points
        for solver, given in FIRST_RUNS:
            self.add(solver).options.param.update(**given)
        self.param.update(**params)
        self.complete = True
        """From now on a name that is unknown is refused."""

    @param.depends("dataset", watch=True)
    def _take_defaults_of_dataset(self) -> None:
        dataset = shelf.find(self.dataset)
        self.printed = None
        defaults: dict[str, Any] = {"test_fraction": _held_out(dataset)}
        # The number of points that the user chose stays.
        if self.points == self._points:
            defaults["points"] = dataset.points
        # Samplings first: whoever watches the settings sees runs that fit the data.
        for spec in self.runs:
            options = spec.options
            if "sampling" in options.declared() and options.sampling.text == self._sampling:
                options.param.update(sampling=dataset.sampling)
            elif "sampling" in options.declared():
                self._fit_sampling(options)
        self._sampling, self._points = dataset.sampling, dataset.points
        self.param.update(**defaults, delta_max=None, loss=dataset.loss)

    def _fit_sampling(self, options: Options) -> None:
        """Look at 1 % where a count of columns is more than the dataset has."""
        try:
            options.sampling.kappa(self.columns)
        except ParameterError:
            options.param.update(sampling="1%")

    @param.depends("loss", watch=True)
    def _forget_delta_max(self) -> None:
        self.param.update(delta_max=None)

    def choose(self, name: str) -> None:
        """Choose data of the catalogue, brought here, or made as their name says.

        Raises
        ------
        ParameterError
            There are none of that name, or they cannot be made.
        """
        known = self.param.dataset.objects
        # Some may have been registered since the page was opened.
        if late := [d.name for d in server.catalogue() if d.name not in known]:
            known = self.param.dataset.objects = [*known, *late]
        if datasets.made.is_made(name):
            entry = server.checked(datasets.find(name))
            name = entry.name
            if name not in known:
                # The last few are offered again.
                made = [other for other in known if datasets.made.is_made(other)]
                kept = [other for other in known if other not in made[:-_MADE_KEPT]]
                self.param.dataset.objects = [*kept, name]
        elif name not in known and (own := own_files.recall(name)) is not None:
            self.bring(own)
        elif name not in known:
            rule = "a name of the catalogue, or of data brought to this page"
            raise ParameterError("dataset", "the page", rule, name[:40])
        self.dataset = name

    @property
    def made(self) -> list[datasets.Entry]:
        """Data that were made for this page."""
        names = self.param.dataset.objects
        return [datasets.find(name) for name in names if datasets.made.is_made(name)]

    def bring(self, own: shelf.Own) -> None:
        """Offer data that no catalogue knows, and choose them."""
        if own.name in self.param.dataset.objects:
            shelf.renew(own)
        else:
            self.own.append(shelf.bring(own))
            self.param.dataset.objects = [*self.param.dataset.objects, own.name]
        self.dataset = own.name

    def forget(self, name: str) -> None:
        """Offer data that were brought no more."""
        for own in [own for own in self.own if own.name == name]:
            self.own.remove(own)
            self.param.dataset.objects = [d for d in self.param.dataset.objects if d != name]
            shelf.leave(name)

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
        return shelf.relevant_columns(self.dataset)

    @property
    def selected_run(self) -> RunSpec | None:
        """The run whose options are shown; the first where none was selected."""
        runs = self.__dict__.get("runs", [])
        return next((s for s in runs if s.key == self.selected), runs[0] if runs else None)

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
        # Those that can be brought back keep theirs.
        taken = {spec.style for spec in [*self.runs, *(spec for _, spec in self._removed)]}
        style = next(k for k in itertools.count() if k not in taken)
        spec = RunSpec(self._last_key, style, find_solver(solver).name)
        if beside is None:
            if spec.options.samples():
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
        self._removed.clear()
        self._last_key = 0

    def remove(self, key: int) -> None:
        """Take a run out of the list; `restore` puts the last one back."""
        spec = self.find(key)
        self._removed.append((self.runs.index(spec), spec))
        del self._removed[:-_MOST_REMOVED]
        self.runs.remove(spec)

    def restore(self) -> RunSpec | None:
        """Put back what was removed last, in its place and as it looked."""
        if not self._removed or len(self.runs) >= server.most_runs(MOST_RUNS):
            return None
        place, spec = self._removed.pop()
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
            told = f"The files of {dataset.title} are not at hand: download them first."
            raise DatasetError(told)
        if not self.runs:
            raise ParameterError("runs", "the page", "at least one: add a run", 0)
        for spec in self.runs:
            if reason := why_not(spec.solver, self.loss, self.dataset):
                rule = f"one that fits ({reason.rstrip('.')})"
                raise ParameterError("solver", "the page", rule, spec.solver)
        return self.chosen()


def _held_out(data: shelf.Data) -> float:
    """The share of the rows held out by default; data of one's own say themselves."""
    return data.test_fraction or (0.0 if isinstance(data, shelf.Own) else _HELD_OUT)


def formula_of(loss: str) -> str:
    """The objective of a loss as plain text."""
    return re.sub("<[^>]*>", "", find_loss(loss).formula)


def why_not(name: str, loss: str, dataset: str = "") -> str:
    """What stands against running a solver on a loss and a dataset, and what to do, in a sentence;
    nothing if nothing does.
    """
    solver = find_solver(name)
    data = shelf.find(dataset) if dataset else None
    # Products are dense, and the only design that is so before it is loaded.
    if data is not None and data.degree is not None and solver.most_entries is not None:
        entries = data.rows * data.columns
        if entries > solver.most_entries:
            return (
                f"{solver.title} needs a dense design of at most {solver.most_entries:,} entries, "
                f"and these data have {entries:,}: choose other data, or another solver."
            )
    if solver.missing:
        return f"{solver.title} is not installed: {solver.missing}."
    lacking = solver.lacks(find_loss(loss))
    if not lacking:
        return ""
    fitting = [known for known in LOSSES if not solver.lacks(find_loss(known))]
    return (
        f"{solver.title} needs {' and '.join(lacking)}: choose the {' or '.join(fitting)} loss, or "
        "another solver."
    )

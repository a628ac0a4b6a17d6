"""Runs the experiments of a paper: method by method and seed by seed, kept as they are done, so
that what was interrupted goes on where it ended.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from fwcore import cache
from fwcore.errors import ParameterError
from fwcore.experiments.published.cells import Cell, cells
from fwcore.experiments.published.claims import Claim, claims
from fwcore.experiments.published.declared import Exhibit, Experiment, Method, Paper
from fwcore.experiments.published.kinds import KINDS, Measured
from fwcore.path_result import versions

Progress = Callable[[str, int, int], None]


@dataclass
class Outcome:
    """What was asked of a paper and is there now.

    ``found``: by experiment and method, a seed after the other; ``absent``: experiments whose files
    are not at hand, with their datasets; ``standins``: by experiment, what was walked in place of
    the paper's data.
    """

    paper: Paper
    exhibits: Sequence[Exhibit]
    experiments: dict[str, Experiment]
    small: bool = False
    found: dict[str, dict[str, list[Measured]]] = field(default_factory=dict)
    absent: dict[str, list[str]] = field(default_factory=dict)
    standins: dict[str, str] = field(default_factory=dict)

    def cells(self, exhibit: Exhibit) -> list[Cell]:
        """The cells of a table or figure, experiment by experiment."""
        shown = (self.experiments[name] for name in exhibit.experiments if name in self.experiments)
        return [c for e in shown for c in cells(e, self.found.get(e.name, {}), exhibit)]

    def claims(self, exhibit: Exhibit) -> list[Claim]:
        """What the paper says of its experiments in words."""
        shown = [self.experiments[n] for n in exhibit.experiments if n in self.experiments]
        told = []
        for experiment in shown:
            asked = [said.figure for said in experiment.statements]
            whole = replace(experiment, figures=[*dict.fromkeys([*experiment.figures, *asked])])
            table = cells(whole, self.found.get(experiment.name, {}))
            told += claims(experiment, table, exhibit.figures)
        return told


def reproduce(
    paper: Paper,
    exhibits: Sequence[Exhibit] | None = None,
    *,
    datasets: Sequence[str] = (),
    methods: Sequence[str] = (),
    seeds: int = 1,
    standin: bool = False,
    small: bool = False,
    fresh: bool = False,
    progress: Progress | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run the experiments that tables and figures show, with seeds 0, 1, ...

    Parameters
    ----------
    paper : Paper
    exhibits : sequence of Exhibit, optional
        All of the paper's by default.
    datasets : sequence of str
        Only experiments on these datasets, or of these names; all by default.
    methods : sequence of str
        Only methods of these names; all by default.
    seeds : int
    standin : bool
        Walk data of a similar size, made here, where the files of the paper are absent.
    small : bool
        Each experiment at a size that takes seconds.
    fresh : bool
        Forget what was kept of runs that were made before.
    progress : callable of (text, done, total), optional
    stopped : callable, optional
        Asked between methods and seeds, and now and then within them; what was done until then is
        told, and kept. A path, a race or a trial that it ended begins again.

    Raises
    ------
    ParameterError
        The number of seeds, or a dataset or a method that no experiment has.
    """
    if isinstance(seeds, bool) or not isinstance(seeds, int) or seeds < 1:
        raise ParameterError("seeds", "fwcore paper", "an int of at least 1", seeds)
    chosen = list(paper.exhibits if exhibits is None else exhibits)
    experiments = _experiments(paper, chosen, datasets, small)
    outcome = Outcome(paper, chosen, _of_methods(paper, experiments, methods), small)
    cache.forget_old("papers")
    jobs: list[tuple[Experiment, Method, int]] = []
    for name, experiment in [*outcome.experiments.items()]:
        outcome.found[name], kind = {}, KINDS[experiment.kind]
        made = experiment.standin
        if made and standin and kind.absent(experiment, experiment.methods[0]):
            outcome.standins[name] = made
            experiment = replace(experiment, dataset=made, made=True)
            outcome.experiments[name] = experiment
        for method in _methods(chosen, experiment):
            if absent := kind.absent(experiment, method):
                missing = outcome.absent.setdefault(name, [])
                missing += [absent] if absent not in missing else []
            else:
                jobs += [(experiment, method, k) for k in range(1 if method.once else seeds)]
    _run(outcome, jobs, fresh, progress, stopped)
    return outcome


def _of_methods(
    paper: Paper, experiments: dict[str, Experiment], methods: Sequence[str]
) -> dict[str, Experiment]:
    """The experiments with these methods alone, and with what is said of no others."""
    if not methods:
        return experiments
    known = {m.name for e in experiments.values() for m in e.methods if m.solver}
    for method in methods:
        if method not in known:
            where = f"fwcore paper {paper.name}"
            raise ParameterError("method", where, f"one of {sorted(known)}", method)
    kept = {}
    for name, experiment in experiments.items():
        own = [m for m in experiment.methods if m.name in methods]
        said = [s for s in experiment.statements if s.methods <= {*methods}]
        if own:
            kept[name] = replace(experiment, methods=own, statements=said)
    return kept


def _methods(exhibits: Sequence[Exhibit], experiment: Experiment) -> list[Method]:
    """Those that are walked: what the exhibits show, and what that is compared with."""
    names = {*KINDS[experiment.kind].beside(experiment)}
    for exhibit in exhibits:
        if experiment.name in exhibit.experiments:
            names |= {*(exhibit.methods or (m.name for m in experiment.methods))}
            names |= {m for panel in exhibit.panels for m in panel.methods}
            for said in experiment.statements:
                if not exhibit.figures or said.figure in exhibit.figures:
                    names |= said.methods
    return [m for m in experiment.methods if m.solver and m.name in names]


def _experiments(
    paper: Paper, exhibits: Sequence[Exhibit], datasets: Sequence[str], small: bool
) -> dict[str, Experiment]:
    """Those that the exhibits show, once each and in their order."""
    names = dict.fromkeys(name for exhibit in exhibits for name in exhibit.experiments)
    shown = [paper.experiments[name] for name in names]
    known = {word for experiment in shown for word in (experiment.name, experiment.dataset)}
    for dataset in datasets:
        if dataset not in known:
            rule = f"one of {sorted(known - {''})}"
            raise ParameterError("dataset", f"fwcore paper {paper.name}", rule, dataset)
    shown = [e for e in shown if not datasets or {e.name, e.dataset} & {*datasets}]
    return {e.name: e.smaller() if small else e for e in shown}


def _run(
    outcome: Outcome,
    jobs: Sequence[tuple[Experiment, Method, int]],
    fresh: bool,
    progress: Progress | None,
    stopped: Callable[[], bool],
) -> None:
    context: tuple[str, Any] = ("", None)
    for done, (experiment, method, seed) in enumerate(jobs):
        if stopped():
            return
        if progress is not None:
            progress(f"{experiment.name}: {method.name}, seed {seed}", done, len(jobs))
        key = _key(experiment, method, seed)
        measured = None if fresh else _kept(key)
        if measured is None:
            if context[0] != experiment.name:
                context = (experiment.name, KINDS[experiment.kind].prepare(experiment))
            kind = KINDS[experiment.kind]
            measured = kind.measure(context[1], experiment, method, seed, stopped)
            if measured is None:
                return
            cache.store("papers", key, asdict(measured))
        outcome.found[experiment.name].setdefault(method.name, []).append(measured)


def _key(experiment: Experiment, method: Method, seed: int) -> str:
    """Of all that a measurement depends on."""
    wants = KINDS[experiment.kind].wants(experiment)
    own = (experiment.kind, experiment.dataset, dict(experiment.given), wants)
    made = (method.solver, dict(method.options), seed, experiment.made, versions(), cache.sources())
    return hashlib.sha256(json.dumps([*own, *made], sort_keys=True).encode()).hexdigest()[:32]


def _kept(key: str) -> Measured | None:
    found: Any = cache.load("papers", key)
    try:
        return Measured(**found)
    except TypeError:
        return None


def listed(paper: Paper) -> Iterator[tuple[Exhibit, list[str], bool]]:
    """The exhibits, with the datasets whose files are absent, and whether there are stand-ins."""
    for exhibit in paper.exhibits:
        absent, made = [], False
        for name in exhibit.experiments:
            experiment = paper.experiments[name]
            found = (KINDS[experiment.kind].absent(experiment, m) for m in experiment.methods)
            missing = [n for n in dict.fromkeys(found) if n]
            absent += [n for n in missing if n not in absent]
            made |= bool(missing) and bool(experiment.standin)
        yield exhibit, absent, made

"""The experiments that papers published: declared in TOML, run by one engine, beside ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fwcore import datasets, sampling
from fwcore.errors import ParameterError
from fwcore.experiments.published.cells import (
    Cell,
    cells,
    number,
    number_text,
    reasons,
)
from fwcore.experiments.published.claims import Claim, claims
from fwcore.experiments.published.declared import (
    Exhibit,
    Experiment,
    Method,
    Panel,
    Paper,
    Statement,
    find_paper,
    papers,
)
from fwcore.experiments.published.engine import Outcome, listed, reproduce
from fwcore.experiments.published.kinds import KINDS, Measured
from fwcore.experiments.published.kinds.paths import POINT_FIGURES, options_of
from fwcore.experiments.solver_spec import SolverSpec

__all__ = [
    "KINDS",
    "POINT_FIGURES",
    "Cell",
    "Claim",
    "Exhibit",
    "Experiment",
    "Measured",
    "Method",
    "Outcome",
    "Panel",
    "Paper",
    "Statement",
    "cells",
    "claims",
    "find_paper",
    "find_preset",
    "listed",
    "number",
    "number_text",
    "papers",
    "presets",
    "printed",
    "reasons",
    "reproduce",
]


def presets() -> Mapping[str, dict[str, Any]]:
    """Those experiments that the page can run, by "paper-experiment", as plain values: what a link
    holds of them, and what was printed as rows of text, the first of which are those of the runs.
    """
    return {
        f"{paper.name}-{experiment.name}": _preset(paper, experiment)
        for paper in papers().values()
        for experiment in paper.experiments.values()
        if experiment.view
    }


def find_preset(name: str) -> dict[str, Any]:
    """The preset of that name.

    Raises
    ------
    ParameterError
        There is none.
    """
    found = presets().get(name)
    if found is None:
        raise ParameterError("paper", "fwcore", f"one of {[*presets()]}", name[:40])
    return found


def _preset(paper: Paper, experiment: Experiment) -> dict[str, Any]:
    shown = [name for name in experiment.figures if name in POINT_FIGURES]
    walked = [method for method in experiment.methods if method.solver and not method.heavy]
    lines = {m.name: [m.printed.get(figure, "") for figure in shown] for m in experiment.methods}
    rows = [[method.name, *lines[method.name]] for method in walked]
    for method in experiment.methods:
        own = lines[method.name]
        # What was printed once stands there once, whatever walks it.
        if method not in walked and any(own) and own not in (row[1:] for row in rows):
            rows.append([method.name, *own])
    exhibits = [e.label for e in paper.exhibits if experiment.name in e.experiments]
    return {
        "name": f"{paper.name}-{experiment.name}",
        "paper": ", ".join([paper.citation, *exhibits]),
        "title": experiment.title,
        "dataset": experiment.dataset,
        "view": experiment.view,
        "look": experiment.look,
        "differs": experiment.differs,
        "runs": [{"solver": m.solver, "options": options_of(experiment, m)} for m in walked],
        "printed": [["method", *shown], *rows] if any(any(row[1:]) for row in rows) else [],
        **{key: experiment.given[key] for key in _SETTINGS if key in experiment.given},
    }


_SETTINGS = ("loss", "test_fraction", "points")


def printed(dataset: str, solver: str, figure: str) -> float | None:
    """The figure that a paper printed for a solver with options on a dataset, along a path; None
    where none did. Samplings are the same where they look at as many columns.
    """
    spec, columns = SolverSpec.parse(solver), datasets.find(dataset).columns
    for paper in papers().values():
        for experiment in paper.experiments.values():
            if (experiment.kind, experiment.dataset) != ("path", dataset):
                continue
            for method in experiment.methods:
                if figure in method.printed and _same(spec, method, columns):
                    return number(method.printed[figure])
    return None


def _same(spec: SolverSpec, method: Method, columns: int) -> bool:
    asked, theirs = (of.get("sampling") for of in (spec.options, method.options))
    if method.solver != spec.solver.name or (asked is None) != (theirs is None):
        return False
    kappas = {sampling.parse(str(rule)).kappa(columns) for rule in (asked, theirs) if rule}
    return len(kappas) <= 1

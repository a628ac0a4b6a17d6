"""Oracles on a part of the rows: Figures 1 to 4 and Table II of Rakotomamonjy, Koco & Ralaivola
(2016).

All are compared with our exact solver, whose pass over 2,000 x 4,000 entries takes 2 ms, and over a
sparse text well under one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict

from report import Asked, Rows, Tables

from fwcore import datasets
from fwcore.experiments import published
from fwcore.experiments.recovery import classify, recover
from fwcore.experiments.solver_spec import SolverSpec

_ORACLES = (
    "",
    "oracle=greedy-rows;oracle_stable=5",
    "oracle=greedy-rows;oracle_stable=100",
    "oracle=greedy-rows;oracle_stable=20;oracle_finalists=64",
    "oracle=random-rows;oracle_by_size=false;oracle_stable=5",
    "oracle=random-rows;oracle_by_size=false;oracle_stable=100",
    "oracle=random-rows;oracle_stable=100",
    "oracle=successive-halving;oracle_rule=budget;oracle_budget=0.2",
    "oracle=successive-halving;oracle_rule=budget;oracle_budget=0.1;oracle_finalists=256",
    "oracle=successive-halving;oracle_rule=budget;oracle_budget=0.2;oracle_by_size=false",
    "oracle=successive-halving;oracle_rule=doubling;oracle_budget=0.05",
    "oracle=successive-rejects;oracle_rule=budget;oracle_budget=0.2",
)
# To find a set again after each row costs more than the row, and a pull more than a row's entry: a
# trial takes seconds.
_FOR_SETS = tuple(
    text for text in _ORACLES if "stable=100" not in text and "successive-rejects" not in text
)
# A ratio of 3, as the paper prints it; `fwcore paper` takes it for decibels.
_SNR_DB = 10.0 * math.log10(3.0)
_BUDGETS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7)
_TEXT = (
    "cosamp:turns=10",
    "cosamp:turns=10;oracle=successive-halving;oracle_rule=budget;oracle_budget=0.2;"
    "oracle_by_size=false",
    "cosamp:turns=10;oracle=successive-halving;oracle_rule=budget;oracle_budget=0.2",
    "cosamp:turns=10;oracle=greedy-rows;oracle_rule=budget;oracle_budget=0.2",
    "stoch_cosamp:10%;turns=10",
    "omp",
)


def _entrants(solver: str, oracles: Sequence[str]) -> list[SolverSpec]:
    # A trial of exact Frank-Wolfe makes 50 passes; to judge each answer would make as many more.
    return [
        SolverSpec.parse(f"{solver}:oracle_judge=5;{text}" if text else solver) for text in oracles
    ]


def figures() -> Tables:
    """Figures 1 to 4."""
    for rows, columns, trials in ((2000, 4000, 20), (5000, 10_000, 3)):
        for number, solver, oracles in (
            (1, "fw", _ORACLES),
            (2, "omp", _ORACLES),
            (3, "cosamp", _FOR_SETS),
        ):
            if number == 1 and rows > 2000:
                continue
            means = recover(
                _entrants(solver, oracles),
                rows=rows,
                columns=columns,
                trials=trials,
                snr_db=_SNR_DB,
            )
            yield (
                f"Figure {number}: {solver}, {rows:,} x {columns:,}, 50 relevant, {trials} trials",
                [asdict(row) for row in means],
            )
    specs = [
        f"oracle={name};oracle_rule=budget;oracle_budget={b}"
        for name in ("successive-halving", "greedy-rows")
        for b in _BUDGETS
    ]
    means = recover(_entrants("omp", ["", *specs]), trials=10, snr_db=_SNR_DB)
    yield "Figure 4: omp by budget, 2,000 x 4,000, 10 trials", [asdict(row) for row in means]


def texts() -> Rows:
    """Table II, with what the paper printed of exact CoSaMP."""
    found = []
    for experiment in published.find_paper("rakotomamonjy").experiments.values():
        name = experiment.dataset
        if experiment.kind == "texts" and name and datasets.available(datasets.find(name)):
            accuracy = published.number(experiment.methods[0].printed["accuracy, %"])
            rows = classify(
                datasets.read(name), [SolverSpec.parse(text) for text in _TEXT], splits=5
            )
            found += [
                asdict(row) | {"paper": accuracy if row.solver == _TEXT[0] else float("nan")}
                for row in rows
            ]
    return found


def tables(_: Asked) -> Tables:
    yield from figures()
    yield "Table II: texts, 5 splits of 80 and 20 %", texts()

"""``fwcore compare``: solvers side by side on one dataset."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table

from fwcore import datasets, grids
from fwcore.cli.common import (
    INTERRUPTED,
    STEP_LIMIT,
    DeltaMax,
    Quiet,
    interruptible,
    messages,
    progress_line,
    reporting_errors,
)
from fwcore.cli.flags import of_problems, with_flags
from fwcore.errors import ParameterError
from fwcore.experiments import published
from fwcore.experiments.compare import Summary, compare
from fwcore.experiments.solver_spec import parse_specs
from fwcore.losses import Loss, find_loss
from fwcore.options import WalkOptions
from fwcore.solvers import find_solver

# The first of each form that takes the loss.
_DEFAULTS = (("cd", "scd", "fista"), ("sfw:1%", "fw"))
_HEADINGS = {
    "solver": "solver",
    "seconds": "time, s",
    "speedup": "speed-up",
    "steps": "iterations",
    "dots": "dot products",
    "grads": "derivatives",
    "entries": "entries",
    "active": "active",
    "gap": "worst gap",
    "error": "least test error",
    "at": "at l1 norm",
    "hits": "right answers",
    "f_measure": "F-measure",
    "misclassified": "share misclassified",
    "chance": "ended by chance",
}
_PRINTED = {
    "speedup": "speed-up",
    "steps": "iterations",
    "dots": "dot products",
    "active": "active features",
}
"""What papers call the figures of a `Summary`."""
_NARROW = ("solver", "seconds", "speedup", "steps", "dots", "active", "gap", "error")
_WIDTH = 80
# What most comparisons have not is shown where one of them has it.
_RARE = ("hits", "f_measure", "misclassified", "chance")


def add(app: typer.Typer, help_text: str) -> None:
    """Add the command."""
    app.command("compare", help=help_text)(with_flags(run, making=of_problems()))


def run(
    dataset: Annotated[str, typer.Option(help="Name of a dataset; see `fwcore datasets`.")],
    solvers: Annotated[
        str | None,
        typer.Option(
            help="Divided by commas: cd,scd,sfw:1%,'scd:update=exact;tol=1e-4'; by default one of "
            "each form."
        ),
    ] = None,
    repeats: Annotated[int, typer.Option(help="Seeds of each.")] = 10,
    points: Annotated[int, typer.Option(help="Points of the path.")] = grids.POINTS,
    delta_max: DeltaMax = None,
    seed: Annotated[int, typer.Option(help="The first seed.")] = 0,
    rule: Annotated[str, typer.Option(help="When a point ends: moved or gap.")] = str(
        WalkOptions.param["rule"].default
    ),
    tol: Annotated[float, typer.Option(help="Tolerance of the rule.")] = float(
        WalkOptions.param["tol"].default
    ),
    max_steps: Annotated[
        int | None,
        typer.Option(help="Steps at which a point is given up; the solvers' own by default."),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", help="table, json, csv, markdown or latex.")
    ] = "table",
    as_json: Annotated[bool, typer.Option("--json", help="Short for --format json.")] = False,
    wide: Annotated[
        bool, typer.Option("--wide", help="All columns of the table, with deviations.")
    ] = False,
    quiet: Quiet = False,
    *,
    making: dict[str, Any],
) -> None:
    """Print what each solver took and reached; in brackets, what the paper printed."""
    with reporting_errors():
        form = "json" if as_json else "wide" if wide and form == "table" else form
        if form not in FORMATS:
            raise ParameterError("format", "fwcore compare", f"one of {[*FORMATS]}", form)
        specs = parse_specs(
            solvers or default_solvers(find_loss(making.get("loss", datasets.find(dataset).loss)))
        )
        with progress_line(quiet) as line, interruptible() as interrupted:
            problem = datasets.load(dataset, **making, progress=line)
            shared = {"rule": rule, "tol": tol} | (
                {} if max_steps is None else {"max_steps": max_steps}
            )
            rows = compare(
                problem,
                specs,
                repeats=repeats,
                points=points,
                delta_max=delta_max,
                shared=shared,
                truth=datasets.true_coefficients(dataset, problem),
                seed=seed,
                progress=line,
                stopped=interrupted.is_set,
            )
    if rows:
        FORMATS[form](rows, dataset, problem.loss)
    if interrupted.is_set():
        messages.print(f"Interrupted: {len(rows)} of {len(specs)} solvers were done.")
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(0 if all(row.finished for row in rows) else STEP_LIMIT)


def default_solvers(loss: Loss) -> str:
    """Solvers for a comparison where none were named."""
    fitting = (
        next(name for name in names if not find_solver(name.partition(":")[0]).lacks(loss))
        for names in _DEFAULTS
    )
    return ",".join(fitting)


def _shown(rows: Sequence[Summary]) -> dict[str, str]:
    """The columns, by name, with their headings."""
    known = [name for name in _RARE if any(math.isfinite(getattr(row, name)) for row in rows)]
    return {name: title for name, title in _HEADINGS.items() if name not in _RARE or name in known}


def _cells(row: Summary, dataset: str, plus_minus: str, shown: Iterable[str]) -> list[str]:
    """A row in words, deviations after ``plus_minus`` where it is given, and what the paper
    printed in brackets.
    """
    cells = [row.solver]
    for name in [*shown][1:]:
        value = getattr(row, name)
        if not math.isfinite(value):
            cells.append("–")
            continue
        text = f"{value:,.0f}" if name in ("steps", "dots", "entries", "grads") else f"{value:.3g}"
        deviation = getattr(row, f"{name}_deviation", 0.0)
        text = f"{text} {plus_minus} {deviation:.2g}" if deviation and plus_minus else text
        figure = _PRINTED.get(name)
        paper = published.printed(dataset, row.solver, figure) if figure else None
        cells.append(text if paper is None else f"{text} [{paper:,g}]")
    if not row.finished:
        cells[0] += " (step limit)"
    return cells


def _table(rows: Sequence[Summary], dataset: str, loss: Loss) -> None:
    """The figures that matter most, in the width of a terminal; ``--wide`` has the others."""
    shown = {name: title for name, title in _shown(rows).items() if name in _NARROW}
    table = Table(*(Column(title, overflow="fold") for title in shown.values()), padding=(0, 0))
    for row in rows:
        table.add_row(*(escape(cell) for cell in _cells(row, dataset, "", shown)))
    Console(width=None if sys.stdout.isatty() else _WIDTH).print(table)


def _wide_table(rows: Sequence[Summary], dataset: str, loss: Loss) -> None:
    shown = _shown(rows)
    table = Table(*(Column(title, overflow="fold") for title in shown.values()))
    for row in rows:
        table.add_row(*(escape(cell) for cell in _cells(row, dataset, "±", shown)))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


def _json(rows: Sequence[Summary], dataset: str, loss: Loss) -> None:
    def known(value: Any) -> Any:
        return None if isinstance(value, float) and not math.isfinite(value) else value

    print(
        json.dumps(
            [{name: known(value) for name, value in asdict(row).items()} for row in rows], indent=2
        )
    )


def _csv(rows: Sequence[Summary], dataset: str, loss: Loss) -> None:
    writer = csv.DictWriter(sys.stdout, asdict(rows[0]))
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)


def _markdown(rows: Sequence[Summary], dataset: str, loss: Loss) -> None:
    shown = _shown(rows)
    print("| " + " | ".join(shown.values()) + " |")
    print("|" + "---|" * len(shown))
    for row in rows:
        print("| " + " | ".join(_cells(row, dataset, "±", shown)) + " |")


def _latex(rows: Sequence[Summary], dataset: str, loss: Loss) -> None:
    shown = _shown(rows)
    print(f"\\begin{{tabular}}{{l{'r' * (len(shown) - 1)}}}\n\\hline")
    print(" & ".join(shown.values()) + r" \\ \hline")
    for row in rows:
        cells = [
            cell.replace("%", r"\%").replace("_", r"\_")
            for cell in _cells(row, dataset, r"$\pm$", shown)
        ]
        print(" & ".join(cells) + r" \\")
    print(r"\hline")
    note = f"Test error: ${loss.error_formula}$; ${loss.tex}$"
    print(f"\\multicolumn{{{len(shown)}}}{{l}}{{{note}}}\n\\end{{tabular}}")


FORMATS: dict[str, Callable[[Sequence[Summary], str, Loss], None]] = {
    "table": _table,
    "wide": _wide_table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}

"""``fwcore path``: walk a path and write it to files."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Annotated, Any

import typer

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
from fwcore.cli.flags import of_files, of_problems, of_solvers, with_flags
from fwcore.datasets.documentation import kappa_line
from fwcore.errors import ParameterError
from fwcore.path import Walk
from fwcore.path_result import PathResult
from fwcore.problem import Problem
from fwcore.progress import Announce
from fwcore.solvers import find_solver
from fwcore.status import Status


def add(app: typer.Typer, help_text: str) -> None:
    """Add the command, with the flags of files and of all solvers."""
    flagged = with_flags(path, making=of_problems(), reading=of_files(), options=of_solvers())
    app.command("path", help=help_text)(flagged)


def path(
    dataset: Annotated[
        str | None,
        typer.Option(help="Name of a dataset, whose points and sampling of sfw are the defaults."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="A file of your own instead; see `fwcore datasets formats`.")
    ] = None,
    solver: Annotated[str, typer.Option(help="Name of a solver; see `fwcore solvers`.")] = "sfw",
    points: Annotated[
        int | None, typer.Option(help="Points of the path; the dataset's own number by default.")
    ] = None,
    delta_max: DeltaMax = None,
    seed: Annotated[int, typer.Option(help="Seed of the solver.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Parquet file for the points and their coefficients.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Parquet file for the trace, a row a step.")
    ] = None,
    summary: Annotated[
        Path | None, typer.Option("--json", help="JSON file for the summary; else it is printed.")
    ] = None,
    degree: Annotated[
        int | None, typer.Option(help="Of --data: use all products of up to so many columns.")
    ] = None,
    quiet: Quiet = False,
    *,
    making: dict[str, Any],
    reading: dict[str, Any],
    options: dict[str, Any],
) -> None:
    """Walk a path and write it to files; see `fwcore.cli.COMMANDS`."""
    with reporting_errors(), interruptible() as interrupted:
        for file in (out, trace, summary):
            if file is not None and not file.absolute().parent.is_dir():
                raise ParameterError("file", "fwcore path", "in a folder that exists", str(file))
        chosen = find_solver(solver)
        source = _source(dataset, data, reading | ({} if degree is None else {"degree": degree}))
        parsing = datasets.ParseOptions(**reading)
        default_points = grids.POINTS
        if isinstance(source, datasets.Entry):
            default_points = source.points
            if chosen.Options.samples():
                options.setdefault("sampling", source.sampling)
        with progress_line(quiet) as line:
            problem = (
                _of_file(source, parsing, degree, making)
                if isinstance(source, Path)
                else datasets.load(source, **making, progress=line)
            )
            waits = any(
                getattr(declared.read(options[name]), "waits", False)
                for name, declared in chosen.Options.declared().items()
                if isinstance(options.get(name), str)
            )
            grid = _grid(
                problem,
                chosen.form,
                waits,
                default_points if points is None else points,
                delta_max,
                line,
                interrupted,
            )
            if grid is None:
                messages.print("Interrupted before the first point; nothing was written.")
                raise typer.Exit(INTERRUPTED)
            walk = Walk(problem, chosen, grid, options, seed=seed)
            _run(walk, line, interrupted)
    _write(walk.result(), out, trace, summary)


def _source(
    dataset: str | None, data: Path | None, of_data: dict[str, Any]
) -> datasets.Entry | Path:
    if data is not None and dataset is None:
        return data
    if dataset is None or data is not None:
        raise ParameterError(
            "dataset", "fwcore path", "given, or else --data, and not both", dataset
        )
    for option, value in of_data.items():
        raise ParameterError(option, "fwcore path", "left out without --data", value)
    return datasets.find(dataset)


def _of_file(
    data: Path, parsing: datasets.ParseOptions, degree: int | None, how: dict[str, Any]
) -> Problem:
    parsed = datasets.parse_file(data, parsing)
    for label, text in (*parsed.report.lines(), kappa_line(parsed.X)):
        messages.print(f"{label}: {text}", markup=False, highlight=False, soft_wrap=True)
    return datasets.Dataset.of(parsed, data.name, degree=degree).problem(**how)


def _write(result: PathResult, out: Path | None, trace: Path | None, summary: Path | None) -> None:
    """Write the files, or print the summary, and exit with what became of the path."""
    if out is not None:
        result.to_parquet(out)
    if trace is not None:
        result.trace_to_parquet(trace)
    text = json.dumps(result.summary(), indent=2, ensure_ascii=False)
    if summary is not None:
        summary.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    if result.status == Status.STOPPED:
        messages.print(
            f"Interrupted: {result.points.size} of {result.grid.size} points were written."
        )
        raise typer.Exit(INTERRUPTED)
    if result.status == Status.DIVERGED:
        messages.print(result.status.sentence)
    raise typer.Exit(STEP_LIMIT if result.status in (Status.STEP_LIMIT, Status.DIVERGED) else 0)


def _grid(
    problem: Problem,
    form: str,
    waits: bool,
    points: int,
    delta_max: float | None,
    line: Announce,
    interrupted: threading.Event,
) -> Any:
    """The grid of a path; None where it was interrupted. ``waits``: an option needs the reference
    path, too.
    """
    if waits or (form == "ball" and delta_max is None):
        finding = grids.finding_reference(problem)
        while True:
            if interrupted.is_set():
                return None
            try:
                line("walking the reference path", *next(finding))
            except StopIteration as done:
                delta_max = delta_max or done.value.delta_max
                break
    return grids.grid(problem, form, points, delta_max)


def _run(walk: Walk, line: Announce, interrupted: threading.Event) -> None:
    for snapshot in walk.snapshots():
        if snapshot.rows.size:
            last = snapshot.rows[-1]
            what = f"{walk.solver.name} on {walk.problem.name}"
            done = f"{what}, {last['step']:,} steps, {last['nnz']} active"
            line(done, walk.reached, walk.grid.size)
        if interrupted.is_set():
            return

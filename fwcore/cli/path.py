"""``fwcore path``: walk a path and write it to files."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from fwcore import datasets, grids
from fwcore.cli.common import INTERRUPTED, STEP_LIMIT, Announce, interruptible, messages, progress_line, reporting_errors
from fwcore.errors import ParameterError
from fwcore.options import rule_of
from fwcore.path import Walk
from fwcore.problem import Problem
from fwcore.solvers import find, solvers
from fwcore.status import Status


def path(
    dataset: Annotated[
        str | None, typer.Option(help="Name of a dataset, whose points and sampling of sfw are the defaults.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="A file of your own instead; see `fwcore datasets formats`.")] = None,
    solver: Annotated[str, typer.Option(help="Name of a solver; see `fwcore solvers`.")] = "sfw",
    points: Annotated[int | None, typer.Option(help="Points of the path; the dataset's own number by default.")] = None,
    delta_max: Annotated[float | None, typer.Option(help="End of the delta grid; found and cached if not given.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the solver.")] = 0,
    split_seed: Annotated[int, typer.Option(help="Seed of the choice of test rows.")] = 0,
    loss: Annotated[str | None, typer.Option(help="squared or logistic; the dataset's own by default.")] = None,
    test_fraction: Annotated[float | None, typer.Option(help="Share of rows held out; the dataset's own by default.")] = None,
    out: Annotated[Path | None, typer.Option(help="Parquet file for the points and their coefficients.")] = None,
    trace: Annotated[Path | None, typer.Option(help="Parquet file for the trace, a row a step.")] = None,
    summary: Annotated[Path | None, typer.Option("--json", help="JSON file for the summary; else it is printed.")] = None,
    target: Annotated[str | None, typer.Option(help="Of --data: the column that is the response; the last by default.")] = None,
    matrix: Annotated[str | None, typer.Option(help="Of --data, MATLAB and .npz: the variable that is the matrix.")] = None,
    degree: Annotated[int | None, typer.Option(help="Of --data: use all products of up to so many columns.")] = None,
    task: Annotated[str, typer.Option(help="Of --data: auto, regression or classification.")] = "auto",
    positive: Annotated[str | None, typer.Option(help="Of --data: the class that is +1 against the rest.")] = None,
    missing: Annotated[str, typer.Option(help="Of --data: refuse missing values, drop their rows, or put the mean.")] = "refuse",
    categorical: Annotated[str, typer.Option(help="Of --data: refuse columns of text, one-hot, or drop.")] = "refuse",
    delimiter: Annotated[str | None, typer.Option(help="Of --data: found by looking if not given.")] = None,
    decimal: Annotated[str | None, typer.Option(help="Of --data: . or , found by looking if not given.")] = None,
    header: Annotated[
        bool | None, typer.Option("--header/--no-header", help="Of --data: does the first line name columns?")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress line.")] = False,
    **options: Any,
) -> None:
    """Walk a path and write it to files. Ctrl-C writes what was reached."""
    with reporting_errors(), interruptible() as interrupted:
        for file in (out, trace, summary):
            if file is not None and not file.absolute().parent.is_dir():
                raise ParameterError("file", "fwcore path", "in a folder that exists", str(file))
        chosen = find(solver)
        if (dataset is None) == (data is None):
            raise ParameterError("dataset", "fwcore path", "given, or else --data, and not both", dataset)
        source = (
            None
            if data is None
            else (
                data,
                datasets.ParseOptions(
                    target=target,
                    matrix=matrix,
                    task=task,
                    positive=positive,
                    missing=missing,
                    categorical=categorical,
                    delimiter=delimiter,
                    decimal=decimal,
                    header=header,
                ),
            )
        )
        if data is None:
            of_data = {"target": target, "matrix": matrix, "degree": degree, "positive": positive, "delimiter": delimiter}
            of_data |= {"decimal": decimal, "header": header}
            for option, value in of_data.items():
                if value is not None:
                    raise ParameterError(option, "fwcore path", "left out without --data", value)
        entry = datasets.find(dataset) if dataset is not None else None
        given = {name: value for name, value in options.items() if value is not None}
        if entry is not None and chosen.name == "sfw":
            given.setdefault("sampling", entry.sampling)
        with progress_line(quiet) as line:
            how = {"split_seed": split_seed, "test_fraction": test_fraction, "loss": loss}
            problem = _problem(entry, source, degree, how)
            asked = points if points is not None else entry.points if entry is not None else grids.POINTS
            grid = _grid(problem, chosen.form, asked, delta_max, line, interrupted)
            if grid is None:
                messages.print("Interrupted before the first point; nothing was written.")
                raise typer.Exit(INTERRUPTED)
            walk = Walk(problem, chosen, grid, given, seed=seed)
            _run(walk, line, interrupted)
    result = walk.result()
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
        messages.print(f"Interrupted: {result.points.size} of {result.grid.size} points were written.")
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(STEP_LIMIT if result.status == Status.STEP_LIMIT else 0)


def _problem(entry: Any, source: Any, degree: int | None, how: dict[str, Any]) -> Problem:
    if entry is not None:
        return datasets.load(entry, **how)
    parsed = datasets.parse_file(*source)
    for label, text in parsed.report.lines():
        messages.print(f"{label}: {text}", markup=False, highlight=False, soft_wrap=True)
    made = datasets.Dataset.of(parsed, source[0].name, degree=degree)
    return made.problem(**how)


def _grid(problem: Problem, form: str, points: int, delta_max: float | None, line: Announce, interrupted: threading.Event) -> Any:
    if form != "ball":
        return grids.lam_grid(problem, points)
    if delta_max is None:
        finding = grids.finding_delta_max(problem)
        while delta_max is None:
            if interrupted.is_set():
                return None
            try:
                line("finding delta_max", *next(finding))
            except StopIteration as done:
                delta_max = done.value
    return grids.delta_grid(delta_max, points)


def _run(walk: Walk, line: Announce, interrupted: threading.Event) -> None:
    for snapshot in walk.snapshots():
        last = snapshot.rows[-1]
        line(
            f"{walk.solver.name} on {walk.problem.name}, {last['step']:,} steps, {last['nnz']} active",
            walk.reached,
            walk.grid.size,
        )
        if interrupted.is_set():
            return


def flag(name: str) -> str:
    return name.replace("_", "-")


def with_solver_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Give ``command`` one text flag for each option of each solver; the options themselves check what they get."""
    declared: dict[str, list[tuple[str, Any]]] = {}
    for solver in solvers():
        for name, parameter in solver.Options.declared().items():
            declared.setdefault(name, []).append((solver.name, parameter))
    signature = inspect.signature(command, eval_str=True)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    flags = []
    for name, owners in declared.items():
        parameter = owners[0][1]
        doc = f"{parameter.doc} [{', '.join(owner for owner, _ in owners)}; {rule_of(parameter)}; default {parameter.default}]"
        kind = Annotated[str | None, typer.Option(f"--{flag(name)}", help=doc)]
        flags.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind))

    def with_flags(**values: Any) -> None:
        command(**values)

    with_flags.__doc__ = command.__doc__
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    with_flags.__signature__ = signature.replace(parameters=[*own, *flags])  # type: ignore[attr-defined]
    return with_flags

"""The command line: ``fwcore path``, ``fwcore datasets``, ``fwcore solvers``, ``fwcore warmup``.

Exit codes: 0 the path was walked to its end; 1 something failed; 2 bad input, before anything ran; 3 a step limit ended a point;
130 interrupted, and what was reached was written.
"""

from __future__ import annotations

import inspect
import json
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from fwcore import datasets, grids, warmup
from fwcore.errors import DatasetError, ParameterError
from fwcore.options import rule_of
from fwcore.path import Walk
from fwcore.problem import Problem
from fwcore.solvers import find, solvers
from fwcore.status import Status

FAILED, BAD_INPUT, STEP_LIMIT, INTERRUPTED = 1, 2, 3, 130

_messages = Console(stderr=True)


def build_app() -> typer.Typer:
    """The commands, with a flag for every option that a registered solver declares."""
    app = typer.Typer(
        help="Walk regularisation paths of the Lasso.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
    )
    app.command("path")(_with_solver_flags(_path))
    app.command("datasets")(_datasets)
    app.command("solvers")(_solvers)
    app.command("warmup")(_warmup)
    return app


def main() -> None:
    """Entry point."""
    build_app()()


def _path(
    dataset: Annotated[str, typer.Option(help="Name of a dataset; see `fwcore datasets`.")],
    solver: Annotated[str, typer.Option(help="Name of a solver; see `fwcore solvers`.")] = "sfw",
    points: Annotated[int, typer.Option(help="Points of the path.")] = grids.POINTS,
    delta_max: Annotated[float | None, typer.Option(help="End of the delta grid; found and cached if not given.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the solver.")] = 0,
    split_seed: Annotated[int, typer.Option(help="Seed of the choice of test rows.")] = 0,
    test_fraction: Annotated[float | None, typer.Option(help="Share of rows held out; the dataset's own by default.")] = None,
    out: Annotated[Path | None, typer.Option(help="Parquet file for the points and their coefficients.")] = None,
    trace: Annotated[Path | None, typer.Option(help="Parquet file for the trace, a row a step.")] = None,
    summary: Annotated[Path | None, typer.Option("--json", help="JSON file for the summary; else it is printed.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress line.")] = False,
    **options: Any,
) -> None:
    """Walk a path and write it to files. Ctrl-C writes what was reached."""
    with _reporting_errors(), _interruptible() as interrupted:
        for file in (out, trace, summary):
            if file is not None and not file.absolute().parent.is_dir():
                raise ParameterError("file", "fwcore path", "in a folder that exists", str(file))
        chosen = find(solver)
        datasets.find(dataset)
        given = {name: value for name, value in options.items() if value is not None}
        with _progress(quiet) as line:
            problem = datasets.load(dataset, split_seed=split_seed, test_fraction=test_fraction)
            grid = _grid(problem, chosen.form, points, delta_max, line, interrupted)
            if grid is None:
                _messages.print("Interrupted before the first point; nothing was written.")
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
        _messages.print(f"Interrupted: {result.points.size} of {result.grid.size} points were written.")
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(STEP_LIMIT if result.status == Status.STEP_LIMIT else 0)


Announce = Callable[[str, int, int], None]


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


def _datasets() -> None:
    """List the datasets."""
    table = Table("name", "title", "rows", "columns", "here", "source")
    for entry in datasets.DATASETS:
        here = "yes" if datasets.available(entry) else f"needs {entry.needs} below FWCORE_DATA"
        table.add_row(entry.name, entry.title, f"{entry.rows:,}", f"{entry.columns:,}", here, entry.citation)
    Console().print(table)


def _solvers() -> None:
    """List the solvers and their options."""
    table = Table("name", "title", "form", "options", "reference")
    for solver in solvers():
        options = [f"--{_flag(name)} {value}" for name, value in solver.Options().settings().items()]
        table.add_row(solver.name, solver.title, solver.form, "\n".join(options), solver.reference)
    Console().print(table)


def _warmup() -> None:
    """Compile every solver, so that later starts read them from disk."""
    for name in warmup.every_solver():
        print(f"ready: {name}")


def _flag(name: str) -> str:
    return name.replace("_", "-")


def _with_solver_flags(command: Callable[..., None]) -> Callable[..., None]:
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
        kind = Annotated[str | None, typer.Option(f"--{_flag(name)}", help=doc)]
        flags.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind))

    def with_flags(**values: Any) -> None:
        command(**values)

    with_flags.__doc__ = command.__doc__
    own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    with_flags.__signature__ = signature.replace(parameters=[*own, *flags])  # type: ignore[attr-defined]
    return with_flags


@contextmanager
def _reporting_errors() -> Iterator[None]:
    try:
        yield
    except (ParameterError, DatasetError) as error:
        _messages.print(f"[bold red]Error:[/] {error}", highlight=False, soft_wrap=True)
        raise typer.Exit(BAD_INPUT) from None


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; a second one interrupts as usual."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return
    previous = signal.getsignal(signal.SIGINT)

    def note(signum: int, frame: Any) -> None:
        event.set()
        signal.signal(signal.SIGINT, previous)

    signal.signal(signal.SIGINT, note)
    try:
        yield event
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def _progress(quiet: bool) -> Iterator[Announce]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=_messages, disable=quiet or not sys.stderr.isatty(), transient=True) as progress:
        task = progress.add_task("loading", total=None)

        def announce(text: str, done: int, total: int) -> None:
            progress.update(task, description=text, completed=done, total=total)

        yield announce


if __name__ == "__main__":
    main()

"""Experiments of papers, as settings, and what was printed beside what is measured here: a table
each in ``papers.toml``.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fwcore import datasets, grids
from fwcore.errors import ParameterError
from fwcore.path import Walk
from fwcore.problem import Problem
from fwcore.solvers import find_solver

FILE = Path(__file__).with_name("papers.toml")
NEAR, SAME = 2.0, 1.15
"""Ratios to what was printed, or of it to ours, that count as the same and as of the same size."""

FIGURES: Mapping[str, Callable[[Any], float]] = {
    "iterations": lambda points: float(points["steps"][-1]),
    "dot products": lambda points: float(points["dots"][-1]),
    "active features": lambda points: float(points["nnz"].mean()),
}
"""Figures that papers print, by their headings, of a table of points."""


@functools.cache
def experiments() -> Mapping[str, dict[str, Any]]:
    """The experiments by name, in the order of the file."""
    with FILE.open("rb") as file:
        return {entry["name"]: entry for entry in tomllib.load(file)["preset"]}


def find(name: str) -> dict[str, Any]:
    """The experiment of that name.

    Raises
    ------
    ParameterError
        There is none.
    """
    found = experiments().get(name)
    if found is None:
        raise ParameterError("paper", "fwcore", f"one of {[*experiments()]}", name[:40])
    return found


@dataclass(frozen=True)
class Cell:
    """A figure of one method: what was printed, if it was, and the median of ours over the seeds,
    with their least and greatest.
    """

    method: str
    figure: str
    printed: float | None
    ours: float | None = None
    least: float | None = None
    most: float | None = None

    @property
    def ratio(self) -> float | None:
        """Ours over what was printed."""
        return None if self.printed is None or self.ours is None else self.ours / self.printed

    @property
    def verdict(self) -> str:
        """How near ours is; nothing where one of both is missing."""
        if self.ratio is None:
            return ""
        away = max(self.ratio, 1.0 / self.ratio) if self.ratio > 0 else np.inf
        return "within 15 %" if away <= SAME else "within a factor 2" if away <= NEAR else "differs"

    def told(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self) | {"ratio": self.ratio, "verdict": self.verdict}


def reproduce(
    name: str,
    *,
    seeds: int = 1,
    standin: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> list[Cell]:
    """Walk an experiment with seeds 0, 1, ..., and set its figures beside the printed ones.

    Parameters
    ----------
    name : str
        Of `experiments`.
    seeds : int
    standin : bool
        Use data of the same shape, made here, where the files of the paper are absent.
    progress : callable of (text, done, total), optional
    stopped : callable, optional
        Asked between chunks of steps; what was walked until then is told.

    Raises
    ------
    ParameterError
        There is no such experiment.
    DatasetError
        Its files are absent, and no stand-in was asked for.

    >>> cells = reproduce("frandi-synthetic")
    >>> cells[0].method, cells[0].ours > 0
    ('sfw 1%', True)
    """
    entry = find(name)
    if isinstance(seeds, bool) or not isinstance(seeds, int) or seeds < 1:
        raise ParameterError("seeds", "fwcore paper", "an int of at least 1", seeds)
    problem = _problem(entry, standin)
    points = int(entry.get("points", grids.POINTS))
    heads, *lines = entry.get("printed", [["method", *FIGURES]])
    cells: list[Cell] = []
    runs, total = entry["runs"], len(entry["runs"]) * seeds
    for k, run in enumerate(runs):
        method = lines[k][0] if k < len(lines) else _label(run)
        walked = []
        for seed in range(seeds):
            if progress is not None:
                progress(f"{method}, seed {seed}", k * seeds + seed, total)
            table = _walked(problem, run, points, seed, stopped)
            if table is None:
                break
            walked.append(table)
        numbers = lines[k][1:] if k < len(lines) else [None] * (len(heads) - 1)
        cells += [_cell(method, *pair, walked) for pair in zip(heads[1:], numbers, strict=True)]
        if stopped():
            break
    for method, *numbers in lines[len(runs) :]:
        cells += [_cell(method, *pair, []) for pair in zip(heads[1:], numbers, strict=True)]
    return cells


def _problem(entry: Mapping[str, Any], standin: bool) -> Problem:
    data = datasets.find(entry["dataset"])
    share = entry.get("test_fraction")
    given: dict[str, Any] = {"loss": entry.get("loss")}
    given["test_fraction"] = None if share is None else float(share)
    if standin and not datasets.available(data):
        return datasets.load(entry.get("standin", _like(data)), **given)
    return datasets.load(data, **given)


def _like(data: datasets.Entry) -> str:
    """Data of the same shape, made here; at most as many columns as can be made in memory."""
    columns = min(data.columns, 200_000)
    return f"made:correlated_gaussian:rows={data.rows},columns={columns},relevant=16,rho=0.5"


def _label(run: Mapping[str, Any]) -> str:
    return " ".join([run["solver"], *map(str, run.get("options", {}).values())])


def _walked(
    problem: Problem, run: Mapping[str, Any], points: int, seed: int, stopped: Callable[[], bool]
) -> Any:
    """The points of a run; None where it was stopped."""
    solver = find_solver(run["solver"])
    declared = solver.Options.declared()
    given = {
        name: declared[name].read(value) if isinstance(value, str) else value
        for name, value in run.get("options", {}).items()
    }
    grid = grids.grid(problem, solver.form, points)
    walk = Walk(problem, solver, grid, given, seed=seed)
    for _ in walk.snapshots():
        if stopped():
            return None
    return walk.points[: walk.reached]


def _cell(method: str, figure: str, printed: str | None, walked: Sequence[Any]) -> Cell:
    wanted = None if printed is None else float(printed.replace(",", ""))
    if not walked:
        return Cell(method, figure, wanted)
    found = np.array([FIGURES[figure](points) for points in walked])
    middle, low, high = (float(f(found)) for f in (np.median, np.min, np.max))
    return Cell(method, figure, wanted, middle, low, high)

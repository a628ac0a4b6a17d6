"""Many runs on one problem, and their figures side by side: Tables 4 and 5 of Frandi et al. (2016),
and what they reached.

How cost is counted is said once, in fwcore/README.md.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fwcore import grids
from fwcore.display import pictures_of
from fwcore.errors import ParameterError
from fwcore.experiments.metrics import f_measure
from fwcore.experiments.solver_spec import SolverSpec
from fwcore.forms import FORMS
from fwcore.kernels.types import Floats
from fwcore.path import Walk
from fwcore.path_result import PathResult
from fwcore.path_results import Figures, PathResults
from fwcore.problem import Problem
from fwcore.status import Status

REFERENCE = "cd"
"""Speed-ups are those over this solver."""


@dataclass(frozen=True)
class Summary:
    """What a solver took and reached: means over the seeds, with deviations where a second name
    says so.

    ``seconds`` (CPU), ``steps``, ``dots``, ``entries`` and ``grads`` of a whole path (NaN where a
    library does not say, or a method takes no derivatives of single samples); ``active``: mean
    number of non-zero coefficients of a point; ``gap``: the largest true gap of a point of any
    seed, relative to f(0), by the judge; ``error``: the least test error of a path, ``at`` the l1
    norm where it is; ``speedup``: seconds of `REFERENCE` over these; ``finished``: whether no limit
    ended a point; ``hits``: the share of right answers of an oracle on a part of the rows;
    ``f_measure``: of the supports of a path with that of the true coefficients, where they are
    known, the best; ``misclassified``: the least share of test labels that the sign of a prediction
    misses, where the error is another; ``chance``: points of a path that an empty draw ended
    (option ``empty`` of ``sfw``), NaN where none was.

    >>> from fwcore import datasets
    >>> from fwcore.experiments.solver_spec import parse_specs
    >>> (row,) = compare(datasets.load("diabetes"), parse_specs("cd"), points=5)
    >>> row.solver, row.form, row.finished
    ('cd', 'penalty', True)
    """

    solver: str
    form: str
    seconds: float
    seconds_deviation: float
    speedup: float
    steps: float
    dots: float
    entries: float
    grads: float
    active: float
    active_deviation: float
    gap: float
    error: float
    at: float
    finished: bool
    hits: float = float("nan")
    f_measure: float = float("nan")
    misclassified: float = float("nan")
    chance: float = float("nan")

    def told(self) -> dict[str, Any]:
        """Figures by their headings, those that are not known left empty."""
        return {
            "solver": self.solver,
            "CPU seconds": self.seconds,
            f"{REFERENCE} / this": self.speedup,
            "steps": self.steps,
            "dot products": self.dots,
            "active": self.active,
            "worst true gap / f(0)": self.gap,
            "least test error": self.error,
            "": "" if self.finished else "a limit ended points",
        }


class Comparison(Figures[Summary]):
    """What solvers took and reached, a `Summary` each, with speed-ups over `REFERENCE`;
    ``results`` are the paths of the first seed, by solver.

    In a notebook it is a table with the paths as small pictures; `plot` draws ``results``.

    >>> from fwcore import datasets
    >>> from fwcore.experiments.solver_spec import parse_specs
    >>> found = compare(datasets.load("diabetes"), parse_specs("sfw:50%,cd"), points=5)
    >>> list(found.to_dataframe().index), list(found.results)
    (['sfw:50%', 'cd'], ['sfw:50%', 'cd'])
    """

    pictures: ClassVar[str] = "paths"

    def __init__(self, rows: Sequence[Summary], results: PathResults) -> None:
        known = [row.seconds for row in rows if row.solver.partition(":")[0] == REFERENCE]
        reference = known[0] if known else float("nan")
        super().__init__(replace(row, speedup=reference / row.seconds) for row in rows)
        self.results = results

    def to_dataframe(self) -> Any:
        """The figures as a pandas data frame, a row each solver."""
        import pandas

        return pandas.DataFrame([asdict(row) for row in self]).set_index("solver")

    def _cells(self, row: Summary) -> dict[str, Any]:
        return row.told() | pictures_of(self.results[row.solver])


def compare(
    problem: Problem,
    specs: Sequence[SolverSpec],
    *,
    repeats: int = 10,
    points: int = grids.POINTS,
    delta_max: float | None = None,
    shared: dict[str, Any] | None = None,
    truth: Floats | None = None,
    seed: int = 0,
    progress: Callable[[str, int, int], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> Comparison:
    """Walk the path with every solver and seed, one after the other.

    Parameters
    ----------
    problem : Problem
    specs : sequence of SolverSpec
    repeats : int
        Seeds ``seed``, ``seed`` + 1, ...
    points, delta_max
        The grids: lam from lam_max to lam_max / 100, delta to ``delta_max``, by default
        `grids.delta_max`.
    shared : dict, optional
        Options for all solvers that have them, such as ``tol``.
    truth : ndarray of shape (p,), optional
        True coefficients, of columns of unit norm; in units of y they count from 1e-3 on
        (`fwcore.experiments.metrics.f_measure`).
    progress : callable of (text, done, total), optional
    stopped : callable, optional
        Asked between chunks of steps; once it says so, the solvers that were done are returned.

    Raises
    ------
    ParameterError
        Anything does not fit; before anything runs.

    >>> from fwcore import datasets
    >>> from fwcore.experiments.solver_spec import parse_specs
    >>> rows = compare(datasets.load("diabetes"), parse_specs("cd,sfw:10%"), repeats=2, points=5)
    >>> [row.solver for row in rows]
    ['cd', 'sfw:10%']
    >>> rows.results["cd"].points.size
    5
    """
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 1:
        raise ParameterError("repeats", "fwcore compare", "an int of at least 1", repeats)
    for spec in specs:
        # Checks everything; the grid is that of a path not to be walked.
        _walk(problem, spec, {form: np.ones(1) for form in FORMS}, shared or {}, seed + repeats - 1)
    forms = {spec.solver.form for spec in specs}
    along = {form: grids.grid(problem, form, points, delta_max) for form in forms}
    found: list[Summary] = []
    first = PathResults()
    for spec in specs:
        results = []
        for k in range(repeats):
            if progress is not None:
                progress(spec.text, len(found) * repeats + k, len(specs) * repeats)
            result = _walked(_walk(problem, spec, along, shared or {}, seed + k), stopped)
            if result is None:
                return Comparison(found, first)
            results.append(result)
        found.append(_figures(spec, results, truth, problem.y_scale))
        first[spec.text] = results[0]
    return Comparison(found, first)


def _walk(
    problem: Problem, spec: SolverSpec, along: dict[str, Floats], shared: dict[str, Any], seed: int
) -> Walk:
    declared = spec.solver.Options.declared()
    options = {name: value for name, value in shared.items() if name in declared} | spec.options
    return Walk(problem, spec.solver, along[spec.solver.form], options, seed=seed)


def _walked(walk: Walk, stopped: Callable[[], bool]) -> PathResult | None:
    """The whole path; None if it was stopped on the way."""
    for _ in walk.snapshots():
        if stopped():
            return None
    return walk.result()


def _figures(
    spec: SolverSpec, results: Sequence[PathResult], truth: Floats | None, unit: float
) -> Summary:
    def mean(values: Iterator[float]) -> float:
        return statistics.fmean(values)

    seconds = [float(result.trace[-1]["seconds"]) for result in results]
    active = [float(result.points["nnz"].mean()) for result in results]
    error, at = _least(results, "test_error")
    wrong, _ = _least(results, "test_misclassified")
    counted = spec.solver.counts
    return Summary(
        solver=spec.text,
        form=spec.solver.form,
        seconds=statistics.fmean(seconds),
        seconds_deviation=statistics.pstdev(seconds),
        speedup=float("nan"),
        steps=mean(float(result.trace[-1]["step"]) for result in results),
        dots=mean(float(result.trace[-1]["dots"]) for result in results)
        if counted
        else float("nan"),
        entries=mean(float(result.trace[-1]["entries"]) for result in results)
        if counted
        else float("nan"),
        grads=mean(float(result.trace[-1]["grads"]) for result in results),
        active=statistics.fmean(active),
        active_deviation=statistics.pstdev(active),
        gap=max(result.max_relative_gap for result in results),
        error=error,
        at=at,
        hits=mean(result.hit_rate for result in results),
        f_measure=float("nan")
        if truth is None
        else mean(_best_f_measure(result, truth, unit) for result in results),
        misclassified=float("nan") if wrong == error else wrong,
        chance=mean(float(result.ended_by_chance) for result in results)
        if any(result.ended_by_chance for result in results)
        else float("nan"),
        finished=all(
            result.status not in (Status.STEP_LIMIT, Status.DIVERGED, Status.STOPPED)
            for result in results
        ),
    )


def _best_f_measure(result: PathResult, truth: Floats, unit: float) -> float:
    return max(
        f_measure(unit * result.coefs[:, [k]].toarray()[:, 0], truth)
        for k in range(result.points.size)
    )


def _least(results: Sequence[PathResult], column: str) -> tuple[float, float]:
    """Mean over the seeds of the least test error, or share misclassified, and of the l1 norm where
    it is; NaN without test rows, or labels.
    """
    least = []
    for result in results:
        errors = result.points[column]
        if np.isfinite(errors).all() and errors.size:
            k = int(errors.argmin())
            least.append((float(errors[k]), float(result.points["l1"][k])))
    if not least:
        return float("nan"), float("nan")
    return statistics.fmean(e for e, _ in least), statistics.fmean(l1 for _, l1 in least)

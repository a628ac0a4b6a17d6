"""Solvers racing at one lam or delta from zero: the objective against what it cost.

Figures 1 of Shalev-Shwartz & Tewari (2009, entries touched) and of Negiar et al. (2020, derivatives
of samples).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from fwcore.display import badge, rows_html, sparkline
from fwcore.errors import ParameterError
from fwcore.experiments.solver_spec import SolverSpec
from fwcore.kernels.types import Floats
from fwcore.path import Walk, walk_path
from fwcore.path_results import Figures
from fwcore.problem import Problem
from fwcore.result_files import combined
from fwcore.solve import Snapshot
from fwcore.solvers import certified_solver

LOOKS = 60
"""Steps that a solver's updates are gathered in, so that it is looked at about as often."""


_GROWTH = 0.1
_CERTIFIED = 1e-9


@dataclass(frozen=True)
class Curve:
    """What a solver had reached, look by look, the start at zero included.

    ``objective`` = f(a), plus lam * sum abs(a) in the penalty form, by the judge, outside the
    clock; ``entries`` of the matrix touched, ``grads`` of samples taken, CPU ``seconds`` and
    ``steps`` by then; ``density``, the share of coefficients that are not zero; ``true_gap`` over
    f(0), by the judge, and ``gap``, the method's own; ``bound``: what is proven of the mean of
    objective - minimum by then, NaN where nothing is, or it was not asked for. What a search for a
    step size found and cost is in ``notes``, apart from the rest.

    >>> from fwcore import datasets
    >>> from fwcore.experiments.solver_spec import parse_specs
    >>> (curve,) = race(datasets.load("diabetes"), parse_specs("fw"), 100.0, entries=1e5)
    >>> bool(curve.objective[-1] < curve.objective[0])
    True
    """

    solver: str
    entries: Floats
    grads: Floats
    seconds: Floats
    objective: Floats
    density: Floats
    true_gap: Floats
    gap: Floats
    steps: Floats
    bound: Floats
    notes: dict[str, Any]

    def told(self) -> dict[str, Any]:
        """What was reached at the end, by headings."""
        return {
            "solver": self.solver,
            "entries": float(self.entries[-1]),
            "derivatives": float(self.grads[-1]),
            "CPU seconds": float(self.seconds[-1]),
            "objective": float(self.objective[-1]),
            "non-zero": f"{self.density[-1]:.2%}",
            "course": sparkline(self.objective[None], "The objective, look by look"),
            "true gap": badge(float(self.true_gap[-1])),
        }

    def _repr_html_(self) -> str:
        return rows_html([self.told()])

    def at(self, cost: float, unit: str = "entries") -> float:
        """The least objective that had been reached for so much, in ``entries``, ``grads`` or
        ``seconds``.
        """
        return float(self.objective[getattr(self, unit) <= cost].min())

    def suboptimality(self, least: float) -> Floats:
        """(F - F min) / (F max - F min) look by look: F max is that of the start, F min =
        ``least``, as of `certified_minimum`.
        """
        return np.asarray((self.objective - least) / (self.objective[0] - least))

    def slope(self, least: float, unit: str = "grads") -> float:
        """Of the suboptimality over the second half of the log-log plot: -1 where it falls like 1 /
        cost.
        """
        cost, left = getattr(self, unit)[1:], self.suboptimality(least)[1:]
        late = (np.log(cost) >= 0.5 * np.log(cost[0] * cost[-1])) & (left > 0)
        return (
            float(np.polyfit(np.log(cost[late]), np.log(left[late]), 1)[0])
            if late.sum() > 1
            else float("nan")
        )


class Race(Figures[Curve]):
    """What solvers had reached against what it cost, a `Curve` each.

    ``plot()`` draws them; ``cost`` and ``measure`` are those of `app.plots.race_curves`.

    >>> from fwcore import datasets
    >>> from fwcore.experiments.solver_spec import parse_specs
    >>> found = race(datasets.load("diabetes"), parse_specs("fw,away_fw"), 100.0, entries=1e5)
    >>> list(found.to_dataframe().index.unique("solver"))
    ['fw', 'away_fw']
    """

    pictures: ClassVar[str] = "race"

    def to_dataframe(self) -> Any:
        """All looks as a pandas data frame, indexed by solver and look."""
        import pandas

        names = [field.name for field in fields(Curve) if field.name not in ("solver", "notes")]
        frames = {
            curve.solver: pandas.DataFrame({name: getattr(curve, name) for name in names})
            for curve in self
        }
        return combined(frames, "solver", "look")


def certified_minimum(problem: Problem, form: str, value: float) -> float:
    """The least objective at a point: that of a solution whose true gap is at most 1e-9 f(0), by
    the judge.

    By `fwcore.solvers.certified_solver`.

    Raises
    ------
    ParameterError
        The form is unknown or the value not positive.
    ValueError
        No solution of that gap was found within 100,000 steps.

    >>> from fwcore import datasets
    >>> problem = datasets.load("diabetes")
    >>> certified_minimum(problem, "ball", 1.0) < problem.f0
    True
    """
    solver = certified_solver(problem, form)
    (point,) = walk_path(
        problem, solver, [value], rule="gap", tol=_CERTIFIED, max_steps=100_000
    ).points
    if not point["true_gap"] <= _CERTIFIED * problem.f0 * (1 + 1e-6):
        raise ValueError(
            f"The gap of {solver.name} at {value:g} ended at {point['true_gap'] / problem.f0:.1e}, "
            f"above {_CERTIFIED:g}."
        )
    return float(point["objective"] + (value * point["l1"] if form == "penalty" else 0.0))


def race(
    problem: Problem,
    specs: Sequence[SolverSpec],
    value: float,
    *,
    entries: float | None = None,
    grads: float | None = None,
    bounds: bool = False,
    seed: int = 0,
) -> Race:
    """Walk to one point with every solver until each has touched so many entries of X, or taken so
    many derivatives.

    Parameters
    ----------
    problem : Problem
    specs : sequence of SolverSpec
        Solvers of one form whose cost is counted in that unit; those that gather random updates in
        steps make their steps so short that there are about `LOOKS`, by default.
    value : float
        lam or delta, of the sum form. The papers' objective is the mean of the losses. In the
        penalty form its weight l of the l1 norm, with columns of mean square 1, is lam = l sqrt(m)
        of a standardised problem for the logistic loss, lam = l for the squared loss; the ball is
        the same in both forms, where columns are not scaled.
    entries, grads : float
        One of them: stored entries of X times the passes, or rows times the passes.
    bounds : bool
        Compute what is proven (`Solver.bound`), which may take passes over the columns.

    Raises
    ------
    ParameterError
        Solvers of several forms or without counts, not one budget, or no room for a look.

    >>> from fwcore import datasets
    >>> from fwcore.experiments.solver_spec import parse_specs
    >>> problem = datasets.load("diabetes")
    >>> curves = race(problem, parse_specs("scd,cd"), problem.lam_max / 10, entries=1e6)
    >>> [curve.solver for curve in curves]
    ['scd', 'cd']
    """
    for spec in specs:
        if spec.solver.form != specs[0].solver.form or not spec.solver.counts:
            raise ParameterError(
                "solvers", "fwcore race", "of one form, with a cost that is counted", spec.text
            )
        if grads is not None and spec.solver.draws != "rows":
            raise ParameterError(
                "grads",
                "fwcore race",
                "left out where a solver takes no derivatives of samples",
                spec.text,
            )
    if (entries is None) == (grads is None):
        raise ParameterError(
            "entries", "fwcore race", "given, or grads, but not both", (entries, grads)
        )
    unit, budget = ("grads", grads) if entries is None else ("entries", entries)
    if budget is None or not budget >= 1:
        raise ParameterError(unit, "fwcore race", "a number of at least 1", budget)
    return Race(_run(problem, spec, value, unit, budget, bounds, seed) for spec in specs)


def _run(
    problem: Problem,
    spec: SolverSpec,
    value: float,
    unit: str,
    budget: float,
    bounds: bool,
    seed: int,
) -> Curve:
    solver, declared = spec.solver, spec.solver.Options.declared()
    each = (problem.entries if unit == "entries" else problem.m) / (
        problem.m if solver.draws == "rows" else problem.p
    )
    given = {
        "tol": 1e-14,
        "max_steps": 10**12,
        "updates": max(1, round(budget / LOOKS / each)),
        "rule": "moved",
    }
    options = {name: value for name, value in given.items() if name in declared} | spec.options
    walk = Walk(problem, solver, [value], options, seed=seed)
    checked: list[tuple[float, ...]] = [(0.0, 0.0, 0.0, problem.f0, 0.0, np.nan, np.nan, 0.0)]
    made = 0
    steps = walk.snapshots(1)
    snapshot: Snapshot | None = next(steps)
    while snapshot is not None:
        spent = 0.0
        if snapshot.rows.size:
            checked.append(_check(problem, solver.form, value, walk.notes, snapshot))
            made, spent = made + snapshot.rows.size, checked[-1][0 if unit == "entries" else 1]
        # A look costs a pass, which short steps would be drowned in: they are looked at in equal
        # ratios.
        wanted = 1 if "updates" in declared else max(1, int(_GROWTH * made))
        try:
            snapshot = steps.send(wanted) if spent < budget else None
        except StopIteration:
            snapshot = None
    names = ("entries", "grads", "seconds", "objective", "density", "true_gap", "gap", "steps")
    found = dict(zip(names, np.array(checked, dtype=np.float64).T, strict=True))
    counted = found["steps"].astype(np.int64)
    last = int(counted[-1])
    proven = solver.bound(problem, walk.options, value, last) if bounds else None
    bound = np.full(counted.size, np.nan) if proven is None else proven[counted]
    return Curve(spec.text, **found, bound=bound, notes=walk.notes)


def _check(
    problem: Problem, form: str, value: float, notes: dict[str, Any], snapshot: Snapshot
) -> tuple[float, ...]:
    last = snapshot.rows[-1]
    spent = [
        last[name] - notes.get(f"search_{name}", 0.0) for name in ("entries", "grads", "seconds")
    ]
    verdict = problem.judge(snapshot.indices, snapshot.coefficients, form, value)
    penalty = value * verdict.l1 if form == "penalty" else 0.0
    gaps = verdict.true_gap / problem.f0, last["gap"] / problem.f0
    return *spent, verdict.objective + penalty, verdict.nnz / problem.p, *gaps, last["step"]

"""Solvers racing at one lam from zero: the objective against what it cost (Shalev-Shwartz & Tewari 2009, Figure 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fwcore.design import Floats
from fwcore.errors import ParameterError
from fwcore.path import Walk
from fwcore.problem import Problem
from fwcore.solve import Snapshot
from fwcore.study import Contender

LOOKS = 60
"""Steps that a contender's updates are gathered in, so that it is looked at about as often."""


@dataclass(frozen=True)
class Curve:
    """What a contender had reached, look by look, the start at zero included.

    ``objective`` = f(a) + lam * sum abs(a) by the judge, outside the clock; ``entries`` of the matrix touched, ``grads`` of samples
    taken and CPU ``seconds`` by then; ``density``, the share of coefficients that are not zero. What a search for a step size found
    and cost is told in ``notes``, apart from the rest.
    """

    contender: str
    entries: Floats
    grads: Floats
    seconds: Floats
    objective: Floats
    density: Floats
    notes: dict[str, Any]

    def at(self, entries: float) -> float:
        """The least objective that had been reached for so many entries."""
        return float(self.objective[self.entries <= entries].min())


def race(problem: Problem, entrants: Sequence[Contender], lam: float, *, entries: float, seed: int = 0) -> list[Curve]:
    """Walk to one point of the penalty form with every contender until each has touched so many entries of X.

    Parameters
    ----------
    problem : Problem
    entrants : sequence of Contender
        Solvers of the penalty form whose entries are known; those that gather random updates in steps make their steps so short
        that there are about `LOOKS`, unless told otherwise.
    lam : float
        Of the sum form. The papers' objective is the mean of the losses plus l times the l1 norm, with columns of mean square 1: in
        the units of a standardised problem that is lam = l sqrt(m) for the logistic loss, lam = l for the squared loss.
    entries : float
        Stored entries of X times the passes.

    Raises
    ------
    ParameterError
        A solver of another form or without counts, or no room for a look.
    """
    for entrant in entrants:
        if entrant.solver.form != "penalty" or not entrant.solver.counts:
            raise ParameterError("solvers", "fwcore race", "of the penalty form, with entries that are counted", entrant.text)
    if not entries >= 1:
        raise ParameterError("entries", "fwcore race", "a number of at least 1", entries)
    return [_run(problem, entrant, lam, entries, seed) for entrant in entrants]


def _run(problem: Problem, entrant: Contender, lam: float, entries: float, seed: int) -> Curve:
    declared = entrant.solver.Options.declared()
    each = problem.entries / (problem.m if entrant.solver.draws == "rows" else problem.p)
    given = {"tol": 1e-14, "max_steps": 10**12, "updates": max(1, round(entries / LOOKS / each))}
    options = {name: value for name, value in given.items() if name in declared} | entrant.options
    walk = Walk(problem, entrant.solver, [lam], options, seed=seed)
    looks = [(0.0, 0.0, 0.0, problem.f0, 0.0)]
    steps = walk.snapshots(1)
    snapshot: Snapshot | None = next(steps)
    while snapshot is not None:
        if not snapshot.rows.size:
            snapshot = steps.send(1)
            continue
        last, notes = snapshot.rows[-1], walk.notes
        spent = [last[name] - notes.get(f"search_{name}", 0.0) for name in ("entries", "grads", "seconds")]
        verdict = problem.judge(snapshot.indices, snapshot.coefficients, "penalty", lam)
        looks.append((*spent, verdict.objective + lam * verdict.l1, verdict.nnz / problem.p))
        try:
            snapshot = steps.send(1) if spent[0] < entries else None
        except StopIteration:
            snapshot = None
    spent_entries, grads, seconds, objective, density = np.array(looks, dtype=np.float64).T
    return Curve(entrant.text, spent_entries, grads, seconds, objective, density, walk.notes)

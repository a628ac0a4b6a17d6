"""How often an inexact oracle names the steepest column in every step, beside what bounds it
(Rakotomamonjy, Koco & Ralaivola 2016, Section IV-D).

B(t) is the event that the columns of the first t steps are those of the exact oracle, in their
order. With P_t the probability of a wrong answer in step t,

    P(B(K)) >= prod_t (1 - P_t) >= (1 - max P_t)^K >= 1 - K max P_t,

and for successive halving P_t <= 3 log2(d) exp(-T / (8 H(t) log2(d))), d arms, T pulls.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fwcore.errors import ParameterError
from fwcore.experiments.recovery import Trial, walked
from fwcore.experiments.solver_spec import SolverSpec
from fwcore.kernels.types import Floats
from fwcore.path import walk_path

SURE = 0.95
"""The probability of a right sequence for which pulls are asked."""


@dataclass(frozen=True)
class Sequences:
    """Of the steps t = 1 ... K of a solver whose oracle is judged in each, over random problems.

    ``right`` (K,): the share of problems whose answer of step t is the steepest column, or where a
    step wants a set its steepest columns, 1 - P_t; ``sequence`` (K,): of those whose answers up to
    t all are, P(B(t)); ``hits``: the mean share of an answer that is among the steepest.

    >>> found = sequences(SolverSpec.parse("omp:oracle=greedy-rows;oracle_judge=1"), rows=60,
    ...                   columns=80, relevant=3, snr_db=30.0, trials=2)
    >>> found.right.shape, bool((found.sequence <= found.right).all())
    ((3,), True)
    """

    right: Floats
    sequence: Floats
    hits: float

    @property
    def product(self) -> Floats:
        """prod_s (1 - P_s) for s up to t, shape (K,): P(B(t)) of steps that are independent."""
        return np.asarray(np.cumprod(self.right), np.float64)

    @property
    def union(self) -> Floats:
        """1 - t max P_s for s up to t, shape (K,)."""
        steps = np.arange(1, self.right.size + 1)
        return 1.0 - steps * (1.0 - np.minimum.accumulate(self.right))


def sequences(
    spec: SolverSpec,
    *,
    rows: int,
    columns: int,
    relevant: int,
    snr_db: float,
    trials: int,
    steps: int | None = None,
    seed: int = 0,
    stopped: Callable[[], bool] = lambda: False,
) -> Sequences | None:
    """Let a solver take at most ``steps`` steps, by default ``relevant``, on each of ``trials``
    random problems, and judge each answer by all rows; see `fwcore.experiments.recovery.attempt`.
    None where it was stopped.

    Raises
    ------
    ParameterError
        The oracle is exact, or its answers are not all judged.
    """
    most = steps or relevant
    # A walk that has ended makes no mistake any more.
    right, hits = np.ones((trials, most), bool), []
    for k in range(trials):
        if stopped():
            return None
        trial = Trial.drawn(rows, columns, relevant, snr_db, seed + k)
        found = walked(trial, spec, most, seed + k).trace["hit"]
        if found.size > most or not np.isfinite(found).all():
            rule = f"of {most} steps at most, each of them judged (oracle_judge=1)"
            raise ParameterError("spec", "fwcore.experiments.sequences", rule, spec.text)
        right[k, : found.size] = found == 1.0
        hits += found.tolist()
    sequence = np.logical_and.accumulate(right, axis=1).mean(axis=0)
    return Sequences(right.mean(axis=0), sequence, float(np.mean(hits)))


def hardness(X: Floats, residual: Floats) -> float:
    """H = max_i i / Delta_i^2, i >= 2, of the 2 d arms x_j and -x_j: Delta_i is by how much the
    mean of the i-th best is below that of the best, for losses r_i x_ij that are scaled to a range
    of length 1 (Karnin, Koren & Somekh 2013).

    ``X`` : ndarray of shape (m, d); ``residual`` : ndarray of shape (m,). Infinite where the best
    is not the only one.

    >>> hardness(np.eye(2), np.array([2.0, 1.0])) == 2 / ((2.0 - 1.0) / 2 / 4.0) ** 2
    True
    """
    means = X.T @ residual / residual.size
    length = 2.0 * float(np.abs(X * residual[:, None]).max())
    order = np.sort(np.concatenate([means, -means]))[::-1]
    gaps = (order[0] - order[1:]) / length
    if not gaps[0] > 0.0:
        return math.inf
    return float((np.arange(2, order.size + 1) / gaps**2).max())


@dataclass(frozen=True)
class HalvingBound:
    """What is proven of successive halving along the steps of the exact solver: ``least``, the
    lower bound of P(B(K)), 0 where it says nothing; ``passes``, how many times all entries of X
    would have to be looked at in each step for a bound of 95 %.
    """

    least: float
    passes: float


def halving_bound(trial: Trial, spec: SolverSpec, budget: float) -> HalvingBound:
    """For the steps of ``spec``, an exact solver that walks supports, on a trial; ``budget``: the
    share of the entries of X that each step looks at.

    >>> trial = Trial.drawn(rows=50, columns=30, relevant=3, snr_db=30.0, seed=0)
    >>> halving_bound(trial, SolverSpec.parse("omp"), budget=0.2).least
    0.0
    """
    problem, X = trial.problem, trial.made.X
    relevant = int(np.count_nonzero(trial.made.coef))
    arms, entries = 2 * problem.p, problem.m * problem.p
    worst = hardness(X, trial.made.y)
    if relevant > 1:
        path = walk_path(problem, spec.solver, [*range(1, relevant)], **spec.options)
        for coef in path.coefs.toarray().T:
            worst = max(worst, hardness(X, trial.made.y - X @ coef))
    halvings = math.log2(arms)
    # Each entry is a pull of two arms.
    missed = 3.0 * halvings * math.exp(-2.0 * budget * entries / (8.0 * worst * halvings))
    pulls = 8.0 * worst * halvings * math.log(3.0 * relevant * halvings / (1.0 - SURE))
    return HalvingBound(max(0.0, 1.0 - relevant * missed), pulls / (2.0 * entries))

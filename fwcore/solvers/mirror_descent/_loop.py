"""Truncated stochastic mirror descent, of which SMIDAS and the truncated gradient are two cases.

One random sample i at a time, in the dual vector t with the link a_j = sign(t_j) abs(t_j)^(q-1) /
||t||_q^(q-2):

    t <- t - eta m l'(x_i'a, y_i) x_i, then for every j
    t_j <- sign(t_j) max(0, abs(t_j) - eta lam).

The first is an unbiased gradient of f(a) = sum_i l(x_i'a, y_i). With q = 2 the link is the
identity. `fwcore.solvers.mirror_descent._dual_vector` says how that costs O(non-zeros of x_i).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import all_dots, col_entries, cpu_seconds, image_of, row, row_entries
from fwcore.kernels.duality_gap import penalty_gap
from fwcore.kernels.random import new_stream, uniform_int
from fwcore.kernels.records import zero_records
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import largest_size, nonzeros, take, total
from fwcore.losses import loss_at, negative_derivative_at
from fwcore.options import Amount, Choice, Count, GapOptions
from fwcore.problem import Problem
from fwcore.solvers.base import (
    Solver,
    check_gap,
    check_limit,
    check_move,
    new_counters,
    record,
    start_point,
)
from fwcore.solvers.mirror_descent._dual_vector import ERROR, TERMS, forget, keep, learn, predict
from fwcore.status import Status
from fwcore.trace import Rows, new_rows

MIRROR = np.dtype(
    [
        ("q", np.float64),
        ("eta", np.float64),
        ("clock", np.float64),
        ("base", np.float64),
        ("unit", np.float64),
        ("highest", np.float64),
        ("reach", np.float64),
        ("seen", np.float64),
        ("grads", np.int64),
        ("listed", np.int64),
        ("updates", np.int64),
        ("since", np.int64),
        ("check", np.int64),
        ("draws", np.bool_),
        ("l1", np.float64),
        ("nnz", np.int64),
        ("tried", np.int64),
        ("least", np.float64),
        ("best", np.float64),
        ("search_seconds", np.float64),
        ("search_grads", np.int64),
        ("search_entries", np.int64),
    ]
)
ETAS = tuple(10.0**k for k in range(-6, 0))
"""The step sizes that a search tries."""

# Answers are drawn by a stream of their own, so that the samples are those of other answers.
_CHOICE, _MOST = 1 << 64, (1 << 31) - 1
_DIVERGED = int(Status.DIVERGED)
# Losses so many times f(0) are those of a run that diverges, and so are predictions of this size.
_TOO_LARGE, _HUGE = 100.0, 1e100


class MirrorOptions(GapOptions):
    """Options of SMIDAS and of the truncated gradient."""

    eta = Amount(
        default=0.0,
        bounds=(0.0, 10.0),
        softbounds=(0.0, 0.1),
        label="Step size",
        doc="0: the best of 1e-6, 1e-5 ... 0.1 after one pass over the samples each, at lam max / "
        "100, which is charged.",
    )
    updates = Count(
        default=0,
        bounds=(0, 2**31 - 1),
        label="Updates a step",
        doc="Samples that a step of the trace draws; 0: as many as rows.",
    )
    answer = Choice(
        default="last",
        choices={"last": "the last iterate", "random": "one of all iterates"},
        label="Answer",
        doc="random: the iterate before one of the updates of the point so far, each equally "
        "likely: that is what Theorem 2 of Shalev-Shwartz & Tewari speaks of. Then a point ends "
        "by its gap or at the step limit.",
    )
    max_steps = Count(
        default=30,
        bounds=(1, 10**12),
        label="Step limit",
        doc="Steps at which a path point is given up: it may never settle.",
    )


class MirrorState(NamedTuple):
    """A run.

    ``dual`` (p,): t_j as of the last touch, when the sum of truncations was ``touched`` (p,).
    ``support``, ``listed`` (p,): where t_j may be other than zero. ``sums``, ``series`` (terms,):
    sum_j ((h_j - base) / unit)^(q - k) over what is above the base, and the binomials (q over k).
    ``coef`` (p,): the answer at the end of the last step; ``kept`` (p,): the next one. ``image``,
    ``residual`` (m,), ``dots``, ``room`` (p,): room. ``mirror`` (1,): q, eta, sum of truncations,
    base and unit of the sums, their largest first one, the share of the norm within which the
    series holds, losses seen in a step, derivatives, size of the support, updates of a step, steps
    of the point, after how many the gap is looked at, whether the answer is drawn, l1 norm and
    non-zeros, and how far the search for eta is, what it found, and cost. ``stream`` draws samples,
    ``choice`` (1,) answers.
    """

    dual: Floats
    touched: Floats
    support: Ints
    listed: NDArray[np.bool_]
    sums: Floats
    series: Floats
    coef: Floats
    kept: Floats
    image: Floats
    residual: Floats
    dots: Floats
    room: Floats
    mirror: Any
    counters: Any
    stream: Any
    choice: Any


class MirrorSolver(Solver):
    """Subclasses bring the exponent of the link."""

    family = "Mirror descent"
    form = "penalty"
    Options = MirrorOptions
    draws = "rows"

    @abstractmethod
    def exponent(self, problem: Problem, options: Any) -> float:
        """q."""

    def init(self, problem: Problem, options: Any, seed: int) -> MirrorState:
        from scipy.special import binom

        m, p, q = problem.m, problem.p, self.exponent(problem, options)
        counters, mirror = new_counters(problem, options), zero_records(1, MIRROR)
        # X'y is not needed.
        counters["dots"] = counters["entries"] = 0
        mirror["q"], mirror["eta"], mirror["check"] = q, options.eta, options.check
        mirror["updates"], mirror["unit"] = options.updates or m, 1.0
        mirror["reach"] = (ERROR / binom(q, TERMS)) ** (1.0 / TERMS) if q >= TERMS else 0.0
        vectors = (np.zeros(p), np.zeros(p), np.zeros(p, np.int64), np.zeros(p, np.bool_))
        mirror["draws"] = options.answer == "random"
        answers, room = (np.zeros(p), np.zeros(p)), (np.zeros(m), np.zeros(m))
        return MirrorState(
            *vectors,
            np.zeros(TERMS),
            binom(q, np.arange(TERMS)),
            *answers,
            *room,
            np.zeros(p),
            np.zeros(p),
            mirror,
            counters,
            new_stream(seed),
            new_stream(_CHOICE + seed),
        )

    def set_point(
        self, problem: Problem, state: MirrorState, options: Any, value: float, progress: float
    ) -> None:
        if self.outcome(state) == Status.DIVERGED:
            forget(state)
        start_point(state.counters, value)
        state.mirror["since"] = 0

    def advance(self, problem: Problem, state: MirrorState, n: int) -> Rows:
        rows = new_rows(n)
        loss: Any = problem.loss
        if state.mirror["eta"][0] == 0.0:
            self._try_next(problem, state)
            return rows[:0]
        return rows[
            : _advance(
                problem.design,
                problem.rows,
                problem.y,
                loss,
                problem.f0,
                problem.entries,
                state,
                rows,
            )
        ]

    def coefficients(self, state: MirrorState) -> tuple[Ints, Floats]:
        indices = np.flatnonzero(state.coef)
        return indices, state.coef[indices]

    def notes(self, state: MirrorState) -> dict[str, float]:
        """The step size, and what its search cost."""
        names = ("eta", "search_seconds", "search_grads", "search_entries")
        return {name: state.mirror[name][0].item() for name in names}

    def _try_next(self, problem: Problem, state: MirrorState) -> None:
        """Try the next step size; after the last, take the one with the least objective after a
        pass over the samples from zero.
        """
        begun, value, it = cpu_seconds(), state.counters["value"][0], state.mirror
        eta, loss = ETAS[int(it["tried"][0])], problem.loss
        state.counters["value"], it["eta"] = problem.lam_max / 100, eta
        reached = _tried(problem.design, problem.rows, problem.y, loss, problem.f0, state)
        if it["tried"][0] == 0 or reached < it["least"][0]:
            it["least"], it["best"] = reached, eta
        forget(state)
        it["tried"] += 1
        state.counters["value"], it["eta"] = (
            value,
            it["best"] if it["tried"][0] == len(ETAS) else 0.0,
        )
        it["search_seconds"] += cpu_seconds() - begun
        it["search_grads"], it["search_entries"] = it["grads"], state.counters["entries"]


@njit(nogil=True, cache=True)
def _learn_many(rows, y, loss, f0, state):
    """The updates of a step; whether they did not diverge."""
    it, counters = state.mirror[0], state.counters[0]
    it.seen = 0.0
    for k in range(it.updates):
        if it.draws and uniform_int(state.choice, min(it.since * it.updates + k + 1, _MOST)) == 0:
            keep(state)
        i = uniform_int(state.stream, y.size)
        columns, values = row(rows, i, state.room)
        u = predict(columns, values, state)
        if not abs(u) < _HUGE:
            return False
        it.seen += loss_at(loss, u, y[i])
        learn(columns, values, state, it.eta * y.size * negative_derivative_at(loss, u, y[i]))
        it.grads += 1
        counters.entries += row_entries(rows, i)
    return it.seen <= _TOO_LARGE * f0 * max(1.0, it.updates / y.size)


@njit(nogil=True, cache=True)
def _settle(state):
    """``coef`` = the answer; the largest change of a coefficient since it was last made."""
    it = state.mirror[0]
    if not it.draws:
        keep(state)
    moved, it.l1, it.nnz = 0.0, 0.0, 0
    for j in range(state.coef.size):
        a = state.kept[j]
        moved = max(moved, abs(a - state.coef[j]))
        it.l1 += abs(a)
        it.nnz += np.int64(a != 0.0)
        state.coef[j] = a
    return moved


@njit(nogil=True, cache=True)
def _value(design, y, loss, state):
    """f(a), and the residual; charged as a dot product for each coefficient."""
    indices, f = nonzeros(state.coef), 0.0
    image_of(design, indices, take(state.coef, indices), state.image)
    for i in range(y.size):
        f += loss_at(loss, state.image[i], y[i])
        state.residual[i] = negative_derivative_at(loss, state.image[i], y[i])
    for j in indices:
        state.counters[0].entries += col_entries(design, j)
    state.counters[0].dots += indices.size
    return f


@njit(nogil=True, cache=True)
def _tried(design, rows, y, loss, f0, state):
    """The objective after one pass over the samples from zero."""
    forget(state)
    it = state.mirror[0]
    updates, draws, it.updates, it.draws = it.updates, it.draws, y.size, False
    healthy = _learn_many(rows, y, loss, f0, state)
    it.updates = updates
    value = np.inf
    if healthy:
        _settle(state)
        value = _value(design, y, loss, state) + state.counters[0].value * it.l1
    it.draws = draws
    return value


@njit(nogil=True, cache=True)
def _gap(design, y, loss, entries, state):
    """The gap of ``coef``, for a pass over all columns."""
    it, counters = state.mirror[0], state.counters[0]
    f = _value(design, y, loss, state)
    all_dots(design, state.residual, total(state.residual), state.dots)
    counters.dots += state.dots.size
    counters.entries += entries
    steepest = largest_size(state.dots)
    return penalty_gap(loss, y, state.residual, 0.0, 0.0, f, counters.value, it.l1, steepest, 0.0)


@njit(nogil=True, cache=True)
def _advance(design, rows, y, loss, f0, entries, state, trace):
    """Steps until ``trace`` is full or the point ends; the number of its rows that were filled."""
    it, counters = state.mirror[0], state.counters[0]
    for k in range(trace.size):
        healthy = _learn_many(rows, y, loss, f0, state)
        moved, gap, row = np.nan, np.nan, trace[k]
        checks = healthy and counters.gap_at_most >= 0.0 and (it.since + 1) % it.check == 0
        if healthy:
            moved = _settle(state)
            row.objective = it.seen * y.size / it.updates
        it.since += 1
        if checks:
            gap = _gap(design, y, loss, entries, state)
        row.l1, row.nnz, row.grads = it.l1, it.nnz, it.grads
        record(counters, row, gap, moved)
        if healthy:
            if checks:
                check_gap(counters, gap)
            # An answer that is drawn stays for long, which is no sign that anything has settled.
            if not it.draws:
                check_move(counters, moved)
            check_limit(counters)
        else:
            counters.outcome = _DIVERGED
        if counters.outcome != 0:
            return k + 1
    return trace.size

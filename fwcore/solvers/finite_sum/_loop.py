"""Frank-Wolfe on sampled rows: what the methods of Negiar et al. (2020), Mokhtari et al. (2018) and
Lu & Freund (2018) share.

min f(a) = sum_i l(x_i'a, y_i) subject to sum abs(a) <= delta. A turn draws a batch of b of the n
rows without replacement, improves an estimate r of the gradient f'(a) by it, takes the vertex s =
-delta sign(r_j) e_j of its largest entry, and goes a <- (1 - g) a + g s. The papers' objective is
the mean (1/n) f, with lam for delta: their r, gaps and Lipschitz constants are these over n, their
steps and iterates the same; a gap relative to f(0) is one number in both.

A turn costs O(b s log p), s = non-zeros of a row: a = scale * coef, r = weight * slope, and r's
largest entry is that of `fwcore.kernels.tournament_tree`. Only where rows are full, as dense ones
and centred sparse ones are, is it O(b p); confirming a gap is a pass.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.kernels.dispatch import compiled_only
from fwcore.kernels.random import new_stream
from fwcore.kernels.records import zero_records
from fwcore.kernels.scaled_iterate import SCALED, coefficients
from fwcore.kernels.tournament_tree import new_tree
from fwcore.kernels.types import Floats, Ints
from fwcore.losses import loss_at
from fwcore.options import DIRECTIONS, BatchSize, FiniteSumOptions
from fwcore.problem import Problem
from fwcore.solvers.base import Solver, check_limit, check_move, new_counters, record, start_point
from fwcore.solvers.finite_sum._gradient import draw, fill, true_gap
from fwcore.solvers.finite_sum._steps import take_step
from fwcore.status import Status
from fwcore.step_rules import find_step_rule
from fwcore.trace import Rows, new_rows

SUMS = np.dtype(
    [
        *SCALED,
        ("turn", np.int64),
        ("batch", np.int64),
        ("weight", np.float64),
        ("age", np.float64),
        ("along", np.float64),
        ("grads", np.int64),
        ("direction", np.int64),
        ("confirm", np.bool_),
        ("fill", np.bool_),
        ("confirm_cooldown", np.int64),
        ("confirm_backoff", np.int64),
        ("updates_without_move", np.int64),
        ("squares", np.float64),
        ("lipschitz", np.float64),
        ("estimate", np.float64),
        ("kappa_share", np.float64),
    ]
)
_SMALL_GAP = int(Status.SMALL_GAP)


class SumState(NamedTuple):
    """A run; see `fwcore.kernels.scaled_iterate` for ``coef``, ``support``, ``listed`` and the
    first fields of ``iterate``.

    ``slope`` (p,): r / weight, and ``tree`` its tournament, with the ages of its blocks. ``table``
    (m,): the derivative of each sample that r holds. ``average`` (m,): of predictions, where a
    method keeps one. ``order`` (m,): its first b entries are the batch. ``image``, ``toward``,
    ``response`` (b,): x_i'a of the batch, x_i'd for the direction d of the step, and y_i. ``room``,
    ``spare`` (p,). ``method``: what `estimate` and `open_loop` dispatch on.

    ``rule``: a type of `fwcore.step_rules`. ``iterate`` holds besides the turn, b, the weight and
    age of r, r'a, derivatives,
    the direction, whether a gap is confirmed, whether r is to be filled first, the turns until a
    gap may be confirmed again, and after which it may the next time, those since something moved by
    more than the tolerance, ||a||^2, an estimate of the Lipschitz constant of f', and kappa / n.
    """

    coef: Floats
    support: Ints
    listed: NDArray[np.bool_]
    slope: Floats
    tree: Floats
    table: Floats
    average: Floats
    order: Ints
    image: Floats
    toward: Floats
    response: Floats
    room: Floats
    spare: Floats
    method: Any
    rule: Any
    iterate: Any
    counters: Any
    stream: Any


def estimate(method, rows, y, loss, state):
    """Improve r by the batch, and choose the vertex: (index, delta * sign, stochastic gap)."""
    raise compiled_only("estimate")


class FiniteSumSolver(Solver):
    """Subclasses bring their `method`, a NamedTuple with `estimate` and `open_loop`."""

    family = "Sampled rows"
    form = "ball"
    draws = "rows"
    first_turn: ClassVar[int] = 0
    """t of the first turn, as the method's paper counts."""
    Options = FiniteSumOptions

    @abstractmethod
    def method(self, ratio: float, options: Any) -> Any:
        """What `estimate` and `open_loop` dispatch on, for n / b."""

    def variant(self, options: Any) -> dict[str, Any]:
        return {"step": options.step}

    def batch(self, problem: Problem, options: Any) -> int:
        """b, the rows of a turn."""
        return BatchSize.rows(options.batch, problem.m, type(self).__name__)

    def init(self, problem: Problem, options: Any, seed: int) -> SumState:
        m, p, batch = problem.m, problem.p, self.batch(problem, options)
        counters, it = new_counters(problem, options), zero_records(1, SUMS)
        # X'y is not needed.
        counters["dots"] = counters["entries"] = 0
        it["scale"], it["weight"], it["batch"] = 1.0, 1.0, batch
        it["direction"] = DIRECTIONS.index(options.direction)
        it["confirm"], it["fill"] = options.confirm, options.start == "full-pass"
        it["kappa_share"] = problem.kappa_share
        return SumState(
            coef=np.zeros(p),
            support=np.zeros(p, np.int64),
            listed=np.zeros(p, np.bool_),
            slope=np.zeros(p),
            tree=new_tree(p),
            table=np.zeros(m),
            average=np.zeros(m),
            order=np.arange(m),
            image=np.zeros(batch),
            toward=np.zeros(batch),
            response=np.zeros(batch),
            room=np.zeros(p),
            spare=np.zeros(p),
            method=self.method(m / batch, options),
            rule=find_step_rule(options.step, problem.loss, parabola=False),
            iterate=it,
            counters=counters,
            stream=new_stream(seed),
        )

    def set_point(
        self, problem: Problem, state: SumState, options: Any, value: float, progress: float
    ) -> None:
        it, last = state.iterate, float(state.counters["value"][0])
        # Steps as long as the first ones would forget the last point, those of a settled run not
        # fill the new ball: where g is 2 / (t + 2) the first is about as long as the ball has
        # grown, 1 - last / value, and never all of the way.
        t = max(1, math.floor(2.0 * value / (value - last)) - 2) if last < value else 1
        it["turn"] = min(int(it["turn"][0]), t - self.first_turn)
        it["confirm_cooldown"], it["updates_without_move"], it["confirm_backoff"] = (
            0,
            0,
            math.ceil(problem.m / int(it["batch"][0])),
        )
        start_point(state.counters, value)

    def advance(self, problem: Problem, state: SumState, n: int) -> Rows:
        rows = new_rows(n)
        loss: Any = problem.loss
        return rows[: _advance(problem.rows, problem.y, loss, state, rows)]

    def coefficients(self, state: SumState) -> tuple[Ints, Floats]:
        return coefficients(state)

    def notes(self, state: SumState) -> dict[str, Any]:
        """kappa / n of eq. 34 of Negiar et al., of the design as it is walked."""
        return {"kappa_share": float(state.iterate["kappa_share"][0])}


@njit(nogil=True, inline="always")
def _confirmed(rows, y, loss, state, gap):
    """Whether the point may end by its gap; where the true gap is larger, it is not computed again
    for a while.
    """
    it, counters = state.iterate[0], state.counters[0]
    it.confirm_cooldown = max(0, it.confirm_cooldown - 1)
    if not gap <= counters.gap_at_most or it.confirm_cooldown > 0:
        return False
    if not it.confirm or true_gap(rows, y, loss, state) <= counters.gap_at_most:
        return True
    # Twice as long each time, so that a gap that stays too small costs few passes.
    it.confirm_cooldown, it.confirm_backoff = it.confirm_backoff, 2 * it.confirm_backoff
    return False


@njit(nogil=True, cache=True)
def _advance(rows, y, loss, state, trace):
    """Turns until ``trace`` is full or the point ends; the number of its rows that were filled."""
    it, counters = state.iterate[0], state.counters[0]
    if it.fill:
        fill(rows, y, loss, state)
        it.fill = False
    for k in range(trace.size):
        draw(state.order, it.batch, state.stream)
        j, vertex, gap = estimate(state.method, rows, y, loss, state)
        row, seen, step, moved = trace[k], 0.0, 0.0, 0.0
        for i in range(it.batch):
            seen += loss_at(loss, state.image[i], y[state.order[i]])
        ends = _confirmed(rows, y, loss, state, gap)
        if not ends:
            step, moved = take_step(rows, y, loss, state, j, vertex, gap)
            it.turn += 1
        row.objective, row.l1, row.nnz = seen * y.size / it.batch, it.scale * it.l1, it.nnz
        row.grads = it.grads
        # A batch may choose the vertex that the iterate is at: what counts is how much of it joins,
        # throughout a pass of batches.
        it.updates_without_move = (
            it.updates_without_move + 1 if step * counters.value <= counters.moved_at_most else 0
        )
        record(counters, row, gap, moved)
        if ends:
            counters.outcome = _SMALL_GAP
        if it.updates_without_move * it.batch >= y.size:
            check_move(counters, moved)
        check_limit(counters)
        if counters.outcome != 0:
            return k + 1
    return trace.size

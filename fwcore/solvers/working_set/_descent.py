"""The engine of many active columns, and of losses that are no parabolas: proximal Newton steps,
each by coordinate descent with Anderson extrapolation.

Around the point a, f is modelled by 1/2 sum_i w_i (z_i - R_i / w_i)^2, with z the change of X a, R
= -l'(X a, y) and w_i = l''. Cyclic descent on that model over the working set keeps v = R - w z, so
that a visit costs one product with a column and one addition of it; the model of a parabola is f
itself. What has no penalty is minimised over in each cycle, and exactly after each round. Then a
backtracking line search on the penalised objective (Lee, Sun & Saunders 2014; Friedman, Hastie &
Tibshirani 2010 without the line search).

In the ball form lam is the level at which the l1 norm is the radius, see
`fwcore.solvers.working_set._level_search`.

Cycles converge linearly. From the last few a combination with coefficients that add up to 1 is
taken where it lowers the objective (Bertrand & Massias 2021). Where that does not settle a model,
be it that its condition is poor or that objectives differ by rounding error only, conjugate
gradients on the face of the active columns go on: they are stopped by slopes alone.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fwcore.kernels.dispatch import implements
from fwcore.kernels.records import zero_records
from fwcore.kernels.selection import keep_in_front
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import copy_into, dot
from fwcore.losses import is_parabola
from fwcore.solvers.working_set._blocks import WIDTH
from fwcore.solvers.working_set._conjugate import has_free
from fwcore.solvers.working_set._cycles import descend, descend_in_ball
from fwcore.solvers.working_set._engine import (
    admit,
    follow,
    gather,
    go_along,
    go_back,
    load,
    minimise,
    most_joining,
    operations,
    positions_wanted,
    retain,
    wanted,
)
from fwcore.solvers.working_set._extrapolation import MEMORY

_FIRST_CAPACITY = 256
# What an operation may add to the rounding of the residual, as a share of it; by how much
# extrapolation magnifies that of the last cycles; and the share of the target gap that may be lost.
_EPS, _MAGNIFIED, _MOST_LOST = float(np.finfo(np.float64).eps), 1e4, 0.1

DESCENT = np.dtype(
    [
        ("left_sum", np.float64),
        ("first_sum", np.float64),
        ("kept", np.int64),
        ("work", np.int64),
    ]
)


class _DescentArrays(NamedTuple):
    """What kernels read."""

    coef: Floats
    slope: Floats
    curvature: Floats
    before: Floats
    last: Floats
    weights: Floats
    left: Floats
    change: Floats
    direction: Floats
    pull: Floats
    coefs: Floats
    lefts: Floats
    sums: Floats
    products: Floats
    known: NDArray[np.bool_]
    order: Ints
    descent: Any


class Descent(_DescentArrays):
    """Coefficients of a working set with room for k columns.

    ``coef``, ``slope``, ``curvature`` (k,): the coefficients, x_j'v at the last visit, and squared
    norms, weighted by w. ``before`` (k,): the coefficients where the model was made. ``last`` (k,):
    those at the end of the last point. ``direction``,
    ``pull`` (k,): of steps on a face, and the negative gradient there. ``weights``, ``left`` (v),
    ``change`` (X times the change of a), (m,). ``coefs`` (6, k), ``lefts`` (6, m) and
    ``sums`` (6,): the last cycles. ``products`` (k, 32): of a column with those of its block, by
    their place in it; there are none, (k, 0), where columns are visited one by one. ``known`` (k,)
    says whose products, or curvatures by the present weights, are there, and ``order`` (k,) is that
    of the design. ``descent`` (1,): the sum of v now and where the model was made, how many cycles
    are remembered, and the operations that did not touch X.
    """

    __slots__ = ()

    exact = False
    loosest = 4.0
    foresees = True
    rough = False

    @classmethod
    def of(cls, m: int, blocks: bool, capacity: int = _FIRST_CAPACITY) -> Descent:
        """No columns, a = 0, to be visited in ``blocks`` or one by one."""
        coef, slope, curvature, before, last, direction, pull = np.zeros((7, capacity))
        left, change = np.zeros((2, m))
        return cls(
            coef,
            slope,
            curvature,
            before,
            last,
            np.ones(m),
            left,
            change,
            direction,
            pull,
            np.zeros((MEMORY + 1, capacity)),
            np.zeros((MEMORY + 1, m)),
            np.zeros(MEMORY + 1),
            np.zeros((capacity, WIDTH if blocks else 0)),
            np.zeros(capacity, np.bool_),
            np.zeros(capacity, np.int64),
            zero_records(1, DESCENT),
        )

    @property
    def capacity(self) -> int:
        """Columns that there is room for."""
        return int(self.coef.size)

    def grown(self, capacity: int) -> Descent:
        """The same in arrays of a larger capacity."""
        new = Descent.of(self.left.size, self.products.shape[1] > 0, capacity)
        for name in ("coef", "slope", "curvature", "last", "products", "known"):
            getattr(new, name)[: self.capacity] = getattr(self, name)
        new.weights[:], new.descent[:] = self.weights, self.descent
        return new


@implements(minimise, Descent)
def _minimise(engine, design, y, loss, run, slack):
    if run.it[0].ball:
        return descend_in_ball(engine, design, y, loss, run, slack)
    run.it[0].level = run.counters[0].value
    return descend(engine, design, y, loss, run, slack)


@implements(go_along, Descent)
def _go_along(engine, run, ahead):
    guessed = False
    for k in range(run.it[0].size):
        old, before, engine.last[k] = engine.coef[k], engine.last[k], engine.coef[k]
        guess = old + ahead * (old - before)
        # A column that has just come or is about to go is no longer on a line.
        if before * old > 0.0 and guess * old > 0.0 and ahead > 0.0:
            engine.coef[k], guessed = guess, True
    return guessed


@implements(go_back, Descent)
def _go_back(engine, run):
    copy_into(engine.last[: run.it[0].size], engine.coef)


@implements(gather, Descent)
def _gather(engine, size, columns, chosen, values):
    n, coef = 0, engine.coef
    for k in range(size):
        if coef[k] != 0.0:
            chosen[n], values[n] = columns[k], coef[k]
            n += 1
    return n


@implements(follow, Descent)
def _follow(engine, loss, run):
    it, now, image, residual, square = run.it[0], engine.descent[0], run.image, run.residual, 0.0
    # Coefficients in a ball may have been scaled after the last cycle.
    lost = (_MAGNIFIED if is_parabola(loss) else 1.0) * _EPS * (now.work - it.fresh) * it.f0
    if it.ball or has_free(loss, run.free) or lost > _MOST_LOST * it.target:
        return False
    it.lost = lost
    if not is_parabola(loss):
        # The line search has left both where it ended.
        return True
    ones = (now.first_sum - now.left_sum) / residual.size
    for i in range(residual.size):
        left = engine.left[i] + ones
        image[i] += residual[i] - left
        residual[i] = left
        square += left * left
    it.loss = 0.5 * square
    it.product = dot(image, residual) + square
    return True


@implements(load, Descent)
def _load(engine, run):
    pass


@implements(wanted, Descent)
def _wanted(engine, size, least, positions):
    return positions_wanted(engine.coef, engine.slope, size, least, positions)


@implements(retain, Descent)
def _retain(engine, positions):
    products = engine.products
    for vector in (engine.coef, engine.slope, engine.curvature, engine.last):
        keep_in_front(vector, positions)
    keep_in_front(engine.known, positions)
    for at in range(positions.size):
        for other in range(products.shape[1]):
            products[at, other] = products[positions[at], other]


@implements(operations, Descent)
def _operations(engine):
    return engine.descent[0].work


@implements(most_joining, Descent)
def _most_joining(engine, size):
    return max(64, size)


@implements(admit, Descent)
def _admit(engine, design, sigma, sqnorms, it, counters, columns, rows, joining):
    for k in range(it.size, it.size + joining):
        engine.coef[k], engine.slope[k], engine.last[k] = 0.0, 0.0, 0.0
        engine.known[k] = False
        engine.curvature[k] = sqnorms[columns[k]]

"""The engine of few active columns and of parabolas: exact Newton steps on faces of the l1 ball,
see `fwcore.solvers.working_set._corrections`. It multiplies the columns of the working set once.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np
from numba import njit

from fwcore.kernels.dispatch import implements
from fwcore.kernels.lanes import SIDE
from fwcore.kernels.records import zero_records
from fwcore.kernels.selection import keep_in_front, place_among
from fwcore.kernels.types import Floats, Ints
from fwcore.solvers.working_set._control import EARLY
from fwcore.solvers.working_set._corrections import correct
from fwcore.solvers.working_set._engine import (
    admit,
    gather,
    load,
    minimise,
    most_joining,
    operations,
    positions_wanted,
    retain,
    survey,
    wanted,
    wants_all,
)
from fwcore.solvers.working_set._factor import refactor, restore
from fwcore.solvers.working_set._gram import extend_gram

# A round lets at most so many columns onto the face, so that it stays short.
_JOIN_FACE = 64
_FIRST_CAPACITY = 128
MOST_IDLE = 4096
"""Of so many columns all products may be kept."""
# They are kept once those of this share of them are at hand: a path that ends there has paid about
# twice, one that goes on is spared rounds. Where products are cheap, it is enough that half of the
# columns are foreseen to be active in the end, once some are, and once more points were opened than
# the first call walks, which does not know how many are to come.
_NEARLY_ALL, _HALF, _SOME = 2 / 3, 0.5, 0.1

# Where rounding of products and their sums may be more than this share of the target gap, the
# residual is computed instead.
_ROUNDING, _EPS = 1e-2, float(np.finfo(np.float64).eps)

FACE = np.dtype(
    [
        ("size", np.int64),
        ("active", np.int64),
        ("tight", np.bool_),
        ("drops", np.int64),
        ("level", np.float64),
        ("ridge", np.float64),
        ("positive", np.bool_),
        ("steepest", np.float64),
        ("work", np.int64),
    ]
)


_Arrays = TypeVar("_Arrays", bound=tuple[Any, ...])


class _FaceArrays(NamedTuple):
    """What kernels read."""

    gram: Floats
    dots: Floats
    coef: Floats
    sign: Floats
    gradient: Floats
    order: Ints
    factor: Floats
    halfway: Floats
    work: Floats
    face: Any


class Face(_FaceArrays):
    """A working set of ``size`` columns, of which ``active`` span the present face; capacity k.

    ``gram`` (k, k) and ``dots`` (k,) are G and b; ``coef``, ``sign``, ``gradient`` (k,) belong to
    the columns of the working set; the first entries of ``order`` (k,) are the positions of the
    active ones, whose Gram matrix is L L' with L in ``factor`` (k + 6, k), row by row. ``halfway``
    (3, k) is L^-1 b, L^-1 sign and L'coef of these. ``work`` (2, k) is scratch. ``face`` (1,) also
    holds whether the constraint is tight, the multiplier ``level``, the ridge, whether a >= 0, the
    steepness of the working set at the minimiser on the face, infinite where it is not known, and
    the operations that did not touch X.
    """

    __slots__ = ()

    exact = True
    loosest = 0.3
    foresees = False
    rough = False

    @classmethod
    def of(cls, capacity: int = _FIRST_CAPACITY) -> Face:
        """An empty working set, a = 0."""
        k = capacity
        dots, coef, sign, gradient = np.zeros((4, k))
        halfway, work = np.zeros((3, k)), np.zeros((2, k))
        # Large, and of no use before they are written.
        gram, factor = np.empty((k, k)), np.empty((k + SIDE, k))
        order, face = np.zeros(k, np.int64), zero_records(1, FACE)
        return cls(gram, dots, coef, sign, gradient, order, factor, halfway, work, face)

    @property
    def capacity(self) -> int:
        """Columns that there is room for."""
        return int(self.order.size)

    def grown(self, capacity: int) -> Face:
        """The same in arrays of a larger capacity."""
        return enlarged(self, Face.of(capacity))


def enlarged(old: Any, new: _Arrays) -> _Arrays:
    """``old`` in the arrays of ``new``."""
    for before, after in zip(old, new, strict=True):
        after[tuple(map(slice, before.shape))] = before
    return new


@implements(minimise, Face)
def _minimise(engine, design, y, loss, run, slack):
    it, face, counters = run.it[0], engine.face[0], run.counters[0]
    face.positive = counters.positive
    if face.ridge != counters.ridge:
        face.ridge = counters.ridge
        refactor(engine)
    moved = correct(engine, counters.value, it.ball, slack, _JOIN_FACE)
    if it.ball:
        _learn_rate(it, counters.value, face.level)
    it.level, it.settled = face.level, True
    return moved


@njit(nogil=True, inline="always")
def _learn_rate(it, radius, level):
    """How the level changed since the last point, as an engine that takes over wants to know."""
    step = radius - it.before
    if step != 0.0:
        first = abs(it.l1 - it.before) < abs(it.l1 - radius)
        it.rate = (0.0 if first else it.rate) + (level - it.level) / step


@implements(gather, Face)
def _gather(engine, size, columns, chosen, values):
    n, order, coef = engine.face[0].active, engine.order, engine.coef
    for i in range(n):
        chosen[i], values[i] = columns[order[i]], coef[order[i]]
    return n


@implements(survey, Face)
def _survey(engine, design, y, loss, sigma, run):
    it, face, gram, along, bulk, longest = run.it[0], engine.face[0], engine.gram, 0.0, 0.0, 0.0
    if face.steepest == np.inf:
        return False
    for w in range(face.size):
        along += engine.dots[w] * engine.coef[w]
        bulk += abs(engine.coef[w]) * np.sqrt(gram[w, w])
        longest = max(longest, np.sqrt(gram[w, w]))
    # Of slopes as much as of the fit, where a column outside the face is the longest.
    reach = max(it.l1, run.counters[0].value) if it.ball else it.l1
    scale = max(bulk, np.sqrt(2.0 * it.f0)) * max(bulk, reach * longest)
    if not _EPS * (run.residual.size + face.size) * scale <= _ROUNDING * it.target:
        return False
    # At the minimiser on the face a'(G a + r a - b) = -level * sum abs(a).
    fit = along + face.level * it.l1 + face.ridge * it.square
    it.loss, it.product = max(0.0, it.f0 - 0.5 * fit), 2.0 * it.f0 - along
    it.steepest, it.lost, it.stale = face.steepest, 0.0, True
    return True


@implements(load, Face)
def _load(engine, run):
    face = engine.face[0]
    face.ridge = run.counters[0].ridge
    for k in range(face.size):
        engine.sign[k] = np.sign(engine.coef[k])
    # Of columns that depend on each other the first have the coefficients.
    restore(engine, np.flatnonzero(engine.coef[: face.size]))


@implements(wanted, Face)
def _wanted(engine, size, least, positions):
    return positions_wanted(engine.sign, engine.gradient, size, least, positions)


@implements(retain, Face)
def _retain(engine, positions):
    face, gram, order, n = engine.face[0], engine.gram, engine.order, positions.size
    for i in range(face.active):
        order[i] = place_among(positions, order[i])
    for vector in (engine.dots, engine.coef, engine.sign, engine.gradient):
        keep_in_front(vector, positions)
    for at in range(n):
        for other in range(n):
            gram[at, other] = gram[positions[at], positions[other]]
    face.size = n


@implements(operations, Face)
def _operations(engine):
    return engine.face[0].work


@implements(most_joining, Face)
def _most_joining(engine, size):
    return max(10, size // 5)


@implements(wants_all, Face)
def _wants_all(engine, it, p):
    if p > MOST_IDLE:
        return False
    known = it.long and it.points > EARLY and it.nnz >= _SOME * p
    foreseen = it.nnz + it.growth * it.left if known else 0.0
    return it.size >= _NEARLY_ALL * p or foreseen >= _HALF * p


@implements(admit, Face)
def _admit(engine, design, sigma, sqnorms, it, counters, columns, rows, joining):
    face, dots, coef, sign = engine.face[0], engine.dots, engine.coef, engine.sign
    before, size = face.size, face.size + joining
    counters.dots += joining * before + joining * (joining + 1) // 2
    entries, at_hand = extend_gram(design, columns[:size], joining, rows, engine.gram)
    counters.entries += entries
    # All columns are multiplied for the points to come: that tells nothing of this one.
    it.seen += entries if size == sqnorms.size else at_hand
    for w in range(before, size):
        dots[w], coef[w], sign[w] = sigma[columns[w]], 0.0, 0.0
    face.size = size


SHARED = (
    (minimise, _minimise),
    (gather, _gather),
    (load, _load),
    (retain, _retain),
    (operations, _operations),
    (most_joining, _most_joining),
    (wants_all, _wants_all),
)
"""What does not depend on the precision."""

"""The engine of thousands of active columns where the target gap is not small: steps on faces whose
products and factor are in single precision, which takes half the time.

A face then minimises 1/2 a'H a - b'a, where H is G but for rounding. After each solve the slopes of
all columns are computed by a copy of these in single precision, with sums in double precision, and
what rounding of the copy may take is added to the gap. The slopes set b right, too: the model that
is minimised next has the slopes of f where that begins, so that solves are Newton steps with a
Hessian that is nearly right, and their errors do not add up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import image_of
from fwcore.kernels.dispatch import implements
from fwcore.kernels.fours import add_dots, add_multiples
from fwcore.kernels.lanes import LINE, SIDE
from fwcore.kernels.records import zero_records
from fwcore.kernels.steepness import steepness
from fwcore.kernels.types import Floats, Ints, Singles
from fwcore.kernels.vectors import copy_into
from fwcore.problem import Problem
from fwcore.solvers.working_set._blocks import LONG
from fwcore.solvers.working_set._engine import admit, survey, wanted
from fwcore.solvers.working_set._face import FACE, MOST_IDLE, SHARED, enlarged
from fwcore.solvers.working_set._fit import complete_fit
from fwcore.solvers.working_set._gram import extend_gram_of_rows
from fwcore.solvers.working_set._slopes import model_slopes
from fwcore.solvers.working_set._triangle import renew_halfway

# Products of fewer columns take no time to speak of; a copy of more entries takes room.
_LEAST, _MOST_ENTRIES = 1024, 1 << 25
# The smallest target, as a share of f(0), that is far above what is rounded.
_FINEST = 1e-4
# Squared norms whose products are in the range of single precision.
_RANGE = 1e-15, 1e15
# A little more than what rounding takes of a number at most, as a share of it.
_ROUNDED = 0.51 * float(np.finfo(np.float32).eps)
# By how much slopes may be off for the copy, as a share of what the gap allows of them, before the
# image is computed from X.
_OFF = 0.25
# Rows beyond the last of the copy that are read with it.
_SPARE = LINE // 4


class _SingleArrays(NamedTuple):
    """What kernels read."""

    gram: Singles
    dots: Floats
    coef: Floats
    sign: Floats
    gradient: Floats
    order: Ints
    factor: Singles
    halfway: Floats
    work: Floats
    copy: Singles
    anchor: Floats
    rounding: Floats
    face: Any


class SingleFace(_SingleArrays):
    """As `fwcore.solvers.working_set._face.Face`, with ``gram`` and ``factor`` in float32; ``copy``
    (k + 16, m) has the columns of the working set as solvers see them, and ``rounding`` (m,) is
    what the image by these lacked at the coefficients ``anchor`` (k,).
    """

    __slots__ = ()

    exact = True
    loosest = 0.3
    foresees = False
    rough = True

    @classmethod
    def of(cls, capacity: int, rows: int) -> SingleFace:
        """An empty working set, a = 0, of columns of so many ``rows``."""
        k, order, face = capacity, np.zeros(capacity, np.int64), zero_records(1, FACE)
        dots, coef, sign, gradient, anchor = np.zeros((5, k))
        halfway, work, rounding = np.zeros((3, k)), np.zeros((2, k)), np.zeros(rows)
        # Large, and of no use before they are written.
        gram, factor = np.empty((k, k), np.float32), np.empty((k + SIDE, k), np.float32)
        copy = np.empty((k + _SPARE, rows), np.float32)
        on_face = dots, coef, sign, gradient, order, factor, halfway, work
        return cls(gram, *on_face, copy, anchor, rounding, face)

    @property
    def capacity(self) -> int:
        """Columns that there is room for."""
        return int(self.order.size)

    def grown(self, capacity: int) -> SingleFace:
        """The same in arrays of a larger capacity."""
        return enlarged(self, SingleFace.of(capacity, self.copy.shape[1]))


def may_be_single(shape: tuple[int, int], entries: int, tol: float) -> bool:
    """Whether a path to gaps of ``tol`` * f(0) may come to this engine, of a design of this
    ``shape`` with so many ``entries``.
    """
    m, p = shape
    worth = m >= LONG and _LEAST <= p <= MOST_IDLE and entries <= _MOST_ENTRIES
    return worth and entries == m * p and tol >= (1.0 - 1e-9) * _FINEST


def single_face(problem: Problem, tol: float) -> SingleFace | None:
    """An empty one for all columns of ``problem``; None where double precision is wanted."""
    known = problem.sqnorms[problem.sqnorms > 0.0]
    in_range = known.size > 0 and _RANGE[0] < known.min() and known.max() < _RANGE[1]
    if not (in_range and may_be_single((problem.m, problem.p), problem.entries, tol)):
        return None
    return SingleFace.of(problem.p, problem.m)


for primitive, function in SHARED:
    implements(primitive, SingleFace)(function)


@implements(admit, SingleFace)
def _admit(engine, design, sigma, sqnorms, it, counters, columns, rows, joining):
    face, before, image, one = engine.face[0], engine.face[0].size, np.empty(rows), np.ones(1)
    size, products = before + joining, joining * before + joining * (joining + 1) // 2
    for w in range(before, size):
        image_of(design, columns[w : w + 1], one, image)
        copy_into(image, engine.copy[w])
        engine.dots[w], engine.coef[w], engine.sign[w] = sigma[columns[w]], 0.0, 0.0
    extend_gram_of_rows(engine.copy, size, joining, engine.gram)
    counters.dots += products
    counters.entries += products * rows
    it.seen += products * rows
    face.size = size


@implements(wanted, SingleFace)
def _wanted(engine, size, least, positions):
    # All stay: their products are at hand.
    for k in range(size):
        positions[k] = k
    return size


@implements(survey, SingleFace)
def _survey(engine, design, y, loss, sigma, run):
    it, face, counters, residual = run.it[0], engine.face[0], run.counters[0], run.residual
    coef, b, slopes = engine.coef, engine.dots, engine.work[1, : engine.face[0].size]
    longest, off = _fit(engine, design, y, loss, run)
    for k in range(face.size):
        slopes[k] = 0.0
    add_dots(engine.copy, np.arange(face.size), residual, slopes)
    counters.dots += face.size
    counters.entries += face.size * residual.size
    _know_slopes(engine)
    steepest, along = 0.0, 0.0
    for k in range(face.size):
        slope = face.ridge * coef[k] - slopes[k]
        steepest = max(steepest, steepness(slope, face.positive))
        along += sigma[run.columns[k]] * coef[k]
        b[k] += engine.gradient[k] - slope
        engine.gradient[k] = slope
    renew_halfway(engine)
    size = np.sqrt(2.0 * it.loss)
    it.lost, it.stale = 2.0 * off * (size + off), True
    it.product, it.steepest = 2.0 * it.f0 - along, steepest + longest * (off + _ROUNDED * size)
    return True


@njit(nogil=True, cache=True)
def _fit(engine, design, y, loss, run):
    """Image, residual and loss; return (the longest column, by how much the residual may be off).

    What the copy lacks is linear in the coefficients: with what it lacked at the anchor, only the
    way from there counts.
    """
    it, n, face, off, longest = run.it[0], run.it[0].chosen, engine.face[0], 0.0, 0.0
    image, rounding, coef, anchor = run.image, engine.rounding, engine.coef, engine.anchor
    for k in range(face.size):
        length = np.sqrt(np.float64(engine.gram[k, k]))
        off += _ROUNDED * abs(coef[k] - anchor[k]) * length
        longest = max(longest, length)
    exact = longest * off > _OFF * it.slack
    if exact:
        rounding[:] = 0.0
    copy_into(rounding, image)
    add_multiples(engine.copy, engine.order[: face.active], coef, image)
    if exact:
        off = 0.0
        copy_into(image, rounding)
        image_of(design, run.chosen[:n], run.values[:n], image)
        for i in range(image.size):
            rounding[i] = image[i] - rounding[i]
        copy_into(coef[: face.size], anchor)
    complete_fit(y, loss, it, (run.free, image, run.residual))
    return longest, off


@njit(nogil=True, cache=True)
def _know_slopes(engine):
    """gradient <- that of the model. At its minimiser on the face that of active columns is known,
    and that of the others the last that was computed.
    """
    face, g = engine.face[0], engine.gradient
    if face.steepest == np.inf:
        model_slopes(engine)
        return
    for w in engine.order[: face.active]:
        g[w] = -engine.sign[w] * face.level

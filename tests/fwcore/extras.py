"""One of each thing that CONTRIBUTING.md says how to add, each as it would be a file."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import (
    col_axpy,
    col_dot,
    col_entries,
    col_fetch,
    col_moments,
    col_place,
    col_reach,
    col_row,
    col_value,
)
from fwcore.design.dense import Dense
from fwcore.design.primitives import moments, range_dots
from fwcore.kernels.dispatch import implements
from fwcore.kernels.steepness import steepness
from fwcore.losses import (
    curvature_at,
    dual_at,
    is_parabola,
    is_separable,
    loss_at,
    negative_derivative_at,
)
from fwcore.losses.base import summed
from fwcore.oracles import RowOracle, steepest
from fwcore.oracles.accumulate import add_row, begin_sums
from fwcore.oracles.row_subset import use
from fwcore.solvers.frank_wolfe.fw import DeterministicFW
from fwcore.step_rules import needs_curve, step_length

# A solver: a class, and a line in SOLVERS.


class Patient(DeterministicFW):
    """Frank-Wolfe under another name."""

    name = "patient"
    title = "Patient Frank-Wolfe"


# A column oracle: a class with `steepest`, and a name in COLUMN_ORACLES.


class _AlternateFields(NamedTuple):
    turn: Any


class Alternate(_AlternateFields):
    """Every second column, the even and the odd ones in turn."""

    __slots__ = ()

    name = "alternate"
    title = "even and odd columns in turn"
    replaces = False
    together = True

    @classmethod
    def drawn(cls, design, sigma, options, seed):
        return cls(np.array([seed % 2]))


@implements(steepest, Alternate)
def _steepest(oracle, design, sigma, scale, image, image_sum, kappa, positive, least):
    best, slope, dots, entries = 0, 0.0, 0, 0
    oracle.turn[0] = 1 - oracle.turn[0]
    for j in range(oracle.turn[0], sigma.size, 2):
        gradient = scale * col_dot(design, j, image, image_sum) - sigma[j]
        entries += col_entries(design, j)
        dots += 1
        if steepness(gradient, positive) > steepness(slope, positive):
            best, slope = j, gradient
    return best, slope, dots, entries


# A row oracle: a compiled function, and a line in ROW_ORACLES.


@njit(nogil=True)
def first_half(oracle, rows, entries, residual, barred):
    """The first half of the rows, in their order."""
    begin_sums(oracle, residual)
    for k in range((residual.size + 1) // 2):
        i = use(oracle, residual, k)
        add_row(oracle, rows, i, residual[i], barred)


HALF = RowOracle("first-half", "the first half of the rows", first_half, (False, False))


# A step rule: a type with `step_length`, and a line in STEP_RULES.


class _ConstantFields(NamedTuple):
    length: float = 0.1


class Constant(_ConstantFields):
    """The same step each time."""

    __slots__ = ()

    name = "constant"
    title = "constant steps"

    def fits(self, loss, parabola):
        return True


@implements(step_length, Constant)
def _constant(rule, curve, descent, planned, length, most, memory):
    return min(most, rule.length)


@implements(needs_curve, Constant)
def _needs_no_curve(rule):
    return False


# A loss: a class with its primitives, and a name in LOSSES.


class _PseudoHuberFields(NamedTuple):
    curvature_bound: float = 1.0


class PseudoHuber(_PseudoHuberFields):
    """l(u, y) = sqrt(1 + (u - y)^2) - 1."""

    __slots__ = ()

    name = "pseudo-huber"
    formula = "<i>f</i>(<i>a</i>) = Σ √(1 + <i>r</i>²) − 1"
    tex = r"f(a) = \sum_i \sqrt{1 + r_i^2} - 1"
    error_name = "mean absolute error"
    error_formula = r"\frac1m \sum_i |r_i|"
    error_unit = "the unit of y"
    option = ""
    error_power = 1
    response = "numbers"
    centred = False
    closed_line_search = False
    separable = False

    @property
    def text(self):
        return self.name

    @classmethod
    def parse(cls, options):
        return cls()

    def takes(self, y):
        return True

    def units(self, y):
        return float(np.median(y)), 1.0

    def fitted(self, y, scale, weights=None):
        return self

    def value(self, prediction, y, weights=None):
        return summed(np.sqrt(1.0 + (prediction - y) ** 2) - 1.0, weights)

    def derivative(self, prediction, y):
        r = prediction - y
        return r / np.sqrt(1.0 + r * r)

    def dual(self, residual, y, shrink, weights=None):
        t = shrink * residual
        return summed(t * y + np.sqrt(np.maximum(0.0, 1.0 - t * t)) - 1.0, weights)

    def initial_slope(self, sigma, y, correlate):
        return correlate(y / np.sqrt(1.0 + y * y))

    def error(self, prediction, y):
        return float(np.mean(abs(prediction - y)))


@implements(loss_at, PseudoHuber)
def _loss(loss, u, y):
    return np.sqrt(1.0 + (u - y) * (u - y)) - 1.0


@implements(negative_derivative_at, PseudoHuber)
def _negative_derivative(loss, u, y):
    return (y - u) / np.sqrt(1.0 + (u - y) * (u - y))


@implements(curvature_at, PseudoHuber)
def _curvature(loss, u, y, r):
    return (1.0 + (u - y) * (u - y)) ** -1.5


@implements(dual_at, PseudoHuber)
def _dual(loss, r, y, shrink):
    t = shrink * r
    return t * y + np.sqrt(max(0.0, 1.0 - t * t)) - 1.0


@implements(is_parabola, PseudoHuber)
@implements(is_separable, PseudoHuber)
def _no(loss):
    return False


# A storage: a class with the primitives, and a name in STORAGES.

CHUNK = 7


class Chunked(NamedTuple):
    """A dense matrix in blocks of columns of a memory map: ``blocks`` (blocks, CHUNK, m)."""

    blocks: Any
    offset: Any
    scale: Any

    @classmethod
    def of(cls, X, file):
        """The blocks of ``X`` (m, p), written to ``file`` and mapped; the last is filled up."""
        m, p = X.shape
        blocks = np.zeros((-(-p // CHUNK), CHUNK, m))
        blocks.reshape(-1, m)[:p] = X.T
        np.save(file, blocks)
        mapped = np.asarray(np.load(file, mmap_mode="r"))
        return cls(mapped, np.zeros(p), np.ones(p))

    @property
    def shape(self):
        return self.blocks.shape[2], self.offset.size

    @property
    def stored(self):
        return (self.blocks,)

    @property
    def entries(self):
        return self.blocks.shape[2] * self.offset.size

    @property
    def layout(self):
        return (self.blocks.dtype.str,)

    @property
    def base_features(self):
        return self.offset.size

    def column_names(self, names):
        return names

    def _columns(self):
        return self.blocks.reshape(-1, self.blocks.shape[2])[: self.offset.size]

    def _plain(self):
        return Dense(self._columns(), self.offset, self.scale)

    def like(self, X):
        m, p = X.shape
        blocks = np.zeros((-(-p // CHUNK), CHUNK, m))
        blocks.reshape(-1, m)[:p] = X.T
        blocks.setflags(write=False)
        return Chunked(blocks, np.zeros(p), np.ones(p))

    def with_rows(self, X):
        return self._plain().with_rows(X)

    cuts = Dense.cuts

    def without(self, constant):
        return self

    def permuted(self, columns):
        return self._plain().permuted(columns)

    def matrix(self):
        return self._plain().matrix()

    def exported(self):
        return self.matrix(), None

    def by_rows(self):
        return self._plain().by_rows()

    @classmethod
    def opened(cls, arrays):
        if "blocks" not in arrays:
            return None
        return cls(arrays["blocks"], arrays["offset"], arrays["scale"])


@implements(col_dot, Chunked)
def _col_dot(design, j, v, v_sum):
    column, total = design.blocks[j // CHUNK, j % CHUNK], 0.0
    for i in range(column.size):
        total += column[i] * v[i]
    return design.scale[j] * (total - design.offset[j] * v_sum)


@implements(range_dots, Chunked)
def _range_dots(design, v, v_sum, first, out):
    for k in range(out.size):
        out[k] = col_dot(design, first + k, v, v_sum)


@implements(col_axpy, Chunked)
def _col_axpy(design, j, c, v):
    column, c = design.blocks[j // CHUNK, j % CHUNK], c * design.scale[j]
    for i in range(column.size):
        v[i] += c * column[i]
    return c * column.size * design.offset[j]


@implements(col_place, Chunked)
@implements(col_fetch, Chunked)
def _ask(design, j):
    pass


@implements(col_reach, Chunked)
def _reach(design, j, v):
    pass


@implements(col_entries, Chunked)
def _col_entries(design, j):
    return design.blocks.shape[2]


@implements(col_row, Chunked)
def _col_row(design, j, k):
    return np.int64(k)


@implements(col_value, Chunked)
def _col_value(design, j, k):
    return np.float64(design.blocks[j // CHUNK, j % CHUNK, k])


@implements(col_moments, Chunked)
def _col_moments(design, j):
    return moments(design.blocks[j // CHUNK, j % CHUNK])

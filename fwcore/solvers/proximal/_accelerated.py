"""Accelerated proximal gradient with backtracking, and with restarts or as in SLEP (Liu, Ji & Ye
2009), shared by the penalty form and the ball form.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import all_dots, col_entries, image_of
from fwcore.errors import ParameterError
from fwcore.kernels.duality_gap import penalty_gap
from fwcore.kernels.projection import project_l1
from fwcore.kernels.records import zero_records
from fwcore.kernels.soft_threshold import soft_threshold
from fwcore.kernels.steepness import steepness
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import copy_into, nonzeros, take, total
from fwcore.losses import loss_at, negative_derivative_at
from fwcore.options import Choice, GapOptions
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
from fwcore.trace import Rows, new_rows

PROXIMAL = np.dtype(
    [
        ("momentum", np.float64),
        ("lipschitz", np.float64),
        ("objective", np.float64),
        ("l1", np.float64),
        ("nnz", np.int64),
        ("since", np.int64),
        ("check", np.int64),
        ("ball", np.bool_),
        ("slep", np.bool_),
    ]
)
# An estimate that was too large is forgotten at this rate.
_RELAX = 0.95
# An increase of the bound by less than this share of f is rounding error.
_ROUNDING = 1e-12
# SLEP scales no point whose l1 norm is less.
_SCALED = 1e-6


class ProximalOptions(GapOptions):
    """Options of the proximal solvers."""

    steps = Choice(
        default="relaxed",
        choices={"relaxed": "relaxed and restarted", "slep": "as SLEP's"},
        label="Steps",
        doc="relaxed: the estimate of the curvature goes on from point to point, a little less in "
        "each step, and momentum restarts where it points uphill. slep: it begins anew at each "
        "point and only grows, momentum never restarts, and a point begins at the best multiple "
        "of the last (Liu, Ji & Ye 2009).",
    )


class ProximalState(NamedTuple):
    """A run.

    ``coef``, ``previous``, ``point``: (p,), the last two iterates and the extrapolated point;
    ``image``, ``image_before``: (m,), X times the iterates, exactly. ``residual``: (m,), -l' at the
    point or the iterate. ``dots``: (p,), X'R, and ``trial``: (p,). ``proximal`` (1,): momentum t,
    the estimate L of the curvature, f and l1 norm and non-zeros of the iterate, steps of the point,
    after how many the gap is looked at, the form, and whether steps are SLEP's.
    """

    coef: Floats
    previous: Floats
    point: Floats
    image: Floats
    image_before: Floats
    residual: Floats
    dots: Floats
    trial: Floats
    proximal: Any
    counters: Any


class ProximalSolver(Solver):
    """Subclasses name the form."""

    family = "Proximal gradient"
    certified = True
    positive = True
    needs = ("curvature_bound",)
    Options: ClassVar[type[ProximalOptions]] = ProximalOptions

    def ridge_weight(self, options: Any, value: float) -> float:
        """The ridge at a point."""
        return 0.0

    def init(self, problem: Problem, options: Any, seed: int) -> ProximalState:
        p, m = problem.p, problem.m
        slep = options.steps == "slep"
        if slep and not problem.loss.closed_line_search:
            rule = "'relaxed' where the loss has no closed-form line search"
            raise ParameterError("steps", type(self).__name__, rule, options.steps)
        proximal = zero_records(1, PROXIMAL)
        proximal["lipschitz"], proximal["slep"] = _least_curvature(problem), slep
        proximal["check"] = options.check
        proximal["ball"] = self.form == "ball"
        vectors = (
            np.zeros(p),
            np.zeros(p),
            np.zeros(p),
            np.zeros(m),
            np.zeros(m),
            np.zeros(m),
            np.zeros(p),
            np.zeros(p),
        )
        return ProximalState(*vectors, proximal, new_counters(problem, options))

    def set_point(
        self, problem: Problem, state: ProximalState, options: Any, value: float, progress: float
    ) -> None:
        start_point(state.counters, value, self.ridge_weight(options, value))
        state.proximal["momentum"], state.proximal["since"] = 1.0, 0
        if options.steps == "slep":
            # The first step with momentum is the third.
            state.proximal["momentum"] = 0.0
            state.proximal["lipschitz"] = _least_curvature(problem)
            _rescale(problem, state, value)
        state.previous[:], state.image_before[:] = state.coef, state.image

    def advance(self, problem: Problem, state: ProximalState, n: int) -> Rows:
        rows = new_rows(n)
        loss: Any = problem.loss
        return rows[: _advance(problem.design, problem.y, loss, problem.entries, state, rows)]

    def coefficients(self, state: ProximalState) -> tuple[Ints, Floats]:
        indices = np.flatnonzero(state.coef)
        return indices, state.coef[indices]


def _least_curvature(problem: Problem) -> float:
    """That along the steepest single column."""
    return float(problem.loss.curvature_bound * problem.sqnorms.max())


def _rescale(problem: Problem, state: ProximalState, value: float) -> None:
    """The multiple of the last iterate that is best at the point ``value``, of a parabola: SLEP's
    initial factor.
    """
    l1, length = float(np.abs(state.coef).sum()), float(np.linalg.norm(state.image))
    if l1 < _SCALED or length == 0.0:
        return
    # The curvature along the ray, by slopes as far apart as y is long: near zero they cancel.
    far = float(np.linalg.norm(problem.y)) / length
    slopes = [
        float(problem.loss.derivative(at * state.image, problem.y) @ state.image)
        for at in (0.0, far)
    ]
    ridge = float(state.counters["ridge"][0]) * float(state.coef @ state.coef)
    ball = bool(state.proximal["ball"][0])
    best = -(slopes[0] + (0.0 if ball else value * l1)) / ((slopes[1] - slopes[0]) / far + ridge)
    factor = max(min(best, value / l1) if ball else best, 0.0)
    state.coef[:] *= factor
    state.image[:] *= factor


@njit(nogil=True, cache=True)
def _value(loss, y, image, a, ridge):
    """f(a), where X a = image."""
    total = 0.0
    if ridge > 0.0:
        for j in range(a.size):
            total += a[j] * a[j]
        total *= 0.5 * ridge
    for i in range(y.size):
        total += loss_at(loss, image[i], y[i])
    return total


@njit(nogil=True, inline="always")
def _slopes(design, y, loss, image, a, state, entries):
    """``dots`` = X'R - r a = -f'(a), where X a = image; charged as p dot products."""
    for i in range(y.size):
        state.residual[i] = negative_derivative_at(loss, image[i], y[i])
    all_dots(design, state.residual, total(state.residual), state.dots)
    if state.counters[0].ridge > 0.0:
        for j in range(a.size):
            state.dots[j] -= state.counters[0].ridge * a[j]
    state.counters[0].dots += state.dots.size
    state.counters[0].entries += entries


@njit(nogil=True, cache=True)
def _product(design, a, counters, out):
    """out = X a by its non-zero coefficients, charged as a dot product each; their number."""
    indices = nonzeros(a)
    image_of(design, indices, take(a, indices), out)
    for j in indices:
        counters.entries += col_entries(design, j)
    counters.dots += indices.size
    return indices.size


@njit(nogil=True, inline="always")
def _prox(state, lipschitz):
    """``trial`` = the proximal step of length 1 / L from ``point``: soft-thresholding by lam / L,
    or projection on the ball.
    """
    it, value, positive = state.proximal[0], state.counters[0].value, state.counters[0].positive
    target = state.point + state.dots / lipschitz
    if it.ball:
        if positive:
            for j in range(target.size):
                target[j] = max(target[j], 0.0)
        project_l1(target, value, state.trial)
        return
    for j in range(target.size):
        state.trial[j] = soft_threshold(target[j], value / lipschitz, positive)


@njit(nogil=True, inline="always")
def _backtrack(design, y, loss, state, f_point, image):
    """Raise L until its quadratic bounds f at ``trial``: double it, or as SLEP to the curvature
    along the step, should that be more. f there, its image in ``image``, and its non-zeros.
    """
    it, counters = state.proximal[0], state.counters[0]
    while True:
        _prox(state, it.lipschitz)
        nnz = _product(design, state.trial, counters, image)
        f, linear, square = _value(loss, y, image, state.trial, counters.ridge), 0.0, 0.0
        for j in range(state.trial.size):
            step = state.trial[j] - state.point[j]
            linear -= state.dots[j] * step
            square += step * step
        if f <= f_point + linear + 0.5 * it.lipschitz * square + _ROUNDING * (
            abs(f_point) + abs(linear)
        ):
            return f, nnz
        seen = 2.0 * (f - f_point - linear) / square if it.slep and square > 0.0 else 0.0
        it.lipschitz = max(2.0 * it.lipschitz, seen)


@njit(nogil=True, cache=True)
def _accept(state, image):
    """The trial becomes the iterate, and momentum starts again where it points uphill; the largest
    change of a coefficient.
    """
    it = state.proximal[0]
    moved, uphill, l1 = 0.0, 0.0, 0.0
    for j in range(state.coef.size):
        step = state.trial[j] - state.coef[j]
        uphill += (state.point[j] - state.trial[j]) * step
        moved = max(moved, abs(step))
        l1 += abs(state.trial[j])
        state.previous[j], state.coef[j] = state.coef[j], state.trial[j]
    copy_into(state.image, state.image_before)
    copy_into(image, state.image)
    it.l1 = l1
    if uphill > 0.0 and not it.slep:
        it.momentum = 1.0
        copy_into(state.coef, state.previous)
        copy_into(state.image, state.image_before)
    return moved


@njit(nogil=True, inline="always")
def _gap(design, y, loss, state, entries):
    """The gap of the iterate, for a pass over all columns."""
    it, counters = state.proximal[0], state.counters[0]
    _slopes(design, y, loss, state.image, state.coef, state, entries)
    steepest, product, squares = 0.0, 0.0, 0.0
    for j in range(state.dots.size):
        steepest = max(steepest, steepness(-state.dots[j], counters.positive))
        product += state.dots[j] * state.coef[j]
        squares += state.coef[j] * state.coef[j]
    if it.ball:
        return counters.value * steepest - product
    return penalty_gap(
        loss,
        y,
        state.residual,
        0.0,
        0.0,
        it.objective,
        counters.value,
        it.l1,
        steepest,
        counters.ridge * squares,
    )


@njit(nogil=True, cache=True)
def _advance(design, y, loss, entries, state, rows):
    """Steps until ``rows`` is full or the point ends; the number of rows filled."""
    it, counters = state.proximal[0], state.counters[0]
    image = np.empty(y.size)
    for k in range(rows.size):
        after = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * it.momentum * it.momentum))
        push, it.momentum = (it.momentum - 1.0) / after, after
        for j in range(state.point.size):
            state.point[j] = state.coef[j] + push * (state.coef[j] - state.previous[j])
        point_image = state.image + push * (state.image - state.image_before)
        _slopes(design, y, loss, point_image, state.point, state, entries)
        it.lipschitz *= 1.0 if it.slep else _RELAX
        f_point = _value(loss, y, point_image, state.point, counters.ridge)
        it.objective, it.nnz = _backtrack(design, y, loss, state, f_point, image)
        moved = _accept(state, image)
        it.since += 1
        gap, checks = np.nan, counters.gap_at_most >= 0.0 and it.since % it.check == 0
        if checks:
            gap = _gap(design, y, loss, state, entries)
        row = rows[k]
        row.objective, row.l1, row.nnz = it.objective, it.l1, it.nnz
        record(counters, row, gap, moved)
        if checks:
            check_gap(counters, gap)
        check_move(counters, moved)
        check_limit(counters)
        if counters.outcome != 0:
            return k + 1
    return rows.size

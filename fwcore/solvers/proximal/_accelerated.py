"""Accelerated proximal gradient with backtracking and restart, shared by the penalty form and the
ball form.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fwcore.design import all_dots, col_entries, image_of
from fwcore.kernels.duality_gap import penalty_gap
from fwcore.kernels.projection import project_l1
from fwcore.kernels.soft_threshold import soft_threshold
from fwcore.kernels.steepness import steepness
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import copy_into, nonzeros, take, total
from fwcore.losses import loss_at, negative_derivative_at
from fwcore.options import GapOptions
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
    ]
)
# An estimate that was too large is forgotten at this rate.
_RELAX = 0.95
# An increase of the bound by less than this share of f is rounding error.
_ROUNDING = 1e-12


class ProximalState(NamedTuple):
    """A run.

    ``coef``, ``previous``, ``point``: (p,), the last two iterates and the extrapolated point;
    ``image``, ``image_before``: (m,), X times the iterates, exactly. ``residual``: (m,), -l' at the
    point or the iterate. ``dots``: (p,), X'R, and ``trial``: (p,). ``proximal`` (1,): momentum t,
    the estimate L of the curvature, f and l1 norm and non-zeros of the iterate, steps of the point,
    after how many the gap is looked at, and the form.
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
    Options = GapOptions

    def ridge_weight(self, options: Any, value: float) -> float:
        """The ridge at a point."""
        return 0.0

    def init(self, problem: Problem, options: Any, seed: int) -> ProximalState:
        p, m = problem.p, problem.m
        proximal = np.zeros(1, PROXIMAL)
        proximal["lipschitz"] = problem.loss.curvature_bound * problem.sqnorms.max()
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
        state.previous[:], state.image_before[:] = state.coef, state.image

    def advance(self, problem: Problem, state: ProximalState, n: int) -> Rows:
        rows = new_rows(n)
        loss: Any = problem.loss
        return rows[: _advance(problem.design, problem.y, loss, problem.entries, state, rows)]

    def coefficients(self, state: ProximalState) -> tuple[Ints, Floats]:
        indices = np.flatnonzero(state.coef)
        return indices, state.coef[indices]


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
    """Double L until its quadratic bounds f at ``trial``; f there, its image in ``image``, and its
    non-zeros.
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
        it.lipschitz *= 2.0


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
    if uphill > 0.0:
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
        it.lipschitz *= _RELAX
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

"""Certified paths on a working set of columns: the loop that the ball form and the penalty form
share.

A step of the trace is a round: minimise on the working set (`fwcore.solvers.working_set._face`),
compute the residual from scratch, find the columns outside that break the optimality conditions
(`fwcore.solvers.working_set._screening`), and let the steepest of them join. A round that finds
none has proved that the gap over all columns is small, mostly without a pass over X.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from fwcore.design import col_axpy, col_dot, col_entries, some_dots
from fwcore.kernels.types import Floats, Ints
from fwcore.kernels.vectors import total
from fwcore.options import Choice, Count, WalkOptions
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
from fwcore.solvers.working_set._face import Face, correct
from fwcore.solvers.working_set._screening import Screen
from fwcore.status import Status
from fwcore.trace import Rows, new_rows

# A round lets at most so many columns onto the face, so that it stays short.
_JOIN_FACE = 64
_FIRST_CAPACITY = 64
# Idle columns are kept at hand up to this number and that of the active ones, since many come back.
_IDLE = 512
# Once the columns looked at since the last full pass come to this share of one, a fresh reference
# is worth it.
_RENEW = 0.4
# Shares of the target gap that the working set and the columns outside it may use up.
_INSIDE, _OUTSIDE = 0.3, 0.9


class CertifiedOptions(WalkOptions):
    """Options of the working-set solvers."""

    rule = Choice(
        default="gap",
        choices={"moved": "coefficients settle", "gap": "gap is small"},
        label="Stop when",
        doc=WalkOptions.param.rule.doc,
    )
    threads = Count(
        default=1,
        bounds=(1, 256),
        label="Threads",
        doc="Threads that share a pass over all columns.",
    )


@dataclass
class WorkingSet:
    """A run: the first ``size`` of ``columns`` are the working set, which ``listed`` (p,) marks;
    ``face`` holds its coefficients.

    ``found`` is room for the columns that a round looks at, ``spent`` the entries touched in them
    since the last full pass, ``target`` the gap that ends a point.
    """

    face: Face
    columns: Ints
    listed: NDArray[np.bool_]
    screen: Screen
    found: Ints
    target: float
    counters: Any
    spent: int = 0

    @property
    def size(self) -> int:
        """Columns in the working set."""
        return int(self.face.face["size"][0])

    def support(self) -> tuple[Ints, Floats]:
        """Columns and coefficients of the face."""
        active = self.face.order[: self.face.face["active"][0]]
        return self.columns[active], self.face.coef[active]


class WorkingSetSolver(Solver):
    """What the two forms share."""

    family = "Certified"
    certified = True
    needs = ("closed_line_search",)
    Options = CertifiedOptions

    @abstractmethod
    def slack(self, problem: Problem, state: WorkingSet) -> float:
        """By how much a column may be steeper than the face when the target gap is reached."""

    @abstractmethod
    def gap(
        self, problem: Problem, value: float, residual: Floats, l1: float, steepest: float
    ) -> float:
        """The gap of the form where no column is steeper than ``steepest``."""

    def init(self, problem: Problem, options: Any, seed: int) -> WorkingSet:
        return WorkingSet(
            face=Face.of(_FIRST_CAPACITY),
            columns=np.zeros(_FIRST_CAPACITY, np.int64),
            listed=np.zeros(problem.p, np.bool_),
            screen=Screen(problem, options.threads),
            found=np.zeros(max(problem.p // 10, 256), np.int64),
            target=options.tol * problem.f0,
            counters=new_counters(problem, options),
        )

    def set_point(
        self, problem: Problem, state: WorkingSet, options: Any, value: float, progress: float
    ) -> None:
        start_point(state.counters, value)
        active = int(state.face.face["active"][0])
        if state.size > 2 * active + _IDLE:
            self._prune(state)

    def advance(self, problem: Problem, state: WorkingSet, n: int) -> Rows:
        rows = new_rows(n)
        for k in range(n):
            self._round(problem, state, rows[k : k + 1])
            if state.counters["outcome"][0]:
                return rows[: k + 1]
        return rows

    def coefficients(self, state: WorkingSet) -> tuple[Ints, Floats]:
        indices, values = state.support()
        order = np.argsort(indices)
        order = order[values[order] != 0.0]
        return indices[order], values[order]

    def _round(self, problem: Problem, state: WorkingSet, row: Rows) -> None:
        value, slack = float(state.counters["value"][0]), self.slack(problem, state)
        moved = correct(state.face, value, self.form == "ball", _INSIDE * slack, _JOIN_FACE)
        indices, values = state.support()
        residual = problem.residual(indices, values)
        l1 = float(np.abs(values).sum())
        level = float(state.face.face["level"][0])
        joined, steepest = self._screen(problem, state, residual, level + _OUTSIDE * slack)
        row["objective"] = 0.5 * residual @ residual
        row["l1"], row["nnz"] = l1, np.count_nonzero(values)
        gap = self.gap(problem, value, residual, l1, steepest)
        _close(state.counters, row, gap, moved, joined == 0)
        if joined == 0 and moved == 0.0 and self.outcome(state) == Status.RUNNING:
            # Nothing can join and nothing can move: what is left of the gap is rounding error.
            state.counters["outcome"] = Status.SMALL_MOVE

    def _screen(
        self, problem: Problem, state: WorkingSet, residual: Floats, threshold: float
    ) -> tuple[int, float]:
        """Let columns steeper than ``threshold`` join: (how many did, a bound on the steepest of
        all).
        """
        columns, slopes = self._candidates(problem, state, residual, threshold)
        steepest = max(threshold, float(slopes.max(initial=0.0)))
        breaking = (slopes > threshold) & ~state.listed[columns]
        columns, slopes = columns[breaking], slopes[breaking]
        most = max(10, state.size // 5)
        if slopes.size > most:
            steep = np.argpartition(-slopes, most)[:most]
            columns, slopes = columns[steep], slopes[steep]
        self._join(problem, state, columns[np.lexsort((columns, -slopes))])
        return columns.size, steepest

    def _candidates(
        self, problem: Problem, state: WorkingSet, residual: Floats, threshold: float
    ) -> tuple[Ints, Floats]:
        """Every column with abs(x_j'r) > threshold, perhaps among others, and these values."""
        screen, found = state.screen, state.found
        n = screen.above(screen.bounds(residual), threshold, found)
        if n > found.size or state.spent > _RENEW * problem.entries:
            state.spent = 0
            state.counters["dots"] += problem.p
            state.counters["entries"] += problem.entries
            slopes = np.abs(screen.renew(residual))
            columns = np.flatnonzero(slopes > threshold)
            return columns, slopes[columns]
        slopes = np.empty(n)
        entries = some_dots(problem.design, found[:n], residual, float(residual.sum()), slopes)
        state.spent += entries
        state.counters["dots"] += n
        state.counters["entries"] += entries
        return found[:n], np.abs(slopes)

    def _prune(self, state: WorkingSet) -> None:
        """Drop idle columns that are less than half as steep as the face; the Gram matrix has a row
        for each.
        """
        size, face = state.size, state.face
        keep = (face.sign[:size] != 0.0) | (
            np.abs(face.gradient[:size]) > 0.5 * face.face["level"][0]
        )
        state.listed[state.columns[:size][~keep]] = False
        state.columns[: keep.sum()] = state.columns[:size][keep]
        face.kept(np.flatnonzero(keep))

    def _join(self, problem: Problem, state: WorkingSet, columns: Ints) -> None:
        size = state.size
        needed = size + columns.size
        if needed > state.columns.size:
            capacity = max(needed, 2 * state.columns.size)
            state.face = state.face.grown(capacity)
            state.columns = np.concatenate(
                [state.columns, np.zeros(capacity - state.columns.size, np.int64)]
            )
        state.columns[size:needed] = columns
        state.listed[columns] = True
        entries = _extend(
            problem.design,
            problem.sigma,
            state.columns,
            state.face,
            columns.size,
            np.empty(problem.m),
        )
        state.counters["dots"] += columns.size * size + columns.size * (columns.size + 1) // 2
        state.counters["entries"] += entries


@njit(nogil=True, cache=True)
def _close(counters, row, gap, moved, settled):
    record(counters[0], row[0], gap, moved)
    check_gap(counters[0], gap)
    if settled:
        check_move(counters[0], moved)
    check_limit(counters[0])


@njit(nogil=True, cache=True)
def _extend(design, sigma, columns, face, joining, image):
    """Gram rows of the columns that join; the entries touched. ``image`` (m,) is scratch."""
    it, entries = face.face[0], 0
    for w in range(it.size, it.size + joining):
        image[:] = 0.0
        col_axpy(design, columns[w], 1.0, image)
        image_sum = total(image)
        for k in range(w + 1):
            product = col_dot(design, columns[k], image, image_sum)
            face.gram[w, k], face.gram[k, w] = product, product
            entries += col_entries(design, columns[k])
        face.dots[w] = sigma[columns[w]]
        face.coef[w], face.sign[w] = 0.0, 0.0
    it.size += joining
    return entries

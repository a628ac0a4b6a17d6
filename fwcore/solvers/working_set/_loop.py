"""Certified paths on a working set of columns: the loop that both forms and both engines share.

A step of the trace is a round: minimise on the working set (an engine of
`fwcore.solvers.working_set._engine`), compute the residual from scratch, find the columns outside
that break the optimality conditions (`fwcore.solvers.working_set._screening`), and let the steepest
of them join. A round that finds none has proved that the gap over all columns is small, mostly
without a pass over X.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import all_dots, col_dot, col_entries, image_of, some_dots
from fwcore.kernels.duality_gap import penalty_gap
from fwcore.kernels.selection import largest_first
from fwcore.kernels.steepness import steepness
from fwcore.kernels.unpenalised import add_best, slope_along
from fwcore.kernels.vectors import total
from fwcore.losses import loss_and_residual
from fwcore.solvers.base import check_gap, check_limit, check_move, record
from fwcore.solvers.working_set._conjugate import has_free
from fwcore.solvers.working_set._engine import (
    admit,
    gather,
    go_along,
    go_back,
    minimise,
    most_joining,
    wants_all,
)
from fwcore.solvers.working_set._screening import (
    columns_above,
    combine_references,
    keep,
)
from fwcore.solvers.working_set._working_set import (
    FORESEE,
    MINIMISE,
    PASSED,
    SCREEN,
    prune,
)
from fwcore.status import Status

# Once the columns looked at since the last full pass come to this share of one, a fresh reference
# is worth it.
_RENEW = 0.4
# By how much columns outside the working set may be steeper, as a share of the slack.
_OUTSIDE = 0.9
# A round after which nothing joins, and the gap is still too large, makes the next stricter.
_STRICTER, _STRICTEST = 0.3, 1e-8
# The working set is to blame where its own gap is more than this share of the target.
_BLAMED = 0.5
# Below this share of the l1 norm, a change is rounding error.
_STILL = 1e-15
_SMALL_MOVE = int(Status.SMALL_MOVE)

DONE, ROOM, PASS = 0, 1, 2
"""What `rounds` want before they go on: nothing, room for more columns, a pass over X."""


@njit(nogil=True, cache=True)
def _refit(y, loss, run, n):
    """What has no penalty, residual and norms, for X a in ``image`` and the ``n`` coefficients
    gathered.
    """
    it = run.it[0]
    if has_free(loss, run):
        add_best(loss, y, run.free, run.image)
    it.loss = loss_and_residual(loss, run.image, y, run.residual)
    it.l1, it.square, it.nnz = 0.0, 0.0, 0
    for k in range(n):
        it.l1 += abs(run.values[k])
        it.square += run.values[k] * run.values[k]
        it.nnz += np.int64(run.values[k] != 0.0)


@njit(nogil=True, inline="always")
def _set_slack(run):
    """By how much a column may be steeper than the level when the target gap is reached.

    Ball: the gap is delta * (steepest - level) on a tight face, and inside the level is 0. Penalty:
    with s = lam / (lam + slack) the gap of a parabola is 1/2 (1 - s)^2 ||R||^2 + (1 - s) lam sum
    abs(a), where ||R||^2 <= 2 f(0); half of the target is left to the other terms.
    """
    it, value = run.it[0], run.counters[0].value
    if it.ball:
        it.slack = it.target / value
    else:
        share = 0.5 * it.target
        it.slack = min(share / max(it.l1, 1e-300), value * np.sqrt(share / it.f0))
    it.slack *= it.strictness


@njit(nogil=True, inline="always")
def _look(design, run, threshold):
    """The columns with abs(x_j'R) > threshold, perhaps among others, into ``found``, and x_j'R into
    ``slopes``: how many; -1 where they do not fit.
    """
    it, counters = run.it[0], run.counters[0]
    slack = combine_references(run.screen, run.residual)
    n = columns_above(run.screen, slack, threshold, counters.positive, run.found)
    if n > run.found.size:
        return -1
    touched = some_dots(design, run.found[:n], run.residual, total(run.residual), run.slopes[:n])
    it.spent += touched
    it.seen += touched
    counters.dots += n
    counters.entries += touched
    return n


@njit(nogil=True, inline="always")
def _begin_pass(entries, run):
    it, counters = run.it[0], run.counters[0]
    it.spent, it.phase, it.total = 0, PASSED, total(run.residual)
    it.seen += entries
    counters.dots += run.place.size
    counters.entries += entries


@njit(nogil=True, cache=True)
def _look_at_all(run, threshold):
    """The same after a pass, which becomes a reference: (how many, the threshold), which is raised
    should there be more than fit. Of an elastic net those of the working set are left out: all that
    are active have abs(x_j'R) > lam.
    """
    last, positive, steepest = run.screen.last, run.counters[0].positive, 0.0
    everywhere = run.counters[0].ridge == 0.0
    keep(run.screen, run.residual)
    for j in range(last.size):
        if everywhere or run.place[j] < 0:
            steepest = max(steepest, steepness(-last[j], positive))
    while True:
        n = 0
        for j in range(last.size):
            seen = everywhere or run.place[j] < 0
            if seen and steepness(-last[j], positive) > threshold:
                if n < run.found.size:
                    run.found[n], run.slopes[n] = j, last[j]
                n += 1
        higher = threshold + 0.5 * (steepest - threshold)
        # More than fit may be equally steep: then the first of them are as good as others.
        if n <= run.found.size or not threshold < higher < steepest:
            return min(n, run.found.size), threshold
        threshold = higher


@njit(nogil=True, inline="always")
def _steepest_inside(design, run):
    """Of an elastic net: the steepest column of the working set."""
    counters, steepest = run.counters[0], 0.0
    residual_sum = total(run.residual)
    for k in range(run.it[0].size):
        slope = col_dot(design, run.columns[k], run.residual, residual_sum)
        counters.dots += 1
        counters.entries += col_entries(design, run.columns[k])
        gradient = counters.ridge * run.engine.coef[k] - slope
        steepest = max(steepest, steepness(gradient, counters.positive))
    return steepest


@njit(nogil=True, cache=True)
def _choose(run, n, threshold, steepest):
    """Of the ``n`` columns found the steepest are to follow the working set: (how many, a bound on
    the steepest of all columns).
    """
    it, counters, breaking = run.it[0], run.counters[0], 0
    for k in range(n):
        j, inside = run.found[k], run.place[run.found[k]] >= 0
        steep = steepness(-run.slopes[k], counters.positive)
        if not (inside and counters.ridge > 0.0):
            steepest = max(steepest, steep)
        if steep > threshold and not inside:
            run.found[breaking], run.slopes[breaking] = j, steep
            breaking += 1
    joining = min(breaking, most_joining(run.engine, it.size))
    largest_first(run.slopes[:breaking], run.found[:breaking], joining)
    for k in range(joining):
        _let_join(run, run.found[k], k)
    if joining > 0 and wants_all(run.engine, it.size, run.place.size):
        for j in range(run.place.size):
            if run.place[j] < 0:
                _let_join(run, j, joining)
                joining += 1
    return joining, steepest


@njit(nogil=True, inline="always")
def _let_join(run, j, k):
    run.place[j] = run.it[0].size + k
    run.columns[run.place[j]] = j


@njit(nogil=True, cache=True)
def _gap(y, loss, run, steepest):
    """The gap of the form where no column is steeper than ``steepest``."""
    it, counters = run.it[0], run.counters[0]
    quadratic = counters.ridge * it.square
    if it.ball:
        along = quadratic + slope_along(run.free, run.residual)
        for i in range(y.size):
            along -= run.image[i] * run.residual[i]
        return along + counters.value * steepest
    objective, y_sum = it.loss + 0.5 * quadratic, 0.0
    return penalty_gap(
        loss, y, run.residual, y_sum, y_sum, objective, counters.value, it.l1, steepest, quadratic
    )


@njit(nogil=True, inline="always")
def _tighten(y, loss, run):
    """After a round that ended nothing though no column joined: what is left of the gap is the
    working set's, that of columns that may be steeper than the level, or rounding error.
    """
    it = run.it[0]
    if it.moved <= _STILL * it.l1:
        it.strictness *= _STRICTER * _STRICTER
    elif it.settled and _gap(y, loss, run, it.level) > _BLAMED * it.target:
        it.inside *= _STRICTER
    elif it.settled:
        it.strictness *= _STRICTER
    if min(it.inside, it.strictness) < _STRICTEST:
        run.counters[0].outcome = _SMALL_MOVE


@njit(nogil=True, cache=True)
def _close_round(y, loss, run, row, steepest, joined):
    """Write the row of the round, and see whether it ends the point."""
    it, counters = run.it[0], run.counters[0]
    gap = _gap(y, loss, run, steepest)
    row.objective = it.loss + 0.5 * counters.ridge * it.square
    row.l1, row.nnz = it.l1, it.nnz
    record(counters, row, gap, it.moved)
    check_gap(counters, gap)
    if joined == 0:
        check_move(counters, it.moved)
    if joined == 0 and counters.outcome == 0:
        _tighten(y, loss, run)
    check_limit(counters)
    it.phase = MINIMISE


@njit(nogil=True, cache=True)
def _go_on(design, y, loss, run):
    """Begin the point on the line through the last two, where that is better than at the last: on
    a face coefficients of the squared loss are linear in lam.
    """
    it, level = run.it[0], run.it[0].aim
    present = it.loss + level * it.l1 + 0.5 * run.counters[0].ridge * it.square
    if not go_along(run.engine, run, it.ahead):
        return
    _see(design, y, loss, run)
    if not it.loss + level * it.l1 + 0.5 * run.counters[0].ridge * it.square < present:
        go_back(run.engine, run)
        _see(design, y, loss, run)


@njit(nogil=True, cache=True)
def _see(design, y, loss, run):
    n = gather(run.engine, run)
    run.it[0].chosen = n
    image_of(design, run.chosen[:n], run.values[:n], run.image)
    _refit(y, loss, run, n)


@njit(nogil=True, inline="always")
def _has_room(run):
    size, p = run.it[0].size, run.place.size
    most = p if wants_all(run.engine, size, p) else size + most_joining(run.engine, size)
    return most <= run.columns.size


@njit(nogil=True, inline="always")
def rounds(design, y, loss, sigma, sqnorms, entries, run, rows):
    """Rounds until ``rows`` is full, the point ends, or something is wanted: (the rows filled,
    what).
    """
    it, counters, k = run.it[0], run.counters[0], 0
    if it.least >= 0.0:
        prune(run)
    while k < rows.size and counters.outcome == 0:
        if it.phase != PASSED and not _has_room(run):
            return k, ROOM
        if it.phase == MINIMISE:
            _set_slack(run)
            it.moved = minimise(run.engine, design, y, loss, run, it.inside * it.slack)
            _see(design, y, loss, run)
            it.phase = SCREEN
        # What is foreseen is what the strong rule (Tibshirani et al. 2012) keeps.
        threshold, n = it.level + _OUTSIDE * it.slack, -1
        if it.phase != PASSED and it.spent <= _RENEW * entries:
            n = _look(design, run, threshold)
        if n < 0 and it.phase == SCREEN:
            _begin_pass(entries, run)
            if not it.alone:
                return k, PASS
            all_dots(design, run.residual, it.total, run.screen.last)
        if it.phase == PASSED:
            n, threshold = _look_at_all(run, threshold)
        known = _steepest_inside(design, run) if counters.ridge > 0.0 else 0.0
        joining, steepest = _choose(run, n, threshold, max(threshold, known))
        admit(run.engine, design, sigma, sqnorms, run, joining)
        it.size += joining
        if it.phase == FORESEE:
            it.phase = MINIMISE
            _go_on(design, y, loss, run)
            continue
        _close_round(y, loss, run, rows[k], steepest, joining)
        k += 1
    return k, DONE

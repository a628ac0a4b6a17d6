"""Certified paths on a working set of columns: the loop that both forms and both engines share.

A step of the trace is a round: minimise on the working set (an engine of
`fwcore.solvers.working_set._engine`), bring the residual up to date, find the columns outside
that break the optimality conditions (`fwcore.solvers.working_set._screening`), and let the steepest
of them join. Before a pass over X those join that are likely to. A round that finds none has proved
that the gap over all columns is small, mostly without a pass over X; where all columns have joined,
an engine may know it from their products. The bound that is proved holds for the next point, too,
which is ended at once where its gap is small.

Kernels take out of a run what they need before they loop or call: while it is in use, references of
each of its forty arrays are counted, and of small problems that is a quarter of the time.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import dots_in_parts
from fwcore.kernels.selection import largest_first
from fwcore.kernels.steepness import steepness
from fwcore.kernels.vectors import total
from fwcore.solvers.base import check_gap, check_limit, check_move, record
from fwcore.solvers.working_set._control import (
    FORESEE,
    MINIMISE,
    OPENED,
    PASSED,
    SCREEN,
    begin_rounds,
)
from fwcore.solvers.working_set._engine import (
    admit,
    follow,
    gather,
    go_along,
    go_back,
    minimise,
    most_joining,
    operations,
    survey,
    wants_all,
)
from fwcore.solvers.working_set._fit import refit
from fwcore.solvers.working_set._gap import gap_at_once, gap_of, steepest_inside
from fwcore.solvers.working_set._looks import leave_out, remember_look
from fwcore.solvers.working_set._passes import begin_pass, look_at_all, make_pass
from fwcore.solvers.working_set._screening import columns_above, combine_references
from fwcore.solvers.working_set._working_set import prune
from fwcore.status import Status

# Once the columns looked at since the last full pass come to this share of one, a fresh reference
# is worth it.
_RENEW = 0.4
# How often columns join before a pass because they are likely to be steep, and what is taken to be
# likely: where columns have no order, of a hundred rows one in three is farther off than that.
_GUESSES, _DOUBT = 2, 0.1
# Columns that the next point would ask for join beside those that this one does, and spare it a
# round: so many, and no farther from breaking the conditions than this share of the last step.
_BESIDE, _NEAR = 5, 0.4
# By how much columns outside the working set may be steeper, as a share of the slack.
_OUTSIDE = 0.9
# A round after which nothing joins, and the gap is still too large, makes the next stricter, until
# all is rounding error: that of double precision, or of a rough engine.
_STRICTER, _STRICTEST, _ROUGHEST = 0.3, 1e-8, 0.02
# The working set is to blame where its own gap is more than this share of the target.
_BLAMED = 0.5
# Below this share of the l1 norm, a change is rounding error.
_STILL = 1e-15
_SMALL_MOVE = int(Status.SMALL_MOVE)

DONE, ROOM, PASS, FINER = 0, 1, 2, 3
"""What `rounds` want before they go on: nothing, room for more columns, a pass over X, an engine
that is not rough.
"""


@njit(nogil=True, inline="always")
def _sum_up(it, values):
    """The norms of the coefficients ``values``."""
    # In registers: a record may be where the values are, for all that a compiler knows.
    l1, square, largest, nnz = 0.0, 0.0, 0.0, 0
    for value in values:
        l1 += abs(value)
        square += value * value
        largest = max(largest, abs(value))
        nnz += int(value != 0.0)
    it.l1, it.square, it.largest, it.nnz = l1, square, largest, nnz


@njit(nogil=True, inline="always")
def _set_slack(it, value):
    """By how much a column may be steeper than the level when the target gap is reached.

    Ball: the gap is delta * (steepest - level) on a tight face, and inside the level is 0. Penalty:
    with s = lam / (lam + slack) the gap of a parabola is 1/2 (1 - s)^2 ||R||^2 + (1 - s) lam sum
    abs(a), where ||R||^2 <= 2 f(0); half of the target is left to the other terms.
    """
    if it.ball:
        it.slack = it.target / value
    else:
        share = 0.5 * it.target
        it.slack = min(share / max(it.l1, 1e-300), value * np.sqrt(share / it.f0))
    it.slack *= it.strictness


@njit(nogil=True, cache=True)
def _look(design, run, threshold, doubt):
    """The columns with abs(x_j'R) > threshold, perhaps among others, into ``found``, and x_j'R into
    ``slopes``: how many; -1 where they do not fit. With a ``doubt`` below 1 some may be missed:
    those farther from what the references tell than that share of how far they can be.
    """
    it, counters, screen, looks = run.it[0], run.counters[0], run.screen, run.looks
    residual, found, slopes = run.residual, run.found, run.slopes
    slack = doubt * combine_references(screen, residual)
    n = columns_above(screen, slack, threshold, counters.positive, found)
    if n > found.size:
        return -1
    n = leave_out(looks, screen.norms, residual, threshold, found[:n])
    touched = dots_in_parts(design, found[:n], residual, total(residual), slopes[:n], run.lent)
    remember_look(looks, residual, found[:n], slopes[:n], counters.positive)
    it.spent += touched
    it.seen += touched
    counters.dots += n
    counters.entries += touched
    return n


@njit(nogil=True, cache=True)
def _choose(run, n, threshold, near, steepest):
    """Of the ``n`` columns found the steepest are to follow the working set, with a few that are
    steeper than ``near`` only: (how many, whether any is steeper than ``threshold``, a bound on the
    steepest of all columns).
    """
    it, size, counters, nearing, breaking = run.it[0], run.it[0].size, run.counters[0], 0, 0
    columns, place, found, slopes = run.columns, run.place, run.found, run.slopes
    for k in range(n):
        j, inside = found[k], place[found[k]] >= 0
        steep = steepness(-slopes[k], counters.positive)
        if not (inside and counters.ridge > 0.0):
            steepest = max(steepest, steep)
        if steep > near and not inside:
            found[nearing], slopes[nearing] = j, steep
            nearing += 1
            breaking += int(steep > threshold)
    joining = min(nearing, breaking + _BESIDE, most_joining(run.engine, size))
    largest_first(slopes[:nearing], found[:nearing], joining)
    for k in range(joining):
        _let_join(columns, place, found[k], size + k)
    if joining > 0 and it.everything:
        for j in range(place.size):
            if place[j] < 0:
                _let_join(columns, place, j, size + joining)
                joining += 1
    return joining, breaking > 0, steepest


@njit(nogil=True, inline="always")
def _let_join(columns, place, j, at):
    place[j], columns[at] = at, j


@njit(nogil=True, cache=True)
def _tighten(y, loss, it, counters, fit):
    """After a round that ended nothing though no column joined: what is left of the gap is the
    working set's, that of columns that may be steeper than the level, or rounding error.
    """
    if it.moved <= _STILL * it.l1:
        it.strictness *= _STRICTER * _STRICTER
    elif it.settled and gap_of(y, loss, it, counters, fit, it.level) > _BLAMED * it.target:
        it.inside *= _STRICTER
    elif it.settled:
        it.strictness *= _STRICTER
    strictest = min(it.inside, it.strictness)
    if it.rough:
        it.finer = strictest < _ROUGHEST
    elif strictest < _STRICTEST:
        counters.outcome = _SMALL_MOVE


@njit(nogil=True, cache=True)
def keep_point(y, loss, it, counters, fit, row):
    """End the point that was opened where it is, if the gap is small enough; whether it is."""
    gap = gap_at_once(y, loss, it, counters, fit)
    if not gap <= counters.gap_at_most:
        return False
    it.kept, it.moved, it.phase = it.kept + 1, 0.0, MINIMISE
    _write(it, counters, row, gap)
    return True


@njit(nogil=True, inline="always")
def _write(it, counters, row, gap):
    row.objective = it.loss + 0.5 * counters.ridge * it.square
    row.l1, row.nnz = it.l1, it.nnz
    record(counters, row, gap, it.moved)
    check_gap(counters, gap)


@njit(nogil=True, cache=True)
def _close_round(y, loss, it, counters, fit, row, broken):
    """Write the row of the round, and see whether it ends the point; ``broken`` are conditions of
    optimality where columns have joined.
    """
    _write(it, counters, row, gap_of(y, loss, it, counters, fit, it.steepest))
    if not broken:
        check_move(counters, it.moved)
    if not broken and counters.outcome == 0:
        _tighten(y, loss, it, counters, fit)
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
    it, fit, chosen, values = run.it[0], (run.free, run.image, run.residual), run.chosen, run.values
    n = gather(run.engine, it.size, run.columns, chosen, values)
    it.chosen = n
    _sum_up(it, values[:n])
    refit(design, y, loss, it, fit, chosen[:n], values[:n])
    it.fresh, it.lost = operations(run.engine), 0.0


@njit(nogil=True, inline="always")
def _has_room(engine, it, p, room):
    """Whether there is room for what may join in a round; how much is wanted is noted."""
    it.everything = wants_all(engine, it, p)
    it.room = p if it.everything else min(p, it.size + most_joining(engine, it.size))
    return it.room <= room


@njit(nogil=True, cache=True)
def _guess(design, sigma, sqnorms, run, threshold):
    """Before a pass: whether any of the columns joined that are likely to be steeper than
    ``threshold``. A pass that follows finds fewer that are, so that it may end the point.
    """
    it = run.it[0]
    if it.guesses == _GUESSES:
        return False
    it.guesses += 1
    n = _look(design, run, threshold, _DOUBT)
    joining, _, _ = _choose(run, max(n, 0), threshold, threshold, threshold)
    if joining > 0:
        counters, columns, rows = run.counters[0], run.columns, run.residual.size
        admit(run.engine, design, sigma, sqnorms, it, counters, columns, rows, joining)
        it.size += joining
    return joining > 0


@njit(nogil=True, inline="always")
def rounds(design, y, loss, sigma, sqnorms, entries, run, rows):
    """Rounds of a point that `keep_point` did not end, until ``rows`` is full, the point ends, or
    something is wanted: (the rows filled, what).
    """
    it, counters, engine, k = run.it[0], run.counters[0], run.engine, 0
    fit, p = (run.free, run.image, run.residual), run.place.size
    columns, chosen, values = run.columns, run.chosen, run.values
    if it.phase == OPENED:
        begin_rounds(it, counters.value)
    if it.least >= 0.0:
        prune(run)
    while k < rows.size and counters.outcome == 0:
        if it.finer:
            return k, FINER
        if it.phase != PASSED and not _has_room(engine, it, p, columns.size):
            return k, ROOM
        if it.phase == MINIMISE:
            _set_slack(it, counters.value)
            it.moved = minimise(engine, design, y, loss, run, it.inside * it.slack)
            it.chosen = gather(engine, it.size, columns, chosen, values)
            _sum_up(it, values[: it.chosen])
            it.stale = False
            if it.size == p and survey(engine, design, y, loss, sigma, run):
                _close_round(y, loss, it, counters, fit, rows[k], False)
                k += 1
                continue
            if not follow(engine, loss, run):
                refit(design, y, loss, it, fit, chosen[: it.chosen], values[: it.chosen])
                it.fresh, it.lost = operations(engine), 0.0
            it.phase = SCREEN
        # What is foreseen is what the strong rule (Tibshirani et al. 2012) keeps.
        threshold, n = it.level + _OUTSIDE * it.slack, -1
        if it.phase != PASSED and it.spent <= _RENEW * entries:
            n = _look(design, run, threshold, 1.0)
        if n < 0 and it.phase == SCREEN:
            if _guess(design, sigma, sqnorms, run, threshold):
                it.phase = MINIMISE
                continue
            begin_pass(entries, run)
            if not it.alone:
                return k, PASS
            make_pass(design, run)
        if it.phase == PASSED:
            n, threshold = look_at_all(design, run, threshold, entries)
        known = steepest_inside(design, run) if counters.ridge > 0.0 else 0.0
        near = threshold if it.foresees else threshold - _NEAR * max(0.0, it.before - it.last)
        joining, broken, it.steepest = _choose(run, n, threshold, near, max(threshold, known))
        if joining > 0:
            admit(engine, design, sigma, sqnorms, it, counters, columns, y.size, joining)
            it.size += joining
        if it.phase == FORESEE:
            it.phase = MINIMISE
            _go_on(design, y, loss, run)
            continue
        _close_round(y, loss, it, counters, fit, rows[k], broken)
        k += 1
    return k, DONE

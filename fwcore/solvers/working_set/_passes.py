"""Passes over all columns, and what they tell."""

from __future__ import annotations

import numpy as np
from numba import njit

from fwcore.design import all_dots, dots_in_parts, single_dots
from fwcore.kernels.masks import BLOCK, NONE, lowest, mask_above, without_lowest
from fwcore.kernels.steepness import steepness
from fwcore.kernels.vectors import total
from fwcore.solvers.working_set._control import PASSED
from fwcore.solvers.working_set._screening import keep, round_last


@njit(nogil=True, cache=True)
def begin_pass(entries, run):
    """Count a pass over X along the residual, of so many ``entries``."""
    it, counters, residual, p = run.it[0], run.counters[0], run.residual, run.place.size
    it.spent, it.phase, it.total, it.guesses = 0, PASSED, total(residual), 0
    it.seen += entries
    counters.dots += p
    counters.entries += entries


@njit(nogil=True, cache=True)
def make_pass(design, run):
    """Make it, in the precision that the run has chosen."""
    screen, total, p = run.screen, run.it[0].total, run.place.size
    if screen.single[0]:
        single_dots(design, run.residual, total, 0, screen.dots[screen.oldest[0], :p])
    else:
        all_dots(design, run.residual, total, screen.last[:p])


@njit(nogil=True, cache=True)
def look_at_all(design, run, threshold, entries):
    """After a pass, which becomes a reference: the columns with abs(x_j'R) > threshold, perhaps
    among others, into ``found``, and x_j'R into ``slopes``: (how many, the threshold), which is
    raised should there be more than fit. Of an elastic net those of the working set are left out:
    all that are active have abs(x_j'R) > lam.
    """
    it, counters, place = run.it[0], run.counters[0], run.place
    screen, residual, found, slopes = run.screen, run.residual, run.found, run.slopes
    k, norms, last = screen.oldest[0], run.screen.norms, run.screen.last
    keep(screen, residual)
    if screen.single[0]:
        apart = screen.apart[0] * screen.lengths[k]
        n, higher = columns_above_in_pass(
            screen.dots[k], norms, apart, threshold, counters, place, found
        )
        touched = dots_in_parts(design, found[:n], residual, it.total, slopes[:n], run.lent)
        it.seen += touched
        counters.dots += n
        counters.entries += touched
        if (higher == threshold and n < found.size) or _any_breaks(run, n, higher):
            return n, higher
        # More are near the threshold than fit: only a pass in float64 tells which are above.
        screen.single[0] = False
        begin_pass(entries, run)
        make_pass(design, run)
        round_last(screen, k)
    n, threshold = columns_above_in_pass(last, norms, 0.0, threshold, counters, place, found)
    for i in range(n):
        slopes[i] = last[found[i]]
    return n, threshold


@njit(nogil=True, cache=True)
def _any_breaks(run, n, threshold):
    """Whether any of the first ``n`` columns found, outside the working set, is steeper."""
    found, slopes, positive = run.found, run.slopes, run.counters[0].positive
    for k in range(n):
        if run.place[found[k]] < 0 and steepness(-slopes[k], positive) > threshold:
            return True
    return False


@njit(nogil=True, cache=True)
def columns_above_in_pass(slopes, norms, apart, threshold, counters, place, out):
    """The columns that may be steeper than ``threshold`` by the ``slopes`` of a pass, zero from
    column p on, which errs by ``apart`` times the ``norms``, into ``out``: (how many, the
    threshold), which is raised should there be more than fit. Where there is a ridge those that
    have a ``place`` are left out.
    """
    flip, everywhere = 0.0 if counters.positive else -1.0, counters.ridge == 0.0
    steepest = -1.0
    while True:
        n = _sift(slopes, norms, apart, flip, place, everywhere, threshold, out)
        if n <= out.size:
            return n, threshold
        if steepest < 0.0:
            steepest = _steepest(slopes, norms, apart, flip, place, everywhere)
        higher = threshold + 0.5 * (steepest - threshold)
        # More than fit may be equally steep: then the first of them are as good as others.
        if not threshold < higher < steepest:
            return out.size, threshold
        threshold = higher


@njit(nogil=True, inline="always")
def _bound(slopes, norms, apart, flip, j):
    slope = np.float64(slopes[j])
    return max(slope, flip * slope) + apart * np.float64(norms[j])


@njit(nogil=True, cache=True)
def _steepest(slopes, norms, apart, flip, place, everywhere):
    steepest = 0.0
    for j in range(place.size):
        if everywhere or place[j] < 0:
            steepest = max(steepest, _bound(slopes, norms, apart, flip, j))
    return steepest


@njit(nogil=True, cache=True, fastmath={"nsz"})
def _sift(slopes, norms, apart, flip, place, everywhere, threshold, out):
    """As a sweep does: the number of columns, of which as many as fit are in ``out``."""
    block, n = np.empty(BLOCK), 0
    for first in range(0, slopes.size // BLOCK * BLOCK, BLOCK):
        for i in range(BLOCK):
            block[i] = _bound(slopes, norms, apart, flip, first + i)
        mask = mask_above(block, threshold)
        while mask != NONE:
            j, mask = first + lowest(mask), without_lowest(mask)
            if j < place.size and (everywhere or place[j] < 0):
                if n < out.size:
                    out[n] = j
                n += 1
    return n

"""What a run on a working set knows besides its arrays, and how a point begins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fwcore.kernels.records import zero_records
from fwcore.problem import Problem
from fwcore.solvers.base import start_point
from fwcore.solvers.working_set._engine import Engine
from fwcore.solvers.working_set._prices import Prices

# A point begins less strictly than the last one ended.
_LESS, _LEAST = 1.5, 1e-6
_BALL = 0.3
# The level of the first ball, as a share of that of a = 0; and of any other that of the last, at
# least.
_FIRST, _NEXT = 0.9, 0.3
# Idle columns are kept at hand up to this number and that of the active ones, since many come back.
_IDLE = 512
# The share of the last point in how much supports grow.
_RECENT = 0.2

EARLY = 8
"""How many points the first call walks where columns are ``long``: from the second on, how many are
to come is known, and no choice before may depend on it.
"""

OPENED, FORESEE, MINIMISE, SCREEN, PASSED = 0, 1, 2, 3, 4
"""Phases of a round."""

CONTROL = np.dtype(
    [
        ("ball", np.bool_),
        ("f0", np.float64),
        ("target", np.float64),
        ("ridge", np.float64),
        ("highest", np.float64),
        ("loosest", np.float64),
        ("foresees", np.bool_),
        ("rough", np.bool_),
        ("idle", np.int64),
        ("entry", np.int64),
        ("sweep", np.int64),
        ("long", np.bool_),
        ("alone", np.bool_),
        ("points", np.int64),
        ("left", np.float64),
        ("last", np.float64),
        ("before", np.float64),
        ("nnz_before", np.int64),
        ("growth", np.float64),
        ("rate", np.float64),
        ("kept", np.int64),
        ("spent", np.int64),
        ("fresh", np.int64),
        ("lost", np.float64),
        ("guesses", np.int64),
        ("total", np.float64),
        ("seen", np.int64),
        ("cost", np.int64),
        ("begun", np.int64),
        ("ahead", np.float64),
        ("aim", np.float64),
        ("least", np.float64),
        ("strictness", np.float64),
        ("inside", np.float64),
        ("slack", np.float64),
        ("phase", np.int64),
        ("size", np.int64),
        ("everything", np.bool_),
        ("room", np.int64),
        ("level", np.float64),
        ("moved", np.float64),
        ("settled", np.bool_),
        ("finer", np.bool_),
        ("steepest", np.float64),
        ("stale", np.bool_),
        ("chosen", np.int64),
        ("nnz", np.int64),
        ("l1", np.float64),
        ("square", np.float64),
        ("largest", np.float64),
        ("loss", np.float64),
        ("product", np.float64),
    ]
)
"""Numbers of a run, in the order in which they last.

What the problem, the options and the engine say, and stays.

========== =========================================================================================
ball       whether the form is the ball
f0         f(0)
target     the gap that ends a point
ridge      of an elastic net, as a multiple of the value of a point
highest    the level of a = 0
loosest    what ``inside`` is at most: that of the engine
foresees   whether the engine does: columns join before they break the conditions
rough      whether it is: another takes its place where it does not reach the target
idle       columns kept besides the active ones, since many come back
entry      what an entry of X costs, beside one in the order of memory
sweep      what it costs to bound all columns
long       whether columns are long and without zeros, so that products come in tiles
alone      whether a kernel makes a pass over X, rather than threads in turns
========== =========================================================================================

Of the path.

========== =========================================================================================
points     opened so far
left       how many are to come, as far as is known
last       the value of the last point that took a round
before     that of the one before it
nnz_before coefficients that were not zero when the last point was opened
growth     by how many they have grown of late, a point
rate       how the level changes with the l1 norm
kept       points at which the coefficients of the last were accurate enough
spent      entries touched since the last pass
fresh      operations of the engine when the residual was computed from the coefficients last
lost       what a gap may have lost since then to rounding of the residual
guesses    since the last pass, of which columns are steep
total      sum of the residual at the last pass
seen       entries that tell no engine from another: those that columns outside were looked at
           for, passes among them, and those multiplied while at hand or for points to come
cost       operations so far by these prices and the engine's own, apart from entries that are
           ``seen``
========== =========================================================================================

Of the point.

========== =========================================================================================
begun      the cost when it was opened
ahead      the step to it as a share of the last; 0 where nothing is foreseen from that
aim        the level that it begins with
least      how steep idle columns must be to stay, before the first round; negative where all do
strictness a factor of ``slack``
inside     by how much slopes of the working set may be off, as a share of ``slack``
slack      by how much a column outside may be steeper than ``level``
========== =========================================================================================

Of the round.

========== =========================================================================================
phase      what is to be done next
size       columns in the working set
everything whether all columns are to join
room       columns that there is to be room for
level      the steepness of active columns: lam, or the multiplier of the ball
moved      the largest change of a coefficient
settled    whether the engine came to an end
finer      whether one that is not rough is to take the place of the engine
steepest   a bound on the steepness of all columns
stale      whether ``image`` and ``residual`` are of an earlier round, or but nearly exact
========== =========================================================================================

Of the coefficients after it.

========== =========================================================================================
chosen     entries of ``chosen`` and ``values`` that are in use
nnz        coefficients that are not zero
l1         sum abs(a)
square     ||a||^2
largest    max abs(a)
loss       f without the ridge
product    y'R, of a parabola
========== =========================================================================================
"""


def new_control(
    problem: Problem, prices: Prices, options: Any, engine: Engine, ball: bool, ridge: float
) -> Any:
    """The record before the first point, shape (1,): a = 0."""
    it = zero_records(1, CONTROL)
    it["ball"], it["f0"], it["target"] = ball, problem.f0, options.tol * problem.f0
    it["strictness"], it["inside"], it["loss"] = 1.0, engine.loosest, problem.f0
    it["least"], it["ridge"], it["idle"] = -1.0, ridge, _IDLE
    it["loosest"], it["foresees"], it["rough"] = engine.loosest, engine.foresees, engine.rough
    it["entry"], it["sweep"], it["long"] = prices.entry, prices.sweep, prices.long
    it["level"] = it["highest"] = it["steepest"] = problem.lam_max
    # Of a parabola y'R, where R is y.
    it["product"] = 2.0 * problem.f0
    return it


@njit(nogil=True, inline="always")
def _aim(it, value):
    """The level of the point ``value``: foreseen from how it fell before, of a ball."""
    if not it.ball:
        return value
    foreseen = it.level + it.rate * (value - it.l1)
    return max(foreseen, _NEXT * it.level) if it.last else _FIRST * it.level


@njit(nogil=True, cache=True)
def open_point(control, counters, value):
    """Go to the point ``value``."""
    it = control[0]
    it.steepest += abs(it.ridge * value - counters[0].ridge) * it.largest
    it.growth += _RECENT * (it.nnz - it.nnz_before - it.growth)
    it.nnz_before, it.points, it.left = it.nnz, it.points + 1, max(0.0, it.left - 1.0)
    start_point(counters, value, it.ridge * value)
    it.begun, it.phase = it.cost, OPENED


@njit(nogil=True, cache=True)
def begin_rounds(it, value):
    """Get ready for the first round of the point ``value``."""
    # Where the gap is of the first order in slopes, a point begins more accurately.
    loosest = min(_BALL, it.loosest) if it.ball else it.loosest
    it.inside = min(loosest, _LESS * it.inside)
    it.strictness = min(1.0, _LESS * it.strictness)
    if it.rough or min(it.inside, it.strictness) < _LEAST:
        # The last point ended in rounding error, or may have where the engine is rough.
        it.inside, it.strictness = loosest, 1.0
    step = it.last - it.before
    far = step != 0.0 and it.before > 0.0 and not it.ball
    it.ahead = (value - it.last) / step if far else 0.0
    it.aim, it.phase = _aim(it, value), MINIMISE
    it.before, it.last = it.last, value
    if it.foresees:
        it.phase, it.slack = FORESEE, 0.0
        it.level = max(2.0 * it.aim - it.level, 0.0)
        it.least = it.level
    elif it.size > 2 * it.nnz + it.idle and not it.everything:
        it.least = 0.5 * it.level

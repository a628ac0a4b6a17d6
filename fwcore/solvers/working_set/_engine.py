"""What minimises on the working set: the primitives that each engine implements.

An engine is a NamedTuple of arrays for k columns, with ``coef`` (k,) by position in the working
set. Kernels see it as a field of `fwcore.solvers.working_set._working_set.WorkingSet`, which is
``run`` below.
"""

from __future__ import annotations

from typing import Any, Protocol

from numba import njit

from fwcore.kernels.dispatch import compiled_only, otherwise
from fwcore.kernels.types import Floats


class Engine(Protocol):
    """What the loop asks of an engine outside its kernels.

    Attributes
    ----------
    exact : bool
        Whether it solves on the working set, rather than coming near.
    loosest : float
        By how much slopes of the working set may be off at first, as a share of what the gap
        allows if all are: an engine whose accuracy costs much begins above 1.
    foresees : bool
        Whether columns join before they break the conditions, and idle ones are free to leave.
    rough : bool
        Whether rounding may keep it from the target gap.
    """

    exact: bool
    loosest: float
    foresees: bool
    rough: bool

    @property
    def coef(self) -> Floats:
        """Coefficients by position."""
        ...

    @property
    def capacity(self) -> int:
        """Columns that there is room for."""
        ...

    def grown(self, capacity: int) -> Any:
        """The same in arrays of a larger capacity."""
        ...


def minimise(engine, design, y, loss, run, slack):
    """Minimise on the working set, until its steepest column exceeds the level by about ``slack``;
    the largest change of a coefficient. Sets ``run.it.level``, and ``run.it.settled``: whether it
    came to that end, rather than to the most that it does in a round.
    """
    raise compiled_only("minimise")


def go_along(engine, run, ahead):
    """Guess the coefficients of the next point on the line through those of the last two, ``ahead``
    times as far on; whether there is a guess. The present ones are remembered as those of the last.
    """
    raise compiled_only("go_along")


@otherwise(go_along)
def _go_along(engine, run, ahead):
    return False


def go_back(engine, run):
    """Take the guess back."""
    raise compiled_only("go_back")


@otherwise(go_back)
def _go_back(engine, run):
    pass


def gather(engine, size, columns, chosen, values):
    """Those of the first ``size`` of ``columns`` that may have a coefficient into ``chosen``, these
    into ``values``; how many.
    """
    raise compiled_only("gather")


def follow(engine, loss, run):
    """Image, residual and loss at the coefficients, of an engine that has kept these up, with less
    rounding than the target allows; whether it has.
    """
    raise compiled_only("follow")


@otherwise(follow)
def _follow(engine, loss, run):
    return False


def survey(engine, design, y, loss, sigma, run):
    """Of a working set of all columns: loss, product, the steepest and what rounding took into
    ``run.it``, where norms are, without a pass over X; whether the engine knows these.
    """
    raise compiled_only("survey")


@otherwise(survey)
def _survey(engine, design, y, loss, sigma, run):
    return False


def load(engine, run):
    """Go on from coefficients that were written to ``coef`` after their columns were admitted."""
    raise compiled_only("load")


def wanted(engine, size, least, positions):
    """The positions of the columns that are active, or steeper than ``least``; how many."""
    raise compiled_only("wanted")


def retain(engine, positions):
    """Keep the columns at these ``positions``, which increase, all active ones among them."""
    raise compiled_only("retain")


@njit(nogil=True, cache=True)
def positions_wanted(active, slopes, size, least, positions):
    """Of the first ``size``: the positions of those ``active``, not zero, or with slopes steeper
    than ``least``; how many.
    """
    n = 0
    for k in range(size):
        if active[k] != 0.0 or abs(slopes[k]) > least:
            positions[n] = k
            n += 1
    return n


def operations(engine):
    """Operations so far that did not touch X."""
    raise compiled_only("operations")


def most_joining(engine, size):
    """How many columns may join a working set of ``size``."""
    raise compiled_only("most_joining")


def wants_all(engine, it, p):
    """Whether all ``p`` columns are to join once any does, since most will in time."""
    raise compiled_only("wants_all")


@otherwise(wants_all)
def _wants_all(engine, it, p):
    return False


def admit(engine, design, sigma, sqnorms, it, counters, columns, rows, joining):
    """Make room for the ``joining`` columns, of so many ``rows``, that follow the working set in
    ``columns``.
    """
    raise compiled_only("admit")

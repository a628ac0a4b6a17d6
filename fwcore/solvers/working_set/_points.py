"""Several points of a grid by one kernel call, and what is kept of each.

Of a small problem a point costs less than a call of a kernel does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fwcore.kernels.records import zero_records
from fwcore.kernels.selection import sort_columns
from fwcore.kernels.types import Floats, Ints
from fwcore.solvers.base import Ended
from fwcore.solvers.working_set._control import OPENED, open_point
from fwcore.solvers.working_set._loop import DONE, keep_point, rounds
from fwcore.solvers.working_set._working_set import count_cost
from fwcore.status import Status
from fwcore.trace import Rows

KEEP = 4
"""What `walk_on` may want besides what `rounds` do: room to keep supports in."""

_STATUS = {int(status): status for status in Status}
# Entries of a support that there is room for at first, a point.
_ENTRIES = 64

POINT = np.dtype(
    [
        ("value", np.float64),
        ("steps", np.int64),
        ("outcome", np.int64),
        ("ridge", np.float64),
        ("size", np.int64),
        ("moved", np.bool_),
    ]
)
"""A point: where it is, and of one that has ended the steps of the path until then, its outcome,
its ridge, the size of its support, and whether that is another than the last point's.
"""

_TOLD = "outcome", "ridge", "size", "moved"

STRETCH = np.dtype(
    [("ended", np.int64), ("cheap", np.int64), ("entries", np.int64), ("most", np.int64)]
)
"""How many points have ended; how many of them cost anything, and no more than ``most``, the
operations that a point may cost if another is to follow; and the entries of their supports.
"""


class Stretch(NamedTuple):
    """Points in a row: the first is open already. The supports of those that have ended follow each
    other in ``columns`` and ``values`` (c,), but for those that were there before.

    ``points`` (k,) are records of `POINT`, ``it`` (1,) is one of `STRETCH`.
    """

    points: Any
    columns: Ints
    values: Floats
    it: Any

    @classmethod
    def of(cls, grid: Floats, most: int) -> Stretch:
        """None of the points of ``grid`` has ended; one that costs more than ``most`` operations is
        the last.
        """
        points, it = zero_records(grid.size, POINT), zero_records(1, STRETCH)
        room = _ENTRIES * grid.size
        points["value"], it["most"] = grid, most
        return cls(points, np.empty(room, np.int64), np.empty(room), it)

    def grown(self) -> Stretch:
        """The same with twice the room for supports."""
        columns, values = (np.concatenate([a, np.empty_like(a)]) for a in self[1:3])
        return self._replace(columns=columns, values=values)

    def found(self, rows: Rows, names: Ints | None) -> list[Ended]:
        """What has ended, in these ``rows``; supports by the ``names`` of columns, if they have
        any.
        """
        n, _, entries, _ = self.it[0].item()
        if n == 0:
            return []
        columns, values = self.columns[:entries], self.values[:entries].copy()
        columns = columns.copy() if names is None else names[columns]
        told = self.points[:n]
        outcomes, ridges, sizes, moved = (told[name].tolist() for name in _TOLD)
        support, supports, a = (columns[:0], values[:0]), [], 0
        for size, is_new in zip(sizes, moved, strict=True):
            if is_new:
                support, a = (columns[a : a + size], values[a : a + size]), a + size
            supports.append(support)
        made = (told["steps"] - (rows["step"][0] - 1)).tolist()
        statuses = map(_STATUS.get, outcomes)
        return list(map(Ended._make, zip(made, statuses, ridges, supports, strict=True)))


ONE_POINT = Stretch.of(np.zeros(0), 0)
"""That of a single point, which keeps nothing."""


@njit(nogil=True, cache=True)
def walk_on(design, y, loss, sigma, sqnorms, entries, run, rows, stretch):
    """Walk the point that is open, and those of ``stretch`` that follow, until ``rows`` is full, a
    point costs too much, or something is wanted: (the rows filled, what).
    """
    it, counters, engine, done = run.it[0], run.counters[0], run.engine, 0
    fit, chosen, values = (run.free, run.image, run.residual), run.chosen, run.values
    while True:
        made, wanted = 1, DONE
        if it.phase != OPENED or not keep_point(y, loss, it, counters, fit, rows[done]):
            made, wanted = rounds(design, y, loss, sigma, sqnorms, entries, run, rows[done:])
        done += made
        count_cost(it, counters, engine)
        if wanted != DONE or counters.outcome == 0 or stretch.points.size == 0:
            return done, wanted
        if not _keep(it, counters, chosen, values, stretch):
            return done, KEEP
        log, cost = stretch.it[0], it.cost - it.begun
        log.cheap += np.int64(0 < cost <= log.most)
        if cost > log.most or done == rows.size or log.ended == stretch.points.size:
            return done, DONE
        open_point(run.it, run.counters, stretch.points[log.ended].value)


@njit(nogil=True, cache=True)
def _keep(it, counters, chosen, values, stretch):
    """Write down the point that has ended, whose support is among the ``values`` of the columns
    ``chosen``; whether there is room for it.
    """
    log = stretch.it[0]
    point = stretch.points[log.ended]
    point.moved = log.ended == 0 or it.cost > it.begun
    if point.moved:
        if it.chosen > stretch.columns.size - log.entries:
            return False
        columns, coef = stretch.columns[log.entries :], stretch.values[log.entries :]
        point.size = _keep_support(chosen[: it.chosen], values, columns, coef)
        log.entries += point.size
    point.steps, point.outcome, point.ridge = counters.steps, counters.outcome, counters.ridge
    log.ended += 1
    return True


@njit(nogil=True, inline="always")
def _keep_support(chosen, values, columns, coef):
    """Write down the support, in the order of the columns; its size."""
    n = 0
    for k in range(chosen.size):
        if values[k] != 0.0:
            columns[n], coef[n] = chosen[k], values[k]
            n += 1
    sort_columns(columns[:n], coef[:n])
    return n

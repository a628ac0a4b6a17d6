"""Compile every registered solver on a toy problem, so that nobody waits for a compiler and no clock counts one."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import scipy.sparse

from fwcore.design import STORAGES, Csc, Design
from fwcore.problem import Problem
from fwcore.solve import Clock, iterate
from fwcore.solvers import Solver, solvers

_TOY_POINTS = 2
_ready: set[tuple[Solver, type[Design]]] = set()
_lock = threading.Lock()


def _toy(storage: type[Design]) -> Problem:
    random = np.random.default_rng(0)
    X = random.standard_normal((6, 8))
    y = X[:, 0] - 2 * X[:, 1]
    return Problem.from_arrays(scipy.sparse.csc_array(X) if storage is Csc else X, y, test=(X, y), name="warm-up")


def ready(solver: Solver, storage: type[Design]) -> None:
    """Make sure that the kernels of ``solver`` for this storage are compiled in this process."""
    key = (solver, storage)
    if key in _ready:
        return
    with _lock:
        if key in _ready:
            return
        problem = _toy(storage)
        top = problem.lam_max * np.array([0.1, 0.5])
        grid = top if solver.form == "ball" else top[::-1]
        options = solver.Options()
        state = solver.init(problem, options, seed=0)
        clock = Clock()
        for point, value in enumerate(grid.tolist()):
            solver.set_point(problem, state, options, value, float(point))
            for _ in iterate(problem, solver, state, point, value, clock):
                pass
        _ready.add(key)


def every_solver() -> Iterator[str]:
    """Compile all solvers for all storages, dense designs first; yield the name of each that is ready.

    Penalty forms come before the others: a path on the ball waits until coordinate descent has found its end.
    """
    for storage in STORAGES:
        for solver in sorted(solvers(), key=lambda solver: solver.form == "ball"):
            ready(solver, storage)
            yield f"{solver.name} on {storage.__name__}"

"""Compile every registered solver on a toy problem, so that nobody waits for a compiler and no clock counts one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse

from fwcore import design as designs
from fwcore.design import Design
from fwcore.forms import FORMS
from fwcore.options import Options
from fwcore.problem import Problem
from fwcore.solve import Clock, iterate
from fwcore.solvers import Solver, solvers

_ready: set[tuple[Any, ...]] = set()
_lock = threading.Lock()

_X = np.random.default_rng(0).standard_normal((6, 8))
_FIRST = ("cd", "active_set", "sfw")
_STORAGES = tuple(designs.standardized(designs.from_matrix(X)) for X in (_X, scipy.sparse.csc_array(_X)))
"""What `every_solver` compiles for; other types of arrays are compiled when they are met."""


def _toy(design: Design, loss: str) -> Problem:
    """A small problem whose design has the layout of ``design``."""
    X, y = designs.like(design, _X), _X[:, 0] - 2 * _X[:, 1]
    y = y if loss == "squared" else np.where(y > 0, 1.0, -1.0)
    # Rows of a sparse design that is centred are of another type than those of one that is not.
    return Problem.from_arrays(X, y, loss=loss, test=(_X, y), name="warm-up", standardize=bool(design.offset.any()))


def ready(solver: Solver, design: Design, options: Options | None = None, loss: str = "squared") -> None:
    """Make sure that the kernels of ``solver`` for designs of this layout, these options and this loss are compiled."""
    if not solver.compiles:
        return
    variant = solver.variant(options or solver.Options())
    key = (solver, designs.layout(design), bool(design.offset.any()), loss, *variant.items())
    if key in _ready:
        return
    with _lock:
        if key in _ready:
            return
        problem = _toy(design, loss)
        top = np.array([1.0, 2.0]) if FORMS[solver.form].whole else problem.lam_max * np.array([0.1, 0.5])
        grid = top if FORMS[solver.form].increasing else top[::-1]
        options = solver.Options(**variant)
        state = solver.init(problem, options, seed=0)
        clock = Clock()
        for point, value in enumerate(grid.tolist()):
            solver.set_point(problem, state, options, value, float(point))
            for _ in iterate(problem, solver, state, point, value, clock):
                pass
        _ready.add(key)


def every_solver() -> Iterator[str]:
    """Compile all solvers for all storages, dense designs first; yield the name of each that is ready.

    What most people run first comes first; a path on the ball waits until `active_set` has found its end.
    """
    for design in _STORAGES:
        for solver in sorted(
            (s for s in solvers() if s.compiles),
            key=lambda solver: _FIRST.index(solver.name) if solver.name in _FIRST else len(_FIRST),
        ):
            ready(solver, design)
            yield f"{solver.name} on {type(design).__name__}"

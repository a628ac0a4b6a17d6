"""Compile every registered solver on a toy problem, so that nobody waits for a compiler and no
clock counts one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse

from fwcore import design as designs
from fwcore.design import Design
from fwcore.forms import FORMS
from fwcore.losses import DEFAULT_LOSS, Loss, Weighted, find_loss
from fwcore.options import Options
from fwcore.problem import Problem
from fwcore.solve import Clock, iterate
from fwcore.solvers import Solver, all_solvers

_ready: set[tuple[Any, ...]] = set()
_locks: dict[tuple[Any, ...], threading.Lock] = {}
_waiting: set[object] = set()
_POLITE_SECONDS = 0.05
_progress = {"done": 0, "total": 0}

_X = np.random.default_rng(0).standard_normal((6, 8))
_FIRST = ("sfw", "fw", "certified", "cd")


@cache
def _storages() -> tuple[Design, ...]:
    """What `every_solver` compiles for; other types of arrays are compiled when they are met."""
    given = (_X, scipy.sparse.csc_array(_X))
    return tuple(designs.standardized(designs.from_matrix(X)) for X in given)


def _toy(design: Design, loss: Loss) -> Problem:
    """A small problem whose design has the layout of ``design``."""
    X, y = design.like(_X), _X[:, 0] - 2 * _X[:, 1]
    y = y if loss.takes(y) else np.where(y > 0, 1.0, -1.0)
    loss, weights = (loss.base, np.ones(y.size)) if isinstance(loss, Weighted) else (loss, None)
    # Rows of a sparse design that is centred are of another type than those of one that is not.
    return Problem.from_arrays(
        X,
        y,
        loss=loss,
        weights=weights,
        test=(_X, y),
        name="warm-up",
        standardize=bool(design.offset.any()),
    )


def _key(
    solver: Solver, design: Design, options: Options | None, loss: Loss | None
) -> tuple[Any, ...]:
    """What kernels are compiled for."""
    variant = solver.variant(options or solver.Options())
    loss = loss or find_loss(DEFAULT_LOSS)
    kind, centred = (type(loss), type(getattr(loss, "base", None))), bool(design.offset.any())
    return (solver, designs.layout(design), centred, kind, *variant.items())


def _keys(key: tuple[Any, ...], large: bool) -> set[tuple[Any, ...]]:
    """A ``key``, and that of what `Solver.rehearse` compiles for large runs."""
    return {key, (*key, "large")} if large else {key}


def is_ready(
    solver: Solver, design: Design, options: Options | None = None, loss: Loss | None = None
) -> bool:
    """Whether nothing is left to be compiled for such a run."""
    if not solver.compiles:
        return True
    key = _key(solver, design, options, loss)
    return _ready.issuperset(_keys(key, solver.is_large(design, options or solver.Options())))


def ready(
    solver: Solver, design: Design, options: Options | None = None, loss: Loss | None = None
) -> None:
    """Make sure that the kernels of ``solver`` for designs of this layout, these options and this
    loss are compiled. `every_solver` holds back meanwhile: somebody is waiting.
    """
    if is_ready(solver, design, options, loss):
        return
    _waiting.add(token := object())
    try:
        large = solver.is_large(design, options or solver.Options())
        _compile(solver, design, options, loss, large)
    finally:
        _waiting.discard(token)


def _compile(
    solver: Solver, design: Design, options: Options | None, loss: Loss | None, large: bool
) -> None:
    key, given = _key(solver, design, options, loss), options or solver.Options()
    with _locks.setdefault(key, threading.Lock()):
        missing = _keys(key, large) - _ready
        if not missing:
            return
        problem = _toy(design, loss or find_loss(DEFAULT_LOSS))
        if key in missing:
            for chosen in solver.rehearsals(given, problem.loss):
                _walk(problem, solver, solver.Options(**chosen))
        solver.rehearse(problem, given, large)
        _ready.update(missing)


def _walk(problem: Problem, solver: Solver, options: Options) -> None:
    form = FORMS[solver.form]
    top = np.array([1.0, 2.0]) if form.whole else problem.lam_max * np.array([0.1, 0.5])
    grid = top if form.increasing else top[::-1]
    state, clock = solver.init(problem, options, seed=0), Clock()
    for point, value in enumerate(grid.tolist()):
        solver.set_point(problem, state, options, value, float(point))
        for _ in iterate(problem, solver, state, point, value, clock):
            pass


def every_solver() -> Iterator[str]:
    """Compile all solvers for all storages, dense designs first; yield the name of each that is
    ready.

    What a page opens with comes first, then `certified`, which finds the end of a grid on the ball
    where that is not known. While somebody waits for another solver, that one is compiled first.
    """
    ours = sorted(
        (s for s in all_solvers() if s.compiles),
        key=lambda solver: _FIRST.index(solver.name) if solver.name in _FIRST else len(_FIRST),
    )
    _progress.update(done=0, total=len(_storages()) * len(ours))
    for design in _storages():
        for solver in ours:
            while _waiting:
                time.sleep(_POLITE_SECONDS)
            _compile(solver, design, None, None, large=True)
            _progress["done"] += 1
            yield f"{solver.name} on {type(design).__name__}"


def progress() -> tuple[int, int]:
    """How many of how many solvers `every_solver` has compiled in this process; (0, 0) before."""
    return _progress["done"], _progress["total"]

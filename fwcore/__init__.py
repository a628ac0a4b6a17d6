"""Sparse-regression solvers that can be watched: stochastic Frank-Wolfe paths for the Lasso, and
what they are compared with.

Names are imported when they are first used, since compilers and readers of files take seconds.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fwcore import datasets, experiments, grids, option_kinds, sampling, theory, warmup
    from fwcore.cache import use_numba_folder
    from fwcore.errors import DatasetError, ParameterError
    from fwcore.forms import FORMS
    from fwcore.judging import Verdict
    from fwcore.losses import (
        DEFAULT_LOSS,
        LOSSES,
        Loss,
        find_loss,
        loss_for,
        register_loss,
        unregister_loss,
    )
    from fwcore.options import Options, SamplingRule, WalkOptions
    from fwcore.path import Walk, walk_path
    from fwcore.path_result import PathResult
    from fwcore.path_results import PathResults
    from fwcore.problem import Problem
    from fwcore.result_files import read_points
    from fwcore.solve import Snapshot
    from fwcore.solvers import (
        SOLVERS,
        Solver,
        all_solvers,
        find_solver,
        register,
        unregister,
    )
    from fwcore.status import Status
    from fwcore.trace import TRACE

__all__ = [
    "DEFAULT_LOSS",
    "FORMS",
    "LOSSES",
    "SOLVERS",
    "TRACE",
    "DatasetError",
    "Loss",
    "Options",
    "ParameterError",
    "PathResult",
    "PathResults",
    "Problem",
    "SamplingRule",
    "Snapshot",
    "Solver",
    "Status",
    "Verdict",
    "Walk",
    "WalkOptions",
    "all_solvers",
    "datasets",
    "experiments",
    "find_loss",
    "find_solver",
    "grids",
    "loss_for",
    "option_kinds",
    "read_points",
    "register",
    "register_loss",
    "sampling",
    "theory",
    "unregister",
    "unregister_loss",
    "use_numba_folder",
    "walk_path",
    "warmup",
]

_MODULES = ("datasets", "experiments", "grids", "option_kinds", "sampling", "theory", "warmup")
_HOMES = {
    "cache": ("use_numba_folder",),
    "errors": ("DatasetError", "ParameterError"),
    "forms": ("FORMS",),
    "losses": (
        *("DEFAULT_LOSS", "LOSSES", "Loss", "find_loss", "loss_for"),
        *("register_loss", "unregister_loss"),
    ),
    "options": ("Options", "SamplingRule", "WalkOptions"),
    "path": ("Walk", "walk_path"),
    "path_result": ("PathResult",),
    "path_results": ("PathResults",),
    "judging": ("Verdict",),
    "problem": ("Problem",),
    "result_files": ("read_points",),
    "solve": ("Snapshot",),
    "solvers": ("SOLVERS", "Solver", "all_solvers", "find_solver", "register", "unregister"),
    "status": ("Status",),
    "trace": ("TRACE",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"fwcore.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'fwcore' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"fwcore.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""Sparse-regression solvers that can be watched: stochastic Frank-Wolfe paths for the Lasso, and what they are compared with."""

from fwcore import datasets, grids, race, sampling, study, warmup
from fwcore.errors import DatasetError, ParameterError
from fwcore.forms import FORMS
from fwcore.options import Options, SamplingRule, WalkOptions, rule_of
from fwcore.path import PathResult, Walk, walk_path
from fwcore.problem import Problem, Verdict
from fwcore.solve import Snapshot
from fwcore.solvers import SOLVERS, Solver, find, register, solvers, unregister
from fwcore.status import Status
from fwcore.trace import TRACE

__all__ = [
    "FORMS",
    "SOLVERS",
    "TRACE",
    "DatasetError",
    "Options",
    "ParameterError",
    "PathResult",
    "Problem",
    "SamplingRule",
    "Snapshot",
    "Solver",
    "Status",
    "Verdict",
    "Walk",
    "WalkOptions",
    "datasets",
    "find",
    "grids",
    "race",
    "register",
    "rule_of",
    "sampling",
    "solvers",
    "study",
    "unregister",
    "walk_path",
    "warmup",
]

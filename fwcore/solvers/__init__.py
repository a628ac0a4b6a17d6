"""The methods. A new one is a file here and a line in SOLVERS; tests, warm-up, command line and page follow."""

from fwcore.solvers.base import Solver
from fwcore.solvers.cd import CoordinateDescent
from fwcore.solvers.fw import DeterministicFW
from fwcore.solvers.registry import SOLVERS, find, register, solvers, unregister
from fwcore.solvers.sfw import StochasticFW

__all__ = [
    "SOLVERS",
    "CoordinateDescent",
    "DeterministicFW",
    "Solver",
    "StochasticFW",
    "find",
    "register",
    "solvers",
    "unregister",
]

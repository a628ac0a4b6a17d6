"""The methods, a family a folder. A new one is a file and a line in
`fwcore.solvers.registry.SOLVERS`.
"""

from fwcore.solvers.base import Solver
from fwcore.solvers.registry import (
    SOLVERS,
    all_solvers,
    certified_solver,
    find_solver,
    register,
    unregister,
)

__all__ = [
    "SOLVERS",
    "Solver",
    "all_solvers",
    "certified_solver",
    "find_solver",
    "register",
    "unregister",
]

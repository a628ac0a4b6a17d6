"""The table of methods."""

from __future__ import annotations

from fwcore.errors import ParameterError
from fwcore.solvers.active_set import ActiveSet
from fwcore.solvers.apg import AcceleratedProjection
from fwcore.solvers.away_fw import AwayFW
from fwcore.solvers.base import Solver
from fwcore.solvers.cd import CoordinateDescent
from fwcore.solvers.corrective_fw import CorrectiveFW
from fwcore.solvers.cosamp import Cosamp
from fwcore.solvers.detcd import DeterministicCD
from fwcore.solvers.fista import Fista
from fwcore.solvers.fw import DeterministicFW
from fwcore.solvers.library.adelie import Adelie
from fwcore.solvers.library.celer import Celer
from fwcore.solvers.library.lars import Lars
from fwcore.solvers.library.scikit_learn import ScikitLearn
from fwcore.solvers.library.skglm import Skglm
from fwcore.solvers.omp import OrthogonalMatchingPursuit
from fwcore.solvers.pairwise_fw import PairwiseFW
from fwcore.solvers.scd import StochasticCD
from fwcore.solvers.sfw import StochasticFW
from fwcore.solvers.sfw_lu_freund import LuFreundFW
from fwcore.solvers.sfw_mokhtari import MokhtariFW
from fwcore.solvers.sfw_rows import RowsFW
from fwcore.solvers.smidas import Smidas
from fwcore.solvers.stoch_cosamp import StochCosamp
from fwcore.solvers.truncgrad import TruncatedGradient

SOLVERS: tuple[Solver, ...] = (
    StochasticFW(),
    DeterministicFW(),
    AwayFW(),
    PairwiseFW(),
    CorrectiveFW(),
    RowsFW(),
    MokhtariFW(),
    LuFreundFW(),
    CoordinateDescent(),
    StochasticCD(),
    DeterministicCD(),
    ActiveSet(),
    Fista(),
    AcceleratedProjection(),
    OrthogonalMatchingPursuit(),
    Cosamp(),
    StochCosamp(),
    Smidas(),
    TruncatedGradient(),
    Lars(),
    ScikitLearn(),
    Celer(),
    Skglm(),
    Adelie(),
)


def find(name: str) -> Solver:
    """The solver of that name.

    Raises
    ------
    ParameterError
        There is none.
    """
    for solver in solvers():
        if solver.name == name:
            return solver
    raise ParameterError("solver", "fwcore", f"one of {[s.name for s in solvers()]}", name)


_REGISTERED: list[Solver] = []


def solvers() -> tuple[Solver, ...]:
    """SOLVERS and what was registered since."""
    return (*SOLVERS, *_REGISTERED)


def register(solver: Solver) -> None:
    """Add a solver to the page, the command line and the warm-up of this process.

    Raises
    ------
    ParameterError
        Its name is taken.
    """
    taken = [other.name for other in solvers()]
    if solver.name in taken:
        raise ParameterError("name", type(solver).__name__, f"none of {taken}", solver.name)
    _REGISTERED.append(solver)


def unregister(name: str) -> None:
    """Take back what `register` added."""
    _REGISTERED[:] = [solver for solver in _REGISTERED if solver.name != name]

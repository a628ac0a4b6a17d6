"""The table of methods."""

from __future__ import annotations

from fwcore.errors import ParameterError
from fwcore.forms import FORMS
from fwcore.problem import Problem
from fwcore.solvers.base import Solver
from fwcore.solvers.coordinate_descent.cd import CoordinateDescent
from fwcore.solvers.coordinate_descent.detcd import DeterministicCD
from fwcore.solvers.coordinate_descent.scd import StochasticCD
from fwcore.solvers.external.adelie import Adelie
from fwcore.solvers.external.celer import Celer
from fwcore.solvers.external.lars import Lars
from fwcore.solvers.external.scikit_learn import ScikitLearn
from fwcore.solvers.external.skglm import Skglm
from fwcore.solvers.finite_sum.sfw_lu_freund import LuFreundFW
from fwcore.solvers.finite_sum.sfw_mokhtari import MokhtariFW
from fwcore.solvers.finite_sum.sfw_rows import RowsFW
from fwcore.solvers.frank_wolfe.away_fw import AwayFW
from fwcore.solvers.frank_wolfe.fw import DeterministicFW
from fwcore.solvers.frank_wolfe.pairwise_fw import PairwiseFW
from fwcore.solvers.frank_wolfe.sfw import StochasticFW
from fwcore.solvers.greedy.cosamp import Cosamp
from fwcore.solvers.greedy.mp import MatchingPursuit
from fwcore.solvers.greedy.omp import OrthogonalMatchingPursuit
from fwcore.solvers.greedy.stoch_cosamp import StochCosamp
from fwcore.solvers.mirror_descent.smidas import Smidas
from fwcore.solvers.mirror_descent.truncgrad import TruncatedGradient
from fwcore.solvers.proximal.apg import AcceleratedProjection
from fwcore.solvers.proximal.fista import Fista
from fwcore.solvers.working_set.active_set import ActiveSet
from fwcore.solvers.working_set.certified import Certified, CertifiedBall
from fwcore.solvers.working_set.corrective_fw import CorrectiveFW

SOLVERS: tuple[Solver, ...] = (
    StochasticFW(),
    DeterministicFW(),
    AwayFW(),
    PairwiseFW(),
    CertifiedBall(),
    CorrectiveFW(),
    Certified(),
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
    MatchingPursuit(),
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


def certified_solver(problem: Problem, form: str) -> Solver:
    """The first solver of a form that is made to certify its points and takes the problem.

    Raises
    ------
    ParameterError
        There is none.
    """
    for solver in all_solvers():
        if solver.certified and solver.form == form and not any(solver.misfits(problem)):
            return solver
    rule = f"named, as none of the {form} form is certified for this problem"
    raise ParameterError("solver", "fwcore", rule, None)


def find_solver(name: str) -> Solver:
    """The solver of that name.

    Raises
    ------
    ParameterError
        There is none.

    >>> find_solver("sfw").title
    'Stochastic Frank-Wolfe'
    """
    for solver in all_solvers():
        if solver.name == name:
            return solver
    raise ParameterError.unknown("solver", "fwcore", name, [s.name for s in all_solvers()])


_REGISTERED: list[Solver] = []


def all_solvers() -> tuple[Solver, ...]:
    """SOLVERS and what was registered since.

    >>> from fwcore import all_solvers
    >>> [solver.name for solver in all_solvers()][:3]
    ['sfw', 'fw', 'away_fw']
    """
    return (*SOLVERS, *_REGISTERED)


def register(solver: Solver) -> None:
    """Add a solver to the page, the command line and the warm-up of this process.

    Raises
    ------
    ParameterError
        Its name is taken, or there is no such form.

    >>> from fwcore import find_solver, register, unregister
    >>> class Mine(type(find_solver("fw"))):
    ...     name = "mine"
    >>> register(Mine())
    >>> find_solver("mine").form
    'ball'
    >>> unregister("mine")
    """
    if solver.form not in FORMS:
        raise ParameterError("form", type(solver).__name__, f"one of {[*FORMS]}", solver.form)
    taken = [other.name for other in all_solvers()]
    if solver.name in taken:
        raise ParameterError("name", type(solver).__name__, f"none of {taken}", solver.name)
    _REGISTERED.append(solver)


def unregister(name: str) -> None:
    """Take back what `register` added.

    >>> from fwcore import find_solver, register, unregister
    >>> class Mine(type(find_solver("fw"))):
    ...     name = "mine"
    >>> register(Mine())
    >>> unregister("mine")
    """
    _REGISTERED[:] = [solver for solver in _REGISTERED if solver.name != name]

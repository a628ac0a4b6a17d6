"""The page with a solver more, which fails after a few steps: registering is all it takes."""

import panel as pn

from app.explorer import Explorer
from fwcore import WalkOptions, all_solvers, register
from fwcore.options import Count
from fwcore.solvers.frank_wolfe.fw import DeterministicFW


class Failing(DeterministicFW):
    name = "failing"
    title = "Failing Frank-Wolfe"

    class Options(WalkOptions):
        patience = Count(default=3, bounds=(0, 9), label="Patience", doc="Steps before it fails.")

    def advance(self, problem, state, n):
        rows = super().advance(problem, state, n)
        if rows["step"][-1] > 3:
            raise ArithmeticError("the step is not a number")
        return rows


if "failing" not in [solver.name for solver in all_solvers()]:
    register(Failing())

pn.extension(notifications=False)
Explorer().page().servable()

"""The page with a solver more, which fails after a few steps, data, a picture and a view more:
registering is all it takes.
"""

import panel as pn

from app import live, views
from app.explorer import Explorer
from app.live.picture import Axis, Layer, Picture
from fwcore import WalkOptions, all_solvers, datasets, register
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


class Norms(Picture):
    name = "norms"
    title = "How the norm grows"
    x = Axis(("point",))
    y = Axis(("l1",))
    layers = (Layer("line", named=True),)
    legend = "A line a run."

    def finding(self, runs):
        ends = [f"{shown.name} {shown.run.points['l1'][-1]:.3g}" for shown in runs]
        return f"Norms at the end: {', '.join(ends)}"


def make():
    # What a module of a page has imported is gone once the page is made.
    import numpy as np

    X = np.random.default_rng(0).standard_normal((80, 12))
    return X, X[:, 0] - 2.0 * X[:, 5], [f"part {j}" for j in range(12)]


if "failing" not in [solver.name for solver in all_solvers()]:
    register(Failing())
    datasets.register(
        datasets.Entry("two-parts", "Two parts of twelve", "regression", 80, 12, "", "", make=make)
    )
    live.register(Norms())
    views.register(views.View("growth", "Growth", "How fast do norms grow?", "norms", ("paths",)))

pn.extension(notifications=False)
Explorer().page().servable()

"""Stand-ins and helpers for tests of the app without a browser."""

import os
import time
from dataclasses import dataclass

from app.live.picture import Shown
from app.pace import Pace
from app.run_spec import RunSpec
from app.runs import Run
from app.scheduler import Scheduler
from app.settings import Experiment
from fwcore import datasets, find_solver, grids

AGAIN = int(os.environ.get("FWCORE_AGAIN", "2"))
"""How often each test that touches threads is run; a change to them is trusted after 20."""

EXPERIMENT = Experiment(
    dataset="diabetes",
    split_seed=0,
    loss="squared",
    test_fraction=0.25,
    points=20,
    delta_max=5.0,
)


def spec(key, solver, **options):
    """An entry of the list of runs."""
    made = RunSpec(key, key - 1, solver)
    made.options.param.update(**options)
    return made


def two_runs():
    return [spec(1, "sfw", sampling="5%", tol=1e-3), spec(2, "cd", tol=1e-3)]


def wait_for(condition, what, seconds=300.0):
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, f"waited {seconds} s for {what}"
        time.sleep(0.002)  # the interval of polling, not a guess at how long something takes


def scheduler(workers=2):
    return Scheduler(workers=workers, idle_seconds=0.05)


def walked(name="sfw", points=30, upto=None, seed=0, **options):
    """A run that has reached a point, or its end."""
    tol = {"tol": 1e-2} if "tol" in find_solver(name).Options.declared() else {}
    # A step a turn, so that it can be left at a point.
    pace = None if upto is None else Pace("step", 1.0)
    run = Run(find_solver(name), {**tol, **options}, seed, pace)
    problem = datasets.load("diabetes")
    run.prepare(
        problem,
        grids.delta_grid(5.0, points)
        if run.solver.form == "ball"
        else grids.lam_grid(problem, points),
    )
    while not run.state.over and (upto is None or run.reached < upto):
        run.turn()
    return run


def shown(*runs, lead=0):
    """Runs as the pictures see them, by the names of their solvers."""
    return [
        Shown(k + 1, f"{run.solver.name}{k}" if k else run.solver.name, run, k == lead)
        for k, run in enumerate(runs)
    ]


@dataclass
class Kept:
    """Where sources are sent in a test: what the page would hold."""

    held: dict

    def __call__(self, source, columns, *, replace):
        if replace or source not in self.held:
            self.held[source] = {name: list(values) for name, values in columns.items()}
        else:
            for name, values in columns.items():
                self.held[source][name] += values

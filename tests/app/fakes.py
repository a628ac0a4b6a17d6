"""Stand-ins and helpers for tests of the app without a browser."""

import os
import time

from app.scheduler import Scheduler
from app.settings import Experiment

AGAIN = int(os.environ.get("FWCORE_AGAIN", "2"))
"""How often each test that touches threads is run; a change to them is trusted after 20."""

EXPERIMENT = Experiment(
    dataset="diabetes",
    split_seed=0,
    loss="squared",
    test_fraction=0.25,
    points=20,
    delta_max=5.0,
    seed=0,
    solvers=(("sfw", {"sampling": "5%", "tol": 1e-3}), ("cd", {"tol": 1e-3})),
)


def wait_for(condition, what, seconds=60.0):
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, f"waited {seconds} s for {what}"
        time.sleep(0.002)  # the interval of polling, not a guess at how long something takes


def scheduler(workers=2):
    return Scheduler(workers=workers, idle_seconds=0.05)

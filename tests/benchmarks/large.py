"""Paths on the shapes of E2006-log1p, URL-reputation and KDD2010-algebra, which are made first:
certified, and by stochastic Frank-Wolfe at 1 %. Each in a process of its own, so that its peak of
memory is its own.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
from report import Asked, Rows, Tables

from fwcore import Problem, Walk, datasets, grids

# Problem, solver, points, and lam max over the last lam.
_PATHS = (
    ("log1p-shaped", "certified", 100, 20.0),
    ("log1p-shaped", "sfw", 100, 0.0),
    ("url-shaped", "certified", 50, 10.0),
    ("url-shaped", "sfw", 100, 0.0),
    ("kdd-shaped", "certified", 50, 10.0),
    ("kdd-shaped", "sfw", 100, 0.0),
)
_OPTIONS: dict[str, dict[str, Any]] = {
    "certified": {"rule": "gap", "tol": 1e-3, "threads": 1},
    "sfw": {"sampling": "1%", "tol": 1e-3},
}


def _grid(problem: Problem, points: int, span: float) -> Any:
    if span:
        return np.geomspace(problem.lam_max, problem.lam_max / span, points)
    # By the rule of thumb; the accurate end of the grid would take longer than the path.
    return grids.delta_grid(problem.f0 / problem.lam_max, points)


def _walked(name: str, solver: str, points: int, span: float) -> dict[str, Any]:
    begun = time.perf_counter()
    problem = datasets.load(name)
    opened = time.perf_counter() - begun
    walk = Walk(problem, solver, _grid(problem, points, span), _OPTIONS[solver])
    next(walk.snapshots(1))
    walk = Walk(problem, solver, walk.grid, _OPTIONS[solver])
    begun = time.perf_counter()
    for _ in walk.snapshots():
        pass
    last = walk.points[-1]
    return {
        "problem": name,
        "method": solver,
        "points": points,
        "lam max / last lam": span or float("nan"),
        "opened (s)": opened,
        "cpu (s)": float(last["seconds"]),
        "wall, judged (s)": time.perf_counter() - begun,
        "active at last": int(last["nnz"]),
        "worst gap": float(walk.points["true_gap"].max()) / problem.f0,
        "peak (GB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def _apart(*arguments: Any) -> Any:
    command = [sys.executable, __file__, *(str(argument) for argument in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def measure() -> Rows:
    """A row a path; what is made is kept, so that each is opened from disk."""
    rows = []
    for path in _PATHS:
        made = _apart("make", path[0])
        rows.append({**_apart(*path), "made (s)": made})
    return rows


def tables(_: Asked) -> Tables:
    yield "Paths on the shapes of the largest data", measure()


def _main(first: str, *rest: str) -> Any:
    if first == "make":
        begun = time.perf_counter()
        datasets.load(rest[0])
        return time.perf_counter() - begun
    return _walked(first, rest[0], int(rest[1]), float(rest[2]))


if __name__ == "__main__":
    print(json.dumps(_main(*sys.argv[1:])))

"""The runs that the page opens with, as they were recorded: ``python -m app.recorded`` makes the
file again.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

from app import shelf
from app.kept import Kept, KeptProblem, KeptWalk, facts_of, some_steps
from app.live.features import TopFeatures
from app.settings import FIRST_RUNS, Experiment, Settings
from fwcore import Problem, find_solver, grids, walk_path

FILE = Path(__file__).with_name("recorded.npz")
_STEPS_OF_A_POINT = 12
# Coefficients are recorded in single precision.
_SAME = 1e-5


def experiment() -> Experiment:
    """What was recorded: the problem that the page begins with."""
    return Settings().chosen()


def runs() -> list[Kept]:
    """The recorded runs, in the order of `app.settings.FIRST_RUNS`."""
    return [_recorded(k, solver, given) for k, (solver, given) in enumerate(FIRST_RUNS)]


def delta_max(chosen: Experiment, problem: Problem) -> float | None:
    """Where the recorded grid of δ ends, if the problem is the recorded one: it need not be found
    again, for which a solver would have to be compiled first.
    """
    if not chosen.alike(experiment()):
        return None
    walk = runs()[0].walk
    if problem.p != walk.problem.p:
        return None
    indices, values = walk.columns[-1]
    # The same name may mean other data by now: then the objective is not the recorded one.
    objective = problem.judge(indices.astype(np.int64), values, "ball", 1.0).objective
    recorded = float(walk.points["objective"][-1])
    return float(walk.grid[-1]) if abs(objective - recorded) <= _SAME * problem.f0 else None


def _recorded(place: int, solver: str, given: dict[str, str]) -> Kept:
    arrays = _arrays()
    facts = json.loads(str(arrays["facts"]))
    lengths = np.cumsum(arrays[f"lengths{place}"])[:-1]
    columns = zip(
        np.split(arrays[f"indices{place}"], lengths),
        np.split(arrays[f"values{place}"], lengths),
        strict=True,
    )
    points = arrays[f"points{place}"]
    names = {int(j): name for j, name in facts["names"].items()}
    columns_of_data = shelf.find(experiment().dataset).columns
    problem = KeptProblem("squared", facts["f0"], columns_of_data, names, _problem)
    made = facts["results"][place]
    walk = KeptWalk(problem, points["value"], points, [*columns], arrays[f"trace{place}"], made)
    options = find_solver(solver).Options(**given).settings()
    return Kept(solver, options, walk, "recorded", "Recorded. Press Run to watch it live.")


@functools.cache
def _arrays() -> dict[str, Any]:
    with np.load(FILE) as file:
        return dict(file)


@functools.cache
def _problem() -> Any:
    chosen = experiment()
    return shelf.load(chosen.dataset, chosen.split_seed, chosen.test_fraction, chosen.loss)


def record(file: Path = FILE) -> None:
    """Walk the paths, and write what the page shows of them."""
    problem = _problem()
    arrays: dict[str, Any] = {}
    names: dict[str, str] = {}
    results = []
    grid = grids.grid(problem, "ball", experiment().points)
    for k, (solver, given) in enumerate(FIRST_RUNS):
        result = walk_path(problem, solver, grid, seed=0, **given)
        coefs = result.coefs
        columns = [
            (coefs.indices[a:b], coefs.data[a:b])
            for a, b in zip(coefs.indptr[:-1], coefs.indptr[1:], strict=True)
        ]
        features = TopFeatures()
        features.follow(columns, len(columns))
        features.choose()
        last = columns[-1][0][np.abs(columns[-1][1]).argmax()]
        names |= {str(j): problem.feature_names[j] for j in {*features.indices, int(last)}}
        arrays[f"points{k}"], arrays[f"trace{k}"] = (
            result.points,
            some_steps(result.trace, _STEPS_OF_A_POINT),
        )
        arrays[f"lengths{k}"] = np.diff(coefs.indptr)
        arrays[f"indices{k}"] = coefs.indices.astype(np.uint16)
        arrays[f"values{k}"] = coefs.data.astype(np.float32)
        results.append(facts_of(result) | {"short": True, "grid": []})
    facts = json.dumps({"f0": problem.f0, "names": names, "results": results})
    arrays["facts"] = np.array(facts)
    np.savez_compressed(file, **arrays)


if __name__ == "__main__":
    record()

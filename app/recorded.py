"""The runs that the page opens with, as they were recorded: ``python -m app.recorded`` makes the
file again.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from app.live.features import TopFeatures
from app.reached import Reached
from app.runs import Pace, RunState
from app.settings import FIRST_RUNS, Experiment, Settings
from fwcore import datasets, find_loss, find_solver, grids, walk_path

FILE = Path(__file__).with_name("recorded.npz")
_STEPS_OF_A_POINT = 12


class Recorded(Reached):
    """A run that has ended, of which the points, the largest coefficients and some of the steps
    are at hand.
    """

    state = RunState.DONE
    latest = None
    pace: Pace | None = None
    note = ""
    urgent = False
    label = "recorded"
    walked_seconds = 0.0
    last_row_at = None

    def __init__(self, place: int, solver: str, options: dict[str, str]) -> None:
        self.solver = find_solver(solver)
        self.options = self.solver.Options(**options).settings()
        arrays = _arrays()
        facts = json.loads(str(arrays["facts"]))
        points, trace = arrays[f"points{place}"], arrays[f"trace{place}"]
        lengths = np.cumsum(arrays[f"lengths{place}"])[:-1]
        columns = zip(
            np.split(arrays[f"indices{place}"], lengths),
            np.split(arrays[f"values{place}"], lengths),
            strict=True,
        )
        ends = np.flatnonzero(np.diff(trace["point"])) + 1
        self.message = "Recorded. Press Run to watch it live."
        self.walk = SimpleNamespace(
            points=points,
            reached=len(points),
            grid=points["value"],
            columns=[*columns],
            chunks=np.split(trace, ends),
            notes={},
            problem=_Problem(facts["f0"], facts["names"]),
        )

    @property
    def ended(self) -> bool:
        """It has reached its end."""
        return True

    def pause(self) -> None:
        """Nothing is left to be held; nor is there anything to be done for the commands below."""

    resume = step = stop = turn = pause

    def set_pace(self, pace: Pace | None) -> None:
        """There is no pace to something that has ended."""

    def due(self) -> float | None:
        """Never."""
        return None


class _Problem:
    """The problem of the recorded runs; loaded when more than what was recorded is asked of it."""

    def __init__(self, f0: float, names: Mapping[str, str]) -> None:
        self.f0 = f0
        self.loss = find_loss("squared")
        self.p = datasets.find(experiment().dataset).columns
        self.feature_names = _Names({int(j): name for j, name in names.items()})

    def __getattr__(self, name: str) -> Any:
        return getattr(_problem(), name)


class _Names(dict[int, str]):
    """Names of the features that were recorded; the others are those of the problem."""

    def __missing__(self, j: int) -> str:
        return str(_problem().feature_names[j])


def experiment() -> Experiment:
    """What was recorded: the problem that the page begins with."""
    return Settings().chosen()


def runs() -> list[Recorded]:
    """The recorded runs, in the order of `app.settings.FIRST_RUNS`."""
    return [Recorded(k, solver, given) for k, (solver, given) in enumerate(FIRST_RUNS)]


@functools.cache
def _arrays() -> dict[str, Any]:
    with np.load(FILE) as file:
        return dict(file)


@functools.cache
def _problem() -> Any:
    chosen = experiment()
    return datasets.load(
        chosen.dataset, split_seed=chosen.split_seed, test_fraction=chosen.test_fraction
    )


def record(file: Path = FILE) -> None:
    """Walk the paths, and write what the page shows of them."""
    problem = _problem()
    arrays: dict[str, Any] = {}
    names: dict[str, str] = {}
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
        arrays[f"points{k}"], arrays[f"trace{k}"] = result.points, _some(result.trace)
        arrays[f"lengths{k}"] = np.diff(coefs.indptr)
        arrays[f"indices{k}"] = coefs.indices.astype(np.uint16)
        arrays[f"values{k}"] = coefs.data.astype(np.float32)
    facts = json.dumps({"f0": problem.f0, "names": names})
    arrays["facts"] = np.array(facts)
    np.savez_compressed(file, **arrays)


def _some(trace: Any) -> Any:
    """The first and last steps of each point, and some between."""
    kept = []
    for k in np.unique(trace["point"]):
        steps = np.flatnonzero(trace["point"] == k)
        places = np.geomspace(1, steps.size, _STEPS_OF_A_POINT).astype(int) - 1
        judged = steps[np.isfinite(trace["true_gap"][steps])]
        kept.append(np.unique([*steps[places], *judged[-2:], steps[-1]]))
    return trace[np.concatenate(kept)]


if __name__ == "__main__":
    record()

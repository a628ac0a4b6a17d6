"""A result says itself as Python and as a shell line, and both make it again."""

import json
import shlex

import numpy as np
import pytest
import toys
from typer.testing import CliRunner

from fwcore import all_solvers, cli, datasets, find_solver, grids, walk_path

OPTIONS = {
    "sfw": {"sampling": "5%", "rule": "gap", "tol": 1e-2},
    "fw": {"step": "adaptive", "tol": 1e-2},
    "sfw_rows": {"batch": "10%", "max_steps": 200},
    "omp": {"oracle": "greedy-rows"},
    "smidas": {"eta": 1e-3, "max_steps": 3},
}


# Each walk of a library begins a process, and some compile in it; all say themselves in one way.
LIBRARIES = [
    pytest.param(s.name, marks=() if s.name == "sklearn" else pytest.mark.slow)
    for s in all_solvers()
    if not s.compiles and not s.missing
]


def walked(name):
    problem = datasets.load("diabetes-3", split_seed=1, test_fraction=0.2)
    solver = find_solver(name)
    grid = grids.grid(problem, solver.form, 3, 2.0 if solver.form == "ball" else None)
    short = {"max_steps": 50} if "max_steps" in solver.Options.declared() else {}
    return walk_path(problem, name, grid, seed=3, **(short | OPTIONS.get(name, {})))


@pytest.mark.parametrize("name", [*(s.name for s in all_solvers() if s.compiles), *LIBRARIES])
def test_both_make_the_same_result_again(name, monkeypatch):
    result = walked(name)
    made = {}
    exec(result.to_code(), made)
    assert made["result"].digest() == result.digest()
    kept = []
    original = type(result).summary
    monkeypatch.setattr(type(result), "summary", lambda self: kept.append(self) or original(self))
    words = shlex.split(result.to_command())
    done = CliRunner().invoke(cli.build_app(words[1:]), words[1:])
    assert done.exit_code in (0, cli.STEP_LIMIT), done.output
    assert json.loads(done.stdout)["seed"] == 3
    assert kept[0].digest() == result.digest()


def test_only_what_was_chosen_is_said():
    code, command = walked("sfw").to_code(), walked("sfw").to_command()
    assert "sampling='5%', max_steps=50, rule='gap', tol=0.01" in code.replace(
        "rule='gap', tol=0.01, max_steps=50", "max_steps=50, rule='gap', tol=0.01"
    )
    assert "redraw" not in code
    assert "--sampling 5%" in command


def test_arrays_and_grids_of_ones_own():
    result = walk_path(toys.problem(), "cd", [3.0, 1.0])
    assert "problem = ...  # data" in result.to_code()
    assert "grid = [3.0, 1.0]" in result.to_code()
    with pytest.raises(ValueError, match="made from arrays"):
        result.to_command()
    odd = walk_path(datasets.load("diabetes-3"), "cd", [3.0, 1.0])
    with pytest.raises(ValueError, match="other points"):
        odd.to_command()


def test_the_usual_grid_of_another_processor_is_the_usual_grid():
    result = walked("sfw")
    result.grid[1] = np.nextafter(result.grid[1], 0.0)
    assert "grids.delta_grid(2.0, 3)" in result.to_code()
    assert "--points 3" in result.to_command()


def test_a_digest_does_not_know_seconds():
    first, second = (walk_path(toys.problem(), "cd", [2.0, 1.0]) for _ in range(2))
    assert first.digest() == second.digest()
    second.coefs.data[0] = np.nextafter(second.coefs.data[0], 1e9)
    assert first.digest() != second.digest()

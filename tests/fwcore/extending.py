"""Adds one of each thing to this process, and says what came of it: run by test_extending.py.

In a process of its own, as compiled kernels that know these types must not be found by others.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from fwcore.kernels.dispatch import FAST

# Before anything is compiled: bits must not depend on how loops of different storages vectorise.
FAST.clear()

# ruff: noqa: E402
import extras
import numpy as np
import toys
from typer.testing import CliRunner

from fwcore import (
    Problem,
    all_solvers,
    cli,
    find_loss,
    find_solver,
    grids,
    register,
    register_loss,
    walk_path,
)
from fwcore.datasets.generators import zipf_sparse
from fwcore.design import open_folder, register_storage, save
from fwcore.oracles import COLUMN_ORACLES, ROW_ORACLES
from fwcore.step_rules import STEP_RULES


def solver():
    register(extras.Patient())
    listed = CliRunner().invoke(cli.build_app(), ["solvers"]).output
    result = walk_path(toys.problem(), "patient", [0.5, 1.0])
    fw = walk_path(toys.problem(), "fw", [0.5, 1.0])
    return "patient" in listed and result.digest() == fw.digest()


def column_oracle():
    COLUMN_ORACLES.append(extras.Alternate)
    result = walk_path(toys.problem(), "sfw", [0.5, 1.0], draw="alternate", sampling="50%")
    return result.max_relative_gap < 0.5 and result.trace["dots"][-1] > 0


def row_oracle():
    ROW_ORACLES.append(extras.HALF)
    problem = toys.problem("easy")
    result = walk_path(problem, "fw", [0.5, 1.0], oracle="first-half", tol=1e-2)
    # Half of the entries in the first step, and one column for the slope.
    spent = result.trace["entries"][0] - problem.entries
    return spent == problem.entries // 2 + problem.m


def step_rule():
    STEP_RULES.append(extras.Constant())
    result = walk_path(toys.problem(), "fw", [1.0], step="constant", max_steps=5)
    return bool(np.isfinite(result.points["objective"]).all()) and result.trace.size == 5


def loss():
    register_loss(extras.PseudoHuber)
    X, y = toys.arrays("easy")
    problem = Problem.from_arrays(X, y, loss="pseudo-huber")
    lam = problem.lam_max / 5
    result = walk_path(problem, "fista", [lam], rule="gap", tol=1e-7, max_steps=10**5)
    capable = {s.name for s in all_solvers() if not s.lacks(find_loss("pseudo-huber"))}
    weighed = [
        Problem.from_arrays(X, y, loss="pseudo-huber", weights=w, standardize=False)
        for w in (None, np.full(y.size, 2.0))
    ]
    top = weighed[0].lam_max
    certified = [
        walk_path(p, "certified", [k * top / 5], tol=1e-9) for k, p in enumerate(weighed, start=1)
    ]
    once, twice = (one.points["l1"][0] for one in certified)
    alike = abs(twice - once) <= 1e-3 * once
    small = result.max_relative_gap <= 1e-7
    small = small and max(one.max_relative_gap for one in certified) <= 1e-9 * (1 + 1e-6)
    return bool(small and alike) and {"fw", "scd", "omp", "sfw_rows"} <= capable


def storage(names=("cd", "fw")):
    register_storage(extras.Chunked)
    X, y = toys.arrays("wide")
    with tempfile.TemporaryDirectory() as folder:
        held = extras.Chunked.of(X, Path(folder) / "blocks.npy")
        problem, plain = Problem.from_arrays(held, y), Problem.from_arrays(X, y)
        save(problem.design, Path(folder) / "saved")
        opened = open_folder(Path(folder) / "saved")
        same = [type(opened).__name__ == "Chunked"]
        for name in names:
            form = next(s.form for s in all_solvers() if s.name == name)
            grid = grids.grid(plain, form, 4, 2.0 if form == "ball" else None)
            options = {"sampling": "20%"} if name == "sfw" else {}
            first = walk_path(plain, name, grid, seed=1, **options)
            second = walk_path(problem, name, grid, seed=1, **options)
            same.append(first.digest() == second.digest())
    return all(same)


def every_column_solver():
    """The storage again, with all methods that go by columns."""
    return storage([s.name for s in all_solvers() if s.compiles and s.draws == "columns"])


def pattern(names=("sfw", "fw", "cd")):
    """`Pattern`, which stores no values, beside `Csc`: the same bits, and the same steps of solvers
    whose images are folded.
    """
    same = []
    # From 65,536 rows on, entries ask for what later ones meet.
    for kind, rows in (("ones", 60), ("unit-rows", 60), ("unit-rows", 70_000)):
        g = zipf_sparse(rows, 90, max(700, 2 * rows), relevant=9, values=kind, labels=True)
        X = g.X.astype(np.float64)
        stores = [Problem.from_arrays(X, g.y, dtype=d) for d in ("float64", "pattern")]
        for name in names if rows == 60 else ("sfw", "fw", "cd"):
            form = find_solver(name).form
            grid = grids.grid(stores[0], form, 4, 2.0 if form == "ball" else None)
            for draw in ("subset", "blocks") if name == "sfw" else ("",):
                options = {"sampling": "20%", "draw": draw} if draw else {}
                one, two = (walk_path(p, name, grid, seed=1, **options) for p in stores)
                if name in ("sfw", "fw"):
                    steps = one.points["steps"].tolist() == two.points["steps"].tolist()
                    same.append(steps and abs(one.coefs - two.coefs).max() <= 1e-10)
                else:
                    same.append(one.digest() == two.digest())
    return all(same)


def every_solver_of_a_pattern():
    """The same, with all methods that go by columns."""
    return pattern([s.name for s in all_solvers() if s.compiles and s.draws == "columns"])


if __name__ == "__main__":
    print(json.dumps({name: bool(globals()[name]()) for name in sys.argv[1:]}))

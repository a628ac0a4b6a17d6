"""Solvers of other libraries: the same problems, through a process of their own."""

from itertools import product

import numpy as np
import pytest
import toys
from sklearn.linear_model import lars_path

from fwcore import ParameterError, Problem, Status, Walk, all_solvers, find_solver, grids, walk_path
from fwcore.experiments import compare as study
from fwcore.experiments.solver_spec import parse_specs
from fwcore.solvers.external._process import LibrarySolver
from fwcore.solvers.external.lars import Lars, read

NAMES = [solver.name for solver in all_solvers() if isinstance(solver, LibrarySolver)]
FINE = {"sklearn": 1e-8, "celer": 1e-10, "skglm": 1e-9, "adelie": 1e-14, "lars": None}


def options(name):
    if find_solver(name).missing:
        pytest.skip(f"{name} is not installed: {find_solver(name).missing}")
    return {} if FINE[name] is None else {"tol": FINE[name]}


def grid_for(name, problem, points=5):
    return (
        grids.delta_grid(4.0, points)
        if find_solver(name).form == "ball"
        else grids.lam_grid(problem, points)
    )


@pytest.mark.parametrize(
    ("kind", "storage"), toys.first(product(("wide", "sparse"), toys.STORAGES))
)
@pytest.mark.parametrize("name", NAMES)
def test_they_solve_our_problems(name, kind, storage):
    problem = toys.problem(kind, storage)
    grid = grid_for(name, problem)
    result = walk_path(problem, name, grid, **options(name))
    assert result.status == Status.RETURNED
    assert result.status.converged
    assert result.max_relative_gap <= 1e-5
    exact = walk_path(
        problem,
        "corrective_fw" if result.form == "ball" else "active_set",
        grid,
        rule="gap",
        tol=1e-11,
    )
    np.testing.assert_allclose(
        result.points["objective"], exact.points["objective"], atol=1e-5 * problem.f0
    )
    np.testing.assert_array_equal(result.trace["step"], np.arange(1, 6))
    assert (np.diff(result.trace["seconds"]) >= 0).all()
    assert np.isnan(result.trace["gap"]).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_design_that_is_not_centred(name):
    X, y = toys.arrays("sparse")
    problem = Problem.from_arrays(
        toys.store(X / np.linalg.norm(X, axis=0), "csc"), y - y.mean(), standardize=False
    )
    value = 8.0 if find_solver(name).form == "ball" else problem.lam_max / 10
    assert walk_path(problem, name, [value], **options(name)).max_relative_gap <= 2e-6


def test_one_is_asked_for_without_steps_of_its_own():
    problem = toys.problem("wide")
    walk = Walk(problem, "sklearn", grids.lam_grid(problem, 3))
    rows = [len(snapshot.rows) for snapshot in walk.snapshots()]
    assert sum(rows) == 3
    assert set(rows) <= {0, 1}
    assert len(walk.chunks) == 3


@pytest.mark.parametrize("name", NAMES)
def test_other_losses_are_refused(name):
    X, y = toys.arrays("easy")
    problem = Problem.from_arrays(X, np.sign(y - np.median(y) + 1e-9), loss="logistic")
    with pytest.raises(ParameterError, match="loss"):
        Walk(problem, name, [1.0])


def test_a_package_that_is_not_there_is_named_with_its_command(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda package: None)
    assert find_solver("celer").missing == "pip install celer"
    with pytest.raises(ParameterError, match="pip install celer"):
        Walk(toys.problem(), "celer", [0.1])
    with pytest.raises(ParameterError, match="pip install skglm"):
        study.compare(toys.problem(), parse_specs("cd,skglm"), repeats=1, points=2)


def test_a_library_that_fails_fails_the_run(monkeypatch):
    monkeypatch.setattr(type(find_solver("sklearn")), "module", "fwcore.solvers.external.nowhere")
    with pytest.raises(Exception, match=r"nowhere|terminated|initializ"):
        walk_path(toys.problem(), "sklearn", [0.1])


def test_figures_of_a_library_have_no_counts():
    problem = toys.problem("wide")
    cd, sklearn = study.compare(problem, parse_specs("cd,sklearn"), repeats=1, points=3)
    assert cd.dots > 0
    assert np.isnan(sklearn.dots)
    assert np.isnan(sklearn.entries)
    assert sklearn.finished


def test_points_between_breakpoints_are_those_of_the_lasso():
    X, y = toys.standardized(*toys.arrays("wide"))
    path = lars_path(X, y, method="lasso")[2]
    norms = np.abs(path).sum(axis=0)
    problem = Problem.from_arrays(X, y, standardize=False)
    radii = np.linspace(0.1, 0.9, 7) * norms[-2]
    best = walk_path(problem, "corrective_fw", radii, rule="gap", tol=1e-12)
    for k, delta in enumerate(radii):
        np.testing.assert_allclose(
            read(norms, path, delta), best.coefs[:, [k]].toarray().ravel(), atol=1e-5
        )
    assert (read(norms, path, 10 * norms[-1]) == path[:, -1]).all()
    assert not read(norms, path, 0.0).any()


def test_a_design_too_large_to_be_made_dense_is_refused(monkeypatch):
    monkeypatch.setattr(Lars, "most_entries", 100)
    with pytest.raises(ParameterError, match="Lars"):
        Walk(toys.problem("sparse", "csc"), "lars", [1.0])

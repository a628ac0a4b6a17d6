"""What holds for every registered solver, on every kind of problem and storage."""

import numpy as np
import pytest
import toys

from fwcore import (
    FORMS,
    SOLVERS,
    ParameterError,
    Problem,
    Status,
    Walk,
    all_solvers,
    find_solver,
    grids,
    register,
    unregister,
    walk_path,
    warmup,
)
from fwcore.solvers.base import NEEDS
from fwcore.solvers.frank_wolfe.fw import DeterministicFW

# What is not computed here has no steps, and pursuits no rule to stop by (test_omp); what samples
# rows settles near a solution, or slowly (test_mirror, test_finite_sum).
OURS = [
    solver.name for solver in SOLVERS if solver.compiles and "rule" in solver.Options.declared()
]
NAMES = [name for name in OURS if find_solver(name).draws == "columns"]


def grid_for(solver, problem, points=6):
    return (
        grids.delta_grid(4.0, points) if solver.form == "ball" else grids.lam_grid(problem, points)
    )


@pytest.mark.parametrize("storage", toys.STORAGES)
@pytest.mark.parametrize("kind", toys.KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_every_point_comes_with_a_small_true_gap(name, kind, storage):
    problem = toys.problem(kind, storage)
    options = {"sampling": "70%"} if name == "sfw" else {}
    result = walk_path(
        problem, name, grid_for(find_solver(name), problem), rule="gap", tol=1e-3, **options
    )
    assert result.status == Status.SMALL_GAP
    # A sampled gap certifies nothing, so that the sampling solver is held to less.
    assert result.max_relative_gap <= (0.15 if name == "sfw" else 1e-3 * (1 + 1e-9))
    for k in range(result.grid.size):
        column = result.coefs[:, [k]].tocoo()
        verdict = problem.judge(column.coords[0], column.data, result.form, result.grid[k])
        assert verdict.true_gap == pytest.approx(result.points["true_gap"][k], abs=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_dense_and_sparse_storage_give_the_same_path(name):
    results = []
    for storage in toys.STORAGES:
        problem = toys.problem("sparse", storage)
        options = {"sampling": "20%"} if name == "sfw" else {}
        # Steps from the worst atom part ways at the first rounding error, and meet again at the
        # solution.
        tol = 1e-10 if name in ("away_fw", "pairwise_fw") else 1e-3
        results.append(
            walk_path(
                problem, name, grid_for(find_solver(name), problem), rule="gap", tol=tol, **options
            )
        )
    dense, sparse = results
    np.testing.assert_allclose(dense.points["objective"], sparse.points["objective"], rtol=1e-6)
    np.testing.assert_allclose(dense.coefs.toarray(), sparse.coefs.toarray(), atol=1e-5)


@pytest.mark.parametrize("wanted", [None, 1, 7])
@pytest.mark.parametrize("name", OURS)
def test_the_same_seed_gives_the_same_bits_in_chunks_of_any_size(name, wanted):
    problem = toys.problem("wide")
    grid = grid_for(find_solver(name), problem)
    reference = walk_path(problem, name, grid, seed=7)
    walk = Walk(problem, name, grid, seed=7)
    toys.follow(walk, wanted)
    result = walk.result()
    np.testing.assert_array_equal(result.coefs.toarray(), reference.coefs.toarray())
    for column in set(result.trace.dtype.names) - {"seconds"}:
        np.testing.assert_array_equal(result.trace[column], reference.trace[column], err_msg=column)


@pytest.mark.parametrize("name", OURS)
def test_the_last_row_of_a_point_says_what_the_judge_says(name):
    problem = toys.problem("wide")
    result = walk_path(problem, name, grid_for(find_solver(name), problem), seed=7)
    ends = np.flatnonzero(np.diff(result.trace["point"], append=-1))
    rows, points = result.trace[ends], result.points
    np.testing.assert_allclose(rows["l1"], points["l1"], rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(rows["nnz"], points["nnz"])
    np.testing.assert_array_equal(rows["step"], points["steps"])
    if find_solver(name).draws == "columns":
        np.testing.assert_allclose(rows["objective"], points["objective"], rtol=1e-9)
        assert (np.diff(result.trace["dots"]) >= 0).all()
    else:
        # The objective is an estimate, see `fwcore.trace`; derivatives are what is charged.
        assert (np.diff(result.trace["grads"], prepend=0) > 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_one_step_is_one_row(name):
    problem = toys.problem("wide")
    for snapshot in toys.follow(
        Walk(problem, name, grid_for(find_solver(name), problem)), wanted=1
    ):
        assert len(snapshot.rows) == 1


@pytest.mark.parametrize("name", OURS)
def test_the_step_limit_ends_a_point_and_says_so(name):
    problem = toys.problem("wide")
    result = walk_path(
        problem, name, grid_for(find_solver(name), problem, 3), rule="gap", tol=1e-13, max_steps=1
    )
    assert result.status == Status.STEP_LIMIT
    assert result.points["steps"].max() <= 3
    assert "max_steps" in result.status.sentence


@pytest.mark.parametrize("name", [solver.name for solver in SOLVERS])
def test_declares_what_the_page_and_the_papers_need(name):
    solver = find_solver(name)
    assert solver.title
    assert any(character.isdigit() for character in solver.reference)
    assert solver.form in FORMS
    assert set(solver.needs) <= set(NEEDS)
    assert solver.draws in ("columns", "rows")
    for option, parameter in solver.Options.declared().items():
        assert parameter.doc, option


def test_a_registered_solver_is_found_warmed_up_and_taken_back(monkeypatch):
    class Twin(DeterministicFW):
        name = "twin"

    register(Twin())
    try:
        assert find_solver("twin") in all_solvers()
        # Others are compiled by other tests.
        monkeypatch.setattr(warmup, "all_solvers", lambda: [find_solver("twin")])
        assert [*warmup.every_solver()] == ["twin on Dense", "twin on Csc"]
        with pytest.raises(ParameterError, match="'name'"):
            register(Twin())
    finally:
        unregister("twin")
    with pytest.raises(ParameterError, match="'form' parameter of Odd"):
        register(type("Odd", (DeterministicFW,), {"name": "odd", "form": "penalised"})())
    with pytest.raises(ParameterError, match=r"'solver'.*'twin'"):
        find_solver("twin")


def test_a_loss_that_a_solver_lacks_is_refused():
    class Other(DeterministicFW):
        name = "other"
        needs = ("closed_line_search",)

    with pytest.raises(ParameterError, match="'loss' parameter of Other"):
        Walk(Problem.from_arrays(*toys.arrays("easy"), loss="huber"), Other(), [1.0])

"""Walks that are held, and gone on with elsewhere."""

import pickle

import numpy as np
import pytest
import toys

from fwcore import ParameterError, Problem, Walk, all_solvers, find_solver, grids

OURS = [solver.name for solver in all_solvers() if solver.resumes]
LIBRARIES = [s.name for s in all_solvers() if not s.resumes and not s.missing]


def walk(name, problem=None, points=5, **options):
    problem = problem or toys.problem("wide")
    form = find_solver(name).form
    grid = (
        grids.delta_grid(3.0, points)
        if form == "ball"
        else grids.lam_grid(problem, points)
        if form == "penalty"
        else [1.0, 2.0, 4.0, 7.0]
    )
    declared = find_solver(name).Options.declared()
    known = {"max_steps": 400, "tol": 1e-3, **options}
    return Walk(problem, name, grid, {n: v for n, v in known.items() if n in declared}, seed=3)


def go(walk, chunks=None, wanted=None):
    """Walk on by so many chunks, each of at most so many steps, or to the end."""
    walking = walk.snapshots(wanted)
    snapshot = next(walking, None)
    while snapshot is not None and (chunks is None or (chunks := chunks - 1) > 0):
        try:
            snapshot = walking.send(wanted)
        except StopIteration:
            return


def again(other, held):
    other.resume(held.hold(), held.points[: held.reached], held.columns, held.chunks)
    return other


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("chunks", [1, 3, 17])
def test_a_walk_that_is_resumed_ends_with_the_same_bytes(name, chunks):
    whole = walk(name)
    go(whole)
    held = walk(name)
    go(held, chunks, 3)
    # Twice: what was resumed can be held, too.
    resumed = again(walk(name), again(walk(name), held))
    assert resumed.reached == held.reached
    go(resumed)
    ours, theirs = resumed.result(), whole.result()
    assert ours.digest() == theirs.digest()
    assert ours.status == theirs.status
    for column in ("step", "point", "dots", "entries", "objective", "gap", "true_gap"):
        np.testing.assert_array_equal(ours.trace[column], theirs.trace[column], column)


@pytest.mark.parametrize(
    ("name", "loss", "storage"),
    [("sfw", "logistic", "csc"), ("scd", "logistic", "dense"), ("certified", "logistic", "csc"),
     ("certified", "squared", "csc"), ("sfw_rows", "logistic", "csc"), ("sfw", "huber", "dense"),
     ("smidas", "logistic", "dense")],
)  # fmt: skip
def test_so_do_those_of_other_losses_and_ways_to_store_x(name, loss, storage):
    X, y = toys.arrays("sparse")
    y = np.sign(y - np.median(y) + 1e-9) if loss == "logistic" else y
    problem = Problem.from_arrays(toys.store(X, storage), y, loss=loss)
    whole, held = walk(name, problem), walk(name, problem)
    go(whole)
    go(held, 9, 4)
    resumed = again(walk(name, problem), held)
    go(resumed)
    assert resumed.result().digest() == whole.result().digest()


def test_steps_after_the_state_was_held_are_made_again():
    held, resumed = walk("sfw"), walk("sfw")
    walking = held.snapshots(2)
    for _ in range(6):
        snapshot = next(walking)
    state, steps = held.hold(), int(snapshot.rows["step"][-1])
    for _ in walking:
        pass
    resumed.resume(state, held.points, held.columns, held.chunks)
    assert resumed.chunks[-1]["step"][-1] == steps
    go(resumed)
    assert resumed.result().digest() == held.result().digest()
    np.testing.assert_array_equal(resumed.result().trace["step"], held.result().trace["step"])


def test_a_walk_that_is_over_is_resumed_as_that():
    held = walk("cd")
    go(held)
    resumed = again(walk("cd"), held)
    assert list(resumed.snapshots()) == []
    assert resumed.result().digest() == held.result().digest()
    assert resumed.result().status == held.result().status


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_state_of_a_library_is_elsewhere(name):
    assert walk(name).hold() is None


def test_a_state_that_no_bytes_hold_is_not_held():
    held = walk("sfw")
    go(held, 3, 2)
    held._state.engine = lambda: None
    assert held.hold() is None


class Elsewhere:
    """A class that is not of fwcore, as in the state of a solver that a user registers."""


def test_a_state_with_classes_from_elsewhere_is_refused():
    held = walk("sfw")
    go(held, 3, 2)
    held._state.engine = Elsewhere()
    with pytest.raises(ParameterError, match="Elsewhere is no part of a state"):
        again(walk("sfw"), held)


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (lambda: walk("fw"), "solver and options"),
        (lambda: walk("sfw", tol=1e-2), "options"),
        (lambda: walk("sfw", points=6), "grid"),
        (lambda: walk("sfw", toys.problem("easy")), "problem"),
    ],
)
def test_a_state_of_something_else_is_refused(other, what):
    held = walk("sfw")
    go(held, 4, 2)
    with pytest.raises(ParameterError, match=rf"of a walk of the same .*{what}"):
        again(other(), held)


def test_fewer_points_than_had_been_reached_are_refused():
    held = walk("sfw")
    go(held)
    with pytest.raises(ParameterError, match="the 5 points that had been reached"):
        walk("sfw").resume(held.hold(), held.points[:2], held.columns, held.chunks)


class Command:
    """What a pickle of a stranger would run."""

    def __init__(self, call, *given):
        self.made = call, given

    def __reduce__(self):
        return self.made


def dotted(module, name):
    """A pickle that takes a name of a module of ours for what that imports."""
    return (
        pickle.PROTO + b"\x04"
        + pickle.SHORT_BINUNICODE + bytes([len(module)]) + module.encode()
        + pickle.SHORT_BINUNICODE + bytes([len(name)]) + name.encode()
        + pickle.STACK_GLOBAL
        + pickle.SHORT_BINUNICODE + b"\x04true" + pickle.TUPLE1 + pickle.REDUCE + pickle.STOP
    )  # fmt: skip


def test_bytes_of_a_stranger_run_nothing(tmp_path):
    target = tmp_path / "made"
    commands = [
        pickle.dumps(Command(exec, f"open({str(target)!r}, 'w')")),
        pickle.dumps(Command(target.write_text, "x")),
        dotted("fwcore.cache", "os.system"),
        dotted("fwcore.cache", "os"),
        dotted("fwcore.cache", "folder"),
        dotted("fwcore.cache", "Path"),
        b"",
        b"\x80",
        np.random.default_rng(0).bytes(1000),
        pickle.dumps(None),
        pickle.dumps(({}, 1)),
    ]
    for content in commands:
        made = walk("sfw")
        with pytest.raises(ParameterError, match=r"bytes of `Walk\.hold`"):
            made.resume(content, made.points[:0], [], [])
        go(made)
    assert not target.exists()

import gc
import threading
import weakref

import numpy as np
import pytest
from fakes import AGAIN, EXPERIMENT, scheduler, wait_for

from app.runs import Run, RunState, Session
from app.settings import Experiment
from fwcore import Walk, datasets, find_solver, grids


def started(speed=None, paused=False, experiment=EXPERIMENT):
    session = Session(scheduler())
    session.start(experiment, speed, paused=paused)
    return session


def finished(session):
    wait_for(lambda: not session.live, "the runs to end")
    return session


def steps(run):
    return 0 if run.walk is None else sum(len(rows) for rows in run.walk.chunks)


def alone(experiment):
    problem = datasets.load(experiment.dataset, test_fraction=experiment.test_fraction)
    results = []
    for name, options in experiment.solvers:
        ball = find_solver(name).form == "ball"
        grid = (
            grids.delta_grid(experiment.delta_max, experiment.points)
            if ball
            else grids.lam_grid(problem, experiment.points)
        )
        walk = Walk(problem, name, grid, options, seed=experiment.seed)
        for _ in walk.snapshots():
            pass
        results.append(walk.result())
    return results


@pytest.mark.parametrize("again", range(AGAIN))
def test_runs_beside_each_other_equal_their_solo_runs(again):
    pool = scheduler()
    sessions = [Session(pool), Session(pool)]
    for session in sessions:
        session.start(EXPERIMENT, None)
    expected = alone(EXPERIMENT)
    for session in sessions:
        finished(session)
        assert session.state is RunState.DONE
        for run, result in zip(session.runs, expected, strict=True):
            ours = run.walk.result()
            np.testing.assert_array_equal(ours.coefs.toarray(), result.coefs.toarray())
            np.testing.assert_array_equal(ours.trace["objective"], result.trace["objective"])


@pytest.mark.parametrize("again", range(AGAIN))
def test_pause_holds_and_each_step_is_exactly_one(again):
    session = started(paused=True)
    wait_for(lambda: all(steps(run) == 1 for run in session.runs), "the first step")
    wait_for(lambda: session._scheduler.workers == 0, "the workers to end")
    assert [steps(run) for run in session.runs] == [1, 1]
    assert session.state is RunState.PAUSED
    for k in range(2, 40):
        session.step()
        wait_for(lambda k=k: all(steps(run) >= k for run in session.runs), "a step")
        assert [steps(run) for run in session.runs] == [k, k]
    session.resume()
    finished(session)
    assert steps(session.runs[0]) == len(alone(EXPERIMENT)[0].trace)


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_pause_during_a_run_holds_after_the_chunk(again):
    session = started(speed=2000.0)
    wait_for(lambda: steps(session.runs[0]) > 5, "some steps")
    session.pause()
    wait_for(lambda: session._scheduler.workers == 0, "the workers to end")
    held = [steps(run) for run in session.runs]
    assert session.state in (RunState.PAUSED, RunState.DONE)
    session.resume()
    finished(session)
    assert [steps(run) for run in session.runs] >= held


@pytest.mark.parametrize("again", range(AGAIN))
def test_after_stop_no_chunk_is_begun_and_what_was_reached_is_kept(again):
    session = started(speed=100.0)
    wait_for(lambda: steps(session.runs[0]) > 3, "some steps")
    session.stop()
    chunks = [len(run.walk.chunks) for run in session.runs]
    wait_for(lambda: session._scheduler.workers == 0, "the workers to end")
    assert all(
        len(run.walk.chunks) <= before + 1 for run, before in zip(session.runs, chunks, strict=True)
    )
    assert session.state in (RunState.STOPPED, RunState.DONE)
    assert all(run.walk.result().points.size == run.walk.reached for run in session.runs)
    session.step()
    session.resume()
    assert session.state in (RunState.STOPPED, RunState.DONE)


@pytest.mark.parametrize("again", range(AGAIN))
def test_stop_while_preparing_starts_nothing(again):
    session = started()
    session.stop()
    wait_for(lambda: session._scheduler.workers == 0, "the workers to end")
    assert all(run.state is RunState.STOPPED and run.walk is None for run in session.runs)


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_failing_run_carries_its_error_and_the_pool_lives_on(again, monkeypatch):
    session = Session(scheduler())
    broken = find_solver("cd")
    monkeypatch.setattr(type(broken), "advance", lambda *_: 1 / 0)
    session.start(EXPERIMENT, None)
    finished(session)
    sfw, cd = session.runs
    assert (sfw.state, cd.state) == (RunState.DONE, RunState.FAILED)
    assert cd.message == "ZeroDivisionError: division by zero"
    assert session.state is RunState.FAILED
    monkeypatch.undo()
    session.start(EXPERIMENT, None)
    assert finished(session).state is RunState.DONE


def test_a_parameter_that_does_not_fit_the_data_fails_before_any_step():
    wrong = Experiment(**{**vars(EXPERIMENT), "solvers": (("sfw", {"sampling": "5000"}),)})
    session = finished(started(experiment=wrong))
    assert session.state is RunState.FAILED
    assert (
        session.runs[0].message
        == "The 'kappa' parameter of StochasticFW must be an int in [1, 1000]. Got 5000 instead."
    )
    assert session.runs[0].walk is None


def test_data_that_are_not_there_fail_with_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_DATA", str(tmp_path))
    session = finished(started(experiment=Experiment(**{**vars(EXPERIMENT), "dataset": "pyrim"})))
    assert session.state is RunState.FAILED
    assert "FWCORE_DATA" in session.runs[0].message


def test_delta_max_is_announced_while_it_is_found(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    told = set()
    session = started(experiment=Experiment(**{**vars(EXPERIMENT), "delta_max": None}))

    def over():
        told.add(session.runs[0].message.split(":")[0])
        return not session.live

    wait_for(over, "the runs to end")
    assert session.state is RunState.DONE
    assert "Finding δ max, once for this problem" in told


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_speed_is_kept_and_can_be_changed(again):
    session = started(speed=1.0)
    wait_for(lambda: all(steps(run) >= 1 for run in session.runs), "the first steps")
    assert all(steps(run) <= 3 for run in session.runs)
    session.set_speed(None)
    finished(session)
    assert session.state is RunState.DONE


def test_a_session_that_is_reset_leaves_nothing_behind():
    session = finished(started())
    walks = [weakref.ref(run.walk) for run in session.runs]
    session.reset()
    wait_for(lambda: session._scheduler.workers == 0, "the workers to end")
    gc.collect()
    assert [walk() for walk in walks] == [None, None]
    assert session.state is None
    assert not [thread for thread in threading.enumerate() if thread.name == "fwcore-worker"]


def test_commands_to_a_run_without_a_problem_are_harmless():
    run = Run(find_solver("sfw"), {}, 0, None)
    run.step()
    run.resume()
    assert run.due() is None
    run.turn()
    assert run.state is RunState.PREPARING

import dataclasses
import gc
import threading
import weakref

import numpy as np
import pytest
from fakes import AGAIN, EXPERIMENT, scheduler, spec, two_runs, wait_for

from app import recorded, words
from app.pace import Pace
from app.runs import Run, RunState
from app.session import Session
from app.settings import Experiment
from fwcore import Walk, datasets, find_solver, grids
from fwcore.datasets import stages


def started(steps_a_second=None, paused=False, experiment=EXPERIMENT, specs=None):
    session = Session(scheduler())
    pace = None if steps_a_second is None else Pace("step", steps_a_second)
    session.start(experiment, specs or two_runs(), pace, paused=paused)
    return session


def runs_of(session):
    return [*session.runs.values()]


def finished(session):
    wait_for(lambda: not session.live, "the runs to end")
    return session


def steps(run):
    return 0 if run.walk is None else sum(len(rows) for rows in run.walk.chunks)


def alone(experiment):
    problem = datasets.load(experiment.dataset, test_fraction=experiment.test_fraction)
    results = []
    for entry in two_runs():
        ball = find_solver(entry.solver).form == "ball"
        grid = (
            grids.delta_grid(experiment.delta_max, experiment.points)
            if ball
            else grids.lam_grid(problem, experiment.points)
        )
        walk = Walk(problem, entry.solver, grid, entry.options.settings(), seed=entry.seed)
        for _ in walk.snapshots():
            pass
        results.append(walk.result())
    return results


@pytest.mark.parametrize("again", range(AGAIN))
def test_runs_beside_each_other_equal_their_solo_runs(again):
    pool = scheduler()
    sessions = [Session(pool), Session(pool)]
    for session in sessions:
        session.start(EXPERIMENT, two_runs())
    expected = alone(EXPERIMENT)
    for session in sessions:
        finished(session)
        assert session.state is RunState.DONE
        for run, result in zip(runs_of(session), expected, strict=True):
            ours = run.walk.result()
            np.testing.assert_array_equal(ours.coefs.toarray(), result.coefs.toarray())
            np.testing.assert_array_equal(ours.trace["objective"], result.trace["objective"])


@pytest.mark.parametrize("again", range(AGAIN))
def test_pause_holds_and_each_step_is_exactly_one(again):
    session = started(paused=True)
    wait_for(lambda: all(steps(run) == 1 for run in runs_of(session)), "the first step")
    wait_for(lambda: session._scheduler.workers == 0, "the workers to end")
    assert [steps(run) for run in runs_of(session)] == [1, 1]
    assert session.state is RunState.PAUSED
    for k in range(2, 40):
        session.step()
        wait_for(lambda k=k: all(steps(run) >= k for run in runs_of(session)), "a step")
        assert [steps(run) for run in runs_of(session)] == [k, k]
    session.resume()
    finished(session)
    assert steps(runs_of(session)[0]) == len(alone(EXPERIMENT)[0].trace)


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_pause_during_a_run_holds_after_the_chunk(again):
    session = started(steps_a_second=2000.0)
    wait_for(lambda: steps(runs_of(session)[0]) > 5, "some steps")
    session.pause()
    wait_for(lambda: session._scheduler.workers == 0, "the workers to end")
    held = [steps(run) for run in runs_of(session)]
    assert session.state in (RunState.PAUSED, RunState.DONE)
    session.resume()
    finished(session)
    assert [steps(run) for run in runs_of(session)] >= held


@pytest.mark.parametrize("again", range(AGAIN))
def test_after_stop_no_chunk_is_begun_and_what_was_reached_is_kept(again):
    session = started(steps_a_second=100.0)
    wait_for(lambda: steps(runs_of(session)[0]) > 3, "some steps")
    session.stop()
    chunks = [len(run.walk.chunks) for run in runs_of(session)]
    wait_for(lambda: session._scheduler.workers == 0, "the workers to end")
    assert all(
        len(run.walk.chunks) <= before + 1
        for run, before in zip(runs_of(session), chunks, strict=True)
    )
    assert session.state in (RunState.STOPPED, RunState.DONE)
    assert all(run.walk.result().points.size == run.walk.reached for run in runs_of(session))
    session.step()
    session.resume()
    assert session.state in (RunState.STOPPED, RunState.DONE)


@pytest.mark.parametrize("again", range(AGAIN))
def test_stop_while_preparing_starts_nothing(again):
    session = started()
    session.stop()
    wait_for(lambda: session._scheduler.workers == 0, "the workers to end")
    assert all(run.state is RunState.STOPPED and run.walk is None for run in runs_of(session))


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_failing_run_carries_its_error_and_the_pool_lives_on(again, monkeypatch):
    session = Session(scheduler())
    broken = find_solver("cd")
    monkeypatch.setattr(type(broken), "advance", lambda *_: 1 / 0)
    session.start(EXPERIMENT, two_runs())
    finished(session)
    sfw, cd = runs_of(session)
    assert (sfw.state, cd.state) == (RunState.DONE, RunState.FAILED)
    assert cd.message == "ZeroDivisionError: division by zero"
    assert session.state is RunState.FAILED
    monkeypatch.undo()
    session.start(EXPERIMENT, two_runs())
    assert finished(session).state is RunState.DONE


def test_a_parameter_that_does_not_fit_the_data_fails_before_any_step():
    session = finished(started(specs=[spec(1, "sfw", sampling="5000")]))
    assert session.state is RunState.FAILED
    assert (
        runs_of(session)[0].message
        == "The 'kappa' parameter of StochasticFW must be an int in [1, 1000]. Got 5000 instead."
    )
    assert runs_of(session)[0].walk is None


def test_data_that_are_not_there_fail_with_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_DATA", str(tmp_path))
    session = finished(started(experiment=Experiment(**{**vars(EXPERIMENT), "dataset": "pyrim"})))
    assert session.state is RunState.FAILED
    assert "FWCORE_DATA" in runs_of(session)[0].message


def test_delta_max_is_announced_while_it_is_found(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    told = set()
    session = started(experiment=Experiment(**{**vars(EXPERIMENT), "delta_max": None}))

    def over():
        told.add(runs_of(session)[0].message.split(":")[0])
        return not session.live

    wait_for(over, "the runs to end")
    assert session.state is RunState.DONE
    assert "Walking the reference path, once for this problem" in told


class SlowData:
    """A dataset that is half read until it is let on, and notes whether it was read to its end."""

    def __init__(self):
        self.half, self.go_on, self.read = threading.Event(), threading.Event(), False

    def make(self):
        stages.READ.tell(0.5)
        self.half.set()
        assert self.go_on.wait(60)
        stages.READ.tell(0.6)
        self.read = True
        X = np.random.default_rng(0).standard_normal((40, 8))
        return X, X[:, 0]


@pytest.fixture
def slow_data():
    data = SlowData()
    datasets.register(datasets.Entry("slow", "Slow", "regression", 40, 8, "", "", make=data.make))
    yield data
    data.go_on.set()
    datasets.unregister("slow")


@pytest.mark.parametrize("again", range(AGAIN))
@pytest.mark.parametrize("stopped", [False, True])
def test_loading_says_how_far_it_is_and_ends_when_it_is_stopped(
    monkeypatch, slow_data, stopped, again
):
    monkeypatch.setattr("app.preparation._LONG_SECONDS", 0.0)
    session = started(experiment=Experiment(**{**vars(EXPERIMENT), "dataset": "slow"}))
    assert slow_data.half.wait(60)
    sentence = runs_of(session)[0].message
    assert sentence.startswith("Reading the data: 18%, about")
    assert sentence.endswith("s left.")
    if stopped:
        session.stop()
    slow_data.go_on.set()
    wait_for(lambda: session._scheduler.workers == 0, "the workers to end")
    assert slow_data.read is not stopped
    assert session.state is (RunState.STOPPED if stopped else RunState.DONE)


def test_the_problem_that_was_recorded_needs_no_reference_path(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    session = started(experiment=recorded.experiment(), specs=[spec(1, "sfw", sampling="1%")])
    (run,) = runs_of(session)
    wait_for(lambda: run.walk is not None, "the problem")
    session.stop()
    assert run.walk.grid[-1] == recorded.runs()[0].walk.grid[-1]
    assert grids.known_reference(run.walk.problem) is None
    other = run.walk.problem
    assert recorded.delta_max(EXPERIMENT, other) is None
    moved = dataclasses.replace(other, y=np.roll(other.y, 1))
    assert recorded.delta_max(recorded.experiment(), moved) is None


def test_a_rule_that_needs_the_reference_path_waits_for_it(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    session, told = started(specs=[spec(1, "sfw", sampling="hit-path:0.9")]), set()
    (run,) = runs_of(session)

    def over():
        told.add(run.message.split(":")[0])
        return not session.live

    wait_for(over, "the run to end")
    assert session.state is RunState.DONE
    # δ max was given: it is the rule that asks for the path.
    assert "Walking the reference path, once for this problem" in told
    active = grids.known_reference(run.walk.problem).mean_active
    assert run.walk.options.sampling.relevant == np.ceil(active)


def test_the_public_walks_no_reference_path_of_large_data(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    monkeypatch.setenv("FWCORE_PUBLIC", "1")
    monkeypatch.setattr("app.preparation._MOST_ENTRIES", 1)
    specs = [spec(1, "sfw", sampling="hit-path:0.9"), spec(2, "sfw", sampling="10%")]
    session = finished(started(specs=specs))
    waiting, other = runs_of(session)
    assert (waiting.state, other.state) == (RunState.FAILED, RunState.DONE)
    assert "'sampling'" in waiting.message
    assert "too large" in waiting.message


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_speed_is_kept_and_can_be_changed(again):
    session = started(steps_a_second=1.0)
    wait_for(lambda: all(steps(run) >= 1 for run in runs_of(session)), "the first steps")
    assert all(steps(run) <= 3 for run in runs_of(session))
    session.set_pace(None)
    finished(session)
    assert session.state is RunState.DONE


def test_a_session_that_is_reset_leaves_nothing_behind():
    session = finished(started())
    walks = [weakref.ref(run.walk) for run in runs_of(session)]
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


@pytest.mark.parametrize("again", range(AGAIN))
def test_at_a_pace_by_cost_a_cheap_method_is_far_ahead_of_an_expensive_one(again):
    specs = [spec(1, "sfw", sampling="1%", tol=1e-9), spec(2, "fw", tol=1e-9)]
    # What compiles has a budget too, which the other would be ahead by.
    compiled = started(specs=specs)
    wait_for(lambda: all(steps(run) >= 1 for run in runs_of(compiled)), "the first steps")
    compiled.stop()
    session = Session(scheduler())
    session.start(EXPERIMENT, specs, Pace("dots", 4000.0))
    sfw, fw = runs_of(session)
    wait_for(lambda: steps(fw) >= 3 and steps(sfw) >= 100, "steps of both")
    spent = [float(run.walk.chunks[-1]["dots"][-1]) for run in (sfw, fw)]
    # A step of fw reads 1,001 columns, which bounds how far it may be ahead of its budget.
    assert abs(spent[0] - spent[1]) < 6000
    session.stop()


def test_a_pace_in_a_unit_that_is_not_counted_holds_nothing_back():
    session = Session(scheduler())
    session.start(EXPERIMENT, [spec(1, "cd", tol=1e-3)], Pace("grads", 1.0))
    finished(session)
    assert session.state is RunState.DONE


@pytest.mark.parametrize("again", range(AGAIN))
def test_run_walks_only_what_is_outdated_or_all_again(again):
    session, specs = started(), two_runs()
    specs = [spec(1, "sfw", sampling="5%", tol=1e-3), spec(2, "cd", tol=1e-3)]
    finished(session)
    sfw, cd = runs_of(session)
    specs[1].options.tol = 1e-2
    assert [session.outdated(entry, EXPERIMENT) for entry in specs] == [False, True]
    session.start(EXPERIMENT, [*specs, spec(3, "fw")])
    finished(session)
    assert session.runs[1] is sfw
    assert session.runs[2] is not cd
    assert session.runs[3].state is RunState.DONE
    # Nothing is outdated: all walk again, and give the same.
    session.start(EXPERIMENT, specs)
    finished(session)
    assert session.runs[1] is not sfw
    ours, before = session.runs[1].walk.result(), sfw.walk.result()
    np.testing.assert_array_equal(ours.coefs.toarray(), before.coefs.toarray())


def test_another_problem_leaves_no_run_of_the_last():
    session = finished(started())
    other = Experiment(**{**vars(EXPERIMENT), "points": 5})
    session.start(other, [spec(1, "cd")])
    assert [*session.runs] == [1]
    finished(session)
    assert session.runs[1].total == 5


def test_a_run_that_was_removed_comes_back_with_its_result():
    session = finished(started())
    run = session.runs[1]
    session.set_aside(1)
    assert [*session.runs] == [2]
    session.bring_back(1)
    assert session.runs[1] is run
    session.set_aside(1)
    # Of another grid it stands beside the others, of other rows it does not.
    session.start(Experiment(**{**vars(EXPERIMENT), "points": 5}), [spec(2, "cd")])
    session.bring_back(1)
    assert session.runs[1] is run
    session.set_aside(1)
    session.start(Experiment(**{**vars(EXPERIMENT), "split_seed": 5}), [spec(2, "cd")])
    session.bring_back(1)
    assert [*session.runs] == [2]
    finished(session)


@pytest.mark.parametrize("again", range(AGAIN))
def test_one_run_is_paused_and_stopped_while_the_other_goes_on(again):
    session = started(steps_a_second=500.0)
    wait_for(lambda: all(steps(run) > 3 for run in runs_of(session)), "some steps")
    session.pause(1)
    sfw, cd = runs_of(session)
    wait_for(lambda: sfw.state is RunState.PAUSED, "a pause")
    session.stop(2)
    assert cd.state in (RunState.STOPPED, RunState.DONE)
    session.resume(1)
    session.set_pace(None)
    finished(session)
    assert sfw.state is RunState.DONE


def test_a_large_design_begins_at_once_on_a_provisional_grid(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    monkeypatch.setattr("app.preparation._MOST_ENTRIES", 1000)
    experiment = Experiment(**{**vars(EXPERIMENT), "delta_max": None, "points": 5})
    session = finished(started(experiment=experiment, specs=[spec(1, "sfw")]))
    run = session.runs[1]
    problem = run.walk.problem
    assert run.walk.grid[-1] == pytest.approx(2 * problem.f0 / problem.lam_max)
    assert "provisional δ max" in run.note
    assert run.state is RunState.DONE


def test_a_run_says_for_how_long_the_pace_holds_it_back():
    run = Run(find_solver("fw"), {}, 0, Pace("dots", 100.0))
    problem = datasets.load("diabetes")
    run.prepare(problem, grids.delta_grid(5.0, 10))
    assert run.held_seconds == 0.0
    while run.latest is None:
        run.turn()
    # The columns are 1,000, and a step looks at all of them.
    assert run.held_seconds > 5.0
    assert words.row([run])["left"].startswith("held by the pace, ")
    run.pause()
    assert run.held_seconds == 0.0
    run.resume()
    run.set_pace(None)
    assert run.held_seconds == 0.0


def test_the_time_that_is_left_follows_the_last_points(monkeypatch):
    session = started(specs=two_runs()[:1])
    run = runs_of(finished(session))[0]
    assert run.seconds_left is None
    monkeypatch.setattr(type(run), "total", property(lambda self: 50))
    run._state = RunState.RUNNING
    run._reached_after = [0.0]
    assert run.seconds_left is None
    # The first point pays for what comes before all.
    run._reached_after = [0.0, 2.0]
    assert run.seconds_left is None
    run._reached_after = [0.0, 9.0, 11.0]
    assert run.seconds_left == 2.0 * (50 - run.reached)
    run._reached_after = [0.0, *range(1, 15), 24.0, 34.0, 44.0, 54.0, 64.0]
    assert run.seconds_left == 10.0 * (50 - run.reached)

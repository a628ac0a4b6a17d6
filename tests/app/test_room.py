"""What a public server has room for."""

import pytest

from app import server
from app.explorer import Explorer
from app.room import Owner, Room
from fwcore import ParameterError


class Walking:
    def __init__(self, owner, over=False):
        self.owner, self.over = owner, over


@pytest.fixture
def public(monkeypatch):
    monkeypatch.setenv("FWCORE_PUBLIC", "1")


def test_a_page_and_all_pages_keep_so_many_steps(public):
    room, first, second = Room(), Owner(), Owner()
    own, everywhere = server.most_steps()
    runs = [Walking(first), Walking(first), Walking(second)]
    for run in runs:
        room.enter(run)
    assert room.take(runs[0], own - 1) == ""
    assert f"{own:,} steps" in room.take(runs[1], 2)
    assert room.take(runs[2], own - 1) == ""
    others = [Walking(Owner()) for _ in range(everywhere // own)]
    told = [room.take(run, own - 1) for run in others]
    assert "The pages of this server" in told[-1]
    # What is forgotten makes room.
    del others, run, runs
    assert room.take(Walking(second), own - 1) == ""


def test_so_many_runs_walk_at_once(public):
    room, most = Room(), server.most_walking()
    runs = [Walking(Owner(), over=k % 2 == 0) for k in range(2 * most)]
    for run in runs:
        room.enter(run)
    with pytest.raises(ParameterError, match="fewer for now"):
        room.admit(1, Owner())
    # His own make room for those that take their place.
    room.admit(1, runs[1].owner)
    runs[1].over = True
    room.admit(1, Owner())


def test_an_own_server_has_no_such_bounds():
    room, run = Room(), Walking(Owner())
    room.enter(run)
    assert room.take(run, 10**9) == ""
    room.admit(10**6, Owner())


def test_a_run_that_makes_too_many_steps_is_stopped_and_kept(public, monkeypatch):
    monkeypatch.setattr(server, "_PUBLIC_STEPS", (500, 10**6))
    page = Explorer(dataset="diabetes", runs=[("fw", {"tol": 1e-12})])
    page.set_pace(None)
    page.run()
    (run,) = page.session.runs.values()
    from fakes import wait_for

    wait_for(lambda: run.over, "the run to be stopped")
    assert run.state.value == "stopped"
    assert "at most 500 steps" in run.message
    assert sum(len(rows) for rows in run.walk.chunks) >= 500
    page.close()


def test_products_of_a_file_keep_to_the_bounds_that_are_told(public):
    assert f"{server.upload_limits().columns:,} columns" in server.bounds()
    assert server.most_products(10_000_000) == server.upload_limits().columns

"""The list of runs without a browser: what is asked of it, and what the page would be sent."""

import asyncio

import numpy as np
import pytest
from fakes import AGAIN, wait_for
from told import drained, held

from app.drain import Drain
from fwcore import all_solvers, find_solver


def test_runs_are_added_hidden_pinned_renamed_and_removed_with_undo(small, sent):
    small.hear({"do": "run"})
    drained(small)
    small.hear({"do": "add", "solver": "cd"})
    state = held(sent)[0]
    assert (state["selected"], state["form"]["title"]) == (4, "Coordinate descent")
    assert state["row:4"]["figures"] == "not run yet"
    small.hear({"do": "hide", "run": 1})
    assert (1, "points") not in held(sent)[1]
    small.hear({"do": "hide", "run": 1})
    assert len(held(sent)[1][1, "points"]["l1"]) == 10
    small.hear({"do": "pin", "run": 3})
    small.hear({"do": "rename", "run": 3, "name": " <b>Old</b> "})
    run = held(sent)[0]["runs"][2]
    assert (run["pinned"], run["name"]) == (True, "<b>Old</b>")
    small.hear({"do": "remove", "run": 3})
    assert [run["key"] for run in held(sent)[0]["runs"]] == [1, 2, 4]
    assert (3, "points") not in held(sent)[1]
    small.hear({"do": "restore"})
    assert [run["key"] for run in held(sent)[0]["runs"]] == [1, 2, 3, 4]
    assert len(held(sent)[1][3, "points"]["l1"]) == 10
    small.hear({"do": "run"})
    assert [key for key, run in small.session.runs.items() if not run.state.over] in ([4], [])
    drained(small)
    assert small.wire.state["row:4"]["state"] == "done"


def test_twenty_runs_side_by_side(small, sent):
    names = [s.name for s in all_solvers() if s.compiles and s.form != "support"]
    names = [name for name in names if find_solver(name).draws == "columns"][:9]
    for name in [*names, *names][:17]:
        small.hear({"do": "add", "solver": name})
    small.hear({"do": "run"})
    wait_for(lambda: not small.session.live, "the runs to end")
    small.drain.flush(final=True)
    state, sources = held(sent)
    assert len(state["runs"]) == 20
    assert all(state[f"row:{run['key']}"]["state"] == "done" for run in state["runs"])
    assert all(sources[run["key"], "points"]["l1"] for run in state["runs"])


@pytest.mark.parametrize("again", range(AGAIN))
@pytest.mark.parametrize("moment", ["show", "send"])
def test_runs_that_end_while_the_click_is_answered_are_told(again, moment, small, monkeypatch):
    """Run would stay grey for ever."""
    owner = {"show": small, "send": small.wire}[moment]
    act = getattr(owner, moment)

    def slow():
        act()
        wait_for(lambda: not small.session.live, "the runs to end")

    monkeypatch.setattr(owner, moment, slow)
    small.hear({"do": "run"})
    small.wire.seen = small.wire.sent
    assert small.drain in Drain._live or small.wire.state["phase"] == "done"
    asyncio.run(small.drain._tick())
    assert small.wire.state["phase"] == "done"


@pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_quick_runs_all_end(count, small):
    """Run must not stay grey, however soon a run ends."""
    for k in range(count):
        small.hear({"do": "set", "run": 1, "name": "seed", "value": str(k)})
        small.hear({"do": "run"})
        wait_for(lambda: not small.session.live, "the runs to end")
        small.wire.seen = small.wire.sent
        asyncio.run(small.drain._tick())
        assert small.wire.state["phase"] == "done"


def test_the_tables_hold_the_runs_and_the_points_of_the_selected_one(small, sent):
    small.hear({"do": "run"})
    drained(small)
    small.hear({"do": "look", "pictures": [], "table": True})
    state = held(sent)[0]
    assert [row[0] for row in state["table"]["rows"]] == ["sfw 1 %", "sfw 10 %", "fw"]
    assert len(state["points"]["rows"]) == 10
    assert state["points"]["caption"].startswith("The points of sfw 1 %; the error is the mean")
    dots = small.session.runs[3].points["dots"][-1]
    assert f"{dots:,}" in state["table"]["rows"][2]


def test_a_run_that_fails_says_so_on_its_row_and_the_others_go_on(small, sent, monkeypatch, caplog):
    monkeypatch.setattr(type(find_solver("fw")), "advance", lambda *given: 1 / 0)
    small.hear({"do": "run"})
    drained(small)
    state = held(sent)[0]
    assert (state["row:1"]["state"], state["row:3"]["state"]) == ("done", "failed")
    assert "Frank-Wolfe: ZeroDivisionError: division by zero" in state["complaint"]


def test_repeats_draw_their_median_and_quartiles(small, sent):
    small.hear({"do": "set", "run": 1, "name": "repeats", "value": "5"})
    small.hear({"do": "run"})
    drained(small)
    state, sources = held(sent)
    assert state["runs"][0]["name"] == "sfw 1 % × 5"
    assert "the first of 5 seeds" in state["row:1"]["more"]
    group = small.session.group(1)
    assert [run.seed for run in group] == [0, 1, 2, 3, 4]
    errors = np.array([run.points["test_error"] for run in group])
    assert len({row.tobytes() for row in errors}) == 5
    spread = sources[1, "spread"]
    np.testing.assert_allclose(spread["test_error_median"], np.median(errors, axis=0))
    np.testing.assert_allclose(spread["test_error_low"], np.percentile(errors, 25, axis=0))
    dots = [run.points["dots"] for run in group]
    np.testing.assert_allclose(spread["dots"], np.median(dots, axis=0))
    assert (2, "spread") not in sources
    small.hear({"do": "code", "run": 1})
    assert held(sent)[0]["code"]["of"] == "sfw 1 % × 5, the first of 5 seeds"
    small.hear({"do": "remove", "run": 1})
    small.hear({"do": "restore"})
    assert len(small.session.group(1)) == 5


def test_the_code_of_a_run_makes_it_again(small, sent):
    small.hear({"do": "code", "run": 1})
    assert "walked to its end" in small.wire.state["complaint"]
    small.hear({"do": "run"})
    drained(small)
    small.hear({"do": "code", "run": 3})
    code = held(sent)[0]["code"]
    assert code["of"] == "fw"
    assert code["shell"].startswith("fwcore path --dataset diabetes --solver fw")
    scope = {}
    exec(code["python"], scope)
    again = next(value for value in scope.values() if hasattr(value, "digest"))
    assert again.digest() == code["digest"] == small.session.runs[3].walk.result().digest()


def test_the_code_of_a_recorded_run_makes_it(page, sent):
    page.hear({"do": "code", "run": 1})
    page.wire.send()
    code = held(sent)[0]["code"]
    assert code["digest"] == ""
    assert code["shell"].startswith("fwcore path --dataset synthetic-10000-32 --solver sfw")
    scope = {}
    exec(code["python"], scope)
    again, recorded = scope["result"], page.session.runs[1]
    assert again.points["dots"].tolist() == recorded.points["dots"].tolist()
    assert again.points["test_error"] == pytest.approx(recorded.points["test_error"])


def test_the_certified_answer_is_offered_until_it_is_in_the_list(page):
    assert page.wire.state["certified"] == "certified_ball"
    page.hear({"do": "set", "name": "loss", "value": "huber:2"})
    assert page.wire.state["certified"] == "certified_ball"
    fields = [field for field in page.wire.state["problem"] if field["name"] == "loss"]
    assert [field["value"] for field in fields] == ["huber", "2"]
    page.hear({"do": "set", "name": "loss", "value": "huber:-1"})
    assert "positive threshold" in page.wire.state["faults"][0]["text"]
    page.hear({"do": "set", "name": "loss", "value": "squared"})
    page.hear({"do": "certify"})
    assert page.wire.state["certified"] == ""
    assert page.settings.runs[-1].options.tol == 1e-6
    page.hear({"do": "certify"})
    assert "without a certified answer" in page.refusal


def test_a_baseline_is_what_the_others_are_compared_with(page):
    page.hear({"do": "look", "pictures": ["race"], "table": True})
    assert "fewer dot products than fw" in page.wire.state["title:race"]
    assert page.wire.state["table"]["rows"][2][5] == "0.008"
    page.hear({"do": "pin", "run": 2})
    assert "fewer dot products than sfw 10 %" in page.wire.state["title:race"]
    assert page.wire.state["table"]["rows"][1][4] == "the baseline"


def test_results_that_were_forgotten_come_back_until_others_take_their_place(small, sent):
    small.hear({"do": "run"})
    drained(small)
    runs = dict(small.session.runs)
    small.hear({"do": "reset"})
    assert small.wire.state["phase"] == "empty"
    assert (1, "points") not in held(sent)[1]
    small.hear({"do": "remove", "run": 2})
    small.hear({"do": "recall"})
    assert small.session.runs == {key: run for key, run in runs.items() if key != 2}
    assert len(held(sent)[1][1, "points"]["l1"]) == 10
    small.hear({"do": "reset"})
    small.hear({"do": "run"})
    small.hear({"do": "recall"})
    assert "none in their place" in small.refusal
    drained(small)
    assert small.session.runs[1] is not runs[1]


def test_a_run_that_was_given_a_name_says_how_often_it_is_repeated(small):
    small.hear({"do": "set", "run": 1, "name": "repeats", "value": "3"})
    for name in ("mine", "mine × 3"):
        small.hear({"do": "rename", "run": 1, "name": name})
        assert small.settings.find(1).given_name == "mine"
        assert small.wire.state["runs"][0]["name"] == "mine × 3"
    small.hear({"do": "run"})
    drained(small)
    assert small.feed.name(small.settings.find(1)) == "mine × 3"

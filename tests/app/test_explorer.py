"""The page without a browser: what it is asked, and what it would be sent."""

import asyncio
import gc
import json
import time
import weakref

import numpy as np
import pytest
from bokeh.document import Document
from fakes import AGAIN, scheduler, wait_for
from panel.io.state import set_curdoc
from told import computed, drained, held

from app import address, explorer, live, recorded, views, words
from app.drain import Drain
from app.live import all_pictures
from app.live.picture import Axis, Layer, Picture
from app.runs import Run, RunState


def test_the_first_sight_is_that_of_recorded_runs(page, sent):
    state, sources = held(sent)
    assert state["phase"] == "done"
    assert [run["name"] for run in state["runs"]] == ["sfw 1 %", "sfw 10 %", "fw"]
    assert not any(run["changed"] for run in state["runs"])
    assert all(len(sources[key, "points"]["l1"]) == 100 for key in (1, 2, 3))
    assert "times fewer dot products than fw" in state["title:race"]
    assert "sample sees" in state["title:gap"]
    assert state["row:1"]["message"] == "Recorded. Press Run to watch it live."
    assert len(page.wire.opening) < 300_000


@pytest.mark.slow
def test_what_was_recorded_is_what_a_run_gives(page):
    recordings = dict(page.session.runs)
    page.hear({"do": "pace", "unit": "dots", "rate": None})
    page.hear({"do": "run"})
    wait_for(lambda: not page.session.live, "the runs to end")
    for key, run in page.session.runs.items():
        names = [n for n in run.points.dtype.names if n != "seconds"]
        ours, theirs = run.points[names], recordings[key].points[names]
        for name in names:
            assert ours[name].tolist() == pytest.approx(theirs[name].tolist(), nan_ok=True)


def test_a_recording_is_of_the_runs_that_the_page_begins_with():
    first = recorded.runs()[0]
    assert first.total == 100
    assert first.feature_name(int(first.last_column[0][0])).startswith("x")
    assert first.ended
    first.stop()
    assert first.state is RunState.DONE


def test_run_walks_and_the_page_tells(small, sent):
    small.hear({"do": "run"})
    drained(small)
    state, sources = held(sent)
    assert state["phase"] == "done"
    assert state["row:1"]["state"] == "done"
    assert "point 10 of 10" in state["row:1"]["more"]
    assert len(sources[1, "points"]["l1"]) == 10
    assert not state["changed"]
    small.hear({"do": "reset"})
    state, sources = held(sent)
    assert state["phase"] == "empty"
    assert (1, "points") not in sources


def test_what_was_drawn_stays_until_a_new_run_has_made_a_step(small, sent, monkeypatch):
    small.hear({"do": "run"})
    drained(small)
    before, drawn = held(sent)
    pool, jobs = small.session._scheduler, []
    submit, holding = pool.submit, True
    monkeypatch.setattr(pool, "submit", lambda job: (jobs.append if holding else submit)(job))
    small.hear({"do": "set", "run": 2, "name": "sampling.fraction", "value": "0.5"})
    small.hear({"do": "set", "name": "loss", "value": "huber"})
    small.hear({"do": "run"})
    small.drain.flush(final=True)
    state, sources = held(sent)
    assert state["phase"] == "preparing"
    # So does what it is called.
    assert (state["headline"], state["error"]) == (before["headline"], before["error"])
    assert repr(sources[2, "points"]) == repr(drawn[2, "points"])
    assert state["title:race"] == before["title:race"]
    # A page that is loaded again meanwhile is shown the same.
    sent.clear()
    small.hear({"do": "lost"})
    assert repr(held(sent)[1][2, "points"]) == repr(drawn[2, "points"])
    holding = False
    for job in jobs:
        submit(job)
    drained(small)
    state, sources = held(sent)
    assert repr(sources[2, "points"]) != repr(drawn[2, "points"])
    assert state["headline"] != before["headline"]
    assert state["error"] != before["error"]


def test_settings_that_changed_are_told_until_they_are_applied(small, sent):
    small.hear({"do": "run"})
    drained(small)
    shown = held(sent)[0]["headline"]
    assert "Diabetes" in shown
    small.hear({"do": "set", "run": 1, "name": "tol", "value": "0.0001"})
    state = held(sent)[0]
    assert (state["changed"], state["headline"]) == (True, shown)
    assert [run["changed"] for run in state["runs"]] == [True, False, False]
    small.hear({"do": "set", "name": "dataset", "value": "synthetic-10000-32"})
    # What is shown is still what was run, under the name that it had.
    small.hear({"do": "set", "run": 2, "name": "sampling.fraction", "value": "0.3"})
    second = held(sent)[0]["runs"][1]
    assert (second["name"], second["drawn"]) == ("sfw 30 %", "sfw 10 %")
    assert held(sent)[0]["caption:race"][1][0] == "sfw 10 %"
    assert held(sent)[0]["headline"] == shown
    assert all(run["changed"] for run in held(sent)[0]["runs"])


def test_step_then_resume_then_stop(small, sent):
    small.hear({"do": "pace", "unit": "step", "rate": 1.0})
    small.hear({"do": "step"})
    runs = [*small.session.runs.values()]
    wait_for(lambda: all(run.latest is not None for run in runs), "the first step")
    small.tell()
    assert small.wire.state["phase"] == "paused"
    small.hear({"do": "resume"})
    assert small.wire.state["phase"] == "running"
    small.hear({"do": "stop", "run": 1})
    assert runs[0].state is RunState.STOPPED
    assert small.wire.state["phase"] == "running"
    small.hear({"do": "stop"})
    assert small.wire.state["phase"] == "stopped"
    assert "Stopped on request. " in small.wire.state["row:2"]["message"]


def test_what_does_not_fit_is_told_beside_it_until_something_that_fits_is_typed(small):
    small.hear({"do": "set", "name": "points", "value": "5000"})
    (fault,) = small.wire.state["faults"]
    assert (fault["name"], fault["value"], fault["run"]) == ("points", "5000", None)
    assert "an int in [2, 1000]. Got '5000'" in fault["text"]
    assert small.settings.points == 10
    # Two may be wrong at a time, and neither looking nor setting something else hides them.
    small.hear({"do": "set", "run": 1, "name": "tol", "value": "-1"})
    small.hear({"do": "point", "point": 0})
    small.hear({"do": "set", "name": "split_seed", "value": "3"})
    assert [fault["name"] for fault in small.wire.state["faults"]] == ["points", "tol"]
    small.hear({"do": "set", "name": "points", "value": "50"})
    assert [fault["run"] for fault in small.wire.state["faults"]] == [1]
    # What was typed is not run otherwise than it was typed.
    before = dict(small.session.runs)
    small.hear({"do": "run"})
    assert "mend first" in small.refusal
    assert "'Tolerance'" in small.refusal
    assert small.session.runs == before
    small.hear({"do": "set", "run": 1, "name": "tol", "value": "1e-3"})
    small.hear({"do": "run"})
    assert small.refusal == ""
    assert small.wire.state["phase"] in ("preparing", "running", "done")
    small.hear({"do": "set", "run": 1, "name": "tol", "value": "none"})
    small.hear({"do": "remove", "run": 1})
    assert small.wire.state["faults"] == []
    # Nor does what was typed for a run that is gone, or for settings that were left, stop any.
    small.hear({"do": "set", "run": 1, "name": "tol", "value": "none"})
    small.hear({"do": "run"})
    assert small.refusal == ""
    small.hear({"do": "set", "name": "points", "value": "none"})
    small.begin_again(small.settings)
    assert small.faults.told == []


def test_files_that_are_not_there_are_told_and_nothing_runs(small, monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_DATA", str(tmp_path))
    small.session.reset()
    small.hear({"do": "set", "name": "dataset", "value": "pyrim"})
    small.hear({"do": "run"})
    assert "not at hand" in small.wire.state["complaint"]
    assert small.session.runs == {}
    small.hear({"do": "set", "name": "dataset", "value": "diabetes"})
    assert small.wire.state["complaint"] == ""


@pytest.mark.parametrize(
    "data",
    [
        *(
            None,
            1,
            "run",
            [],
            {},
            {"do": None},
            {"do": "quit"},
            {"do": "__init__"},
            {"do": ["run"]},
        ),
        *({"do": "add"}, {"do": "add", "solver": "nothing"}, {"do": "add", "solver": "s" * 10**6}),
        *({"do": "select", "run": n} for n in (0, -1, 99, "1", 1.0, True, None, [1])),
        *({"do": "move", "run": 1, "to": n} for n in (99, -1, "1", None)),
        *({"do": "rename", "run": 1, "name": n} for n in (None, 3, "n" * 61)),
        *({"do": "pace", "unit": u, "rate": 1} for u in (None, "miles", 3)),
        *({"do": "look", "pictures": p} for p in (None, "race", ["x"] * 99, [3], [["race"]])),
        *({"do": "point", "point": p} for p in (None, "3", -2, 2**40, 0.5)),
        {"do": "set", "name": "dataset", "value": "../../etc/passwd"},
        {"do": "set", "name": "__class__", "value": "1"},
        {"do": "set", "name": "points", "value": 7},
        {"do": "set", "run": 1, "name": "sampling.__class__", "value": "1"},
        {"do": "set", "run": 1, "name": "tol.rule", "value": "top"},
        {"do": "set", "run": 1, "name": "sampling", "value": "top:0.98,1e-320"},
        {"do": "set", "run": 1, "name": "sampling", "value": "99999"},
        {"do": "pace", "unit": "dots", "rate": 10**400},
        {"do": "pace", "unit": "dots", "rate": 1e-9},
        {"do": "restore"},
        {"do": "duplicate", "run": None},
    ],
    ids=lambda data: json.dumps(data)[:60],
)
def test_a_stranger_may_send_anything(page, data):
    before = [(s.key, s.settings()) for s in page.settings.runs]
    page.hear(data)
    assert page.refusal or page.wire.state["faults"]
    assert len(page.refusal) < 1000
    assert [(s.key, s.settings()) for s in page.settings.runs] == before
    page.hear({"do": "select", "run": 2})
    assert page.wire.state["selected"] == 2
    assert page.refusal == ""


def test_a_tick_is_skipped_while_the_page_lags_and_all_is_sent_after(small, sent):
    small.hear({"do": "run"})
    wait_for(lambda: not small.session.live, "the runs to end")
    before = len(sent)
    small.wire.seen = small.wire.sent - 3
    small.drain._sent_at = time.monotonic() + 3600
    asyncio.run(small.drain._tick())
    assert len(sent) == before
    small.wire.seen = small.wire.sent
    asyncio.run(small.drain._tick())
    assert len(held(sent)[1][1, "points"]["l1"]) == 10


def test_a_page_that_never_answers_is_still_sent_everything_now_and_then(small, sent):
    small.hear({"do": "run"})
    wait_for(lambda: not small.session.live, "the runs to end")
    small.wire.seen = small.wire.sent - 3
    small.drain._sent_at = time.monotonic() - 3600
    asyncio.run(small.drain._tick())
    assert len(held(sent)[1][1, "points"]["l1"]) == 10


def test_a_page_that_missed_something_is_sent_everything(small, sent):
    small.hear({"do": "run"})
    drained(small)
    whole = held(sent)
    sent.clear()
    small.hear({"do": "lost"})
    state, sources = held(sent)
    # What was taken away is not sent again.
    gone = {name for name, value in whole[0].items() if value is None and ":" in name}
    assert state.keys() == whole[0].keys() - gone
    assert repr(sources[2, "points"]) == repr(whole[1][2, "points"])


def test_a_new_run_of_fewer_columns_may_be_ahead_of_those_that_still_stand(page, sent, monkeypatch):
    """What stands until the others have begun is of 10,000 columns, the new run of 10."""
    page.drain.flush()
    due = Run.due
    monkeypatch.setattr(Run, "due", lambda run: due(run) if run.solver.name == "cd" else None)
    page.hear({"do": "add", "solver": "cd"})
    page.hear({"do": "set", "name": "dataset", "value": "diabetes"})
    page.hear({"do": "pace", "unit": "dots", "rate": None})
    page.hear({"do": "look", "pictures": ["paths", "race", "bars", "overlap"]})
    page.hear({"do": "select", "run": 1})
    page.hear({"do": "run"})
    wait_for(lambda: page.session.runs[4].state.over, "the new run")
    computed(page)
    state, sources = held(sent)
    assert state["lead"] == 1
    assert len(sources[4, "points"]["l1"]) == page.session.runs[4].reached
    # The columns of the others are not its own.
    assert sources[4, "paths"]["index"] == []
    assert sources[1, "paths"]["index"]


def test_ticks_slow_down_in_a_crowd(page, monkeypatch):
    monkeypatch.setattr(Drain, "_live", {object() for _ in range(11)})
    assert page.drain._period == 200
    monkeypatch.setattr(Drain, "_live", {object() for _ in range(10)})
    assert page.drain._period == 100


def test_only_what_is_looked_at_is_sent_and_what_is_opened_comes_whole(small, sent):
    small.hear({"do": "run"})
    drained(small)
    assert (1, "gaps") not in held(sent)[1]
    small.hear({"do": "look", "pictures": ["steps", "inside", "nonsense"]})
    computed(small)
    sources = held(sent)[1]
    assert sources[1, "gaps"]["step"]
    assert sources[1, "inside"]["place"]
    small.hear({"do": "select", "run": 3})
    small.hear({"do": "point", "point": 3})
    computed(small)
    steps = np.diff(small.session.runs[3].points["steps"])[2]
    assert 1 <= held(sent)[1][3, "inside"]["place"][-1] <= steps
    assert held(sent)[1][1, "inside"]["place"] == []


def test_a_picture_that_fails_takes_no_other_with_it(small, sent, monkeypatch, caplog):
    def broken(entry, lead, point):
        raise ArithmeticError("no such picture")

    inside = next(picture for picture in live.LIVE if picture.name == "inside")
    monkeypatch.setattr(type(inside), "computed", {"inside": broken})
    small.hear({"do": "run"})
    drained(small)
    small.hear({"do": "look", "pictures": ["steps", "inside"]})
    computed(small)
    assert held(sent)[1][1, "gaps"]["step"]
    assert "inside cannot be computed" in caplog.text


class Shares(Picture):
    """A picture as it would be a file."""

    name = "shares"
    title = "Active features again"
    x = Axis(("l1",))
    y = Axis(("nnz",))
    layers = (Layer("line"),)

    def describe(self, run):
        return f"{run.reached} points"


def test_a_picture_and_a_view_are_a_class_and_a_name(monkeypatch, sent):
    monkeypatch.setattr(explorer, "scheduler", scheduler())
    live.register(Shares())
    views.register(views.View("more", "More", "What else?", "shares", ("race",)))
    try:
        page = explorer.Explorer()
        state = held([json.loads(page.wire.opening)])[0]
        assert state["pictures"][-1]["name"] == "shares"
        assert state["views"][-1]["hero"] == "shares"
        page.wire._models["root"] = (None, None)
        page.hear({"do": "look", "pictures": ["shares", "race"]})
        assert held(sent)[0]["caption:shares"][0] == ["sfw 1 %", "100 points"]
        page.close()
    finally:
        live.unregister("shares")
        views.unregister("more")


def test_nothing_keeps_a_page_that_was_closed(monkeypatch):
    monkeypatch.setattr(explorer, "scheduler", scheduler())
    page = explorer.Explorer()
    page.page()
    page.close()
    gone = [weakref.ref(page), weakref.ref(page.session), weakref.ref(page.feed)]
    del page
    gc.collect()
    assert [ref() for ref in gone] == [None, None, None]


@pytest.mark.parametrize("again", range(AGAIN))
def test_nothing_keeps_a_page_that_has_run(monkeypatch, again):
    pool = scheduler()
    monkeypatch.setattr(explorer, "scheduler", pool)
    page = explorer.Explorer(dataset="diabetes", runs=[("sfw", {"sampling": "10%"}), "cd"])
    page.page()
    page.set_pace(None)
    page.hear({"do": "look", "pictures": [picture.name for picture in all_pictures()]})
    page.hear({"do": "run"})
    wait_for(lambda page=page: not page.session.live, "the runs")
    for _ in range(3):
        page.feed.tick()
        page.feed.say()
    page.keeper.save()
    wait_for(lambda: pool.workers == 0, "the workers to end")
    walks = [run.walk for run in page.session.runs.values()]
    gone = [weakref.ref(one) for one in (page, page.session, page.feed, page.wire, *walks)]
    page.close()
    page.keeper.save()
    del page, walks
    gc.collect()
    assert [ref() for ref in gone] == [None] * 6


def test_an_explorer_can_be_shown_in_a_cell(page):
    model = page.__panel__().get_root()
    # One component, whatever is drawn: the figures are made in the browser.
    assert len(model.references()) < 10


def test_a_tab_that_was_duplicated_has_a_memory_of_its_own(small):
    small.pages.enter("token")
    second = explorer.Explorer()
    second.wire._models["root"] = (None, None)
    try:
        second.hear({"do": "return", "token": "token"})
        assert second.pages.token == "token"
        assert second.settings.dataset == small.settings.dataset
        assert small.pages.token != "token"
        assert small.wire.state["token"] == small.pages.token
        small.hear({"do": "rename", "run": 1, "name": "mine"})
        assert second.settings.runs[0].name != "mine"
    finally:
        second.close()


def test_pages_of_one_session_have_places_of_their_own():
    """A notebook that is served may show several, each with a memory of its own in the tab."""
    documents = [Document(), Document()]
    with set_curdoc(documents[0]):
        first = [address.place() for _ in range(3)]
    with set_curdoc(documents[1]):
        assert address.place() == 0
    assert first == [0, 1, 2]
    gone = weakref.ref(documents.pop(0))
    gc.collect()
    assert gone() is None


def test_what_is_compiled_is_told_with_the_time_that_is_left(monkeypatch):
    clock, done = [100.0], [2]
    monkeypatch.setattr(words.warmup, "progress", lambda: (done[0], 42))
    monkeypatch.setattr(words.time, "monotonic", lambda: clock[0])
    words._asked.clear()
    assert words.compiling() == "Compiling solvers: 2 of 42."
    clock[0], done[0] = 120.0, 12
    assert words.compiling() == "Compiling solvers: 12 of 42, about 60 s left."
    done[0] = 42
    assert words.compiling() == ""
    assert words._asked == {}

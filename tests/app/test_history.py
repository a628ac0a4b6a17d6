"""Saved runs: nothing that was saved is lost, whatever happens to the server or the disk."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from fakes import AGAIN, EXPERIMENT, spec, wait_for, walked

from app import shelf, words
from app.explorer import Explorer
from app.history import History
from app.keeper import Keeper
from app.kept import Kept
from app.live import all_pictures
from app.loading import load
from app.onscreen import on_screen
from app.pace import Pace
from app.reached import Interruption
from app.runs import Run
from app.scheduler import Scheduler
from app.session import Session
from fwcore import Walk, datasets, find_solver, grids

ROW = {
    "owner": "", "created": 1.0, "status": "done", "name": "sfw 1 %", "title": "Diabetes",
    "solver": "sfw", "reached": 3, "total": 3, "figures": "{}", "facts": "{}",
}  # fmt: skip


@pytest.fixture
def history(tmp_path):
    made = History(tmp_path / "runs.sqlite")
    yield made
    made.close()


def keep(history, run, owner=""):
    keeper = Keeper(history)
    keeper._begin = lambda: None
    keeper.follow(run, owner, "a run", EXPERIMENT)
    keeper.save()
    return keeper


@pytest.mark.parametrize("name", ["sfw", "cd", "omp", "sfw_rows"])
def test_a_saved_run_is_what_it_was(history, name):
    run = walked(name, points=12) if name != "omp" else omp()
    keep(history, run)
    saved = load(history, "", run.uid)
    kept = saved.kept
    assert (saved.experiment, saved.name, kept.seed) == (EXPERIMENT, "a run", run.seed)
    result, again = run.walk.result(), kept.walk.result()
    assert again.digest() == result.digest()
    assert again.to_code() == result.to_code()
    assert again.summary()["settings"] == result.summary()["settings"]
    np.testing.assert_array_equal(kept.relative_gaps, run.relative_gaps)
    last = [int(j) for j in kept.last_column[0][:3]]
    assert [kept.feature_name(j) for j in last] == [run.feature_name(j) for j in last]
    assert load(history, "somebody else", run.uid) is None


def omp():
    run = Run(find_solver("omp"), {}, 0)
    run.prepare(datasets.load("diabetes"), [1.0, 2.0, 3.0])
    while not run.state.over:
        run.turn()
    return run


def test_a_run_is_saved_while_it_goes_on_and_continued_to_the_same_bytes(history, monkeypatch):
    run = walked("sfw", points=20, upto=7)
    keep(history, run)
    before = history.facts("", run.uid)
    assert (before["status"], before["reached"]) == ("live", 7)
    # Nobody has heard of it for a while.
    monkeypatch.setattr("app.history._SILENT_SECONDS", -1.0)
    kept = load(history, "", run.uid).kept
    assert kept.interruption is not None
    assert "Interrupted at point 7 of 20" in kept.message
    again = Run(run.solver, run.options, run.seed, after=kept.interruption)
    again.prepare(run.walk.problem, run.walk.grid)
    keeper = keep(history, again)
    while not again.state.over:
        again.turn()
        keeper.save()
        assert history.facts("", run.uid)["reached"] >= 7
    keeper.save()
    assert again.repeated is True
    whole = walked("sfw", points=20)
    finished = load(history, "", run.uid).kept
    assert finished.walk.result().digest() == whole.walk.result().digest()


def interrupted(history, monkeypatch, steps=5):
    """A run that was saved while a point was under way; and what is loaded of it."""
    run = walked("cd", points=20, upto=7, rule="gap", tol=1e-9)
    keeper = keep(history, run)
    for _ in range(steps):
        run.turn()
    # After the step that is under way.
    keeper.ask()
    run.turn()
    keeper.save()
    assert run.reached == 7
    monkeypatch.setattr("app.history._SILENT_SECONDS", -1.0)
    return run, load(history, "", run.uid).kept


def test_a_run_goes_on_within_the_point_that_was_under_way(history, monkeypatch):
    run, kept = interrupted(history, monkeypatch)
    assert kept.walk.chunks[-1]["point"].tolist() == [7] * 6
    again = Run(run.solver, run.options, run.seed, Pace("dots", 1e3), after=kept.interruption)
    again.prepare(run.walk.problem, run.walk.grid)
    assert again.reached == 7
    again.turn()
    # Only what is new is paid for: all dot products so far would take minutes at this pace.
    assert again.due() < 5.0
    again.set_pace(Pace("step", 1.0))
    again.turn()
    made = np.concatenate(again.walk.chunks)["step"]
    assert made[-2:].tolist() == [run.latest.rows["step"][-1] + k for k in (1, 2)]
    keeper = keep(history, again)
    assert history.facts("", run.uid)["reached"] == 7
    again.set_pace(None)
    while not again.state.over:
        again.turn()
    keeper.save()
    assert again.repeated is True
    assert load(history, "", run.uid).kept.walk.result().digest() == whole_digest()
    assert history.state(run.uid) is None


def test_a_run_goes_on_within_its_first_point(history, monkeypatch):
    whole = walked("cd", points=20, rule="gap", tol=1e-9)
    problem, grid = whole.walk.problem, whole.walk.grid[10:]
    run = Run(whole.solver, whole.options, 0, Pace("step", 1.0))
    run.prepare(problem, grid)
    keeper = keep(history, run)
    assert load(history, "", run.uid).kept is None
    for _ in range(3):
        run.turn()
    keeper.ask()
    run.turn()
    keeper.save()
    assert run.reached == 0
    with monkeypatch.context() as silent:
        silent.setattr("app.history._SILENT_SECONDS", -1.0)
        kept = load(history, "", run.uid).kept
    assert (kept.reached, kept.ended) == (0, False)
    assert "Interrupted at point 0 of 10" in kept.message
    made = run.trace("step").tolist()
    assert len(made) == 4
    assert kept.trace("step").tolist() == made
    assert kept.walk.result().points.size == 0
    again = Run(run.solver, run.options, run.seed, Pace("step", 1.0), after=kept.interruption)
    with monkeypatch.context() as silent:
        silent.setattr("app.history._SILENT_SECONDS", -1.0)
        keeper = keep(history, again)
        # Killed at once, it would lose nothing either.
        assert load(history, "", run.uid).kept.interruption.state == kept.interruption.state
    again.prepare(problem, grid)
    again.turn()
    assert again.trace("step").tolist() == [*made, made[-1] + 1]
    assert again.repeated is None
    other = Run(run.solver, run.options, run.seed, after=kept.interruption)
    keep(history, other)
    assert (again.uid, other.uid != run.uid) == (run.uid, True)
    again.set_pace(None)
    while not again.state.over:
        again.turn()
        keeper.save()
    keeper.save()
    walk = Walk(problem, "cd", grid, run.options)
    for _ in walk.snapshots():
        pass
    assert load(history, "", run.uid).kept.walk.result().digest() == walk.result().digest()


def test_one_that_is_stopped_before_it_goes_on_keeps_what_was_saved(history, monkeypatch):
    monkeypatch.setattr("app.history._SILENT_SECONDS", -1.0)
    run = Run(find_solver("cd"), {"rule": "gap", "tol": 1e-9}, 0, Pace("step", 1.0))
    problem = datasets.load("diabetes")
    run.prepare(problem, grids.lam_grid(problem, 20)[10:])
    keeper = keep(history, run)
    keeper.ask()
    run.turn()
    keeper.save()
    for _ in range(2):
        kept = load(history, "", run.uid).kept
        again = Run(run.solver, run.options, run.seed, after=kept.interruption)
        keeper = keep(history, again)
        again.stop()
        keeper.save()
    assert load(history, "", run.uid).kept.interruption.state


def test_a_state_that_is_too_large_is_not_asked_for_again(history, monkeypatch):
    monkeypatch.setattr("app.keeper._MOST_STATE", 10)
    run = walked("sfw", points=20, upto=7)
    keeper = keep(history, run)
    keeper.ask()
    assert run.holds
    run.turn()
    keeper.save()
    keeper.ask()
    assert not run.holds
    assert history.state(run.uid) is None


def whole_digest():
    return walked("cd", points=20, rule="gap", tol=1e-9).walk.result().digest()


def test_a_state_of_another_version_is_walked_again_to_the_same_bytes(history, monkeypatch):
    run, kept = interrupted(history, monkeypatch)
    monkeypatch.setattr("fwcore.cache.sources", lambda: "another")
    again = Run(run.solver, run.options, run.seed, after=kept.interruption)
    again.prepare(run.walk.problem, run.walk.grid)
    assert again.reached == 0
    keeper = keep(history, again)
    # What was saved stays until it has been overtaken.
    assert load(history, "", run.uid).kept.reached == 7
    while not again.state.over:
        again.turn()
    keeper.save()
    assert again.repeated is True
    assert again.walk.result().digest() == whole_digest()


def test_states_take_no_more_than_a_share_of_the_time(history, monkeypatch):
    run = walked("sfw", points=20, upto=7)
    keeper = keep(history, run)
    keeper.ask()
    assert run.holds
    run.turn()
    monkeypatch.setattr("app.keeper._SHARE_OF_STATES", 1e-9)
    keeper.save()
    assert history.state(run.uid)
    run.turn()
    keeper.ask()
    assert not run.holds


def test_large_states_are_saved_in_turns(history, monkeypatch):
    monkeypatch.setattr("app.keeper._SHARE_OF_STATES", 1e9)
    monkeypatch.setattr("app.keeper._STATES_SECONDS", 1e-9)
    runs = [walked("sfw", points=20, upto=7) for _ in range(3)]
    keeper = keep(history, runs[0])
    for run in runs[1:]:
        keeper.follow(run, "", "a run", EXPERIMENT)
    keeper.save()
    saved = []
    for _ in range(6):
        keeper.ask()
        (held,) = (k for k, run in enumerate(runs) if run.holds)
        runs[held].turn()
        keeper.save()
        saved.append(held)
    assert saved[:3] == saved[3:]
    assert sorted(saved[:3]) == [0, 1, 2]


def test_in_memory_no_state_is_held():
    run = walked("sfw", points=20, upto=7)
    keep(History(None, most=5), run).ask()
    assert not run.holds


def test_a_run_is_listed_from_its_start_and_forgotten_if_it_ends_without_a_point(
    history, monkeypatch
):
    run = Run(find_solver("sfw"), {"sampling": "5%"}, 7)
    keeper = keep(history, run)
    (row,) = history.find("")
    assert (row["status"], row["reached"], row["total"]) == ("live", 0, EXPERIMENT.points)
    # As if the server had been killed.
    monkeypatch.setattr("app.history._SILENT_SECONDS", -1.0)
    saved = load(history, "", run.uid)
    assert (saved.kept, saved.solver, saved.seed) == (None, "sfw", 7)
    assert saved.options == {"sampling": "5%"}
    assert history.find("")[0]["status"] == "interrupted"
    run.stop()
    keeper.save()
    assert history.find("") == []


def test_a_run_without_a_point_is_shown_as_what_it_was_to_be(page):
    run = Run(find_solver("sfw"), {"sampling": "5%"}, 7)
    page.keeper.follow(run, page.pages.owner, "sfw 5 %", EXPERIMENT)
    page.keeper.save()
    page.hear({"do": "show", "uid": run.uid})
    assert "had not reached a point" in page.refusal
    spec = page.settings.selected_run
    assert (spec.name, spec.seed, page.settings.chosen()) == ("sfw 5 %", 7, EXPERIMENT)
    assert spec.key not in page.session.runs
    run.stop()
    page.keeper.save()


def test_a_run_interrupted_in_its_first_point_is_shown(page, monkeypatch):
    monkeypatch.setattr("app.history._SILENT_SECONDS", -1.0)
    run = Run(find_solver("cd"), {"rule": "gap", "tol": 1e-9}, 0, Pace("step", 1.0))
    problem = datasets.load("diabetes")
    run.prepare(problem, grids.lam_grid(problem, 20)[10:])
    page.keeper.follow(run, page.pages.owner, "cd", EXPERIMENT)
    page.keeper.save()
    run.turn()
    page.keeper.ask()
    run.turn()
    page.keeper.save()
    page.hear({"do": "show", "uid": run.uid})
    assert page.refusal == ""
    spec = page.settings.selected_run
    kept = page.session.runs[spec.key]
    assert (kept.reached, kept.interruption.state != b"") == (0, True)
    page.drain.flush(final=True)
    page.feed.look_at(tuple(picture.name for picture in all_pictures()), True)
    page.feed.resend()
    page.drain.flush(final=True)
    page.pages.keep()
    assert page.session.outdated(spec, EXPERIMENT)
    run.stop()
    page.keeper.save()


def saved_run(page, points, split_seed=0, dataset="diabetes", loss="squared"):
    """A run that was saved, of the data of a page with another grid or split."""
    rows = {"dataset": dataset, "split_seed": split_seed, "loss": loss}
    experiment = replace(EXPERIMENT, points=points, **rows)
    problem = datasets.load(dataset, split_seed=split_seed, test_fraction=0.25, loss=loss)
    run = Run(find_solver("sfw"), {"sampling": "5%", "tol": 1e-2}, 0)
    run.prepare(problem, grids.delta_grid(5.0, points))
    while not run.state.over:
        run.turn()
    page.keeper.follow(run, page.pages.owner, f"{points} points", experiment)
    page.keeper.save()
    return run, experiment


def test_a_saved_run_of_the_same_data_stands_beside_those_of_another_grid(small):
    small.hear({"do": "set", "name": "test_fraction", "value": "0.25"})
    small.hear({"do": "run"})
    wait_for(lambda: not small.session.live, "the runs")
    before = {key: run.uid for key, run in small.session.runs.items()}
    run, experiment = saved_run(small, 7)
    small.hear({"do": "show", "uid": run.uid})
    assert small.refusal == ""
    key = small.settings.selected
    now = {k: run.uid for k, run in small.session.runs.items()}
    assert now == before | {key: run.uid}
    chosen = small.settings.chosen()
    assert chosen == experiment
    # Run would walk the others as the shown one was: they say that their settings have changed.
    changed = {spec.key: small.session.changed(spec, chosen) for spec in small.settings.runs}
    assert changed == dict.fromkeys(before, True) | {key: False}
    # Back at their grid, they are as they were.
    kept = {spec.key: spec.settings() for spec in small.settings.runs}
    for name, value in (("points", "10"), ("delta_max", "5")):
        small.hear({"do": "set", "name": name, "value": value})
    small.session.start(small.settings.chosen(), small.settings.runs)
    wait_for(lambda: not small.session.live, "the run that was shown")
    again = {k: run.uid for k, run in small.session.runs.items()}
    assert {k: again[k] for k in before} == before
    assert again[key] != run.uid
    assert {spec.key: spec.settings() for spec in small.settings.runs} == kept
    small.hear({"do": "show", "uid": run.uid})
    key = small.settings.selected
    # A reload shows the same.
    small.pages.keep()
    small.keeper.save()
    shown = small.keeper.page(small.pages.token, small.pages.owner)
    points = [one["points"] for one in shown["experiments"]]
    assert points == [10] * (len(before) + 1) + [7]


def test_a_saved_run_of_other_data_stands_beside_but_is_not_compared(small):
    small.hear({"do": "set", "name": "test_fraction", "value": "0.25"})
    small.hear({"do": "run"})
    wait_for(lambda: not small.session.live, "the runs")
    before = {run.uid for run in small.session.runs.values()}
    listed = {spec.key for spec in small.settings.runs}
    for rows in ({"split_seed": 3}, {"dataset": "breast-cancer", "loss": "logistic"}):
        other, experiment = saved_run(small, 5, **rows)
        small.hear({"do": "show", "uid": other.uid})
        assert small.refusal == ""
        before.add(other.uid)
        assert {run.uid for run in small.session.runs.values()} == before
        key = small.settings.selected
        kin = {entry.key for entry in small.feed.shown() if entry.kin}
        assert kin == {key}
        small.feed.look_at(tuple(picture.name for picture in all_pictures()), True)
        small.wire._puts, small.wire._rows = {}, []
        small.feed.resend()
        small.feed.tick()
        paths = {k: rows for k, source, rows, _ in small.wire._rows if source == "paths"}
        assert paths[key]["name"]
        assert not any(paths[k]["name"] for k in listed)
        told = on_screen(
            ["paths", "race"],
            small.feed.shown(),
            small.pages.outlook,
            styles=dict.fromkeys(small.session.runs, 0),
        )
        drawn = {run["name"]: run["rows"]["paths"]["name"] for run in told[0]["runs"]}
        assert [bool(names) for names in drawn.values()].count(True) == 1
        small.feed.say()
        assert len(small.wire.state["table"]["rows"]) == 1
        assert small.wire.state["headline"].startswith(shelf.find(experiment.dataset).title)
    assert small.wire.state["error"] == ""
    # Back at the first, its own are compared, and those of other data are drawn.
    small.hear({"do": "select", "run": min(listed)})
    assert {entry.key for entry in small.feed.shown() if entry.kin} == listed
    assert len(small.feed.shown()) == len(before)
    small.pages.keep()
    small.keeper.save()
    again = Explorer()
    try:
        again.pages.come_back(small.pages.token)
        assert len(again.session.runs) == len(before)
    finally:
        again.close()


def test_other_data_under_the_same_name_make_another_run(history, monkeypatch):
    run = walked("sfw", points=20, upto=7)
    keep(history, run)
    monkeypatch.setattr("app.history._SILENT_SECONDS", -1.0)
    kept = load(history, "", run.uid).kept
    assert kept.content == run.walk.problem.content_hash
    again = Run(run.solver, run.options, run.seed, after=kept.interruption)
    again.prepare(datasets.load("diabetes", split_seed=3), run.walk.grid)
    assert again.uid != run.uid
    assert again.before is None
    assert again.note.startswith("The data are not those")
    assert "The data are not those" in words.row([again])["message"]
    same = Run(run.solver, run.options, run.seed, after=kept.interruption)
    same.prepare(run.walk.problem, run.walk.grid)
    assert same.uid == run.uid


def test_a_run_that_differs_from_what_was_saved_says_so():
    run = walked("sfw", points=10)
    changed = run.points.copy()
    changed["objective"][3] *= 1 + 1e-15
    again = Run(run.solver, run.options, run.seed, after=Interruption("u", "", changed))
    again.prepare(run.walk.problem, run.walk.grid)
    while not again.state.over:
        again.turn()
    assert again.repeated is False


def test_runs_are_found_noted_pinned_and_deleted_with_undo(history):
    for k in range(5):
        history.add(f"u{k}", ROW | {"created": float(k), "name": f"run {k} 50%"}, {0: b"x"})
    assert [row["uid"] for row in history.find("")] == ["u4", "u3", "u2", "u1", "u0"]
    assert [row["uid"] for row in history.find("", "RUN 3")] == ["u3"]
    assert len(history.find("", "50%")) == 5
    assert history.find("", "5_%") == []
    history.change("", "u1", "pinned", 1)
    history.change("", "u2", "note", "the one")
    assert [row["uid"] for row in history.find("", limit=2)] == ["u1", "u4"]
    assert [row["uid"] for row in history.find("", "the one")] == ["u2"]
    history.change("", "u2", "deleted", 1)
    assert history.count("") == 4
    history.change("", "u2", "deleted", 0)
    assert history.find("", "the one")
    history.change("somebody else", "u2", "deleted", 1)
    assert history.count("") == 5
    history.change("", "u2", "deleted", 1)
    history.sweep()
    assert history.pieces("u2") == []
    assert history.count("") == 4


def test_ten_thousand_runs_are_listed_searched_and_opened(history):
    history._do(
        *(
            ("INSERT INTO runs (uid, owner, created, beat, status, name, title, solver, reached, "
             "total, figures, facts) VALUES (?, '', ?, 0, 'done', ?, 'Diabetes', 'sfw', 3, 3, "
             "'{}', '{}')", (f"u{k}", float(k), f"run {k}"))
            for k in range(10_000)
        )
    )  # fmt: skip
    assert len(history.find("", limit=50)) == 50
    assert [row["uid"] for row in history.find("", "run 777", limit=50)][-1] == "u777"
    assert history.count("") == 10_000


def test_in_memory_the_oldest_make_room():
    history = History(None, most=30)
    for k in range(5):
        history.add(f"u{k}", ROW | {"created": float(k)}, {0: b"x"})
    # One owner has a tenth of the room.
    assert [row["uid"] for row in history.find("")] == ["u4", "u3", "u2"]
    assert history.pieces("u0") == []
    for k in range(40):
        history.add(f"v{k}", ROW | {"created": 9.0 + k, "owner": f"o{k}"}, {0: b"x"})
    assert history.find("") == history.find("o9") == []
    assert history.count("o10") == history.count("o39") == 1
    history.close()


def test_what_cannot_be_written_down_leaves_the_store_as_it_was(history):
    history.add("u", ROW, {0: b"x"})
    with pytest.raises(UnicodeEncodeError):
        history.change("", "u", "note", "\ud800")
    history.change("", "u", "note", "fine")
    assert [row["uid"] for row in history.find("", "FINE")] == ["u"]


def test_a_run_that_goes_on_elsewhere_is_not_walked_on(history):
    run = walked("sfw", points=20, upto=7)
    keep(history, run)
    kept = load(history, "", run.uid).kept
    assert kept.interruption is None
    assert "goes on elsewhere" in kept.message


def test_two_that_walk_one_run_on_do_not_take_each_others_pieces(history, monkeypatch):
    monkeypatch.setattr("app.history._SILENT_SECONDS", -1.0)
    run = walked("sfw", points=12, upto=5)
    keep(history, run)
    before = load(history, "", run.uid).kept.points
    first, second = (
        Run(run.solver, run.options, run.seed, after=Interruption(run.uid, "", before))
        for _ in range(2)
    )
    for again in (first, second):
        again.prepare(run.walk.problem, run.walk.grid)
        while not again.state.over:
            again.turn()
        keep(history, again)
    assert first.uid == run.uid != second.uid
    digest = run.walk.result().digest
    for again in (first, second):
        saved = load(history, "", again.uid).kept.walk.result()
        assert saved.digest() == again.walk.result().digest() != digest()


def test_a_store_of_a_later_version_is_left_alone_and_says_so(tmp_path):
    file = tmp_path / "runs.sqlite"
    with sqlite3.connect(file) as later:
        later.execute("PRAGMA user_version=99")
    history = History(file)
    assert "written by a later version of the page" in history.trouble
    assert history.find("") == []
    with pytest.raises(sqlite3.Error):
        history.add("u", ROW, {})


def test_a_store_of_an_earlier_version_is_brought_up_to_date(tmp_path):
    from app.history import _MIGRATIONS

    file = tmp_path / "runs.sqlite"
    with sqlite3.connect(file) as earlier:
        earlier.executescript(_MIGRATIONS[0] + "PRAGMA user_version=1;")
        names = ", ".join(["uid", "beat", *ROW])
        marks = ", ".join("?" * (len(ROW) + 2))
        earlier.execute(f"INSERT INTO runs ({names}) VALUES ({marks})", ["u", 0.0, *ROW.values()])
    history = History(file)
    assert history.trouble == ""
    assert [row["uid"] for row in history.find("")] == ["u"]
    history.keep_page("token", "", {"x": 1})
    assert history.page("token", "") == {"x": 1}
    assert history.page("token", "somebody else") is None


def test_a_file_that_is_no_store_is_told(tmp_path):
    file = tmp_path / "runs.sqlite"
    file.write_bytes(b"no database " * 1000)
    assert "file is not a database" in History(file).trouble


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    history = History(tmp_path / "file" / "runs.sqlite")
    assert "Runs are not saved in" in history.trouble
    assert "They stay on the page while it is open." in history.trouble


def test_a_full_disk_is_told_once_and_nothing_is_lost(history):
    run = walked("sfw", points=8)
    full = history._connection.execute("PRAGMA page_count").fetchone()[0]
    history._connection.execute(f"PRAGMA max_page_count={full}")
    keeper = keep(history, run)
    assert "full" in history.trouble
    assert history.find("") == []
    history._connection.execute("PRAGMA max_page_count=1000000")
    keeper.save()
    assert history.trouble == ""
    assert load(history, "", run.uid).kept.walk.result().digest() == run.walk.result().digest()


def test_two_servers_share_a_store(tmp_path):
    first, second = (History(tmp_path / "runs.sqlite") for _ in range(2))
    for k in range(20):
        (first, second)[k % 2].add(f"u{k}", ROW, {0: b"x"})
    assert first.count("") == second.count("") == 20
    first.close()
    second.close()


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_session_saves_what_it_runs(history, again):
    scheduler = Scheduler(workers=2, idle_seconds=0.05)
    keeper = Keeper(history)
    session = Session(
        scheduler, lambda run, spec, experiment: keeper.follow(run, "", spec.name, experiment)
    )
    specs = [spec(1, "sfw", sampling="5%"), spec(2, "cd")]
    session.start(EXPERIMENT, specs)
    runs = [*session.runs.values()]
    wait_for(lambda: all(run.state.over for run in runs), "the runs")
    done = {"sfw 5 %", "cd"}
    wait_for(lambda: {r["name"] for r in history.find("", "done")} == done, "both to be saved")
    for run in runs:
        kept = load(history, "", run.uid).kept
        assert kept.walk.result().digest() == run.walk.result().digest()


@pytest.mark.parametrize("again", range(AGAIN))
def test_what_another_page_shows_is_not_stopped_with_this_one(again):
    scheduler = Scheduler(workers=2, idle_seconds=0.05)
    first, second = Session(scheduler), Session(scheduler)
    entry = spec(1, "fw", tol=1e-9)
    first.start(EXPERIMENT, [entry])
    run = first.runs[1]
    second.show(EXPERIMENT, entry, [run], "fw")
    assert not second.changed(entry, EXPERIMENT)
    first.reset()
    assert not run.state.over
    second.reset()
    assert run.state.over


SERVER = """
import sys
sys.path[:0] = sys.argv[2:]
from pathlib import Path
from fakes import EXPERIMENT, spec
from app import words
from app.history import History
from app.keeper import Keeper
from app.pace import Pace
from app.scheduler import Scheduler
from app.session import Session
keeper = Keeper(History(Path(sys.argv[1])))
session = Session(Scheduler(), lambda run, s, e: (
    print(run.uid, flush=True), keeper.follow(run, "", s.name, e)))
session.start(EXPERIMENT, [spec(1, "sfw", sampling="5%")], Pace("step", 150.0))
while True:
    keeper.ask()
    keeper.save()
    for uid, followed in keeper._followed.items():
        print(followed.points if keeper.history.state(uid) else 0, flush=True)
"""


@pytest.mark.parametrize(
    "again", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 50))]
)
def test_a_server_that_is_killed_loses_at_most_what_was_not_saved_yet(tmp_path, again):
    file = tmp_path / "runs.sqlite"
    here = os.path.dirname(__file__)
    command = [sys.executable, "-c", SERVER, str(file), here]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        uid, reached = server.stdout.readline().strip(), 0
        wanted = 2 + again % 6
        while reached < wanted:
            reached = int(server.stdout.readline())
        server.send_signal(signal.SIGKILL)
    history = History(file)
    assert history.trouble == ""
    wait_for(lambda: history.facts("", uid)["status"] == "interrupted", "the silence to be noticed")
    saved = load(history, "", uid)
    kept = saved.kept
    assert saved.experiment == EXPERIMENT
    # The server said so once it was saved.
    assert kept.reached >= reached
    again = Run(kept.solver, kept.options, kept.seed, after=kept.interruption)
    whole = walked("sfw", points=20, sampling="5%", tol=1e-3)
    again.prepare(whole.walk.problem, whole.walk.grid)
    # It goes on where it was, which may be within its first point.
    assert again.walk.chunks
    while not again.state.over:
        again.turn()
    assert again.repeated is True
    assert again.walk.result().digest() == whole.walk.result().digest()
    assert isinstance(kept, Kept)
    assert json.loads(history.find("")[0]["figures"])["active"] >= 0
    assert time.time() > history.find("")[0]["created"]

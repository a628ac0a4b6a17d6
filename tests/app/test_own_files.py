"""Data of one's own that are kept: a page that is loaded again, and a saved run, find them."""

import json
import os

import numpy as np
import pytest
import scipy.sparse

from app import own_files, shelf
from app.explorer import Explorer
from app.links import document, restored
from fwcore import DatasetError, ParameterError, datasets

DENSE = b"a,b,price\n" + b"\n".join(b"%d,%d,%d" % (k % 7, k % 5, k) for k in range(40))
SPARSE = b"".join(b"%d 1:%d 3:%d\n" % (k, k % 5 + 1, k % 3 + 1) for k in range(40))


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_RUNS", str(tmp_path))
    return tmp_path / "data"


def brought(content, name, degree=None):
    parsed = datasets.parse_upload(name, content)
    dataset = datasets.Dataset.of(parsed, name, degree)
    own = shelf.own_of(dataset, name)
    own_files.keep(own, dataset)
    return own


@pytest.mark.parametrize(
    ("content", "name", "degree"),
    [(DENSE, "rooms.csv", None), (DENSE, "rooms.csv", 2), (SPARSE, "words.svm", None)],
)
def test_what_was_kept_is_what_was_brought(content, name, degree):
    own = brought(content, name, degree)
    again = own_files.recall(own.name)
    for fact in ("name", "title", "rows", "columns", "task", "loss", "degree", "about"):
        assert getattr(again, fact) == getattr(own, fact)
    first, second = (data.make(3, 0.25, "squared") for data in (own, again))
    assert first.content_hash == second.content_hash
    assert [*first.feature_names] == [*second.feature_names]
    assert scipy.sparse.issparse(first.test_design) == scipy.sparse.issparse(second.test_design)
    np.testing.assert_array_equal(first.test_y, second.test_y)


def test_a_page_that_comes_later_finds_them_by_their_name():
    own = brought(DENSE, "rooms.csv")
    page = Explorer()
    page.settings.bring(own)
    held = document(page.settings)
    page.pages.keep()
    page.keeper.save()
    page.close()
    assert own.name not in shelf._brought
    again = restored(held)
    assert (again.dataset, shelf.find(again.dataset).title) == (own.name, "rooms.csv")
    assert page.keeper.history.page(page.pages.token, page.pages.owner)["document"] == held
    again.close()


def test_a_public_server_keeps_none(monkeypatch, elsewhere):
    kept = brought(DENSE, "rooms.csv")
    monkeypatch.setenv("FWCORE_PUBLIC", "1")
    assert own_files.recall(kept.name) is None
    brought(SPARSE, "words.svm")
    assert len([*elsewhere.glob("*.npz")]) == 1
    with pytest.raises(ParameterError, match="brought again"):
        restored({"dataset": kept.name, "loss": "squared", "runs": []})


@pytest.mark.parametrize("name", ["own-1", "../../etc/passwd", "own-" + "0" * 16, ""])
def test_what_was_never_kept_is_not_found(name):
    assert own_files.recall(name) is None
    assert not own_files.kept(name)


@pytest.mark.parametrize("harm", ["text", "array", "gone", "cut"])
def test_a_copy_that_was_changed_is_told(harm, elsewhere):
    own = brought(DENSE, "rooms.csv")
    file = elsewhere / f"{own.name}.npz"
    if harm == "text":
        (elsewhere / f"{own.name}.json").write_text("{")
        assert own_files.recall(own.name) is None
        return
    again = own_files.recall(own.name)
    if harm == "gone":
        file.unlink()
    elif harm == "cut":
        file.write_bytes(file.read_bytes()[:200])
    else:
        with np.load(file) as held:
            arrays = {key: held[key] for key in held.files}
        np.savez(file, **(arrays | {"y": arrays["y"] + 1.0}))
    with pytest.raises(DatasetError, match="bring the file again"):
        again.make(0, 0.25, "squared")
    # Which is all that it takes.
    page = Explorer()
    page.settings.bring(again)
    page.settings.bring(brought(DENSE, "rooms.csv"))
    made = shelf.load(own.name, 0, 0.25, "squared")
    assert made.content_hash == own.make(0, 0.25, "squared").content_hash
    page.close()
    assert own_files.recall(own.name).make(0, 0.25, "squared").m == made.m


def test_those_used_longest_ago_make_room(monkeypatch, elsewhere):
    first = brought(DENSE, "rooms.csv")
    size = (elsewhere / f"{first.name}.npz").stat().st_size
    os.utime(elsewhere / f"{first.name}.npz", (1.0, 1.0))
    second = brought(SPARSE, "words.svm")
    monkeypatch.setattr(own_files, "_MOST_BYTES", 3 * size)
    os.utime(elsewhere / f"{second.name}.npz", (2.0, 2.0))
    third = brought(DENSE.replace(b"price", b"cost"), "rent.csv")
    assert not own_files.kept(first.name)
    assert own_files.kept(third.name)
    monkeypatch.setattr(own_files, "_MOST_BYTES", 10)
    assert not own_files.kept(brought(DENSE.replace(b"price", b"rent"), "x.csv").name)


def test_a_disk_that_cannot_be_written_costs_nothing(monkeypatch, tmp_path, caplog):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FWCORE_RUNS", str(tmp_path / "file"))
    own = brought(DENSE, "rooms.csv")
    assert own.rows == 40
    assert "is not kept" in caplog.text
    assert json.dumps(own_files.recall(own.name)) == "null"


def test_data_that_are_kept_are_offered_and_forgotten(elsewhere):
    first, second = brought(DENSE, "rooms.csv"), brought(SPARSE, "words.svm")
    page = Explorer()
    try:
        page.wire.send()
        page.offer()
        offered = {
            name: own for _, entries in page.wire.state["datasets"] for name, _, own in entries
        }
        assert offered[first.name]
        assert offered[second.name]
        assert not offered["diabetes"]
        page.hear({"do": "set", "name": "dataset", "value": first.name})
        assert page.settings.dataset == first.name
        page.hear({"do": "forget", "name": first.name})
        assert "neither chosen nor shown" in page.refusal
        assert own_files.kept(first.name)
        page.hear({"do": "set", "name": "dataset", "value": "diabetes"})
        page.hear({"do": "forget", "name": first.name})
        page.hear({"do": "forget", "name": second.name})
        assert page.refusal == ""
        assert not [*elsewhere.iterdir()]
        assert first.name not in shelf._brought
        offered = {name for _, entries in page.wire.state["datasets"] for name, _, _ in entries}
        assert not offered & {first.name, second.name}
        page.hear({"do": "set", "name": "dataset", "value": first.name})
        assert page.settings.dataset == "diabetes"
    finally:
        page.close()

"""Files of one's own: they come in parts, are read elsewhere, looked at and chosen."""

import base64
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse
from fakes import wait_for

from app import server, shelf
from app.explorer import Explorer
from app.look import look_at
from app.settings import Settings
from fwcore import DatasetError, ParameterError, Problem, datasets

CSV = b"a,b,c,price\n" + b"\n".join(
    b"%d,%d,%d,%d" % (k % 7, k % 5, k % 3, 2 * (k % 7) - k % 3) for k in range(60)
)


@pytest.fixture
def page():
    made = Explorer()
    yield made
    made.close()


def send(page, content, name="prices.csv", parts=3):
    page.hear({"do": "bring", "name": name, "size": len(content)})
    size = -(-len(content) // parts) if content else 1
    for k in range(0, len(content), size):
        part = base64.b64encode(content[k : k + size]).decode()
        page.hear({"do": "bring_part", "part": part})
    return read(page)


def use(page, degree=1):
    page.hear({"do": "bring_use", "degree": degree})
    read(page)


def read(page):
    def over():
        page.reading.look()
        return not page.reading.busy

    wait_for(over, "the file to be read")
    return page.wire.state["bring"]


def test_a_file_is_read_looked_at_and_walked(page):
    told = send(page, CSV)
    assert told["state"] == "read"
    assert (told["target"], told["names"]) == ("price", ["a", "b", "c"])
    assert told["sizes"][:2] == [[1, 3, None], [2, 10, 8 * 60 * 10]]
    assert told["look"]["more"] == [54, 0]
    use(page, 2)
    assert page.refusal == ""
    assert page.settings.dataset.startswith("own-")
    assert page.wire.state["datasets"][0][0] == "Brought or made by you"
    page.hear({"do": "pace", "unit": "dots", "rate": None})
    page.hear({"do": "run"})
    wait_for(lambda: not page.session.live, "the runs")
    states = {run.state.value for run in page.session.runs.values()}
    assert states == {"done"}
    page.tell()
    assert page.wire.state["headline"].startswith(
        "prices.csv: 45 rows to learn from, 15 to test on"
    )
    name = page.settings.dataset
    page.close()
    with pytest.raises(ParameterError):
        shelf.find(name)


def test_parts_are_bytes_too_and_change_nothing_else_of_the_page(page, monkeypatch):
    answered = []
    monkeypatch.setattr(page, "answer", lambda: answered.append(1))
    page.hear({"do": "bring_soon"})
    page.hear({"do": "bring", "name": "prices.csv", "size": len(CSV)})
    assert len(answered) == 1
    for k in range(0, len(CSV), 100):
        page.hear({"do": "bring_part", "part": CSV[k : k + 100]})
    assert len(answered) == 1
    assert read(page)["target"] == "price"
    # What is refused is told.
    page.hear({"do": "bring_part", "part": bytes(5_000_000)})
    assert len(answered) == 2
    assert "part" in page.refusal


def test_a_line_that_is_too_long_is_told_before_the_rest_has_come(page, monkeypatch):
    limits = replace(datasets.UPLOAD, line=40)
    monkeypatch.setattr(server, "upload_limits", lambda: limits)
    page.hear({"do": "bring", "name": "long.csv", "size": 200})
    states = []
    for part in (b"a,b\n", b"1," * 10, b"2\n", *[b"3," * 10] * 5):
        page.hear({"do": "bring_part", "part": part})
        states.append(page.wire.state["bring"]["state"])
    assert states == ["coming"] * 5 + ["refused"] * 3
    told = page.wire.state["bring"]
    assert told["told"] == "long.csv: a line of more than 40 bytes."
    assert not told.get("again")
    assert page.refusal == ""
    # Packed, and without lines, that cannot be told.
    for name in ("long.csv.gz", "long.parquet"):
        page.hear({"do": "bring", "name": name, "size": 200})
        page.hear({"do": "bring_part", "part": b"1" * 150})
        assert page.wire.state["bring"]["state"] == "coming"
    monkeypatch.undo()
    assert send(page, CSV)["state"] == "read"


def test_parts_of_a_file_that_was_refused_are_not_kept(page):
    for name, size in (("large.csv", 2**40), ("what.xyz", 2**20)):
        page.hear({"do": "bring", "name": name, "size": size})
        assert page.wire.state["bring"]["state"] == "refused"
        page.hear({"do": "bring_part", "part": b"1" * 1000})
        assert not page.parts[1]._content
        assert page.refusal == ""


def test_columns_are_left_out_by_name(page):
    send(page, CSV)
    page.hear({"do": "bring_columns", "left_out": ["b"]})
    told = read(page)
    assert (told["names"], told["left_out"]) == (["a", "b", "c"], ["b"])
    assert told["sizes"][:2] == [[1, 2, None], [2, 6, 8 * 60 * 6]]
    report = dict(told["lines"])
    assert report["columns"] == "2"
    assert "left out by hand: b" in report["warnings"]
    for wrong in (["a", "b", "c"], ["x"], "a", [3], None):
        page.hear({"do": "bring_columns", "left_out": wrong})
        assert "'left_out'" in page.refusal
    use(page, 1)
    assert shelf.find(page.settings.dataset).columns == 2
    page.hear({"do": "bring_columns", "left_out": []})
    assert "read before columns are chosen" in page.refusal


def test_another_column_is_the_response_and_the_same_file_is_the_same_data(page):
    send(page, CSV)
    wanted = {"task": "regression", "missing": "", "categorical": "", "positive": ""}
    page.hear({"do": "bring_read", "target": "b", **wanted})
    told = read(page)
    assert (told["target"], told["names"]) == ("b", ["a", "c", "price"])
    use(page, 1)
    first = page.settings.dataset
    send(page, CSV)
    page.hear({"do": "bring_read", "target": "b", **wanted})
    read(page)
    use(page, 1)
    assert page.settings.dataset == first
    page.hear({"do": "bring_read", "target": "nobody", **wanted})
    assert "there before it is read" in page.refusal


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("x.exe", b"MZ", "not a format that is read"),
        ("x.csv", b"", "empty"),
        ("x.csv", b"a,b\n1,x\n2,y\n", ""),
        ("x.npz", b"PK\x03\x04broken", "not readable"),
        ("x.mat", b"\x00" * 200, "not readable"),
        ("x.parquet", b"PAR1", "not readable"),
        ("<img src=x onerror=alert(1)>.exe", b"MZ", "<img src=x onerror=alert(1)>.exe"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(page, name, content, told):
    answer = send(page, content, name)
    if told:
        assert answer["state"] == "refused"
        assert told in answer["told"]
    page.hear({"do": "bring_use", "degree": 1})
    assert told == "" or "read before it is used" in page.refusal


@pytest.mark.parametrize(
    "message",
    [
        {"do": "bring"}, {"do": "bring", "name": 1, "size": 1}, {"do": "bring", "name": "a.csv"},
        {"do": "bring", "name": "a.csv", "size": -1}, {"do": "bring_part", "part": "AAAA"},
        {"do": "bring_part"}, {"do": "bring_read"}, {"do": "bring_use"},
        {"do": "bring_use", "degree": "2"}, {"do": "bring_use", "degree": 99},
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(page, message):
    page.hear(message)
    assert page.refusal


def test_parts_that_are_no_base64_or_too_many_are_refused(page):
    page.hear({"do": "bring", "name": "a.csv", "size": 3})
    page.hear({"do": "bring_part", "part": "???"})
    assert "base64" in page.refusal
    page.hear({"do": "bring_part", "part": base64.b64encode(b"1234").decode()})
    assert "of 3 bytes in all" in page.refusal
    page.hear({"do": "bring", "name": "a.csv", "size": 2**40})
    assert "where at most" in page.wire.state["bring"]["told"]


def test_a_page_holds_so_many_files(page):
    for k in range(server.most_brought()):
        send(page, CSV.replace(b"\n0,", b"\n%d," % (k + 10), 1))
        use(page)
    page.hear({"do": "bring", "name": "a.csv", "size": 5})
    assert "holds at most 4 files" in page.wire.state["bring"]["told"]


def test_data_of_the_catalogue_are_looked_at(page):
    page.hear({"do": "data_look"})
    wait_for(lambda: page.reading.look() or not page.reading.busy, "the look")
    looked = page.wire.state["looked"]
    assert looked["name"] == "Synthetic, 10,000 columns, 32 relevant"
    assert looked["look"]["more"] == [394, 9992]
    page.hear({"do": "set", "name": "dataset", "value": "log1p-shaped"})
    page.hear({"do": "data_look"})
    assert "smaller for a look" in page.refusal


def test_a_server_for_the_public_is_told_so_by_its_arguments(monkeypatch):
    assert not server.public()
    monkeypatch.setattr("sys.argv", ["app", "--public"])
    assert server.public()
    assert server.upload_limits().bytes < datasets.UPLOAD.bytes
    assert server.most_repeats(25) == 3


def test_the_public_is_offered_nothing_that_takes_gigabytes(monkeypatch):
    offered = {entry.name for entry in server.catalogue()}
    assert {"kdd-shaped", "url-shaped", "log1p-shaped"} <= offered
    monkeypatch.setenv("FWCORE_PUBLIC", "1")
    assert offered - {entry.name for entry in server.catalogue()} == {
        *("kdd-shaped", "url-shaped", "log1p-shaped")
    }
    with pytest.raises(ParameterError, match="a name of the catalogue"):
        Settings().choose("kdd-shaped")


def test_what_keeps_runs_from_being_saved_is_told_on_the_page(page):
    page.keeper.history.trouble, before = "The disk is full.", page.keeper.history.trouble
    page.tell()
    assert page.wire.state["notice"] == "The disk is full."
    page.keeper.history.trouble = before


@pytest.mark.parametrize("make", [np.asarray, scipy.sparse.csc_array])
def test_a_look_tells_where_the_entries_are(make):
    X = np.zeros((30, 100))
    X[:15, :50] = 1.0
    told = look_at(make(X), np.arange(30.0), [f"x{j}" for j in range(100)])
    assert told["density"] == 0.25
    assert sum(told["counts"]) == 30
    assert told["grid"][0][0] == 1.0
    assert told["grid"][-1][-1] == 0.0
    assert told["more"] == [24, 92]


def test_problems_of_memory_are_data_of_a_page_with_their_own_loss():
    X = np.random.default_rng(0).standard_normal((20, 5))
    own = shelf.bring(shelf.own_problem(Problem.from_arrays(X, X[:, 0]), "mine"))
    assert shelf.find(own.name) is own
    assert shelf.load(own.name, 0, 0.0, "squared").p == 5
    with pytest.raises(ParameterError, match="as given"):
        shelf.load(own.name, 0, 0.0, "logistic")
    shelf.leave(own.name)
    with pytest.raises(ParameterError):
        shelf.find(own.name)


def test_data_that_two_pages_brought_stay_until_both_have_left():
    parsed = datasets.parse_upload("prices.csv", CSV)
    own = shelf.own_of(datasets.Dataset.of(parsed, "prices.csv"), "prices.csv")
    shelf.bring(own)
    shelf.bring(own)
    shelf.leave(own.name)
    assert shelf.find(own.name).title == "prices.csv"
    shelf.leave(own.name)
    with pytest.raises((ParameterError, DatasetError)):
        shelf.find(own.name)

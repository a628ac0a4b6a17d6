import json

import pytest

from app.wire import Wire


@pytest.fixture
def messages(monkeypatch):
    """What a wire with a page sends."""
    sent = []
    monkeypatch.setattr(Wire, "_send_msg", lambda self, text: sent.append(json.loads(text)))
    return sent


def with_page(heard=None):
    wire = Wire((heard if heard is not None else []).append)
    wire._models["root"] = (None, None)
    return wire


def test_a_tick_is_one_message_with_a_number(messages):
    wire = with_page()
    wire.rows(1, "points", {"x": [1.0, 2.0]}, replace=True)
    wire.put(phase="running")
    wire.rows(1, "points", {"x": [3.0]}, replace=False)
    wire.send()
    wire.send()
    assert [message["number"] for message in messages] == [1, 2] == list(range(1, wire.sent + 1))
    assert messages[0]["puts"] == {"phase": "running"}
    assert messages[0]["rows"] == [
        [1, "points", {"x": [1.0, 2.0]}, True],
        [1, "points", {"x": [3.0]}, False],
    ]
    assert (messages[1]["puts"], messages[1]["rows"]) == ({}, [])


def test_what_is_not_finite_is_a_hole_also_in_lists(messages):
    wire = with_page()
    wire.rows(1, "paths", {"x": [1.0, float("nan")], "xs": [[float("inf")], [2]]}, replace=True)
    wire.send()
    assert messages[0]["rows"][0][2] == {"x": [1.0, None], "xs": [[None], [2]]}


def test_a_value_travels_when_it_changes_and_when_all_is_repeated(messages):
    wire = with_page()
    for text in ("a", "a", "b"):
        wire.put(headline=text)
        wire.send()
    assert [message["puts"] for message in messages] == [{"headline": "a"}, {}, {"headline": "b"}]
    wire.repeat()
    wire.send()
    assert messages[-1]["puts"] == {"headline": "b"} == dict(wire.state)


def test_without_a_page_nothing_is_sent_and_all_waits(messages):
    wire = Wire([].append)
    wire.put(phase="empty")
    wire.send()
    assert (messages, wire.sent) == ([], 0)
    assert json.loads(wire.message())["puts"] == {"phase": "empty"}


def test_the_page_acknowledges_what_it_has_painted_and_asks_for_the_rest(messages):
    heard = []
    wire = with_page(heard)
    for _ in range(3):
        wire.send()
    for data in ({"seen": 2}, {"seen": 1}, {"seen": 99}, {"seen": "2"}, {"do": "run"}, "?"):
        wire._handle_msg(data)
    assert wire.seen == 2
    assert heard == [{"do": "run"}, "?"]


def test_the_client_is_one_module_that_asks_no_other_host():
    assert Wire._esm.count("export ") == 1
    assert "http" not in Wire._esm.replace("http://www.w3.org/2000/svg", "")
    # Text is set as text: nothing that a dataset or a visitor names is parsed.
    assert "innerHTML" not in Wire._esm
    assert "insertAdjacentHTML" not in Wire._esm

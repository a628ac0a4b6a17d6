import json

import pytest
from bokeh.models import ColumnDataSource, Div, Range1d

from app.wire import Wire


@pytest.fixture
def messages(monkeypatch):
    """What a wire with a page sends."""
    sent = []
    monkeypatch.setattr(Wire, "_send_msg", lambda self, text: sent.append(json.loads(text)))
    return sent


def with_page():
    wire = Wire()
    wire._models["root"] = (None, None)
    return wire


def test_a_tick_is_one_message_with_a_number_in_the_order_in_which_it_was_put(messages):
    wire, source, div = with_page(), ColumnDataSource({"x": []}), Div()
    wire.rows(source, {"x": [1.0, 2.0]}, replace=True)
    wire.set(div, text="a")
    wire.rows(source, {"x": [3.0]}, replace=False)
    wire.send()
    wire.send()
    assert [message["number"] for message in messages] == [1, 2] == list(range(1, wire.sent + 1))
    assert [change["id"] for change in messages[0]["changes"]] == [source.id, div.id, source.id]
    assert [change.get("replace") for change in messages[0]["changes"]] == [True, None, False]
    assert messages[1]["changes"] == []


def test_what_is_not_finite_is_a_hole(messages):
    wire, source = with_page(), ColumnDataSource({"x": []})
    wire.rows(source, {"x": [1.0, float("nan"), float("inf")]}, replace=True)
    wire.send()
    assert messages[0]["changes"][0]["rows"] == {"x": [1.0, None, None]}


def test_an_attribute_travels_when_it_changes_and_when_all_is_repeated(messages):
    wire, div = with_page(), Div()
    for text in ("a", "a", "b"):
        wire.set(div, text=text)
    wire.send()
    assert [change["set"] for change in messages[0]["changes"]] == [{"text": "a"}, {"text": "b"}]
    wire.repeat()
    wire.send()
    assert messages[1]["changes"] == [{"id": div.id, "set": {"text": "b"}}]


def test_without_a_page_the_models_themselves_are_changed(messages):
    wire, source, div = Wire(), ColumnDataSource({"x": []}), Div()
    wire.rows(source, {"x": [1.0]}, replace=True)
    wire.rows(source, {"x": [2.0]}, replace=False)
    wire.set(div, text="a")
    wire.send()
    assert (source.data["x"], div.text, messages, wire.sent) == ([1.0, 2.0], "a", [], 0)


def test_a_range_is_reset_where_there_is_a_page(messages):
    wire, axis = with_page(), Range1d(0.0, 1.0)
    wire.reset(axis)
    wire.send()
    assert messages[0]["changes"] == [{"id": axis.id, "reset": True}]
    Wire().reset(axis)

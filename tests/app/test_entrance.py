"""The way in: a page, or a word that there is no room."""

import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from app import entrance, pages, server
from app.explorer import Explorer
from app.wire import Wire


@pytest.fixture(autouse=True)
def document():
    with set_curdoc(Document()) as doc:
        yield doc


def test_a_visitor_gets_a_page_while_there_is_room(monkeypatch):
    assert server.most_pages() > 10**6
    monkeypatch.setenv("FWCORE_PUBLIC", "1")
    assert server.most_pages() == 500
    assert isinstance(entrance.page(), Wire)


def test_one_too_many_is_told_so_and_costs_no_page(monkeypatch):
    open_page = Explorer()
    open_page.pages.enter(open_page.pages.token)
    before = pages.count()
    assert before >= 1
    monkeypatch.setattr(server, "most_pages", lambda: before)
    told = entrance.page()
    assert "as many visitors as it can serve" in told.object
    assert pages.count() == before
    open_page.close()
    assert pages.count() == before - 1

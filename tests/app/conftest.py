"""A page without a browser, for the tests that ask it and read what it would be sent."""

import json
import shutil

import pytest
from fakes import scheduler

from app import explorer, own_files
from app.wire import Wire


@pytest.fixture(autouse=True)
def nothing_brought_stays():
    """Data that a test brings are none of the next one's."""
    yield
    shutil.rmtree(own_files.folder() / "data", ignore_errors=True)


@pytest.fixture
def sent(monkeypatch):
    """The messages that a page is sent, its first one included."""
    messages = []
    monkeypatch.setattr(Wire, "_send_msg", lambda self, text: messages.append(json.loads(text)))
    return messages


@pytest.fixture
def page(monkeypatch, sent):
    monkeypatch.setattr(explorer, "scheduler", scheduler())
    page = explorer.Explorer()
    sent.append(json.loads(page.wire.opening))
    page.wire._models["root"] = (None, None)
    yield page
    page.close()


@pytest.fixture
def small(page):
    """A page with a small problem, at full speed."""
    for name, value in (("dataset", "diabetes"), ("points", "10"), ("delta_max", "5")):
        page.hear({"do": "set", "name": name, "value": value})
    page.hear({"do": "pace", "unit": "dots", "rate": None})
    return page

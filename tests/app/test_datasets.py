"""The download of a dataset."""

import asyncio
import threading

import pytest
from fakes import scheduler, wait_for

from app import downloads, explorer
from app.controls import problem
from app.downloads import Download, download
from app.settings import Settings
from fwcore import DatasetError

AGAIN = 3


@pytest.fixture(autouse=True)
def nothing_at_hand(monkeypatch, tmp_path):
    monkeypatch.delenv("FWCORE_DATA", raising=False)
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))


@pytest.fixture
def fetching(monkeypatch):
    """A download that goes on when it is told to, and ends as it is told."""

    class Fetching:
        begun, go_on, error, asked = threading.Event(), threading.Event(), None, 0

        def fetch(self, name, progress):
            self.asked += 1
            progress(30, 120)
            self.begun.set()
            assert self.go_on.wait(20)
            progress(120, 120)
            if self.error is not None:
                raise self.error

    made = Fetching()
    monkeypatch.setattr(downloads.datasets, "fetch", made.fetch)
    yield made
    made.go_on.set()
    wait_for(lambda: not downloads._running, "the downloads to end")


class Watch:
    """Stands for a periodic callback."""

    live = 0

    def __init__(self, callback, period, background):
        self.callback, self.period = callback, period

    def start(self):
        Watch.live += 1

    def stop(self):
        Watch.live -= 1


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setattr(explorer, "scheduler", scheduler())
    monkeypatch.setattr(explorer, "PeriodicCallback", Watch)
    monkeypatch.setattr(explorer.words, "compiling", lambda: "")
    page = explorer.Explorer()
    page.hear({"do": "set", "name": "dataset", "value": "pyrim"})
    yield page
    page.close()


def state(page):
    asyncio.run(page._look())
    return page.wire.state["dataset"]


def test_what_is_not_at_hand_is_refused_before_anything_runs():
    settings = Settings()
    settings.dataset = "pyrim"
    with pytest.raises(DatasetError, match="download them first"):
        settings.experiment()


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_download_is_begun_shown_and_ends(again, page, fetching, monkeypatch):
    assert page.wire.state["dataset"]["missing"]
    assert not page.wire.state["dataset"]["coming"]
    page.hear({"do": "fetch"})
    assert fetching.begun.wait(20)
    wait_for(lambda: state(page)["percent"] == 25, "a quarter of it")
    assert state(page)["coming"]
    assert Watch.live == 1
    monkeypatch.setattr(problem.datasets, "available", lambda entry: True)
    fetching.go_on.set()
    wait_for(lambda: not state(page)["coming"], "the download to end")
    assert not state(page)["missing"]
    assert page.wire.state["complaint"] == ""
    assert Watch.live == 0


@pytest.mark.parametrize("error", [DatasetError("no connection"), RuntimeError("broken")])
def test_a_download_that_fails_says_why_and_can_be_tried_again(error, page, fetching, caplog):
    fetching.error = error
    fetching.go_on.set()
    page.hear({"do": "fetch"})
    wait_for(lambda: not state(page)["coming"], "the download to end")
    wait_for(lambda: state(page) and page.download is None, "the word of it")
    assert str(error) in page.wire.state["complaint"]
    assert page.wire.state["dataset"]["missing"]
    assert bool(caplog.records) == isinstance(error, RuntimeError)
    fetching.error = None
    page.hear({"do": "fetch"})
    wait_for(lambda: not state(page)["coming"], "the download to end")
    assert page.wire.state["complaint"] == ""


def test_a_download_goes_on_when_the_page_looks_elsewhere(page, fetching):
    page.hear({"do": "fetch"})
    job = page.download
    page.hear({"do": "set", "name": "dataset", "value": "diabetes"})
    assert not page.wire.state["dataset"]["coming"]
    assert not job.over
    # Another page that asks for the same joins it.
    assert download("pyrim") is job
    page.hear({"do": "set", "name": "dataset", "value": "pyrim"})
    assert page.wire.state["dataset"]["coming"]
    assert fetching.asked == 1


def test_how_far_it_is_is_unknown_until_the_length_is():
    job = Download("pyrim")
    assert job.percent is None
    job._note(50, None)
    assert job.percent is None
    job._note(50, 200)
    assert job.percent == 25

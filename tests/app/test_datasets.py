"""The choice of a dataset, and its download."""

import asyncio
import threading

import pytest
from fakes import wait_for

from app import downloads
from app.controls import dataset as control
from app.controls.dataset import DatasetControl, about, grouped
from app.downloads import Download, download
from app.settings import Settings
from fwcore import DatasetError, ParameterError, datasets

AGAIN = 3


@pytest.fixture
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


class Poll:
    """Stands for a periodic callback."""

    live = 0

    def __init__(self, callback, period):
        Poll.live += 1

    def stop(self):
        Poll.live -= 1


def test_every_dataset_is_in_one_group_and_says_where_it_comes_from(nothing_at_hand):
    groups = grouped()
    assert [*groups] == ["Always there", "To be downloaded", "To be put there by hand"]
    names = [name for titles in groups.values() for name in titles.values()]
    assert sorted(names) == sorted(entry.name for entry in datasets.DATASETS)
    assert "diabetes" in groups["Always there"].values()
    assert "pyrim" in groups["To be downloaded"].values()
    assert "classic" in groups["To be put there by hand"].values()
    assert all("Licence: " in about(name) for name in names)


def test_what_is_not_at_hand_is_refused_before_anything_runs(nothing_at_hand):
    settings = Settings()
    settings.dataset = "pyrim"
    with pytest.raises(DatasetError, match="download them first"):
        settings.experiment()


@pytest.mark.parametrize("again", range(AGAIN))
def test_a_download_is_begun_shown_and_ends(again, nothing_at_hand, fetching, monkeypatch):
    monkeypatch.setattr(control.pn.state, "add_periodic_callback", Poll)
    settings = Settings()
    chosen = DatasetControl(settings)
    assert not chosen.missing
    settings.dataset = "pyrim"
    assert chosen.missing
    assert not chosen.coming
    chosen.fetch()
    assert fetching.begun.wait(20)
    asyncio.run(chosen.look_at_download())
    assert chosen.coming
    assert (chosen._bar.variant, chosen._bar.value) == ("determinate", 25)
    assert Poll.live == 1
    monkeypatch.setattr(control.datasets, "available", lambda entry: True)
    fetching.go_on.set()
    job = chosen._job
    wait_for(lambda: job.over, "the download to end")
    asyncio.run(chosen.look_at_download())
    assert not chosen.coming
    assert not chosen.missing
    assert chosen.trouble == ""
    assert Poll.live == 0


@pytest.mark.parametrize("error", [DatasetError("no connection"), RuntimeError("broken")])
def test_a_download_that_fails_says_why_and_can_be_tried_again(
    error, nothing_at_hand, fetching, monkeypatch, caplog
):
    monkeypatch.setattr(control.pn.state, "add_periodic_callback", Poll)
    settings = Settings()
    settings.dataset = "pyrim"
    chosen = DatasetControl(settings)
    fetching.error = error
    fetching.go_on.set()
    chosen.fetch()
    job = chosen._job
    wait_for(lambda: job.over, "the download to end")
    asyncio.run(chosen.look_at_download())
    assert str(error) in chosen.trouble
    assert chosen.missing
    assert not chosen.coming
    assert bool(caplog.records) == isinstance(error, RuntimeError)
    fetching.error = None
    chosen.fetch()
    again = chosen._job
    wait_for(lambda: again.over, "the download to end")
    asyncio.run(chosen.look_at_download())
    assert chosen.trouble == ""


def test_a_download_goes_on_when_the_page_looks_elsewhere(nothing_at_hand, fetching, monkeypatch):
    monkeypatch.setattr(control.pn.state, "add_periodic_callback", Poll)
    settings = Settings()
    settings.dataset = "pyrim"
    chosen = DatasetControl(settings)
    chosen.fetch()
    job = chosen._job
    settings.dataset = "diabetes"
    assert not chosen.coming
    assert not job.over
    # Another page that asks for the same joins it, and so does this one when it comes back.
    assert download("pyrim") is job
    settings.dataset = "pyrim"
    assert chosen.coming
    assert chosen._job is job
    assert fetching.asked == 1


def test_how_far_it_is_is_unknown_until_the_length_is():
    job = Download("pyrim")
    assert job.percent is None
    job._note(50, None)
    assert job.percent is None
    job._note(50, 200)
    assert job.percent == 25


def test_a_dataset_brings_its_sampling_unless_the_user_chose_another():
    settings = Settings()
    settings.dataset = "breast-cancer"
    assert settings.options["sfw"].sampling.text == "20%"
    settings.options["sfw"].sampling = "7%"
    settings.dataset = "diabetes"
    assert settings.options["sfw"].sampling.text == "7%"


def test_the_loss_is_offered_for_classes_and_takes_away_what_lacks_it():
    settings = Settings()
    settings.dataset = "breast-cancer"
    settings.competitors = ["cd", "scd"]
    settings.loss = "logistic"
    assert settings.competitors == ["scd"]
    assert settings.experiment().loss == "logistic"
    settings.solver = "corrective_fw"
    with pytest.raises(ParameterError, match="'loss' parameter of"):
        settings.experiment()
    # A regression has no classes.
    settings.dataset = "diabetes"
    assert settings.loss == "squared"

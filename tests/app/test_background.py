"""One thing at a time, told where it is looked for."""

import threading

import pytest
from fakes import AGAIN, wait_for

from app.background import Work
from fwcore import DatasetError


def settled(work):
    wait_for(lambda: work.look() or not work.busy, "the work")


def test_what_came_of_it_is_told_by_the_look():
    work, told = Work("read"), []
    work.start(lambda: 7, told.append, told.append)
    assert work.busy
    settled(work)
    assert told == [7]


@pytest.mark.parametrize("again", range(AGAIN))
def test_the_last_that_was_asked_for_follows_and_those_between_do_not(again):
    work, told, go = Work("read"), [], threading.Event()
    work.start(lambda: go.wait(30) and "first", told.append, told.append)
    work.start(lambda: "second", told.append, told.append)
    work.start(lambda: "third", told.append, told.append)
    work.look()
    assert told == []
    go.set()
    settled(work)
    assert told == ["first", "third"]


def test_what_was_foreseen_is_a_sentence_and_the_rest_goes_to_the_log(caplog):
    work, told = Work("read"), []

    def refuse():
        raise DatasetError("x.csv: empty.")

    work.start(refuse, told.append, told.append)
    settled(work)
    assert told == ["x.csv: empty."]
    assert caplog.records == []
    work.start(lambda: 1 / 0, told.append, told.append)
    settled(work)
    assert told[1] == "ZeroDivisionError: division by zero"
    assert "read failed" in caplog.text

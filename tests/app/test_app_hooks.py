import logging

import pytest
from bokeh.core.serialization import UnknownReferenceError
from tornado.websocket import WebSocketClosedError

from app import app_hooks, theme
from app.app_hooks import _is_news


def record(name, message, error=None):
    trace = (type(error), error, None) if error is not None else None
    return logging.LogRecord(name, logging.ERROR, "", 0, message, None, trace)


@pytest.mark.parametrize(
    ("name", "message", "error", "kept"),
    [
        ("asyncio", "Task exception was never retrieved", WebSocketClosedError(), False),
        ("bokeh.server.protocol_handler", "error handling message", AssertionError(), False),
        ("bokeh.server.views.ws", "Failed sending message as connection was closed", None, False),
        ("asyncio", "Task exception was never retrieved", ValueError("a real one"), True),
        ("bokeh.server.protocol_handler", "error handling message", KeyError("a real one"), True),
        ("asyncio", "AssertionError elsewhere", AssertionError(), True),
    ],
)
def test_only_the_traces_of_a_closed_tab_are_left_out_of_the_log(name, message, error, kept):
    assert _is_news(record(name, message, error)) is kept


@pytest.mark.parametrize(("value", "compiles"), [(None, True), ("1", True), ("0", False)])
def test_solvers_are_compiled_in_the_background_unless_told_not_to(monkeypatch, value, compiles):
    started = []
    monkeypatch.setattr(app_hooks, "_warm_up", lambda: started.append(True))
    monkeypatch.setattr(app_hooks, "_give_back", lambda: None)
    monkeypatch.setattr(app_hooks, "_share_heaps", lambda: None)
    monkeypatch.setattr(app_hooks, "_handlers", set)
    monkeypatch.setattr(app_hooks.gc, "freeze", lambda: None)
    monkeypatch.setattr(app_hooks.sys, "setswitchinterval", lambda seconds: None)
    monkeypatch.setattr(app_hooks.threading, "Thread", Immediate)
    monkeypatch.delenv("FWCORE_WARMUP", raising=False)
    if value is not None:
        monkeypatch.setenv("FWCORE_WARMUP", value)
    app_hooks.on_server_loaded(None)
    assert started == [True] * compiles


class Immediate:
    """A thread whose work is done when it is started."""

    def __init__(self, target, **about):
        self.start = target


def test_the_memory_of_ended_sessions_is_given_back(monkeypatch):
    trimmed = []

    class Library:
        def malloc_trim(self, pad):
            trimmed.append(pad)
            if len(trimmed) == 2:
                raise InterruptedError

    def sleep(seconds):
        # A session ends while its predecessor's memory is given back.
        app_hooks.on_session_destroyed(None)

    monkeypatch.setattr(app_hooks.ctypes, "CDLL", lambda name: Library())
    monkeypatch.setattr(app_hooks.sys, "platform", "linux")
    monkeypatch.setattr(app_hooks.time, "sleep", sleep)
    app_hooks.on_session_destroyed(None)
    with pytest.raises(InterruptedError):
        app_hooks._give_back()
    assert trimmed == [0, 0]
    app_hooks._left.clear()
    monkeypatch.setattr(app_hooks.sys, "platform", "darwin")
    app_hooks._give_back()


def test_threads_allocate_from_two_heaps_where_the_library_has_more(monkeypatch):
    limited = []

    class Library:
        def mallopt(self, what, most):
            limited.append((what, most))

    monkeypatch.setattr(app_hooks.ctypes, "CDLL", lambda name: Library())
    for platform in ("linux", "darwin"):
        monkeypatch.setattr(app_hooks.sys, "platform", platform)
        app_hooks._share_heaps()
    # M_ARENA_MAX of malloc.h.
    assert limited == [(-8, 2)]


def test_what_a_hostile_client_sends_leaves_no_traceback():
    told = record("bokeh.server.protocol_handler", "error", UnknownReferenceError("p1"))
    assert _is_news(told)
    assert told.exc_info is None
    assert told.getMessage().startswith("A message was refused: ")
    told = record("bokeh.server.views.ws", "receiving", RuntimeError("x" * 1000))
    assert _is_news(told)
    assert len(told.getMessage()) < 300


def test_a_mistake_of_our_own_is_told_in_full():
    try:
        theme.run_style(None)
    except TypeError as error:
        told = record("bokeh.server.protocol_handler", "error handling message", error)
    assert _is_news(told)
    assert told.exc_info is not None


def test_no_logger_fills_the_disk(caplog):
    seldom = app_hooks._Seldom()
    for name in ("tornado.access", "app.runs"):
        passed = [seldom.filter(record(name, f"{k}")) for k in range(200)]
        assert sum(passed) == 20
    assert app_hooks._handlers() & set(logging.getLogger().handlers)

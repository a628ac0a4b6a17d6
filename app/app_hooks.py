"""What happens when the server starts."""

import ctypes
import gc
import logging
import os
import sys
import threading
import time
import traceback
from collections import Counter
from typing import Any

from bokeh.server.views.ws import WSHandler
from panel.io.document import GC_DEBOUNCE
from tornado.websocket import WebSocketClosedError

import app.explorer  # noqa: F401 (so that the first page need not wait for it)
from app import server
from fwcore import warmup

_log = logging.getLogger(__name__)
# Panel collects what ended sessions leave once none has ended for so long, or twice as long.
_TRIM_AFTER_SECONDS = 2.0 * GC_DEBOUNCE + 1.0
_M_ARENA_MAX, _HEAPS = -8, 2
_MINUTE = 60.0
_RECORDS_A_MINUTE = 20
_LONGEST_TOLD = 200
_MORE = "More of these are not told for a minute."
_left = threading.Event()
_GOSSIPS = (
    "asyncio",
    "bokeh.server.protocol_handler",
    "bokeh.server.views.ws",
    "panel.io.document",
)


def on_server_loaded(server_context: Any) -> None:
    """Keep the log to what matters, the collector off what stays for ever, and compile the solvers
    in the background, unless FWCORE_WARMUP is 0: then each is compiled when it is first run.
    """
    if server.public():
        os.environ["FWCORE_CACHE_READONLY"] = "1"
    for name in _GOSSIPS:
        logging.getLogger(name).addFilter(_is_news)
    # At the handlers that there are, so that no logger is forgotten, not even that of wrong
    # addresses.
    for handler in _handlers():
        handler.addFilter(_Seldom())
    # A worker between two kernels may keep the interpreter this long from the thread that serves
    # the pages; 5 ms is usual.
    sys.setswitchinterval(0.0005)
    # The end of a session makes Panel look through everything for garbage: 0.2 s for half a million
    # objects that never become any.
    gc.collect()
    gc.freeze()
    _share_heaps()
    _send_at_once()
    threading.Thread(target=_give_back, name="fwcore-trim", daemon=True).start()
    if os.environ.get("FWCORE_WARMUP") != "0":
        threading.Thread(target=_warm_up, name="fwcore-warmup", daemon=True).start()


def _handlers() -> set[logging.Handler]:
    """All that write records."""
    known = [logging.getLogger(), *logging.Logger.manager.loggerDict.values()]
    return {handler for logger in known for handler in getattr(logger, "handlers", ())}


def on_session_destroyed(session_context: Any) -> None:
    """Have the memory of ended sessions given back."""
    _left.set()


def _of_glibc(name: str) -> Any:
    """A function of the C library that only glibc has; None elsewhere."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None


def _share_heaps() -> None:
    """Have threads allocate from few heaps. glibc gives each of several its own, and what sessions
    have freed between what others still hold stays in all of them: 1.7 GB after 200 sessions, in
    the place of 0.65.
    """
    if (limit := _of_glibc("mallopt")) is not None:
        limit(_M_ARENA_MAX, _HEAPS)


def _send_at_once() -> None:
    """Send what is written to a page without waiting for it to acknowledge the last packet. Bokeh
    writes a message in three parts, and Nagle's algorithm held the later ones back for 40 ms.
    """
    opened = WSHandler.open

    def open_without_delay(handler: WSHandler) -> None:
        handler.set_nodelay(True)
        opened(handler)

    WSHandler.open = open_without_delay


def _give_back() -> None:
    """Return to the system what ended sessions have freed, which the C library would keep: a
    megabyte a session.
    """
    trim = _of_glibc("malloc_trim")
    while trim is not None:
        _left.wait()
        _left.clear()
        time.sleep(_TRIM_AFTER_SECONDS)
        trim(0)


def _is_news(record: logging.LogRecord) -> bool:
    """A tab that is closed during a run leaves writes behind that nobody awaits, and messages that
    have no session; no error.
    """
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, WebSocketClosedError):
        return False
    if error is not None and record.name.startswith("bokeh.server") and not _is_ours(error):
        # A hostile client says what Bokeh cannot read, or names what is not there: one line is
        # enough.
        told = f"{type(error).__name__}: {error}"[:_LONGEST_TOLD]
        record.msg, record.args, record.exc_info = "A message was refused: %s", (told,), None
    if record.name == "bokeh.server.protocol_handler" and isinstance(error, AssertionError):
        return False
    return "connection was closed" not in record.getMessage()


def _is_ours(error: BaseException) -> bool:
    """Whether it passed through this project, whose own mistakes are told in full."""
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    modules = (str(frame.f_globals.get("__name__", "")) for frame in frames)
    return any(module.partition(".")[0] in ("app", "fwcore") for module in modules)


class _Seldom(logging.Filter):
    """Lets through a few records a minute of each logger: a hostile client could fill the disk."""

    def __init__(self) -> None:
        super().__init__()
        self._begun = 0.0
        self._counts: Counter[str] = Counter()

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        if now - self._begun > _MINUTE:
            self._begun, self._counts = now, Counter()
        self._counts[record.name] += 1
        count = self._counts[record.name]
        if count == _RECORDS_A_MINUTE and not str(record.msg).endswith(_MORE):
            record.msg, record.args = (
                f"%s. {_MORE}",
                (record.getMessage(),),
            )
        return count <= _RECORDS_A_MINUTE


def _warm_up() -> None:
    for name in warmup.every_solver():
        _log.info("ready: %s", name)

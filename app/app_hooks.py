"""What happens when the server starts."""

import logging
import sys
import threading
from typing import Any

from tornado.websocket import WebSocketClosedError

from fwcore import warmup

_log = logging.getLogger(__name__)


def on_server_loaded(server_context: Any) -> None:
    """Keep the log to what matters, and compile the solvers in the background."""
    logging.getLogger("asyncio").addFilter(_is_news)
    # A worker between two kernels may keep the interpreter this long from the thread that serves the pages; 5 ms is usual.
    sys.setswitchinterval(0.0005)
    threading.Thread(target=_warm_up, name="fwcore-warmup", daemon=True).start()


def _is_news(record: logging.LogRecord) -> bool:
    """A tab that is closed while rows are sent to it leaves a write behind that nobody awaits; that is no error."""
    return not (record.exc_info and isinstance(record.exc_info[1], WebSocketClosedError))


def _warm_up() -> None:
    for name in warmup.every_solver():
        _log.info("ready: %s", name)

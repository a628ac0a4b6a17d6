"""What takes a while and must keep no page waiting: done in a thread, and told at the next look."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from fwcore import DatasetError, ParameterError

_log = logging.getLogger(__name__)


class Work:
    """One thing at a time, and the last that was asked for next. What comes of it, or why nothing
    does, is told by `look`, in the thread that calls that.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread: threading.Thread | None = None
        self._tell: Callable[[], None] = lambda: None
        self._next: Callable[[], None] | None = None

    @property
    def busy(self) -> bool:
        """Whether something is under way, or over and not told yet."""
        return self._thread is not None

    def start(
        self, act: Callable[[], Any], done: Callable[[Any], None], failed: Callable[[str], None]
    ) -> None:
        """Do ``act`` in a thread, as soon as what is under way is told of; `look` then calls
        ``done`` with what it returned, or ``failed`` with a sentence.
        """

        def run() -> None:
            try:
                result = act()
            except (DatasetError, ParameterError) as error:
                text = str(error)
            except Exception as error:
                _log.exception("%s failed", self._name)
                text = f"{type(error).__name__}: {error}"
            else:
                self._tell = lambda: done(result)
                return
            self._tell = lambda: failed(text)

        def begin() -> None:
            self._thread = threading.Thread(target=run, name=f"fwcore-{self._name}", daemon=True)
            self._thread.start()

        if self.busy:
            self._next = begin
        else:
            begin()

    def look(self) -> None:
        """Tell what has come of it meanwhile."""
        if self._thread is None or self._thread.is_alive():
            return
        tell, self._thread, following, self._next = self._tell, None, self._next, None
        tell()
        if following is not None:
            following()

"""Datasets being fetched, for all pages of the process; no widgets."""

from __future__ import annotations

import logging
import threading

from fwcore import DatasetError, datasets

_log = logging.getLogger(__name__)
_running: dict[str, Download] = {}
_lock = threading.Lock()


class Download:
    """One dataset on its way, in a thread of its own. Its attributes may be read from anywhere."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.done = 0
        self.total: int | None = None
        self.error = ""
        self.over = False

    @property
    def percent(self) -> int | None:
        """How much of the present file has come; None where its length is not known."""
        return min(100, 100 * self.done // self.total) if self.total else None

    def run(self) -> None:
        """Fetch; an error is kept for the pages that wait."""
        try:
            datasets.fetch(self.name, self._note)
        except DatasetError as error:
            self.error = str(error)
        except Exception as error:
            _log.exception("%s could not be fetched", self.name)
            self.error = f"{type(error).__name__}: {error}"
        finally:
            with _lock:
                del _running[self.name]
            self.over = True

    def _note(self, done: int, total: int | None) -> None:
        self.done, self.total = done, total


def running(name: str) -> Download | None:
    """The download of a dataset that is under way."""
    return _running.get(name)


def download(name: str) -> Download:
    """The download of a dataset that is under way, or a new one."""
    with _lock:
        if name not in _running:
            _running[name] = Download(name)
            threading.Thread(target=_running[name].run, name=f"fetch-{name}", daemon=True).start()
        return _running[name]

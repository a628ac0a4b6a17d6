"""Parsing an untrusted file in another process: compiled readers may crash on a broken one, and
must not take the server along.

The process has bounded memory and time, reads one file after the other, and is replaced when it
dies, or holds on to the memory of a large file.
"""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import subprocess
import sys
import threading
from multiprocessing.connection import Connection

from fwcore.datasets.parsing.limits import Limits, refuse
from fwcore.datasets.parsing.report import Parsed, ParseOptions
from fwcore.datasets.parsing.streams import Source
from fwcore.errors import DatasetError

SECONDS = 30.0
_START_SECONDS = 60.0
_NOT_STARTED = "The process that reads files could not be started"
MOST_KEPT = 256 << 20
"""Bytes that the process may grow by: allocators give little back, a new process all."""


class Guard:
    """One process that reads files for all who ask; they wait for each other."""

    def __init__(self, seconds: float = SECONDS, most_kept: int = MOST_KEPT) -> None:
        self._seconds, self._most_kept = seconds, most_kept
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._ready = False

    def read(self, source: Source, options: ParseOptions, limits: Limits) -> Parsed:
        """As `read_source`, in the other process.

        Raises
        ------
        DatasetError
            As there; also when the reader dies or takes too long.
        """
        with self._lock:
            pipe = self._started()
            try:
                pipe.send((source, options, limits))
                if not pipe.poll(self._seconds):
                    self.close()
                    refuse(source.name, f"not read within {self._seconds:g} seconds.")
                answer, swollen = pipe.recv()
            except (EOFError, OSError):
                self.close()
                refuse(source.name, "broken in a way that stopped its reader.")
            except BaseException:
                # Interrupted: the answer that is still to come must not be taken for that to the
                # next file.
                self.close()
                raise
            if swollen:
                with contextlib.suppress(DatasetError):
                    self._start()
        if isinstance(answer, DatasetError):
            raise answer
        return answer  # type: ignore[no-any-return]

    def warm(self) -> None:
        """Start the process without waiting for it: it is ready when a file has come. Where it
        cannot be started, `read` says so.
        """
        if self._lock.acquire(blocking=False):
            try:
                if not self._alive:
                    self._start()
            except DatasetError:
                pass
            finally:
                self._lock.release()

    def close(self) -> None:
        """End the process; the next file starts another."""
        if self._process is not None and self._pipe is not None:
            self._pipe.close()
            self._process.kill()
            self._process.wait()
        self._process = self._pipe = None

    @property
    def _alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _start(self) -> Connection:
        self.close()
        ours, theirs = multiprocessing.Pipe()
        command = [sys.executable, "-m", __package__, str(theirs.fileno()), str(self._most_kept)]
        with theirs:
            try:
                self._process = subprocess.Popen(
                    command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL
                )
            except OSError as error:
                raise DatasetError(f"{_NOT_STARTED} ({error}).") from error
        self._pipe, self._ready = ours, False
        return ours

    def _started(self) -> Connection:
        pipe = self._pipe if self._pipe is not None and self._alive else self._start()
        try:
            self._ready = self._ready or bool(pipe.poll(_START_SECONDS) and pipe.recv())
        except (EOFError, OSError):
            self._ready = False
        if not self._ready:
            self.close()
            raise DatasetError(f"{_NOT_STARTED}.")
        return pipe


GUARD = Guard()
atexit.register(GUARD.close)

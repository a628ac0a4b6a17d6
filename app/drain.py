"""The session's tick: what is new of all its runs, sent to the page in one go."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar

import panel as pn
from panel.io.callbacks import PeriodicCallback

from app.board import Board
from app.runs import Session
from app.wire import Wire

_PERIOD_MS = 100
_CROWDED_PERIOD_MS = 200
_CROWD = 10
_EARLY_MS = (10, 25, 40, 55, 70, 85)
_MOST_UNSEEN = 3
_SAY_EVERY_SECONDS = 2.0
# A page that is hidden, or that cannot answer, as in some notebooks, is still sent everything now
# and then.
_PATIENCE_SECONDS = 2.0


class Drain:
    """Ticks while a run is live: 10 times a second, 5 where more than 10 pages are.

    Rows are read where the runs keep them, so nothing queues up: what a tick sends is bounded by
    thinning. While the page has not painted the last ticks, the next are skipped for a while; what
    they would have sent goes with a later one.
    """

    _live: ClassVar[set[Drain]] = set()

    def __init__(
        self, session: Session, board: Board, wire: Wire, tell: Callable[[], None]
    ) -> None:
        self._session = session
        self._board = board
        self._wire = wire
        self._tell = tell
        self._said_at = self._sent_at = 0.0
        self._greeted = self._finished = False
        self._callback: PeriodicCallback | None = None
        self._wire.param.watch(self._send_anew, "lost")
        self.costs: deque[float] = deque(maxlen=1000)
        """Milliseconds of server time of the latest ticks."""

    def start(self) -> None:
        """Tick until no run is live and the page has painted the end."""
        self._finished = False
        if self._callback is None:
            Drain._live.add(self)
            # In the background, or every tick would toggle the page's busy indicator.
            self._callback = PeriodicCallback(
                callback=self._tick, period=self._period, background=True
            )
            self._callback.start()
        doc = pn.state.curdoc
        if doc is not None and doc.session_context is not None:
            self._greeted = False
            for delay in _EARLY_MS:
                doc.add_timeout_callback(self._greet, delay)

    def stop(self) -> None:
        """Tick no more."""
        Drain._live.discard(self)
        if self._callback is not None:
            self._callback.stop()
            self._callback = None

    @property
    def _period(self) -> int:
        return _PERIOD_MS if len(Drain._live) <= _CROWD else _CROWDED_PERIOD_MS

    # Async although it awaits nothing: with --num-threads a synchronous callback would change the
    # document from another thread.
    async def _tick(self) -> None:
        begun = time.perf_counter()
        live, unseen = self._session.live, self._wire.sent - self._wire.seen
        patient = time.monotonic() - self._sent_at < _PATIENCE_SECONDS
        if unseen >= _MOST_UNSEEN and patient:
            return
        if live or not self._finished:
            self.flush(final=not live)
            self._finished = not live
        elif not patient:
            # The last message may be the one that was lost, and no later number would tell.
            self._send_anew()
            self.stop()
        if self._finished and self._wire.sent == self._wire.seen:
            self.stop()
        elif self._callback is not None and self._callback.period != self._period:
            self._callback.period = self._period
        self.costs.append(1000.0 * (time.perf_counter() - begun))

    async def _greet(self) -> None:
        """Tick as soon as there is a first row, which may be long before the first period ends."""
        if not self._greeted and any(run.latest is not None for run in self._session.runs):
            self._greeted = True
            await self._tick()

    def flush(self, *, final: bool = False) -> None:
        """Send what is new now; ``final`` also the words and the table."""
        self._board.tick()
        self._tell()
        if final:
            self._board.tabulate()
        if final or time.monotonic() - self._said_at >= _SAY_EVERY_SECONDS:
            self._board.say()
            self._said_at = time.monotonic()
        self._wire.send()
        self._sent_at = time.monotonic()

    def _send_anew(self, *events: object) -> None:
        """The page has missed something, or has just been made."""
        self._wire.repeat()
        self._board.resend()
        self.flush()

"""The session's tick: what is new of all its runs, sent to the page in one go."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import ClassVar

import panel as pn
from panel.io.callbacks import PeriodicCallback

from app.feed import Feed
from app.session import Session
from app.wire import Wire

_PERIOD_MS = 100
_CROWDED_PERIOD_MS = 200
_CROWD = 10
_EARLY_MS = (10, 25, 40, 55, 70, 85, 105, 130, 160)
_MOST_UNSEEN = 3
_SAY_EVERY_SECONDS = 1.0
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

    def __init__(self, session: Session, feed: Feed, wire: Wire, tell: Callable[[], None]) -> None:
        self._session, self._feed, self._wire, self._tell = session, feed, wire, tell
        self._said_at = self._sent_at = 0.0
        self._greeted = self._finished = False
        self._callback: PeriodicCallback | None = None
        self.costs: deque[float] = deque(maxlen=1000)
        """Milliseconds of server time of the latest ticks."""

    def start(self) -> None:
        """Tick until no run is live and the page has painted the end."""
        self._finished = False
        if self._callback is None:
            Drain._live.add(self)
            # In the background, or every tick would toggle Panel's busy state.
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
        live, unseen = self._session.live or self._feed.busy, self._wire.sent - self._wire.seen
        patient = time.monotonic() - self._sent_at < _PATIENCE_SECONDS
        if unseen >= _MOST_UNSEEN and patient:
            return
        if live or not self._finished:
            self.flush(final=not live)
            self._finished = not live
        elif not patient:
            # The last message may be the one that was lost, and no later number would tell.
            self.repeat()
            self.stop()
        if self._finished and self._wire.sent == self._wire.seen:
            self.stop()
        elif self._callback is not None and self._callback.period != self._period:
            self._callback.period = self._period
        self.costs.append(1000.0 * (time.perf_counter() - begun))

    async def _greet(self) -> None:
        """Tick as soon as there is a first row, which may be long before the first period ends."""
        runs = list(self._session.runs.values())
        if not self._greeted and any(run.latest is not None for run in runs):
            self._greeted = True
            await self._tick()

    def put(self, *, final: bool = False) -> None:
        """Put what is new, for the next message; ``final`` also the words."""
        self._feed.tick()
        self._tell()
        if final or time.monotonic() - self._said_at >= _SAY_EVERY_SECONDS:
            self._feed.say()
            self._said_at = time.monotonic()

    def flush(self, *, final: bool = False) -> None:
        """Send what is new now; ``final`` also the words."""
        self.put(final=final)
        self._wire.send()
        self._sent_at = time.monotonic()

    def repeat(self) -> None:
        """The page has missed something, or is new: send all that it should hold."""
        self._wire.repeat()
        self._feed.resend()
        self.flush()

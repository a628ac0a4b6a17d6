"""The worker pool: jobs take turns, a fair one each, on as many threads as there are cores."""

from __future__ import annotations

import heapq
import itertools
import os
import sys
import threading
import time
from collections import deque
from typing import Protocol

TURN_SECONDS = 0.05
"""The longest turn, as far as the job can be divided."""

_LONGEST_WAIT = 60.0


class Job(Protocol):
    """Something that is done in turns. Its methods never raise and are called by one worker at a
    time.

    ``urgent``: whether somebody waits for its first turns, which then go before all others'; no
    job may be so for long.
    """

    @property
    def urgent(self) -> bool: ...

    def turn(self) -> None:
        """Work for at most TURN_SECONDS."""

    def due(self) -> float | None:
        """Seconds until the next turn is wanted, 0 for at once; None for no more, until submitted
        again.
        """


class Scheduler:
    """Round robin between jobs. Workers are started when there is work and end when there has been
    none for a while.
    """

    def __init__(self, workers: int | None = None, idle_seconds: float = 1.0) -> None:
        self._limit = workers or os.cpu_count() or 1
        self._idle_seconds = idle_seconds
        self._changed = threading.Condition()
        self._ready: deque[Job] = deque()
        self._urgent: deque[Job] = deque()
        self._later: list[tuple[float, int, Job]] = []
        self._tickets = itertools.count()
        self._busy: set[Job] = set()
        self._workers: set[threading.Thread] = set()

    @property
    def workers(self) -> int:
        """Threads alive."""
        with self._changed:
            return len(self._workers)

    def submit(self, job: Job) -> None:
        """Give ``job`` turns for as long as it is due. Submitting one that is queued moves it up;
        one at work goes on as it is.
        """
        with self._changed:
            if job.due() is None:
                return
            self._later = [entry for entry in self._later if entry[2] is not job]
            heapq.heapify(self._later)
            if job not in self._busy:
                self._enqueue(job)
            waiting = len(self._ready) + len(self._urgent) + len(self._later)
            if len(self._workers) < min(self._limit, waiting + len(self._busy)):
                worker = threading.Thread(target=self._work, name="fwcore-worker", daemon=True)
                self._workers.add(worker)
                worker.start()
            self._changed.notify()

    def _enqueue(self, job: Job) -> None:
        """Put a job last of its kind, unless it is in a queue."""
        if job not in self._ready and job not in self._urgent:
            (self._urgent if job.urgent else self._ready).append(job)

    def _work(self) -> None:
        _be_nice()
        while (job := self._take()) is not None:
            job.turn()
            with self._changed:
                self._busy.discard(job)
                # Asked under the lock, so that a job resumed just now is either seen as due here or
                # queued by submit.
                due = job.due()
                if due is not None and due > 0:
                    heapq.heappush(self._later, (time.monotonic() + due, next(self._tickets), job))
                elif due is not None:
                    self._enqueue(job)
                self._changed.notify()

    def _take(self) -> Job | None:
        """The next job, or None when this worker has idled long enough and is to end."""
        give_up = time.monotonic() + self._idle_seconds
        with self._changed:
            while True:
                now = time.monotonic()
                while self._later and self._later[0][0] <= now:
                    self._enqueue(heapq.heappop(self._later)[2])
                if waiting := self._urgent or self._ready:
                    job = waiting.popleft()
                    self._busy.add(job)
                    return job
                if not self._later and now >= give_up:
                    self._workers.discard(threading.current_thread())
                    return None
                wake = min([self._later[0][0]] if self._later else [give_up])
                self._changed.wait(min(max(0.0, wake - now), _LONGEST_WAIT))


def _be_nice() -> None:
    """Give way to the thread that serves the pages; only Linux has a priority of single threads."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)


scheduler = Scheduler()
"""The pool of this server process."""

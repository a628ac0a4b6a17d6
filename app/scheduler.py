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
    job may be so for long. ``owner``: whose it is. Owners take turns, and so do the jobs of each:
    many jobs of one take no time from another.
    """

    @property
    def owner(self) -> object: ...

    @property
    def urgent(self) -> bool: ...

    def turn(self) -> None:
        """Work for at most TURN_SECONDS."""

    def due(self) -> float | None:
        """Seconds until the next turn is wanted, 0 for at once; None for no more, until submitted
        again.
        """


class Scheduler:
    """Round robin between owners, and between the jobs of each. Workers are started when there is
    work and end when there has been none for a while.
    """

    def __init__(self, workers: int | None = None, idle_seconds: float = 1.0) -> None:
        self._limit = workers or os.cpu_count() or 1
        self._idle_seconds = idle_seconds
        self._changed = threading.Condition()
        self._ready: dict[object, deque[Job]] = {}
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
            ready = sum(map(len, self._ready.values()))
            waiting = ready + len(self._urgent) + len(self._later)
            if len(self._workers) < min(self._limit, waiting + len(self._busy)):
                worker = threading.Thread(target=self._work, name="fwcore-worker", daemon=True)
                self._workers.add(worker)
                worker.start()
            self._changed.notify()

    def _enqueue(self, job: Job) -> None:
        """Put a job last of its kind, unless it is in a queue."""
        own = self._ready.get(job.owner, ())
        if job in own or job in self._urgent:
            return
        if job.urgent:
            self._urgent.append(job)
        else:
            self._ready.setdefault(job.owner, deque()).append(job)

    def _next(self) -> Job | None:
        """The first of the urgent jobs, or of the owner whose turn it is, who is the last then."""
        if self._urgent:
            return self._urgent.popleft()
        for owner, jobs in self._ready.items():
            job = jobs.popleft()
            del self._ready[owner]
            if jobs:
                self._ready[owner] = jobs
            return job
        return None

    def _work(self) -> None:
        be_nice()
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
                if (job := self._next()) is not None:
                    self._busy.add(job)
                    return job
                if not self._later and now >= give_up:
                    self._workers.discard(threading.current_thread())
                    return None
                wake = min([self._later[0][0]] if self._later else [give_up])
                self._changed.wait(min(max(0.0, wake - now), _LONGEST_WAIT))


def be_nice() -> None:
    """Give way to the thread that serves the pages; only Linux has a priority of single threads."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)


scheduler = Scheduler()
"""The pool of this server process."""

"""What a public server has room for: runs that walk at once, and the steps that they keep."""

from __future__ import annotations

import threading
from typing import Protocol
from weakref import WeakKeyDictionary

from app import server
from fwcore import ParameterError

_EVERY = 1_000


class Owner:
    """Whose runs they are: a page's. Owners take turns at the workers, each with all its runs."""


class Walking(Protocol):
    """A run, as far as it takes room."""

    owner: Owner

    @property
    def over(self) -> bool:
        """Whether it makes no step any more."""
        ...


class Room:
    """The runs that are alive, with the steps that each keeps."""

    def __init__(self) -> None:
        self._steps: WeakKeyDictionary[Walking, int] = WeakKeyDictionary()
        self._lock = threading.Lock()

    def admit(self, count: int, owner: Owner) -> None:
        """Have so many runs of an owner begin, in place of those that he has.

        Raises
        ------
        ParameterError
            There is no room for them now.
        """
        with self._lock:
            others = [run for run in self._steps if run.owner is not owner]
            walking = sum(not run.over for run in others)
        most = server.most_walking()
        if walking + count > most:
            rule = f"fewer for now: this server walks {most} at once, and others have {walking}"
            raise ParameterError("runs", "the page", rule, count)

    def enter(self, run: Walking) -> None:
        """Count a run, which has no step yet."""
        with self._lock:
            self._steps[run] = 0

    def take(self, run: Walking, count: int) -> str:
        """Keep so many steps more of a run; why it has to end, if there is no room."""
        with self._lock:
            before = self._steps.get(run, 0)
            self._steps[run] = before + count
            # All are added up now and then only.
            if before and before // _EVERY == (before + count) // _EVERY:
                return ""
            own = sum(n for other, n in self._steps.items() if other.owner is run.owner)
            whole = sum(self._steps.values())
        page, everywhere = server.most_steps()
        if own > page:
            return f"A page of this server keeps at most {page:,} steps."
        if whole > everywhere:
            return f"The pages of this server keep at most {everywhere:,} steps."
        return ""


room = Room()
"""That of this server process."""

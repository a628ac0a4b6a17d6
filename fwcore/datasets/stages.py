"""What loading a problem goes through, told to whoever listens.

A share of the whole is a share of the time that data take which are made, gigabytes of them: what
is read from small files takes no time that is worth an estimate.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from fwcore.progress import Announce

_WHOLE = 1000
_listener: ContextVar[Announce | None] = ContextVar("listener", default=None)


class _EndedError(BaseException):
    """What a listener raised: no reader may take it for a fault of the file."""


@dataclass(frozen=True)
class Stage:
    """A part of loading that goes from one share of the whole to another."""

    text: str
    begin: float
    end: float

    def tell(self, share: float = 0.0) -> None:
        """Tell who listens that so much of this stage is done. What the listener raises ends what
        is under way: nothing is left half done.
        """
        listener = _listener.get()
        if listener is not None:
            done = self.begin + share * (self.end - self.begin)
            try:
                listener(self.text, round(_WHOLE * done), _WHOLE)
            except Exception as error:
                raise _EndedError(error) from error


READ = Stage("Reading the data", 0.0, 0.35)
SPLIT = Stage("Splitting the rows", 0.35, 0.62)
SCALE = Stage("Scaling the columns", 0.62, 0.86)
KEEP = Stage("Saving the data for the next time", 0.86, 1.0)


@contextmanager
def listening(listener: Announce | None) -> Iterator[None]:
    """Have the stages of this thread told to ``listener``, if it is one; it is never told less than
    before, where several files are read.
    """
    most = 0

    def forward(text: str, done: int, total: int) -> None:
        nonlocal most
        most = max(most, done)
        assert listener is not None
        listener(text, most, total)

    token = _listener.set(None if listener is None else forward)
    try:
        yield
    except _EndedError as ended:
        raise ended.args[0] from None
    finally:
        _listener.reset(token)

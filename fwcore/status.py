"""What became of a path point, in a sentence."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """State of a point or of a whole path; the integers are what the kernels write.

    >>> from fwcore import Status
    >>> print(Status.STEP_LIMIT.sentence)
    The step limit was reached first. Raise max_steps, loosen tol, or look at more in each step.
    >>> Status.STEP_LIMIT.converged
    False
    """

    RUNNING = 0
    SMALL_MOVE = 1
    SMALL_GAP = 2
    STEP_LIMIT = 3
    STOPPED = 4
    DIVERGED = 5
    RETURNED = 6
    REACHED = 7
    EMPTY_DRAW = 8

    @property
    def sentence(self) -> str:
        """What happened and what to try."""
        return _SENTENCES[self]

    @property
    def converged(self) -> bool:
        """Whether a stopping rule held, as opposed to a limit or a request to stop."""
        return self in (Status.SMALL_MOVE, Status.SMALL_GAP, Status.RETURNED, Status.REACHED)


_FAR = "The true gap says how far the optimum is."
_SENTENCES = {
    Status.RUNNING: "Still walking.",
    Status.SMALL_MOVE: f"No coefficient moved by more than the tolerance. {_FAR}",
    Status.SMALL_GAP: f"The method's own gap fell below the tolerance. {_FAR}",
    Status.STEP_LIMIT: "The step limit was reached first. Raise max_steps, loosen tol, or look at "
    "more in each step.",
    Status.DIVERGED: "The iterates grew without bound. What was reached before is kept; lower eta.",
    Status.RETURNED: f"The library ended by its own rule. {_FAR}",
    Status.REACHED: "The support is as large as asked for, or no other column explains more.",
    Status.EMPTY_DRAW: "A draw held no descent direction, and its step of length zero ended the "
    f"point by chance. {_FAR} Choose empty=redraw-support, or sample more columns.",
    Status.STOPPED: "Stopped on request. What was reached is kept.",
}

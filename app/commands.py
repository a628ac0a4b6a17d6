"""What the page may ask for. Anybody can send anything over a websocket: what does not fit is
refused here, in words.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Container
from typing import Any, NamedTuple, TypeVar

from app.pace import COSTS, Pace
from fwcore import ParameterError

_F = TypeVar("_F", bound=Callable[..., None])
TURNS = 20.0
"""What a command is worth that makes a page anew."""
LONGEST_NAME = 60
_MOST_TEXTS = 20
_SLOWEST, _FASTEST = 1e-4, 1e12


class Budget:
    """How many messages are heard: so many a second, and some more at once. What exceeds it is
    dropped before it costs anything.
    """

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, time.monotonic()

    def allows(self, cost: float = 1.0) -> bool:
        """Whether one more is heard, which counts as so many."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + self._rate * (now - self._at))
        self._at = now
        if self._left < cost:
            return False
        self._left -= cost
        return True


class Manner(NamedTuple):
    """How a command is heard: how many messages it is ``worth``, whether the page may look
    otherwise after it (``changes``), and whether that is worth ``saving``.
    """

    worth: float = 1.0
    changes: bool = True
    saving: bool = True


def heard(*, worth: float = 1.0, changes: bool = True, saving: bool = True) -> Callable[[_F], _F]:
    """Declare the manner of a command, where it is not the usual one."""

    def declare(command: _F) -> _F:
        command.__dict__["manner"] = Manner(worth, changes, saving)
        return command

    return declare


def text(data: dict[str, Any], name: str, longest: int = 400) -> str:
    """A text of a message.

    Raises
    ------
    ParameterError
        It is none, or too long.
    """
    value = data.get(name)
    if not isinstance(value, str) or len(value) > longest or not is_text(value):
        shown = repr(value)[:40]
        raise ParameterError(name, "the page", f"text of at most {longest} characters", shown)
    return value


def is_text(value: str) -> bool:
    """Whether it can be written down: JSON may hold halves of characters."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def whole(data: dict[str, Any], name: str, low: int, high: int) -> int:
    """A whole number of a message.

    Raises
    ------
    ParameterError
        It is none, or out of its bounds.
    """
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        shown = repr(value)[:40]
        raise ParameterError(name, "the page", f"an int in [{low}, {high}]", shown)
    return value


def names(data: dict[str, Any], name: str, most: int = 20) -> tuple[str, ...]:
    """A few short texts of a message.

    Raises
    ------
    ParameterError
        It is no list of them.
    """
    value = data.get(name)
    fits = isinstance(value, list) and len(value) <= most
    if not fits or not all(isinstance(x, str) and len(x) <= LONGEST_NAME for x in value or ()):
        raise ParameterError(name, "the page", f"at most {most} names", repr(value)[:40])
    return tuple(value or ())


def pace(data: dict[str, Any]) -> Pace | None:
    """The pace that a message asks for; None is full speed.

    Raises
    ------
    ParameterError
        The unit is unknown, or the rate is no positive number.
    """
    unit, rate = text(data, "unit"), data.get("rate")
    if unit not in COSTS:
        raise ParameterError("unit", "the page", f"one of {[*COSTS]}", unit[:40])
    if rate is None:
        return None
    number = isinstance(rate, (int, float)) and not isinstance(rate, bool)
    if not number or not _SLOWEST <= rate <= _FASTEST:
        rule = f"a number in [{_SLOWEST}, {_FASTEST:g}]"
        raise ParameterError("rate", "the page", rule, repr(rate)[:40])
    return Pace(unit, float(rate))


def texts(data: dict[str, Any], name: str) -> dict[str, str]:
    """A few short texts by name."""
    found = data.get(name)
    if not isinstance(found, dict) or len(found) > _MOST_TEXTS:
        raise ParameterError(name, "the page", f"at most {_MOST_TEXTS} texts by name", "others")
    if not all(isinstance(key, str) and len(key) <= LONGEST_NAME for key in found):
        rule = f"texts by names of at most {LONGEST_NAME} characters"
        raise ParameterError(name, "the page", rule, "others")
    return {key: text(found, key) for key in found}


class Faults:
    """What is wrong with what was typed, and where, so that it is told beside it until something
    that fits is typed there, or it is forgotten with its run, or with all results.
    """

    def __init__(self) -> None:
        self._by_field: dict[tuple[int | None, str], dict[str, Any]] = {}

    @property
    def told(self) -> list[dict[str, Any]]:
        return [*self._by_field.values()]

    def check(self, listed: Container[int]) -> None:
        """Nothing is run while something else was typed than would be run, of the problem or of one
        of the runs that are ``listed``.

        Raises
        ------
        ValueError
            Something that was typed does not fit.
        """
        told = [fault for fault in self.told if fault["run"] is None or fault["run"] in listed]
        if told:
            texts = [fault["text"] for fault in told]
            raise ValueError("\n".join(["Nothing was run: mend first what does not fit.", *texts]))

    def note(self, data: dict[str, Any], text: str) -> None:
        """What a message was to set was refused in these words."""
        field, value = _field(data), data.get("value")
        if field in self._by_field or len(self._by_field) < _MOST_TEXTS:
            typed = value[:200] if isinstance(value, str) else ""
            told = {"run": field[0], "name": field[1], "value": typed, "text": text}
            self._by_field[field] = told

    def mend(self, data: dict[str, Any]) -> None:
        """What a message was to set is set."""
        self._by_field.pop(_field(data), None)

    def forget(self, run: int) -> None:
        """A run is gone."""
        self._by_field = {field: told for field, told in self._by_field.items() if field[0] != run}

    def clear(self) -> None:
        self._by_field.clear()


def _field(data: dict[str, Any]) -> tuple[int | None, str]:
    """The run, if it is of one, and the name of what a message is to set."""
    run, name = data.get("run"), data.get("name")
    return run if isinstance(run, int) else None, name if isinstance(name, str) else ""

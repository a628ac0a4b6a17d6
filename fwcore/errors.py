"""The one form in which bad input is reported."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any


class ParameterError(ValueError):
    """Bad input, reported before anything runs.

    The message names the parameter, its owner, the rule and what was got:
    ``The 'kappa' parameter of StochasticFW must be an int in [1, 201376]. Got 0 instead.``

    >>> from fwcore import datasets, walk_path
    >>> walk_path(datasets.load("diabetes"), "sfw", sampling="0%")
    Traceback (most recent call last):
    fwcore.errors.ParameterError: ...
    """

    def __init__(self, name: str, owner: str, rule: str, got: Any) -> None:
        super().__init__(f"The {name!r} parameter of {owner} must be {rule}. Got {got!r} instead.")
        self.name = name
        self.owner = owner
        self.rule = rule
        self.got = got

    @classmethod
    def unknown(
        cls, name: str, owner: str, got: Any, known: Iterable[str], most: int = 200
    ) -> ParameterError:
        """A name that is none of those ``known``; the nearest of them is told."""
        names, text = [*known], got[:most] if isinstance(got, str) else got
        near = difflib.get_close_matches(str(text), names, 1)
        return cls(
            name, owner, f"one of {names}" + (f"; the nearest is {near[0]!r}" if near else ""), text
        )

    def __reduce__(self) -> tuple[type[ParameterError], tuple[str, str, str, Any]]:
        return type(self), (self.name, self.owner, self.rule, self.got)


class DatasetError(ValueError):
    """A dataset that is unknown, absent or unreadable; the message says what to do about it.

    >>> from fwcore.datasets import parse_upload
    >>> parse_upload("rooms.csv", b"")
    Traceback (most recent call last):
    fwcore.errors.DatasetError: ...
    """

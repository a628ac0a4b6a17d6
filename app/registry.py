"""A table by name that others may add to."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar


class Named(Protocol):
    """What has a name."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


class Registry(Generic[T]):
    """What is there from the start, and what was registered since; pages that are opened from then
    on have it.
    """

    def __init__(self, known: tuple[T, ...]) -> None:
        self._known = known
        self._since: list[T] = []

    def all(self) -> tuple[T, ...]:
        """Everything, in order."""
        return (*self._known, *self._since)

    def register(self, entry: T) -> None:
        """Add an entry."""
        self._since.append(entry)

    def unregister(self, name: str) -> None:
        """Forget what was registered under a name."""
        self._since = [entry for entry in self._since if entry.name != name]

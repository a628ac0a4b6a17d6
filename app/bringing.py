"""Bringing a file of one's own to a page: it comes in parts, is parsed in another process, looked
at, and chosen.
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from app import commands, server, shelf
from app.look import look_at
from fwcore import DatasetError, ParameterError, datasets

if TYPE_CHECKING:
    from app.explorer import Explorer

_LONGEST_PART = 1_500_000
_MOST_NAMES = 500
_MOST_DEGREE = 9
# Rows times features: to read more takes minutes and gigabytes.
_MOST_LOOKED_AT = 5_000_000_000
_parsing = datasets.parsing
_CHOICES = {
    "task": _parsing.TASKS,
    "missing": _parsing.MISSING,
    "categorical": _parsing.CATEGORICAL,
}
_TEXTS = ("target", "positive")


class Bringing:
    """Commands about a file of one's own, for `app.commander.Commander`."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._name, self._size = "", 0
        self._content = bytearray()
        self._parsed: datasets.Parsed | None = None

    def _tell(self, state: str, **more: Any) -> None:
        self._explorer.event("bring", state=state, name=self._name, **more)

    def do_bring(self, data: dict[str, Any]) -> None:
        """A file of so many bytes begins to come."""
        limits = server.upload_limits()
        self._name = commands.text(data, "name", 200)
        self._size = commands.whole(data, "size", 0, 2**53)
        self._content, self._parsed = bytearray(), None
        try:
            if len(self._explorer.settings.own) >= server.most_brought():
                room = server.most_brought()
                raise DatasetError(f"A page holds at most {room} files. Open another for more.")
            if self._size > limits.bytes:
                most = f"where at most {limits.bytes:,} are read."
                raise DatasetError(f"{self._name}: {self._size:,} bytes, {most}")
            _parsing.format_of(self._name)
            if self._size == 0:
                raise DatasetError(f"{self._name}: empty.")
        except DatasetError as error:
            self._tell("refused", told=str(error))
            return
        self._tell("coming", got=0, size=self._size)

    def do_bring_part(self, data: dict[str, Any]) -> None:
        """The next bytes; after the last the file is read."""
        if not self._size:
            raise ParameterError("file", "the page", "announced before its parts", "a part")
        try:
            part = base64.b64decode(commands.text(data, "part", _LONGEST_PART), validate=True)
        except binascii.Error:
            raise ParameterError("part", "the page", "base64", "something else") from None
        if not part or len(self._content) + len(part) > self._size:
            raise ParameterError("part", "the page", f"of {self._size:,} bytes in all", "others")
        self._content += part
        if len(self._content) == self._size:
            self._read(datasets.ParseOptions())
        else:
            self._tell("coming", got=len(self._content), size=self._size)

    def do_bring_read(self, data: dict[str, Any]) -> None:
        """Read what has come once more, in another way."""
        given: dict[str, Any] = {}
        for name, choices in _CHOICES.items():
            given[name] = commands.text(data, name, 40) or choices[0]
        for name in _TEXTS:
            given[name] = commands.text(data, name, 200) or None
        if not self._size or len(self._content) < self._size:
            raise ParameterError("file", "the page", "there before it is read", "none")
        try:
            options = datasets.ParseOptions(**given)
        except ParameterError as error:
            self._tell("refused", told=str(error), again=True)
            return
        self._read(options)

    def _read(self, options: datasets.ParseOptions) -> None:
        name, content = self._name, bytes(self._content)

        def parse() -> tuple[datasets.Parsed, dict[str, Any]]:
            parsed = datasets.parse_upload(name, content, server.upload_limits(), options)
            return parsed, self._told(parsed)

        def here() -> bool:
            # Another file may have come since, or the dialog was closed.
            return name == self._name and len(self._content) == len(content)

        def told(found: tuple[datasets.Parsed, dict[str, Any]]) -> None:
            if here():
                self._parsed = found[0]
                self._tell("read", **found[1])

        def failed(text: str) -> None:
            if here():
                self._tell("refused", told=text, again=True)

        self._explorer.reading.start(parse, told, failed)
        self._tell("reading")
        self._explorer.watch()

    def _told(self, parsed: datasets.Parsed) -> dict[str, Any]:
        report = parsed.report
        names = [str(parsed.names[j]) for j in range(min(_MOST_NAMES, len(parsed.names)))]
        return {
            "lines": report.lines(),
            "target": report.target,
            "names": names,
            "choices": {name: [*values] for name, values in _CHOICES.items()},
            "look": look_at(parsed.X, parsed.y, parsed.names),
            "sizes": self._sizes(parsed),
        }

    def _sizes(self, parsed: datasets.Parsed) -> list[list[Any]]:
        """Degree, columns and bytes of the products of features, as far as they can be counted."""
        sizes: list[list[Any]] = [[1, int(parsed.X.shape[1]), None]]
        for degree in range(2, _MOST_DEGREE + 1):
            try:
                made = datasets.Dataset.of(parsed, self._name, degree=degree)
                sizes.append([degree, made.columns, 8 * made.rows * made.columns])
            except ParameterError:
                break
        most = server.upload_limits().columns
        return [size for size in sizes if size[0] == 1 or size[1] <= max(most, 10_000_000)]

    def do_bring_use(self, data: dict[str, Any]) -> None:
        """Choose the file that was read as the data of the page."""
        degree = commands.whole(data, "degree", 1, _MOST_DEGREE)
        if self._parsed is None:
            raise ParameterError("file", "the page", "read before it is used", "none")
        made = datasets.Dataset.of(self._parsed, self._name, degree if degree > 1 else None)
        if degree not in [size[0] for size in self._sizes(self._parsed)]:
            rule = "one whose products can be counted"
            raise ParameterError("degree", "the page", rule, degree)
        self._explorer.settings.bring(shelf.own_of(made, self._name))
        self._explorer.offer()
        self._content, self._parsed, self._size = bytearray(), None, 0
        self._tell("used")

    def do_data_look(self, data: dict[str, Any]) -> None:
        """Look at the data that are chosen, as they are read."""
        page, entry = self._explorer, shelf.find(self._explorer.settings.dataset)
        if isinstance(entry, shelf.Own) or not shelf.available(entry):
            rule = "at hand in the catalogue; data of your own are looked at when they come"
            raise ParameterError("dataset", "the page", rule, entry.title)
        if entry.rows * entry.features > _MOST_LOOKED_AT:
            raise ParameterError("dataset", "the page", "smaller for a look", entry.title)

        def read() -> dict[str, Any]:
            held = datasets.read(entry)
            return look_at(held.X, held.y, held.feature_names)

        page.reading.start(
            read,
            lambda look: page.event("looked", name=entry.title, look=look),
            lambda text: page.event("looked", name=entry.title, told=text),
        )
        page.watch()

    def do_bring_end(self, data: dict[str, Any]) -> None:
        """Forget what has come."""
        self._content, self._parsed, self._size = bytearray(), None, 0
        self._tell("none")

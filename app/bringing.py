"""Bringing a file of one's own to a page: it comes in parts, is parsed in another process, looked
at, and chosen.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from app import address, commands, own_files, server, shelf
from app.look import look_at
from fwcore import DatasetError, ParameterError, datasets

if TYPE_CHECKING:
    from app.explorer import Explorer

_LONGEST_PART = 4_500_000
_MOST_NAMES = 500
_MOST_DEGREE = 9
_MOST_PRODUCTS = 10_000_000
# Rows times features: to read more takes minutes and gigabytes.
_MOST_LOOKED_AT = 5_000_000_000
_parsing = datasets.parsing
_CHOICES = {
    "task": _parsing.TASKS,
    "missing": _parsing.MISSING,
    "categorical": _parsing.CATEGORICAL,
}
_LISTED = {name: [*values] for name, values in _CHOICES.items()}
_TEXTS = ("target", "positive")
_Found: TypeAlias = tuple[datasets.Parsed, datasets.Parsed, dict[str, Any]]
"""What was read, what is left of it, and what is said of it."""


def _bytes_of(data: dict[str, Any]) -> bytes:
    """A part of a file: bytes, or where the wire carries only text, those in base64."""
    part = data.get("part")
    if isinstance(part, bytes) and len(part) <= _LONGEST_PART:
        return part
    try:
        return base64.b64decode(commands.text(data, "part", _LONGEST_PART), validate=True)
    except binascii.Error:
        raise ParameterError("part", "the page", "base64", "something else") from None


class Bringing:
    """Commands about a file of one's own, for `app.commander.Commander`."""

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._name, self._size = "", 0
        self._content = bytearray()
        self._arriving: datasets.parsing.Arriving | None = None
        """None where none is expected: the parts of one that was refused are dropped."""
        self._whole: datasets.Parsed | None = None
        self._parsed: datasets.Parsed | None = None
        """What was read, and what is left of it without the columns that were left out."""

    def _tell(self, state: str, **more: Any) -> None:
        self._explorer.event("bring", state=state, name=self._name, **more)

    @commands.heard(changes=False, saving=False)
    def do_bring_soon(self, data: dict[str, Any]) -> None:
        """Somebody looks for a file: what reads it may start meanwhile."""
        _parsing.expect_upload()

    def do_bring(self, data: dict[str, Any]) -> None:
        """A file of so many bytes begins to come."""
        limits = server.upload_limits()
        self._name = commands.text(data, "name", 200)
        self._size = commands.whole(data, "size", 0, 2**53)
        self._content, self._arriving = bytearray(), None
        self._whole = self._parsed = None
        try:
            if len(self._explorer.settings.own) >= server.most_brought():
                room = server.most_brought()
                raise DatasetError(f"A page holds at most {room} files. Open another for more.")
            if self._size > limits.bytes:
                most = f"where at most {limits.bytes:,} are read."
                raise DatasetError(f"{self._name}: {self._size:,} bytes, {most}")
            arriving = _parsing.Arriving(self._name, limits)
            if self._size == 0:
                raise DatasetError(f"{self._name}: empty.")
        except DatasetError as error:
            self._tell("refused", told=str(error))
            return
        _parsing.expect_upload()
        self._arriving = arriving
        self._tell("coming", got=0, size=self._size)

    @commands.heard(changes=False, saving=False)
    def do_bring_part(self, data: dict[str, Any]) -> None:
        """The next bytes; after the last the file is read."""
        if not self._size:
            raise ParameterError("file", "the page", "announced before its parts", "a part")
        if self._arriving is None:
            return
        part = _bytes_of(data)
        if not part or len(self._content) + len(part) > self._size:
            raise ParameterError("part", "the page", f"of {self._size:,} bytes in all", "others")
        try:
            self._arriving.take(part)
        except DatasetError as error:
            self._content, self._arriving = bytearray(), None
            self._tell("refused", told=str(error))
            return
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
            self._refuse(str(error))
            return
        self._read(options)

    def _refuse(self, text: str) -> None:
        """A file that has come, and that may be read in another way."""
        self._tell("refused", told=text, again=True, choices=_LISTED)

    def _read(self, options: datasets.ParseOptions) -> None:
        name, content = self._name, bytes(self._content)

        def parse() -> _Found:
            parsed = datasets.parse_upload(name, content, server.upload_limits(), options)
            return parsed, parsed, self._told(parsed)

        self._work(parse)

    def _work(self, act: Callable[[], _Found]) -> None:
        """Find in a thread what the dialog shows next."""
        name, size = self._name, len(self._content)

        def here() -> bool:
            # Another file may have come since, or the dialog was closed.
            return name == self._name and len(self._content) == size

        def told(found: _Found) -> None:
            if here():
                self._whole, self._parsed, more = found
                self._tell("read", **more)

        def failed(text: str) -> None:
            if here():
                self._refuse(text)

        self._explorer.reading.start(act, told, failed)
        self._tell("reading")
        self._explorer.watch()

    def do_bring_columns(self, data: dict[str, Any]) -> None:
        """Leave columns out of what was read, by their names."""
        whole, left_out = self._whole, data.get("left_out")
        if whole is None:
            raise ParameterError("file", "the page", "read before columns are chosen", "none")
        known = set(self._names(whole))
        asked = left_out[:_MOST_NAMES] if isinstance(left_out, list) else [None]
        if not all(isinstance(name, str) and name in known for name in asked):
            raise ParameterError("left_out", "the page", "names of columns of the file", "others")
        gone = set(asked)
        kept = [j for j, name in enumerate(whole.names) if str(name) not in gone]
        if not kept:
            raise ParameterError("left_out", "the page", "fewer than all columns", len(gone))

        def leave_out() -> _Found:
            names = [whole.names[j] for j in kept]
            X = whole.X[:, kept]
            nonzeros = int(X.nnz if hasattr(X, "nnz") else np.count_nonzero(X))
            told = f"left out by hand: {', '.join(sorted(gone))[:200]}"
            report = replace(whole.report, columns=len(kept), nonzeros=nonzeros)
            left = replace(whole, X=X, names=names, report=report.with_warning(told))
            return whole, left, self._told(left, whole, gone)

        self._work(leave_out)

    @staticmethod
    def _names(parsed: datasets.Parsed) -> list[str]:
        return [str(parsed.names[j]) for j in range(min(_MOST_NAMES, len(parsed.names)))]

    def _told(
        self,
        parsed: datasets.Parsed,
        whole: datasets.Parsed | None = None,
        left_out: Collection[str] = (),
    ) -> dict[str, Any]:
        report = parsed.report
        return {
            "lines": report.lines(),
            "target": report.target,
            "names": self._names(whole or parsed),
            "left_out": sorted(left_out),
            "choices": _LISTED,
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
        most = server.most_products(_MOST_PRODUCTS)
        return [size for size in sizes if size[0] == 1 or size[1] <= most]

    def do_bring_use(self, data: dict[str, Any]) -> None:
        """Choose the file that was read as the data of the page."""
        degree = commands.whole(data, "degree", 1, _MOST_DEGREE)
        if self._parsed is None:
            raise ParameterError("file", "the page", "read before it is used", "none")
        made = datasets.Dataset.of(self._parsed, self._name, degree if degree > 1 else None)
        if degree not in [size[0] for size in self._sizes(self._parsed)]:
            rule = "one whose products can be counted, and fit on this server"
            raise ParameterError("degree", "the page", rule, degree)
        title, parsed = self._name, self._parsed

        def make() -> shelf.Own:
            own = shelf.own_of(made, title)
            own_files.keep(own, made)
            return own

        def use(own: shelf.Own) -> None:
            # Another file may have come since, or the dialog was closed.
            if self._parsed is parsed:
                self._use(own)

        self._explorer.reading.start(make, use, self._refuse)
        self._tell("reading")
        self._explorer.watch()

    def _use(self, own: shelf.Own) -> None:
        try:
            self._explorer.settings.bring(own)
        except ParameterError as error:
            self._refuse(str(error))
            return
        self._content, self._size = bytearray(), 0
        self._whole = self._parsed = None
        self._tell("used")
        self._explorer.offer()
        self._explorer.show()
        if address.served():
            self._explorer.pages.keep()

    def do_forget(self, data: dict[str, Any]) -> None:
        """Delete data that were brought, also from the data folder."""
        page, name = self._explorer, commands.text(data, "name", 40)
        session = page.session
        experiments = [session.experiment, *session.experiments.values()]
        if name in [page.settings.dataset, *(made.dataset for made in experiments if made)]:
            rule = "data that are neither chosen nor shown: choose others, and Reset, before"
            raise ParameterError("name", "the page", rule, shelf.find(name).title)
        page.settings.forget(name)
        own_files.forget(name)
        page.offer()

    def do_make(self, data: dict[str, Any]) -> None:
        """Make data with a generator, and choose them."""
        values = commands.texts(data, "values")
        name = datasets.made.name_of(commands.text(data, "generator", 40), values)
        self._explorer.settings.choose(name)
        self._explorer.offer()
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
        self._content, self._size = bytearray(), 0
        self._whole = self._parsed = None
        self._tell("none")

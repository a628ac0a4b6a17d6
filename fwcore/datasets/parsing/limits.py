"""How much of a file is read at most: checked before memory is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from fwcore.errors import DatasetError

_MEGABYTE = 1 << 20
# A short file may be all repetition.
_SLACK = 4 * _MEGABYTE


@contextmanager
def refusing(name: str, what: str) -> Iterator[None]:
    """Refuse the file for whatever its reader raises: on broken files they fail in more ways than
    they tell.
    """
    try:
        yield
    except DatasetError:
        raise
    except MemoryError as error:
        raise DatasetError(f"{name}: takes more memory than there is for it.") from error
    except Exception as error:
        why = (str(error).splitlines() or [""])[0][:300] or type(error).__name__
        raise DatasetError(f"{name}: not readable as {what} ({why}).") from error


def refuse(name: str, why: str) -> NoReturn:
    """The one form in which a file is refused: which, why, and what to do about it."""
    raise DatasetError(f"{name}: {why}")


@dataclass(frozen=True)
class Limits:
    """Bounds of one file.

    ``bytes`` of the file as given; ``rows``, ``columns`` and ``entries`` (rows times columns of a
    table, non-zeros of a sparse matrix) of what is read; ``memory`` (bytes) of the matrix and of
    any part that is unpacked; ``line`` bytes of a line of text; ``expansion``: how many times its
    size a compressed file may become.

    >>> limits = Limits(bytes=1_000_000, rows=100, columns=50, entries=5000, memory=10_000_000)
    >>> limits.check("prices.csv", "rows", 101)
    Traceback (most recent call last):
    fwcore.errors.DatasetError: ...101 rows, where at most 100 are read...
    """

    bytes: int
    rows: int
    columns: int
    entries: int
    memory: int
    line: int = 64 * _MEGABYTE
    expansion: int = 300

    def unpacked(self, size: int) -> int:
        """Bytes that a file of ``size`` bytes may unpack to."""
        return min(self.memory, self.expansion * size + _SLACK)

    def check(self, name: str, what: str, got: int) -> None:
        """Refuse the file if ``got`` exceeds the limit on ``what``.

        Raises
        ------
        DatasetError
        """
        most = getattr(self, what)
        if got > most:
            refuse(name, f"{got:,} {what}, where at most {most:,} are read.")

    def check_table(self, name: str, rows: int, columns: int) -> None:
        """Refuse a table of float64 of that shape if it exceeds a limit."""
        self.check(name, "rows", rows)
        self.check(name, "columns", columns)
        self.check(name, "entries", rows * columns)
        if 8 * rows * columns > self.memory:
            refuse(
                name,
                f"{rows:,} x {columns:,} values take more than the "
                f"{self.memory // _MEGABYTE:,} MB that a matrix may take.",
            )

    def check_sparse(self, name: str, rows: int, columns: int, entries: int) -> None:
        """Refuse a sparse matrix of that size if it exceeds a limit."""
        self.check(name, "rows", rows)
        self.check(name, "columns", columns)
        self.check(name, "entries", entries)
        if 12 * entries + 8 * columns > self.memory:
            refuse(
                name,
                f"{entries:,} non-zeros take more than the {self.memory // _MEGABYTE:,} MB "
                "that a matrix may take.",
            )


OWN = Limits(
    bytes=1 << 40, rows=1 << 31, columns=1 << 31, entries=1 << 40, memory=1 << 40, expansion=10_000
)
"""Files of the catalogue and of the command line: whose machine it is decides."""

UPLOAD = Limits(
    bytes=256 * _MEGABYTE,
    rows=2_000_000,
    columns=2_000_000,
    entries=50_000_000,
    memory=1024 * _MEGABYTE,
)
"""Files of whoever opens the page."""

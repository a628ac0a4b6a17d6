"""Files to matrices: one way in, whatever the format.

A new format is a module with ``read(source, options, limits)`` and a line in `FORMATS`. Readers are
imported when a file asks for them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from fwcore.datasets.parsing.guarded import GUARD
from fwcore.datasets.parsing.limits import OWN, UPLOAD, Limits, refuse, refusing
from fwcore.datasets.parsing.report import CATEGORICAL, MISSING, TASKS, Parsed, ParseOptions, Report
from fwcore.datasets.parsing.streams import PACKED, Source, unpacked
from fwcore.kernels.types import Floats

__all__ = [
    "CATEGORICAL",
    "FORMATS",
    "MISSING",
    "OWN",
    "TASKS",
    "UPLOAD",
    "Arriving",
    "Limits",
    "ParseOptions",
    "Parsed",
    "Report",
    "Source",
    "expect_upload",
    "format_of",
    "parse_file",
    "parse_upload",
    "read_labels",
    "read_source",
]

Reader = Callable[[Source, ParseOptions, Limits], Parsed]


def read_labels(source: Source, limits: Limits) -> Floats:
    """A number a row, as ARCENE and DOROTHEA have their labels."""
    from fwcore.datasets.parsing import delimited

    return delimited.read_labels(source, limits)


class Format(NamedTuple):
    """``what`` it is, in words; the ``endings`` of names that mean it; whether it may be ``packed``
    (.gz, .bz2, .xz).
    """

    reader: str
    what: str
    endings: tuple[str, ...]
    packed: bool

    @property
    def read(self) -> Reader:
        """The reader, imported when it is first asked for: ``reader`` is its dotted name."""
        module, _, name = self.reader.rpartition(".")
        found: Reader = getattr(importlib.import_module(module), name)
        return found


_OWN = "fwcore.datasets.parsing."

FORMATS: dict[str, Format] = {
    "delimited": Format(
        _OWN + "delimited.read", "delimited text", (".csv", ".tsv", ".txt", ".data"), True
    ),
    "parquet": Format(_OWN + "parquet.read", "Parquet", (".parquet", ".pq"), False),
    "arff": Format(_OWN + "arff.read", "ARFF", (".arff",), True),
    "libsvm": Format(
        _OWN + "svmlight.read",
        "LIBSVM text, `label index:value ...` a row",
        (".svm", ".libsvm", ".svmlight"),
        True,
    ),
    "vowpal": Format(
        _OWN + "vowpal.read",
        "Vowpal Wabbit text, `label |namespace feature:value ...` a row",
        (".vw", ".dat"),
        True,
    ),
    "npz": Format(_OWN + "npz.read", "a NumPy .npz archive", (".npz",), False),
    "matlab": Format(_OWN + "matlab.read", "a MATLAB file up to version 7", (".mat",), False),
    "indices": Format(_OWN + "svmlight.read_indices", "a row of indices a line", (), True),
}


def format_of(name: str, looked_at: bytes = b"") -> str:
    """The format that a file's name means, or for a .txt whether its beginning looks like LIBSVM
    text.

    Raises
    ------
    DatasetError
        Of a name that means none.
    """
    path = Path(name.lower())
    packed = path.suffix in PACKED
    ending = Path(path.stem).suffix if packed else path.suffix
    for kind, form in FORMATS.items():
        if ending in form.endings and (form.packed or not packed):
            if kind == "delimited" and ending == ".txt" and _like_libsvm(looked_at):
                return "libsvm"
            return kind
    known = ", ".join(ending for form in FORMATS.values() for ending in form.endings)
    refuse(
        name,
        f"not a format that is read. These are: {known}; text may be packed as "
        f"{', '.join(PACKED)}.",
    )


def _like_libsvm(looked_at: bytes) -> bool:
    words = looked_at.split(b"\n", 1)[0].partition(b"#")[0].split()
    return len(words) > 1 and all(b":" in word for word in words[1:])


def read_source(source: Source, kind: str | None, options: ParseOptions, limits: Limits) -> Parsed:
    """The file as a matrix and a response; ``kind``: by default that of its name."""
    limits.check(source.name, "bytes", source.size)
    if source.size == 0:
        refuse(source.name, "empty.")
    if kind is None:
        with unpacked(source, limits) as stream:
            kind = format_of(source.name, stream.read(1 << 12))
    with refusing(source.name, FORMATS[kind].what):
        return FORMATS[kind].read(source, options, limits)


def parse_file(
    path: str | Path,
    options: ParseOptions | None = None,
    limits: Limits = OWN,
    kind: str | None = None,
) -> Parsed:
    """Read a file.

    Parameters
    ----------
    path : str or Path
        Its name means the format: see `FORMATS`.
    options : ParseOptions, optional
    limits : Limits
    kind : str, optional
        A format of `FORMATS`, where the name means none or another.

    Raises
    ------
    DatasetError
        There is no such file, it is not of that format, or exceeds a limit.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "houses.csv"
    ...     _ = file.write_text("size,price" + chr(10) + "1,2" + chr(10) + "3,5")
    ...     parsed = parse_file(file, ParseOptions(target="price"))
    >>> parsed.X.tolist(), parsed.y.tolist()
    ([[1.0], [3.0]], [2.0, 5.0])
    """
    path = Path(path)
    if path.is_dir():
        refuse(str(path), "a folder, where a file is needed.")
    if not path.is_file():
        refuse(str(path), "there is no such file.")
    return read_source(Source(path.name, path=path), kind, options or ParseOptions(), limits)


class Arriving:
    """An upload whose bytes still come: what makes it unreadable is told as soon as it is seen."""

    def __init__(self, name: str, limits: Limits = UPLOAD) -> None:
        self._name, self._most = name, limits.line
        form = FORMATS[format_of(name)]
        self._has_lines = form.packed and Path(name.lower()).suffix not in PACKED
        self._line = 0

    def take(self, part: bytes) -> None:
        """The next bytes.

        Raises
        ------
        DatasetError
            A line of a text is longer than the limits allow.
        """
        if not self._has_lines:
            return
        after = len(part) - 1 - part.rfind(b"\n")
        self._line = self._line + after if after == len(part) else after
        if self._line > self._most:
            refuse(self._name, f"a line of more than {self._most:,} bytes.")


def expect_upload() -> None:
    """Start the process in which `parse_upload` reads, without waiting for it."""
    GUARD.warm()


def parse_upload(
    name: str, content: bytes, limits: Limits = UPLOAD, options: ParseOptions | None = None
) -> Parsed:
    """Parse an untrusted upload, its bytes and its name, in a process of its own; limits are
    enforced before allocation.

    Raises
    ------
    DatasetError
        It is not what its name means, exceeds a limit (known before memory is allocated), or stops
        or delays its reader.

    >>> lines = [b"size,price", b"1,2", b"3,5"]
    >>> parse_upload("houses.csv", bytes([10]).join(lines)).report.target
    'price'
    """
    source = Source(Path(name).name[-200:] or "upload", content=content)
    limits.check(source.name, "bytes", source.size)
    format_of(source.name)
    return GUARD.read(source, options or ParseOptions(), limits)

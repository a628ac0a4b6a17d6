"""Bytes of a file, unpacked as they are read and counted against the limits."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fwcore.datasets.parsing.limits import Limits, refuse
from fwcore.datasets.stages import READ

CHUNK = 8 << 20
# A packed file says in its head how much memory it wants for unpacking: that of `xz -9`.
_XZ_MEMORY = 80 << 20
_BROKEN = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)


@dataclass(frozen=True)
class Source:
    """A file by its name and either its path or its bytes."""

    name: str
    path: Path | None = None
    content: bytes | None = None

    @property
    def size(self) -> int:
        """Bytes as given."""
        return len(self.content or b"") if self.path is None else self.path.stat().st_size

    def open(self) -> Any:
        """The bytes as given, from their beginning."""
        return io.BytesIO(self.content or b"") if self.path is None else self.path.open("rb")


class _Xz(io.RawIOBase):
    """An .xz file unpacked within bounded memory, which the standard library's reader does not
    offer.
    """

    def __init__(self, packed: Any) -> None:
        self._packed, self._unpack = packed, lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self._unpack.eof:
                rest = self._unpack.unused_data.lstrip(b"\0") or self._packed.read(1 << 16).lstrip(
                    b"\0"
                )
                if not rest:
                    return 0
                self._unpack, fed = lzma.LZMADecompressor(memlimit=_XZ_MEMORY), rest
            else:
                fed = self._packed.read(1 << 16) if self._unpack.needs_input else b""
                if self._unpack.needs_input and not fed:
                    raise EOFError("the file ends before its packed data do")
            data = self._unpack.decompress(fed, len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)


_UNPACKED: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda packed: gzip.GzipFile(fileobj=packed),
    ".bz2": lambda packed: bz2.BZ2File(packed),
    ".xz": lambda packed: io.BufferedReader(_Xz(packed)),
}
PACKED = tuple(_UNPACKED)


class _Counted(io.RawIOBase):
    """A stream that refuses to give more than the limits allow."""

    def __init__(self, source: Source, wrap: Callable[[Any], Any], most: int) -> None:
        self._packed = source.open()
        self._source, self._unpacked, self._most, self._given = source, wrap(self._packed), most, 0

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._unpacked.close()
        self._packed.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._unpacked.read(len(buffer))
        except _BROKEN as error:
            refuse(self._source.name, f"cannot be unpacked ({error}).")
        READ.tell(min(1.0, self._packed.tell() / max(1, self._source.size)))
        self._given += len(data)
        if self._given > self._most:
            refuse(self._source.name, f"unpacks to more than {self._most // (1 << 20):,} MB.")
        buffer[: len(data)] = data
        return len(data)


def unpacked(source: Source, limits: Limits) -> io.BufferedReader:
    """The file's bytes, unpacked if its name ends in .gz, .bz2 or .xz.

    Raises
    ------
    DatasetError
        While reading: what is unpacked exceeds the limits, or is broken.
    """
    wrap = _UNPACKED.get(Path(source.name).suffix.lower())
    if wrap is None:
        return io.BufferedReader(_Counted(source, lambda given: given, limits.bytes), CHUNK)
    return io.BufferedReader(_Counted(source, wrap, limits.unpacked(source.size)), CHUNK)


def line_chunks(source: Source, limits: Limits, size: int = CHUNK) -> Iterator[bytes]:
    """The file's text in chunks of whole lines, each about ``size`` bytes."""
    with unpacked(source, limits) as stream:
        rest = b""
        while data := stream.read(size):
            cut = data.rfind(b"\n") + 1
            if cut:
                yield rest + data[:cut]
                rest = data[cut:]
            else:
                rest += data
            if len(rest) > limits.line:
                refuse(source.name, f"a line of more than {limits.line:,} bytes.")
        if rest:
            yield rest

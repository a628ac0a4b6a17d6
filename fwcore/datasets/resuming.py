"""A downloader for pooch that goes on where the last attempt ended."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Progress: TypeAlias = Callable[[int, int | None], None]
_PIECE = 1 << 16


class Resuming:
    """What has come of ``part`` is kept when a download breaks off, with what tells whether the
    server still has the same file.
    """

    def __init__(self, part: Path, timeout: tuple[float, float], progress: Progress | None) -> None:
        self._part, self._timeout, self._progress = part, timeout, progress
        self._tag = part.with_name(f"{part.name}.tag")

    def __call__(self, url: str, output_file: Any, keeper: Any, check_only: bool = False) -> None:
        """Fetch ``url`` to the path ``output_file``; the interface is pooch's.

        Raises
        ------
        requests.RequestException
            No connection, an error of the server, or an end before the end.
        """
        import requests

        self._part.parent.mkdir(parents=True, exist_ok=True)
        begun = self._part.stat().st_size if self._part.is_file() and self._tag.is_file() else 0
        # Packed on the way, sizes and ranges would not be those of the file.
        headers = {"Accept-Encoding": "identity"}
        if begun:
            headers |= {"Range": f"bytes={begun}-", "If-Range": self._tag.read_text()}
        with requests.get(url, stream=True, timeout=self._timeout, headers=headers) as response:
            if response.status_code == requests.codes.requested_range_not_satisfiable:
                self._forget()
            response.raise_for_status()
            resumed = response.status_code == requests.codes.partial_content
            self._receive(response, begun if resumed else 0)
        shutil.copyfile(self._part, output_file)
        self._forget()

    def _receive(self, response: Any, begun: int) -> None:
        tag = response.headers.get("ETag", "")
        if tag and not tag.startswith("W/"):
            self._tag.write_text(tag)
        else:
            self._tag.unlink(missing_ok=True)
        length = response.headers.get("Content-Length")
        total = begun + int(length) if length else None
        with self._part.open("r+b" if begun else "wb") as file:
            file.seek(begun)
            file.truncate()
            for piece in response.iter_content(_PIECE):
                file.write(piece)
                if self._progress is not None:
                    self._progress(file.tell(), total)
            came = file.tell()
        if total is not None and came != total:
            import requests

            raise requests.ConnectionError(f"{came:,} of {total:,} bytes came")

    def _forget(self) -> None:
        self._part.unlink(missing_ok=True)
        self._tag.unlink(missing_ok=True)

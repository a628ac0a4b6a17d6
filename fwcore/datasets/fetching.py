"""Files of the catalogue: where they lie, and how they get there.

Downloads by pooch: resumed where the server allows, moved into place when whole, checked against
the hash in the catalogue or, where there is none, the one that was learnt when the file first came.
Proxies are taken from the environment.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import tarfile
import threading
import urllib.parse
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from fwcore import cache
from fwcore.datasets.resuming import Progress, Resuming
from fwcore.errors import DatasetError

_OPENML = "https://www.openml.org/api/v1/json/data/{}"
_TIMEOUT = (10.0, 30.0)
_RETRIES = 2
_locks: dict[str, threading.Lock] = {}
_FAILURES = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    tarfile.TarError,
    zipfile.BadZipFile,
)


@dataclass(frozen=True)
class SourceFile:
    """A file of a dataset: ``path`` below FWCORE_DATA or the cache; ``url`` or the ``openml``
    number where it can be had.

    ``sha256`` of what the address gives; ``member``: the part of that archive which is the file;
    ``matrix``: the variable in it.
    """

    path: str
    url: str | None = None
    openml: int | None = None
    sha256: str | None = None
    member: str | None = None
    matrix: str | None = None

    @property
    def fetchable(self) -> bool:
        """Whether there is an address."""
        return self.url is not None or self.openml is not None

    def local(self) -> Path | None:
        """Where it lies: below FWCORE_DATA, else in the cache; None if it does not."""
        given = os.environ.get("FWCORE_DATA")
        for folder in ([Path(given)] if given else []) + [downloads()]:
            if (folder / self.path).is_file():
                return folder / self.path
        return None


def downloads() -> Path:
    """Where fetched files are kept."""
    return cache.folder() / "downloads"


def digest(path: Path) -> str:
    """SHA-256 of a file, remembered for as long as its size and time stay."""
    stat = path.stat()
    key = hashlib.sha256(f"{path.resolve()} {stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()
    known = cache.load("digests", key)
    if isinstance(known, str):
        return known
    import pooch

    found = pooch.file_hash(str(path))
    cache.store("digests", key, found)
    return str(found)


def opened(file: SourceFile) -> Path:
    """The file, where it is at hand and, if it was fetched, still what it was.

    Raises
    ------
    DatasetError
        It is not there, or was changed.
    """
    path = file.local()
    if path is None:
        _absent(file, "is not at hand")
    learnt = _hashes().get(file.path)
    if path.is_relative_to(downloads()) and learnt is not None and digest(path) != learnt:
        raise DatasetError(
            f"The file {path} is not what it was when it was fetched. Delete it, then fetch "
            "it again."
        )
    return path


def fetch(file: SourceFile, progress: Progress | None = None) -> Path:
    """The file, from FWCORE_DATA or the cache if it is there, else from its address.

    Parameters
    ----------
    file : SourceFile
    progress : callable of (bytes so far, bytes in all or None), optional
        May raise to stop the download; what has come is kept, and a later call goes on from there.

    Raises
    ------
    DatasetError
        No address; no connection; a file that is not what it should be. Says where to put the file
        by hand.
    """
    if file.local() is not None:
        return opened(file)
    import requests

    with _locks.setdefault(file.path, threading.Lock()), _alone(file):
        if file.local() is not None:
            return opened(file)
        if not file.fetchable:
            _absent(file, "has no known address")
        try:
            url = file.url or _openml_url(file)
            came = _download(file, url, progress)
            return _extracted(file, came) if file.member else came
        except requests.ConnectionError as error:
            host = urllib.parse.urlsplit(file.url or _OPENML).hostname
            _absent(
                file, f"could not be fetched: the connection to {host} failed ({_cause(error)})"
            )
        except _FAILURES as error:
            _absent(file, f"could not be fetched ({str(error)[:300]})")


@contextmanager
def _alone(file: SourceFile) -> Iterator[None]:
    """Of all processes, one at a time: what has come of a file is kept in one place."""
    lock = downloads() / f"{file.path}.lock"
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        with lock.open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            yield
    except PermissionError as error:
        raise DatasetError(f"Nothing can be written to {lock.parent}: {error}") from error


def _cause(error: BaseException) -> str:
    """The innermost reason, which the outer ones bury under repetition."""
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    return str(reason or error).rpartition(": ")[2][:200]


def _download(file: SourceFile, url: str, progress: Progress | None) -> Path:
    import pooch

    # What failed is said by `fetch`, once, when the last attempt has.
    pooch.get_logger().setLevel("WARNING")
    name = file.path if file.member is None else f"{file.path}.archive"
    known = file.sha256 or _hashes().get(name)
    keeper = pooch.create(
        path=downloads(),
        base_url="",
        registry={name: known},
        urls={name: url},
        retry_if_failed=_RETRIES,
    )
    path = Path(
        keeper.fetch(name, downloader=Resuming(downloads() / f"{name}.part", _TIMEOUT, progress))
    )
    _learn(name, path)
    return path


def _openml_url(file: SourceFile) -> str:
    """The address of the ARFF file that OpenML's description of a dataset gives."""
    import requests

    response = requests.get(_OPENML.format(file.openml), timeout=_TIMEOUT)
    response.raise_for_status()
    return str(response.json()["data_set_description"]["url"])


def _extracted(file: SourceFile, archive: Path) -> Path:
    """One member of an archive, moved into place when whole."""
    target, member = downloads() / file.path, file.member or ""
    part = target.with_name(f"{target.name}.extracting")
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            part.write_bytes(packed.read(member))
    else:
        with tarfile.open(archive) as packed:
            inside = packed.extractfile(member)
            if inside is None:
                raise KeyError(member)
            part.write_bytes(inside.read())
    os.replace(part, target)
    _learn(file.path, target)
    return target


def _hashes() -> dict[str, str]:
    return cache.load("hashes", "learnt") or {}


_learning = threading.Lock()


def _learn(name: str, path: Path) -> None:
    with _learning:
        hashes = _hashes()
        if name not in hashes:
            cache.store("hashes", "learnt", hashes | {name: digest(path)})


def _absent(file: SourceFile, why: str) -> NoReturn:
    given = os.environ.get("FWCORE_DATA")
    address = file.url or (
        f"OpenML dataset {file.openml}" if file.openml is not None else "unknown"
    )
    place = (Path(given) if given else downloads()) / file.path
    raise DatasetError(
        f"The file {file.path} {why}. Its address: {address}. To put it there by hand: "
        f"{place}, or at that path below a folder "
        "that FWCORE_DATA names."
    )

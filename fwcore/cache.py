"""Where things that are expensive to compute are kept between processes."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import json
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import platformdirs

# What is not written stays here, the latest of it.
_UNWRITTEN: dict[tuple[str, str], str] = {}
_LOCK = threading.Lock()
_MOST_UNWRITTEN = 256
_MONTH = 30 * 24 * 3600.0


def folder() -> Path:
    """FWCORE_CACHE, else the user's cache directory."""
    chosen = os.environ.get("FWCORE_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("fwcore"))


def keeps() -> bool:
    """Whether what was made is written: not with FWCORE_CACHE_READONLY=1, as for strangers."""
    return os.environ.get("FWCORE_CACHE_READONLY") != "1"


def load(kind: str, key: str) -> Any | None:
    """What was stored, or None; an unreadable entry counts as none."""
    try:
        return json.loads((folder() / kind / f"{key}.json").read_text())
    except (OSError, ValueError):
        with _LOCK:
            kept = _UNWRITTEN.get((kind, key))
        return None if kept is None else json.loads(kept)


def store(kind: str, key: str, value: Any) -> None:
    """Keep ``value`` (JSON), in this process alone where it cannot be written or nothing is kept: a
    cache costs time, never a result.
    """
    target = folder() / kind / f"{key}.json"
    try:
        if not keeps():
            raise PermissionError
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=target.parent, delete=False) as file:
            json.dump(value, file)
        os.replace(file.name, target)
    except OSError:
        with _LOCK:
            _UNWRITTEN.pop((kind, key), None)
            _UNWRITTEN[kind, key] = json.dumps(value)
            while len(_UNWRITTEN) > _MOST_UNWRITTEN:
                _UNWRITTEN.pop(next(iter(_UNWRITTEN)))


def forget_old(kind: str) -> None:
    """Remove what was stored more than a month ago."""
    with contextlib.suppress(OSError):
        for path in (folder() / kind).glob("*.json"):
            if time.time() - path.stat().st_mtime > _MONTH:
                path.unlink()


@functools.cache
def sources() -> str:
    """A hash of the sources of fwcore, as this process found them, and of the version of numba."""
    digest = hashlib.sha256(importlib.metadata.version("numba").encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def numba_folder() -> Path:
    """A folder for compiled kernels that is new after any edit: named by `sources`. Folders unused
    for a month go.

    numba compares a cached kernel with the file that it is in, not with those that it calls into.
    """
    kept = folder() / "numba"
    chosen = kept / sources()
    # A folder that cannot be written costs time, never a result.
    with contextlib.suppress(OSError):
        chosen.mkdir(parents=True, exist_ok=True)
        os.utime(chosen)
        for other in kept.iterdir():
            if time.time() - other.stat().st_mtime > _MONTH:
                shutil.rmtree(other, ignore_errors=True)
    return chosen


def use_numba_folder() -> None:
    """Let this process keep its kernels in `numba_folder`, unless NUMBA_CACHE_DIR says where; to be
    called before numba is imported.

    >>> use_numba_folder()
    >>> "NUMBA_CACHE_DIR" in os.environ
    True
    """
    os.environ.setdefault("NUMBA_CACHE_DIR", str(numba_folder()))

"""Where things that are dear to compute are kept between processes."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import platformdirs


def folder() -> Path:
    """FWCORE_CACHE, else the user's cache directory."""
    chosen = os.environ.get("FWCORE_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("fwcore"))


def load(kind: str, key: str) -> Any | None:
    """What was stored, or None; an unreadable entry counts as none."""
    try:
        return json.loads((folder() / kind / f"{key}.json").read_text())
    except (OSError, ValueError):
        return None


def store(kind: str, key: str, value: Any) -> None:
    """Keep ``value`` (JSON); a cache that cannot be written costs time, never a result."""
    target = folder() / kind / f"{key}.json"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=target.parent, delete=False) as file:
            json.dump(value, file)
        os.replace(file.name, target)
    except OSError:
        return

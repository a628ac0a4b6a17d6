"""Shared set-up. numba's cache ignores edits in other files, so the tests compile into a folder of their own."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

_scratch = tempfile.mkdtemp(prefix="fwcore-tests-")
atexit.register(shutil.rmtree, _scratch, ignore_errors=True)
os.environ["NUMBA_CACHE_DIR"] = os.path.join(_scratch, "numba")
os.environ["FWCORE_CACHE"] = os.path.join(_scratch, "cache")

sys.path.insert(0, str(Path(__file__).parent / "fwcore"))

"""Shared set-up. numba's cache ignores edits in other files, so the tests compile into a folder of their own."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest

pytest.register_assert_rewrite("serving")

_scratch = tempfile.mkdtemp(prefix="fwcore-tests-")
atexit.register(shutil.rmtree, _scratch, ignore_errors=True)
os.environ["NUMBA_CACHE_DIR"] = os.path.join(_scratch, "numba")
os.environ["FWCORE_CACHE"] = os.path.join(_scratch, "cache")

# Helpers of a folder of tests are imported by their plain names.
sys.path[:0] = [str(Path(__file__).parent / folder) for folder in ("fwcore", "app", "browser")]

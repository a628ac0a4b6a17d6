"""Shared set-up. numba's cache ignores edits in other files, so the tests compile into a folder of
their own.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from fwcore.cache import numba_folder

pytest.register_assert_rewrite("serving")

# A first call may compile, and another process may take both cores.
settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")

# numba's cache ignores edits in other files: a folder named by all sources is as safe as an empty
# one, and is paid for once an edit.
os.environ.setdefault("NUMBA_CACHE_DIR", str(numba_folder()))
_scratch = tempfile.mkdtemp(prefix="fwcore-tests-")
atexit.register(shutil.rmtree, _scratch, ignore_errors=True)
os.environ["FWCORE_CACHE"] = os.path.join(_scratch, "cache")
os.environ["FWCORE_RUNS"] = os.path.join(_scratch, "runs")

# Files whose few tests take long; begun last, they would leave the other worker idle.
_LONG = ("test_notebooks.py", "test_extending.py", "test_digests.py", "test_row_oracles.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest."""
    items.sort(key=lambda item: _LONG.index(item.path.name) if item.path.name in _LONG else 99)


# Helpers of a folder of tests are imported by their plain names.
sys.path[:0] = [str(Path(__file__).parent / folder) for folder in ("fwcore", "app", "browser")]

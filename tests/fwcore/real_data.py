"""Marks for tests that need real data."""

import pytest

from fwcore import datasets

needs_pyrim = pytest.mark.skipif(
    not datasets.available(datasets.find("pyrim")),
    reason="FWCORE_DATA names no folder that holds pyrim/pyrim_scale.svm",
)

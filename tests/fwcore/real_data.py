"""Marks for tests that need real data."""

import pytest

from fwcore import datasets


def needs(name):
    """Skip where the files of a dataset are not at hand."""
    paths = ", ".join(file.path for file in datasets.find(name).layout.files)
    return pytest.mark.skipif(
        not datasets.available(datasets.find(name)),
        reason=f"FWCORE_DATA names no folder that holds {paths}",
    )

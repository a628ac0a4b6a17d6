"""What every solver computes is what was recorded: see digests.py."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def compared(*solvers):
    # Compiled without reordered sums, so that these kernels must not be found by others.
    folder = os.environ["NUMBA_CACHE_DIR"] + "-strict"
    environment = os.environ | {"NUMBA_CACHE_DIR": folder, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(HERE / "digests.py"), "--solvers", *solvers]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize(
    "solvers",
    [
        ("cd",),
        pytest.param((), id="every solver", marks=pytest.mark.slow),
    ],
)
def test_digests_are_those_of_the_record(solvers):
    recorded = json.loads((HERE / "digests.json").read_text())
    names = solvers or sorted({group.split()[0] for group in recorded["digests"]})
    done = compared(*names)
    if "this is" in done.stdout:
        pytest.skip(f"recorded elsewhere: {done.stdout.splitlines()[0]}")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]

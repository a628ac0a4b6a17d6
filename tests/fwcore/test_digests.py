"""What every solver computes is what was recorded: see digests.py."""

import subprocess
import sys
from pathlib import Path

import pytest

from fwcore import all_solvers

HERE = Path(__file__).parent


def compared(*solvers):
    command = [sys.executable, str(HERE / "digests.py"), "--solvers", *solvers]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "solvers",
    [
        ("cd",),
        pytest.param((), id="every solver", marks=[pytest.mark.slow, pytest.mark.timeout(3600)]),
    ],
)
def test_digests_are_those_of_the_record(solvers):
    done = compared(*(solvers or (solver.name for solver in all_solvers())))
    if "not recorded" in done.stdout:
        pytest.skip(done.stdout.splitlines()[0])
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]

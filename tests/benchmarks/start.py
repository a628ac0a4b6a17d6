"""Waiting before anything runs: imports and the command line, beside an import of scikit-learn."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from report import Asked, Rows, Tables

REPEATS = 5
_PYTHON = sys.executable
_FWCORE = str(Path(_PYTHON).with_name("fwcore"))
_COMMANDS = {
    "python -c 'import sklearn.linear_model'": [_PYTHON, "-c", "import sklearn.linear_model"],
    "python -c 'import fwcore'": [_PYTHON, "-c", "import fwcore"],
    "python -c 'from fwcore import walk_path'": [_PYTHON, "-c", "from fwcore import walk_path"],
    "fwcore --help": [_FWCORE, "--help"],
    "fwcore path --help": [_FWCORE, "path", "--help"],
}


def _seconds(command: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begun


def measure() -> Rows:
    """Medians in seconds, warm; each round runs all commands, so that they share the noise."""
    for command in _COMMANDS.values():
        _seconds(command)
    times: dict[str, list[float]] = {name: [] for name in _COMMANDS}
    for _ in range(REPEATS):
        for name, command in _COMMANDS.items():
            times[name].append(_seconds(command))
    medians = {name: statistics.median(found) for name, found in times.items()}
    peer = next(iter(medians.values()))
    return [
        {"command": name, "seconds": median, "of scikit-learn's": median / peer}
        for name, median in medians.items()
    ]


def tables(_: Asked) -> Tables:
    yield "Waiting before anything runs", measure()

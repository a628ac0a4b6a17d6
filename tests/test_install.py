"""``pip install .``, not editable, in an environment of its own: what a user gets."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run(*command, **rest):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **rest)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow
def test_an_installed_copy_works_without_the_sources(tmp_path):
    copy, home = tmp_path / "copy", tmp_path / "elsewhere"
    home.mkdir()
    run("git", "clone", "--quiet", str(ROOT), str(copy))
    run(sys.executable, "-m", "venv", str(tmp_path / "venv"))
    python = str(tmp_path / "venv" / "bin" / "python")
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--constraint", str(copy / "constraints.txt"), str(copy))
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    inside = {"cwd": home, "env": clean | {"FWCORE_WARMUP": "0"}}
    package = Path(run(python, "-c", "import app; print(app.__path__[0])", **inside).strip())
    assert tmp_path / "venv" in package.parents
    run(python, "-c", "from app import Explorer; Explorer()", **inside)
    command = (python, "-m", "fwcore.cli", "path", "--dataset", "diabetes", "--points", "3")
    assert '"status"' in run(*command, "--quiet", **inside)
    listed = json.loads(run(python, "-m", "fwcore.cli", "paper", "--json", **inside))
    assert len(listed) == 4
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    serve = (python, "-m", "panel", "serve", str(package), "--port", str(port))
    server = subprocess.Popen(serve, **inside, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert "Frank-Wolfe" in answer(f"http://127.0.0.1:{port}/app")
    finally:
        server.terminate()
        server.wait(30)


def answer(url):
    """What a server says, once it answers."""
    give_up = time.monotonic() + 120
    while time.monotonic() < give_up:
        try:
            return urllib.request.urlopen(url, timeout=30).read().decode()
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)  # the interval of polling
    raise AssertionError("the server does not answer")

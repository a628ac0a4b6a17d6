from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright
from serving import CHROMIUM, FLAGS, ROOT, Server, opened

from fwcore import datasets, find_solver, warmup

# Another process may take both cores.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def compiled():
    """What the tests run is compiled before one of them waits for it."""
    for name in ("diabetes", "synthetic-10000-32"):
        problem = datasets.load(name)
        for solver in map(find_solver, ("sfw", "fw", "cd", "active_set", "corrective_fw", "fista")):
            warmup.ready(solver, problem.design, solver.Options(), problem.loss)


@pytest.fixture(scope="session")
def server(tmp_path_factory, compiled):
    running = Server(ROOT / "app", tmp_path_factory.mktemp("server") / "log")
    yield running
    running.stop()


@pytest.fixture(scope="session")
def failing_server(tmp_path_factory, compiled):
    running = Server(
        Path(__file__).parent / "failing.py", tmp_path_factory.mktemp("server") / "log"
    )
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium: on Debian, apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser, server):
    before = len(server.complaints())
    with opened(browser, server) as page:
        yield page
    assert server.complaints()[before:] == []


@pytest.fixture(scope="session")
def pictures_folder():
    """Where screenshots are kept, to be looked at."""
    folder = ROOT / ".pytest_cache" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    return folder

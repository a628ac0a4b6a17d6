"""Hostile files, and a large one, brought to the page itself beside somebody else who works."""

import numpy as np
import psutil
import pytest
from driving import button, full_speed, points, state
from playwright.sync_api import expect
from serving import ROOT, Server, opened, wait_for
from untrusted import BOMBS

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


def family(server):
    """Bytes that the server and its readers hold."""
    process = psutil.Process(server.process.pid)
    return sum(p.memory_info().rss for p in (process, *process.children(recursive=True)))


@pytest.fixture
def own(tmp_path):
    running = Server(ROOT / "app", tmp_path / "log", FWCORE_RUNS=str(tmp_path))
    yield running
    running.stop()


def test_every_hostile_file_is_refused_on_the_page_and_disturbs_nobody(browser, own, tmp_path):
    with opened(browser, own) as neighbour, opened(browser, own) as page:
        button(neighbour, "Run").click()
        state(neighbour, 1, "running")
        button(page, "Data").click()
        before = 0
        for number, (name, make) in enumerate(BOMBS.items()):
            file = tmp_path / name.replace("\\", "_")
            file.write_bytes(make())
            seen = points(neighbour, 3)
            page.get_by_label("A file of your own").set_input_files(file)
            refused = page.locator(".brought .complaint")
            expect(refused).to_contain_text(file.name, timeout=60_000)
            text = refused.inner_text()
            assert "not read within" not in text
            file.unlink()
            wait_for(lambda seen=seen: points(neighbour, 3) >= seen, 10, "the neighbour")
            if number == 3:
                before = family(own)
        wait_for(lambda: family(own) < before + 300e6, 60, "the memory to come back")
        full_speed(neighbour)
        state(neighbour, 3, "done")
    assert not [line for line in own.complaints() if "Traceback" in line]


def test_a_file_of_200_mb_comes_with_progress_and_is_walked(browser, own, tmp_path):
    rows, columns = 110_000, 200
    random = np.random.default_rng(0)
    large = tmp_path / "large.csv"
    with large.open("w") as file:
        file.write(",".join(f"x{j}" for j in range(columns)) + ",price\n")
        for _ in range(rows // 1000):
            X = random.normal(size=(1000, columns))
            y = 3.0 * X[:, :1] - X[:, 1:2]
            np.savetxt(file, np.hstack([X, y]), "%.6f", ",")
    assert large.stat().st_size > 200e6
    with opened(browser, own) as page:
        button(page, "Data").click()
        page.get_by_label("A file of your own").set_input_files(large)
        bar = page.locator(".brought progress[aria-label=Upload]")
        expect(bar).to_be_visible()
        wait_for(lambda: float(bar.get_attribute("value") or 0) > 1e7, 60, "progress")
        expect(page.locator(".brought .report")).to_contain_text("price", timeout=240_000)
        button(page, "Use these data").click()
        expect(page.get_by_text("Settings changed – Run to apply.")).to_be_visible(timeout=60_000)
        full_speed(page)
        button(page, "Run").click()
        state(page, 1, "done", 240)

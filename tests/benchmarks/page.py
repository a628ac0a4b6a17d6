"""How fast the page is: painted, first iterate after a click, updates a second, server time an update.

Everything is timed in the page itself, by its own clock, but for the server time, which the drain keeps.
"""

from __future__ import annotations

import socket
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import panel as pn
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
from serving import CHROMIUM, FLAGS

from app.explorer import Explorer
from fwcore import warmup

_PAINTED = """() => {
    const height = figure => { try { return figure.inner_height } catch { return 0 } };  // unset until it is laid out
    const figures = [...Bokeh.documents[0]._all_models.values()].filter(m => m.type == 'Figure' && height(m) > 0);
    return figures.length == 4 && performance.now();
}"""

_CLICK = """button => {
    const models = [...Bokeh.documents[0]._all_models.values()];
    window.gaps = models.filter(m => m.type == 'ColumnDataSource' && m.data.step !== undefined && m.data.gap !== undefined);
    window.begun = performance.now();
    button.click();
}"""

# Polled in each frame: the frame that finds the rows is the one that paints them.
_DRAWN = """() => window.gaps.some(m => m.data.step.length > 0) && performance.now() - window.begun"""

_SEEN = """() => [...Bokeh.documents[0]._all_models.values()].find(m => m.class_name == 'Heartbeat').data.seen"""


def measure(runs: int = 20, seconds: float = 10.0) -> dict[str, Any]:
    """The figures of the page, in milliseconds but for the rate."""
    pages: list[Explorer] = []

    def make() -> Any:
        pages.append(Explorer())
        return pages[-1].page()

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for _ in warmup.every_solver():
        pass
    server = pn.serve({"app": make}, port=port, address="127.0.0.1", show=False, threaded=True, verbose=False)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            painted = [_paint(context, port) for _ in range(6)][1:]
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{port}/app")
            run = page.get_by_role("button", name="Run", exact=True)
            run.click(trial=True, timeout=30_000)
            clicks = []
            for _ in range(runs + 1):
                run.element_handle().evaluate(_CLICK)
                clicks.append(page.wait_for_function(_DRAWN, polling="raf").json_value())
                page.get_by_role("button", name="Reset", exact=True).click()
                page.wait_for_function("() => window.gaps.every(m => m.data.step.length == 0)")
                run.click(trial=True)
                page.wait_for_timeout(500)
            pages[-1].settings.solver = "fw"
            run.click()
            page.wait_for_timeout(500)
            first, begun = page.evaluate(_SEEN), time.monotonic()
            page.wait_for_timeout(1000 * seconds)
            rate = (page.evaluate(_SEEN) - first) / (time.monotonic() - begun)
            costs = sorted(pages[-1].drain.costs)
            browser.close()
    finally:
        server.stop()
    warm = sorted(clicks[1:])
    return {
        "page painted, warm, median": statistics.median(painted),
        "click to first painted iterate, first run": clicks[0],
        "click to first painted iterate, warm, median": statistics.median(warm),
        "click to first painted iterate, warm, p95": warm[int(0.95 * (len(warm) - 1))],
        "updates a second": rate,
        "server time an update, median": statistics.median(costs),
        "server time an update, p95": costs[int(0.95 * (len(costs) - 1))],
    }


def _paint(context: Any, port: int) -> float:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{port}/app", wait_until="commit")
    page.wait_for_function("() => window.Bokeh && Bokeh.documents.length > 0", timeout=30_000)
    painted = float(page.wait_for_function(_PAINTED, polling="raf").json_value())
    page.close()
    return painted


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:50s} {value:8.1f}")

"""How fast the page is: painted, first iterate after a click, Stop, updates a second, server time
an update.

Everything is timed in the page itself, by its own clock, but for the server time, which the drain
keeps. The server is ``panel serve`` in a process of its own, with the hooks that start the warm-up.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
from serving import CHROMIUM, FLAGS, Server, wait_for

from app.live import LIVE

_HERE = Path(__file__).parent

_PAINTED = """count => {
    // The height is unset until a figure is laid out.
    const height = figure => { try { return figure.inner_height } catch { return 0 } };
    const all = [...Bokeh.documents[0]._all_models.values()];
    const figures = all.filter(m => m.type == 'Figure' && height(m) > 0);
    return figures.length == count && performance.now();
}"""

_CLICK = """button => {
    const models = [...Bokeh.documents[0]._all_models.values()];
    window.gaps = models.filter(m => m.type == 'ColumnDataSource'
        && m.data.step !== undefined && m.data.gap !== undefined);
    window.begun = performance.now();
    button.click();
}"""

# Polled in each frame: the frame that finds the rows is the one that paints them.
_DRAWN = (
    """() => window.gaps.some(m => m.data.step.length > 0) && performance.now() - window.begun"""
)

_STOPPED = """() => {
    const find = root => { for (const e of root.querySelectorAll('*')) {
        if (e.dataset && e.dataset.state == 'stopped') return true;
        if (e.shadowRoot && find(e.shadowRoot)) return true; } return false };
    return find(document) && performance.now() - window.begun;
}"""

_WIRE = "[...Bokeh.documents[0]._all_models.values()].find(m => m.class_name == 'Wire').data.seen"


def measure(runs: int = 20, seconds: float = 10.0) -> dict[str, Any]:
    """The figures of the page, in milliseconds but for the rate."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with _served(Path(folder), NUMBA_CACHE_DIR=folder) as (server, _):
            cold = _first_iterate(*_opened(browser, server))
        with _served(Path(folder)) as (server, costs):
            wait_for(lambda: _idle(server), 120, "the end of the warm-up")
            context = browser.new_context(viewport={"width": 1440, "height": 900})
            painted = [_paint(context, server) for _ in range(6)][1:]
            page, run = _opened(browser, server)
            clicks = [_click_and_reset(page, run) for _ in range(runs + 1)]
            stops = [_stop(page, run) for _ in range(runs // 2)]
            _command(page, "Reset")
            page.get_by_label("Speed").first.click()
            page.get_by_role("menuitem", name="25 steps/s").or_(
                page.get_by_role("option", name="25 steps/s")
            ).click()
            run.click()
            page.wait_for_function(_DRAWN, polling="raf")
            first, begun = page.evaluate(f"() => [{_WIRE}, performance.now()]")
            page.wait_for_function(f"() => performance.now() - {begun} > {1000 * seconds}")
            last, ended = page.evaluate(f"() => [{_WIRE}, performance.now()]")
            page.close()
            wait_for(costs.exists, 30, "the session to end")
            spent = sorted(json.loads(costs.read_text()))
        browser.close()
    warm = sorted(clicks[1:])
    return {
        "page painted, warm, median": statistics.median(painted),
        "click to first painted iterate, compiling meanwhile": cold,
        "click to first painted iterate, first run": clicks[0],
        "click to first painted iterate, warm, median": statistics.median(warm),
        "click to first painted iterate, warm, p95": _p95(warm),
        "click on Stop to stopped on the screen, median": statistics.median(stops),
        "click on Stop to stopped on the screen, worst": max(stops),
        "updates a second": 1000.0 * (last - first) / (ended - begun),
        "server time an update, median": statistics.median(spent),
        "server time an update, p95": _p95(spent),
    }


def _p95(ordered: list[float]) -> float:
    return ordered[int(0.95 * (len(ordered) - 1))]


@contextmanager
def _served(folder: Path, **environment: str) -> Iterator[tuple[Server, Path]]:
    costs = folder / "costs"
    given = {"COSTS": str(costs), "FWCORE_WARMUP": "1"} | environment
    server = Server(_HERE / "measured", folder / "log", **given)
    try:
        yield server, costs
    finally:
        server.stop()


def _idle(server: Server) -> bool:
    return psutil.Process(server.process.pid).cpu_percent(interval=1.0) < 10.0


def _opened(browser: Any, server: Server) -> tuple[Any, Any]:
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.goto(server.url)
    run = page.get_by_role("button", name="Run", exact=True)
    run.click(trial=True, timeout=30_000)
    return page, run


def _command(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def _first_iterate(page: Any, run: Any) -> float:
    run.element_handle().evaluate(_CLICK)
    return float(page.wait_for_function(_DRAWN, polling="raf", timeout=120_000).json_value())


def _click_and_reset(page: Any, run: Any) -> float:
    taken = _first_iterate(page, run)
    _command(page, "Reset")
    page.wait_for_function("() => window.gaps.every(m => m.data.step.length == 0)")
    run.click(trial=True)
    page.wait_for_timeout(500)
    return taken


def _stop(page: Any, run: Any) -> float:
    _first_iterate(page, run)
    stop = page.get_by_role("button", name="Stop", exact=True)
    stop.click(trial=True)
    stop.element_handle().evaluate(
        "button => { window.begun = performance.now(); button.click(); }"
    )
    taken = float(page.wait_for_function(_STOPPED, polling="raf").json_value())
    run.click(trial=True)
    return taken


def _paint(context: Any, server: Server) -> float:
    page = context.new_page()
    page.goto(server.url, wait_until="commit")
    page.wait_for_function("() => window.Bokeh && Bokeh.documents.length > 0", timeout=30_000)
    count = sum(not picture.optional for picture in LIVE)
    shown = page.wait_for_function(_PAINTED, arg=count, polling="raf")
    painted = float(shown.json_value())
    page.close()
    return painted


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:52s} {value:8.1f}")

"""How fast the page is: opened, first iterate after a click, Stop, ten runs at once, many visitors.

What one visitor sees is timed in the page itself, by its own clock. A crowd are visitors without a
browser (`crowd`). The server is ``panel serve`` in a process of its own, with the hooks that start
the warm-up.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
from crowd import Visitor, crowd
from report import Asked, Tables
from serving import CHROMIUM, FIND_APP, FLAGS, LIVE, Server, wait_for

from app.explorer import Explorer
from fwcore import datasets

_HERE = Path(__file__).parent
_VIEWPORT = {"width": 1440, "height": 900}

_WATCH = """() => {
    window.long = []; window.shift = 0; window.ticks = 0
    new PerformanceObserver(list => list.getEntries().forEach(e => long.push(e.duration)))
        .observe({type: 'longtask'})
    new PerformanceObserver(list => list.getEntries().forEach(e => {
        if (!e.hadRecentInput) shift += e.value })).observe({type: 'layout-shift'})
    const send = app.send.bind(app)
    app.send = message => { if (message.seen !== undefined) ticks += 1; send(message) }
}"""

# Rows of the current iterate, in the frame that paints them.
_FIRST = """() => new Promise(done => {
    const begun = performance.now()
    const look = () => [...app.gallery.sources.held].some(([key, source]) =>
        key.endsWith(' head') && source.data.l1?.length > 0)
        ? done(performance.now() - begun) : requestAnimationFrame(look)
    app.root.querySelector('.transport .primary').click()
    look()
})"""

_STOP = """() => new Promise(done => {
    const begun = performance.now()
    const look = () => app.root.querySelector('[data-run="1"]').dataset.state == 'stopped'
        ? done(performance.now() - begun) : requestAnimationFrame(look)
    app.root.querySelectorAll('.transport button')[3].click()
    look()
})"""

_SELECT = """() => new Promise(done => {
    const begun = performance.now()
    const keys = app.state.get('runs').map(run => run.key)
    const next = keys[(keys.indexOf(app.state.get('selected')) + 1) % keys.length]
    const look = () => app.root.querySelector('.run.chosen').dataset.run == String(next)
        ? done(performance.now() - begun) : requestAnimationFrame(look)
    app.send({do: 'select', run: next})
    look()
})"""


def measure() -> dict[str, Any]:
    """The figures of the page, in milliseconds but where they say otherwise."""
    figures = _opening_in_parts()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        with _served(Path(folder), NUMBA_CACHE_DIR=folder) as (server, _):
            page = _opened(browser.new_context(viewport=_VIEWPORT), server)
            figures["click to first painted iterate, compiling meanwhile"] = page.evaluate(_FIRST)
        with _served(Path(folder)) as (server, costs):
            wait_for(lambda: _idle(server), 1200, "the end of the warm-up")
            figures |= _visits(browser, server)
            figures |= _one_visitor(browser, server, costs)
            figures |= _ten_runs(browser, server)
        browser.close()
    with tempfile.TemporaryDirectory() as folder, _served(Path(folder)) as (server, _):
        wait_for(lambda: _idle(server), 1200, "the end of the warm-up")
        figures |= asyncio.run(_many_visitors(server))
    return figures


def _opening_in_parts() -> dict[str, float]:
    """What a page costs before it is sent, part by part, in this process."""

    def taken(act: Any) -> float:
        begun = time.perf_counter()
        act()
        return 1000.0 * (time.perf_counter() - begun)

    made = [Explorer() for _ in range(3)]
    document = [taken(lambda page=page: page.page().get_root()) for page in made]
    explorer = [taken(Explorer) for _ in range(10)]
    for page in made:
        page.close()
    return {
        "opening: Explorer with its first message, median": statistics.median(explorer),
        "opening: its Bokeh models, median": statistics.median(document),
    }


def _visits(browser: Any, server: Server) -> dict[str, float]:
    firsts, nexts, spent = [], [], []
    for _ in range(5):
        context = browser.new_context(viewport=_VIEWPORT)
        before = _cpu(server)
        firsts.append(_live(context, server))
        spent.append(1000.0 * (_cpu(server) - before))
        nexts.append(_live(context, server))
        context.close()
    return {
        "opening: CPU time of the server, all in all, median": statistics.median(spent),
        "live and drawn, first visit, median": statistics.median(firsts),
        "live and drawn, next visit, median": statistics.median(nexts),
    }


def _live(context: Any, server: Server) -> float:
    page = context.new_page()
    page.goto(server.url, wait_until="commit")
    page.locator(LIVE).wait_for(timeout=60_000)
    return float(page.evaluate("() => performance.now()"))


def _one_visitor(browser: Any, server: Server, costs: Path) -> dict[str, float]:
    page = _opened(browser.new_context(viewport=_VIEWPORT), server)
    _do(page, do="pace", unit="dots", rate=1e5)
    clicks = [_click_and_reset(page) for _ in range(21)]
    stops = []
    for _ in range(10):
        page.evaluate(_FIRST)
        stops.append(page.evaluate(_STOP))
    _do(page, do="reset")
    page.evaluate(_FIRST)
    page.evaluate(_WATCH)
    page.wait_for_timeout(5000)
    updates = page.evaluate("() => ticks") / 5.0
    page.close()
    wait_for(costs.exists, 30, "the session to end")
    spent = sorted(json.loads(costs.read_text()))
    warm = sorted(clicks[1:])
    return {
        "click to first painted iterate, first run": clicks[0],
        "click to first painted iterate, warm, median": statistics.median(warm),
        "click to first painted iterate, warm, p95": _p95(warm),
        "click on Stop to stopped on the screen, median": statistics.median(stops),
        "click on Stop to stopped on the screen, worst": max(stops),
        "updates a second": updates,
        "server time an update, median": statistics.median(spent),
        "server time an update, p95": _p95(spent),
    }


def _ten_runs(browser: Any, server: Server) -> dict[str, float]:
    if not datasets.available(datasets.find("triazines")):
        return {}
    page = _opened(browser.new_context(viewport=_VIEWPORT), server)
    _do(page, do="set", name="dataset", value="triazines")
    for solver in ("away_fw", "pairwise_fw", "cd", "scd", "fista", "apg", "active_set"):
        _do(page, do="add", solver=solver)
    page.wait_for_function("() => app.state.get('runs').length == 10")
    page.evaluate(_WATCH)
    page.evaluate(_FIRST)
    drawn = "key => app.gallery.sources.column(key, 'points', 'l1').length > 0"
    for key in (1, 6):
        page.wait_for_function(drawn, arg=key, timeout=300_000)
    page.evaluate("() => { ticks = 0; long.length = 0; shift = 0 }")
    page.wait_for_timeout(10_000)
    updates, longest, shift = page.evaluate("() => [ticks / 10, Math.max(0, ...long), shift]")
    clicks = sorted(page.evaluate(_SELECT) for _ in range(60))
    _do(page, do="reset")
    page.wait_for_function("() => app.state.get('phase') == 'empty'")
    page.wait_for_timeout(1000)
    page.evaluate("() => { long.length = 0 }")
    begun = page.evaluate(_FIRST)
    freeze = page.evaluate("() => Math.max(0, ...long)")
    page.close()
    return {
        "ten runs on Triazines: click on Run to first iterate, problem known": begun,
        "ten runs on Triazines: longest task of that": freeze,
        "ten runs on Triazines: updates a second": updates,
        "ten runs on Triazines: click, p95": _p95(clicks),
        "ten runs on Triazines: longest task": longest,
        "ten runs on Triazines: layout shift": shift,
    }


async def _many_visitors(server: Server) -> dict[str, float]:
    first = await crowd(server.url, 2)
    for visitor in first:
        await visitor.do(do="pace", unit="dots", rate=2e4)
        await visitor.run()
    await _until(lambda: all(len(visitor.ticks) > 20 for visitor in first))
    for visitor in first:
        visitor.ticks.clear()
    begun = time.perf_counter()
    visitors = await crowd(server.url, 30, within=5.0)
    opened = time.perf_counter() - begun
    meanwhile = min(len(visitor.ticks) for visitor in first) / opened
    for visitor in first:
        visitor.close()
    for visitor in visitors:
        await visitor.do(do="set", name="dataset", value="diabetes")
        for run in (1, 2, 3):
            await visitor.do(do="set", run=run, name="tol", value="1e-08")
        await visitor.do(do="pace", unit="dots", rate=None)
        await visitor.run()
    await asyncio.sleep(10)
    for visitor in visitors:
        visitor.ticks.clear()
    await asyncio.sleep(10)
    rates = [len(visitor.ticks) / 10 for visitor in visitors]
    clicks = sorted([await _click(visitors[k % 30]) for k in range(60)])
    for visitor in visitors:
        visitor.close()
    return {
        "thirty pages opened within 5 s: seconds until all are": opened,
        "thirty pages opened within 5 s: updates a second of two that run, least": meanwhile,
        "thirty pages flat out: click to first iterate sent, median": statistics.median(clicks),
        "thirty pages flat out: click to first iterate sent, p95": _p95(clicks),
        "thirty pages flat out: updates a second, least": min(rates),
    } | await _sessions(server)


async def _click(visitor: Visitor) -> float:
    await visitor.do(do="reset")
    await asyncio.sleep(0.3)
    visitor.taken.clear()
    await visitor.run()
    await _until(lambda: bool(visitor.taken))
    return 1000.0 * visitor.taken[0]


async def _sessions(server: Server, first: int = 50, later: int = 250) -> dict[str, float]:
    """What sessions that were opened, run and closed leave behind, beyond what the first did."""
    await _come_and_go(server, first)
    before = await _at_rest(server)
    await _come_and_go(server, later)
    grown = (await _at_rest(server) - before) / later
    return {f"memory a session, of the last {later} of {first + later} (MB)": grown}


async def _come_and_go(server: Server, count: int, together: int = 10) -> None:
    for _ in range(count // together):
        visitors = await crowd(server.url, together)
        for visitor in visitors:
            await visitor.do(do="set", name="dataset", value="diabetes")
            await visitor.do(do="pace", unit="dots", rate=None)
            await visitor.run()
        await _until(lambda seen=visitors: all(visitor.phase == "done" for visitor in seen))
        for visitor in visitors:
            visitor.close()
        await asyncio.sleep(1.5)


async def _at_rest(server: Server) -> float:
    """Resident megabytes some time after the last has left: ended sessions are collected and given
    back several together.
    """
    await asyncio.sleep(30)
    return float(psutil.Process(server.process.pid).memory_info().rss) / 1e6


async def _until(condition: Any, seconds: float = 300.0) -> None:
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, "waited in vain"
        await asyncio.sleep(0.005)


def _p95(ordered: list[float]) -> float:
    return ordered[int(0.95 * (len(ordered) - 1))]


def _cpu(server: Server) -> float:
    return sum(psutil.Process(server.process.pid).cpu_times()[:2])


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
    """Whether it does nothing: for three seconds, since compiling waits for the disk at times."""
    process = psutil.Process(server.process.pid)
    return all(process.cpu_percent(interval=1.0) < 10.0 for _ in range(3))


def _opened(context: Any, server: Server) -> Any:
    page = context.new_page()
    page.goto(server.url)
    page.locator(LIVE).wait_for(timeout=60_000)
    assert page.evaluate(FIND_APP)
    return page


def _do(page: Any, **message: Any) -> None:
    page.evaluate("message => app.send(message)", message)


def _click_and_reset(page: Any) -> float:
    taken = page.evaluate(_FIRST)
    _do(page, do="reset")
    page.wait_for_function("() => app.state.get('phase') == 'empty'")
    page.wait_for_timeout(300)
    return float(taken)


def tables(_: Asked) -> Tables:
    if CHROMIUM is None:
        print("No Chromium: the page was not measured.")
        return
    figures = measure()
    title = "The page (milliseconds, except for the rate)"
    yield title, [{"figure": name, "value": value} for name, value in figures.items()]


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:70s} {value:8.2f}")

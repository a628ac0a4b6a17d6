"""A client of the websocket that says what no page would, beside somebody who works."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from crowd import Visitor
from hostile import flood
from serving import ROOT, Server

pytestmark = pytest.mark.timeout(600)


async def beside(url, count):
    """What the neighbour is sent meanwhile; it works until the flood is over."""
    neighbour = Visitor(url)
    await neighbour.open()
    await neighbour.do(do="set", name="dataset", value="diabetes")
    await neighbour.do(do="pace", unit="step", rate=20.0)
    await neighbour.run()
    while len(neighbour.ticks) < 10:
        await asyncio.sleep(0.01)
    neighbour.ticks.clear()
    await flood(url, count)
    meanwhile = len(neighbour.ticks)
    await neighbour.do(do="pace", unit="dots", rate=None)
    while neighbour.phase != "done":
        await asyncio.sleep(0.01)
    await neighbour.leave()
    return meanwhile


def worked_beside(url, count):
    """`beside` in a thread of its own: the browser of other tests has the loop of this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(beside(url, count))).result()


@pytest.mark.parametrize(
    "count", [pytest.param(500, id="some"), pytest.param(5000, id="all", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("public", ["", "1"], ids=["own", "public"])
def test_what_no_page_would_say_disturbs_nobody(tmp_path, count, public):
    server = Server(
        ROOT / "app", tmp_path / "log", 1000, FWCORE_PUBLIC=public, FWCORE_RUNS=str(tmp_path)
    )
    try:
        worked_beside(server.url, 100)
        process = psutil.Process(server.process.pid)
        before = process.memory_info().rss
        assert worked_beside(server.url, count) > 0
        worked_beside(server.url, 100)
        assert process.memory_info().rss < before + 100e6
        assert "Traceback" not in server.log.read_text()
        assert server.log.stat().st_size < 300_000
    finally:
        server.stop()

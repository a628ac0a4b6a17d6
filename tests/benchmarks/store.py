"""Saved runs among ten thousand, and what a visitor is sent beside one who floods the server."""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
sys.path.insert(0, str(Path(__file__).parents[1] / "app"))
from crowd import Visitor
from fakes import EXPERIMENT, walked
from hostile import flood
from report import Asked, Rows, Tables
from serving import ROOT, Server

from app.history import History
from app.keeper import Keeper
from app.loading import load

_RUNS, _MESSAGES, _ALONE_SECONDS = 10_000, 5_000, 10.0
_AGAIN = (
    "INSERT INTO runs SELECT ?, owner, created, beat, status, name, title, solver, note, pinned, "
    "deleted, reached, total, figures, facts FROM runs WHERE uid = ?",
    "INSERT INTO pieces SELECT ?, k, bytes FROM pieces WHERE uid = ?",
)
"""A saved run under another name."""


def tables(_: Asked) -> Tables:
    with tempfile.TemporaryDirectory() as folder:
        saved = _saved(Path(folder))
        server = Server(ROOT / "app", Path(folder) / "log", 1000, FWCORE_RUNS=folder)
        try:
            beside = asyncio.run(_beside(server.url))
        finally:
            server.stop()
    yield f"{_RUNS:,} saved runs (milliseconds, median of 9)", saved
    yield "A flood", beside


def _saved(folder: Path) -> Rows:
    history = History(folder / "many.sqlite")
    run = walked("sfw", points=100)
    keeper = Keeper(history)
    keeper.follow(run, "", "a run", EXPERIMENT)
    keeper.save()
    history._do(*((text, (f"u{k}", run.uid)) for k in range(_RUNS) for text in _AGAIN))
    uid = f"u{_RUNS // 2}"
    acts: dict[str, Callable[[], Any]] = {
        "list the first fifty": lambda: (history.find("", limit=51), history.count("")),
        "search by name": lambda: history.find("", "a run", 51),
        "search in vain": lambda: history.find("", "none of them", 51),
        "open": lambda: load(history, "", uid),
    }
    return [{"act": name, "milliseconds": _median(act)} for name, act in acts.items()]


def _median(act: Callable[[], Any]) -> float:
    taken = []
    for _ in range(9):
        begun = time.perf_counter()
        act()
        taken.append(1000.0 * (time.perf_counter() - begun))
    return statistics.median(taken)


async def _beside(url: str) -> Rows:
    """Updates a second of a visitor whose run is paced, alone and beside the flood."""
    visitor = Visitor(url)
    await visitor.open()
    await visitor.do(do="pace", unit="dots", rate=2e4)
    await visitor.run()
    while len(visitor.ticks) < 20:
        await asyncio.sleep(0.01)
    visitor.ticks.clear()
    await asyncio.sleep(_ALONE_SECONDS)
    alone = len(visitor.ticks) / _ALONE_SECONDS
    visitor.ticks.clear()
    begun = time.perf_counter()
    await flood(url, _MESSAGES)
    seconds = time.perf_counter() - begun
    beside = len(visitor.ticks) / seconds
    await visitor.leave()
    return [
        {"figure": "updates a second, alone", "value": alone},
        {"figure": f"updates a second beside {_MESSAGES:,} messages", "value": beside},
        {"figure": "seconds of the flood", "value": seconds},
    ]

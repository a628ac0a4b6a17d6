"""Seconds that methods take for an accuracy: each goes down its ladder of tolerances as far as that
is needed, and the settings that are wanted are then timed in rounds.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from peers import Timed
from report import Rows
from rich.console import Console

ACCURACIES = (1e-3, 1e-5)
# Seconds up to which a run is taken again: in more rounds, in more than a few, and in a row.
_LONG, _SHORT, _SHORTEST = 5.0, 0.5, 0.05
_ROUNDS, _FEW, _IN_A_ROW = 9, 3, 8
# A method that took longer than this is not tried at finer tolerances.
_PATIENCE = 60.0
tell = Console(stderr=True).print


@dataclass(frozen=True)
class Method:
    """``run(tolerance)`` walks the path; ``judge(coefs)`` gives its worst relative gap. ``kind`` is
    the form of one of ours and how the design is stored, and empty of a peer.
    """

    name: str
    ladder: tuple[float, ...]
    run: Callable[[float], Timed]
    judge: Callable[[Any], float]
    kind: str = ""

    @property
    def ours(self) -> bool:
        return bool(self.kind)


class Rung(NamedTuple):
    """What a method reached with a tolerance."""

    tolerance: float
    gap: float
    run: Timed

    @property
    def turns(self) -> int:
        """The rounds in which it is timed once more."""
        many = _ROUNDS if self.run.wall <= _SHORT else _FEW
        return many if self.run.wall <= _LONG else 0


_FAILED = Rung(math.nan, math.nan, Timed(math.nan, math.nan, None))


def rungs(method: Method) -> list[Rung]:
    """Down its ladder, as far as it is needed or takes no longer than anybody waits."""
    found: list[Rung] = []
    for tolerance in method.ladder:
        try:
            run = method.run(tolerance)
        except Exception as error:
            what = f"{type(error).__name__}: {str(error)[:200]}"
            tell(f"  {method.name} at {tolerance:g} failed: {what}")
            break
        gap = method.judge(run.coefs)
        tell(
            f"  {method.name} at {tolerance:g}: {run.cpu:.3f} s CPU, {run.wall:.3f} s wall, "
            f"worst gap {gap:.1e}"
        )
        found.append(Rung(tolerance, gap, run._replace(coefs=None)))
        if gap <= min(ACCURACIES) or run.wall > _PATIENCE:
            break
    return found


def measured(name: str, made: Callable[[], list[Method]]) -> Rows:
    """The table of the methods that ``made`` gives. Of those that did not reach an accuracy it says
    what they reached last, or that they failed, and no ratio.
    """
    tell(f"[bold]{name}[/bold]")
    begun = time.perf_counter()
    running = made()
    tried = {method.name: rungs(method) for method in running}
    times, rows = _times(running, tried), []
    for accuracy in ACCURACIES:
        cells = [_reached(method, accuracy, tried[method.name], times) for method in running]
        _compare(cells, [method.kind for method in running])
        rows += [{"problem": name, **row} for row in cells]
    tell(f"  {time.perf_counter() - begun:.0f} s in all")
    return rows


def _reached(
    method: Method, accuracy: float, found: list[Rung], times: dict[tuple[str, float], list[Timed]]
) -> dict[str, Any]:
    """What a method took to be so accurate, or what it reached."""
    within = _first_within(found, accuracy)
    rung = within or (found or [_FAILED])[-1]
    runs = times[method.name, rung.tolerance] if within else [rung.run]
    missed = "not reached" if found else "failed"
    return {
        "accuracy": accuracy,
        "method": method.name if within else f"{method.name}, {missed}",
        "tolerance": rung.tolerance,
        "worst gap": rung.gap,
        "cpu": statistics.median(run.cpu for run in runs),
        "wall": statistics.median(run.wall for run in runs),
        "ours": method.ours,
    }


def _compare(rows: Rows, kinds: list[str]) -> None:
    """Tell how the rows of methods that were accurate enough compare with the fastest peer, and
    those of ours with the fastest of the same kind.
    """
    reached = [row["worst gap"] <= row["accuracy"] for row in rows]
    peers = [row for row, is_in in zip(rows, reached, strict=True) if is_in and not row["ours"]]
    best = min(peers, key=itemgetter("cpu"), default={})
    for row, kind, is_in in zip(rows, kinds, reached, strict=True):
        seen = best if is_in else {}
        for what, title in (("cpu", "CPU"), ("wall", "wall")):
            row[f"best peer / this ({title})"] = seen.get(what, math.nan) / row[what]
        alike = [
            other["cpu"]
            for other, its, fits in zip(rows, kinds, reached, strict=True)
            if its == kind and fits
        ]
        row["best of ours / this (CPU)"] = min(alike) / row["cpu"] if kind and is_in else math.nan


def _first_within(found: list[Rung], accuracy: float) -> Rung | None:
    """The coarsest setting that is accurate enough."""
    return next((rung for rung in found if rung.gap <= accuracy), None)


def _times(
    running: list[Method], tried: dict[str, list[Rung]]
) -> dict[tuple[str, float], list[Timed]]:
    """Of the settings that are wanted, in rounds: what the machine does meanwhile meets all alike.
    The order is drawn anew, since that decides where arrays are.
    """
    chosen = {
        (method, rung)
        for method in running
        for accuracy in ACCURACIES
        if (rung := _first_within(tried[method.name], accuracy)) is not None
    }
    order = sorted(chosen, key=lambda pair: (pair[0].name, pair[1].tolerance))
    times = {(m.name, rung.tolerance): [] if rung.turns else [rung.run] for m, rung in order}
    random = np.random.default_rng(0)
    for k in range(_ROUNDS):
        for j in random.permutation(len(order)):
            method, rung = order[j]
            if k < rung.turns:
                times[method.name, rung.tolerance] += _in_a_row(method, rung.tolerance)
    return times


def _in_a_row(method: Method, tolerance: float) -> list[Timed]:
    """One run, or where that takes no time the runs after it: the first finds in the caches what
    another method left there.
    """
    begun = time.perf_counter()
    runs = [method.run(tolerance)._replace(coefs=None)]
    if time.perf_counter() - begun > _SHORTEST:
        return runs
    return [method.run(tolerance)._replace(coefs=None) for _ in range(_IN_A_ROW)]

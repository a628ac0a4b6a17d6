"""``make bench``: what a certified path costs, against its peers at the same accuracy; what the
kernels reach; the page.

Prints tables, and writes README.md and measured.json beside this file. A part of it: ``make bench
PARTS="certified sampled" CASES=pyrim PEERS=celer``. Parts are start, certified, logistic, same,
sampled, rows, oracles, machine, loading, page, store, and large, which needs 6 GB and is left out
unless asked for.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterable
from typing import Any

import certified
import finite_sum
import inexact
import large
import loading
import logistic
import machine
import page
import problems
import psutil
import report
import same
import sampled
import start
import store
from peers import PEERS
from rich.console import Console
from rich.table import Table

from fwcore.path_result import versions

PARTS = (
    "start",
    "certified",
    "logistic",
    "same",
    "sampled",
    "rows",
    "oracles",
    "machine",
    "loading",
    "page",
    "store",
    "large",
)
_print = Console(width=200).print


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print rows as a table."""
    table = Table(*rows[0], title=title)
    for row in rows:
        table.add_row(
            *(f"{value:,.4g}" if isinstance(value, float) else str(value) for value in row.values())
        )
    _print(table)


def _tables(
    part: str, cases: list[str] | None, peers: list[str] | None
) -> Iterable[tuple[str, list[dict[str, Any]]]]:
    """(title, rows) of one part, each as soon as it is measured."""
    if part == "page" and page.CHROMIUM is None:
        _print("No Chromium: the page was not measured.")
        return ()
    if part == "certified":
        return certified.tables(cases, peers)
    if part == "logistic":
        return logistic.tables(cases)
    measured: dict[str, Callable[[], dict[str, list[dict[str, Any]]]]] = {
        "start": lambda: {"Waiting before anything runs": start.measure()},
        "same": lambda: {
            "The same algorithm elsewhere: 20 values of lam, worst gap at most 1e-4": same.measure()
        },
        "sampled": lambda: {
            "Stochastic Frank-Wolfe, largest move at most 1e-3: no gap is promised": (
                sampled.measure(cases)
            )
        },
        "rows": lambda: {
            "Steps on rows of 20 entries, one sample a step": finite_sum.steps(),
            "Figure 1 of Negiar et al., medians of 20 seeds": finite_sum.figure_1(),
            "Against copt, 20,000 x 100,000, 20 entries a row": finite_sum.against_copt(),
        },
        "oracles": inexact.measure,
        "machine": lambda: {
            f"Full passes; a copy runs at {machine.copy_bandwidth():.1f} GB/s": machine.passes(),
            "Steps of stochastic Frank-Wolfe on columns of 20 entries": machine.steps(),
        },
        "loading": lambda: {
            "Reading files; memory is the peak over the size of the matrix": loading.measure()
        },
        "store": store.measure,
        "large": lambda: {"Paths on the shapes of the largest data": large.measure()},
        "page": lambda: {
            "The page (milliseconds, except for the rate)": [
                {"figure": k, "value": v} for k, v in page.measure().items()
            ]
        },
    }
    return measured[part]().items()


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; by default all but large")
    parser.add_argument(
        "--cases",
        nargs="*",
        choices=[*problems.CASES, *logistic.CASES],
        help="problems; by default all whose files are at hand",
    )
    parser.add_argument(
        "--peers",
        nargs="*",
        choices=[peer.name for peer in PEERS],
        help="peers; by default all that are installed",
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    given = [("CASES", arguments.cases), ("PEERS", arguments.peers)]
    for part in arguments.parts or [*PARTS[:-1]]:
        words = [f"PARTS={part}", *(f'{k}="{" ".join(v)}"' for k, v in given if v is not None)]
        about = {
            "arguments": " ".join(words),
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "memory": psutil.virtual_memory().total,
            "load": os.getloadavg()[0],
            "versions": versions(),
        }
        titles = []
        for title, rows in _tables(part, arguments.cases, arguments.peers):
            if rows:
                show(title, rows)
                report.keep(part, title, rows, about)
                titles.append(title)
        if arguments.cases is None:
            report.drop_others(part, titles)
        _print(f"{part}: written to {report.README.name}; load before: {about['load']:.2f}")


if __name__ == "__main__":
    main()

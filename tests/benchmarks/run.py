"""``make bench``: what a certified path costs, against its peers at the same accuracy; what the kernels reach; the page.

Prints tables and writes ``build/bench.json``. A part of it: ``make bench PARTS="certified sampled" CASES=pyrim PEERS=glmnet``.
Parts are certified, same, sampled, rows, oracles, machine, loading, page, and log1p, which needs 3 GB and is left out unless asked
for.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from pathlib import Path
from typing import Any

import certified
import finite_sum
import inexact
import loading
import machine
import page
import problems
import psutil
import same
import sampled
from peers import PEERS
from rich.console import Console
from rich.table import Table

from fwcore.path import versions

PARTS = ("certified", "same", "sampled", "rows", "oracles", "machine", "loading", "page", "log1p")
_print = Console(width=200).print


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print rows as a table."""
    table = Table(*rows[0], title=title)
    for row in rows:
        table.add_row(*(f"{value:,.4g}" if isinstance(value, float) else str(value) for value in row.values()))
    _print(table)


def _tables(parts: list[str], cases: list[str] | None, peers: list[str] | None) -> dict[str, list[dict[str, Any]]]:
    """title -> rows."""
    found: dict[str, list[dict[str, Any]]] = {}
    if "certified" in parts:
        found["Certified paths: 100 values of lam, worst relative gap at most the accuracy"] = certified.measure_all(cases, peers)
    if "same" in parts:
        found["The same algorithm elsewhere: 20 values of lam, worst relative gap at most 1e-4"] = same.measure()
    if "sampled" in parts:
        found["Stochastic Frank-Wolfe, largest move at most 1e-3: no gap is promised"] = sampled.measure(cases)
    if "rows" in parts:
        found["Steps of Frank-Wolfe on rows of 20 entries, one sample a step"] = finite_sum.steps()
        found["Figure 1 of Negiar et al., medians of 20 seeds"] = finite_sum.figure_1()
        found["Stochastic Frank-Wolfe on rows against copt, 20,000 x 100,000, 20 entries a row"] = finite_sum.against_copt()
    if "oracles" in parts:
        found |= inexact.measure()
    if "machine" in parts:
        found[f"Full passes; a copy runs at {machine.copy_bandwidth():.1f} GB/s"] = machine.passes()
        found["Steps of stochastic Frank-Wolfe on columns of 20 entries"] = machine.steps()
    if "loading" in parts:
        found["Reading files; memory is the peak over the size of the matrix"] = loading.measure()
    if "log1p" in parts:
        found["A path on 16,087 x 4,272,227 at 1 %"] = sampled.measure_log1p()
    if "page" in parts and page.CHROMIUM is None:
        _print("No Chromium: the page was not measured.")
    elif "page" in parts:
        found["The page (milliseconds, but for the rate)"] = [{"figure": k, "value": v} for k, v in page.measure().items()]
    return found


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; by default all but log1p")
    parser.add_argument("--cases", nargs="*", choices=[*problems.CASES], help="problems; by default all whose files are at hand")
    parser.add_argument(
        "--peers", nargs="*", choices=[peer.name for peer in PEERS], help="peers; by default all that are installed"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    load = os.getloadavg()[0]
    tables = _tables(arguments.parts or [*PARTS[:-1]], arguments.cases, arguments.peers)
    for title, rows in tables.items():
        if rows:
            show(title, rows)
    about = {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory": psutil.virtual_memory().total,
        "load before": load,
        "versions": versions(),
    }
    out = Path(__file__).parents[2] / "build" / "bench.json"
    out.parent.mkdir(exist_ok=True)
    out.write_text(json.dumps({"machine": about, "tables": tables}, indent=2, default=float) + "\n")
    _print(f"Written to {out.relative_to(Path.cwd()) if out.is_relative_to(Path.cwd()) else out}; load before: {load:.2f}")


if __name__ == "__main__":
    main()

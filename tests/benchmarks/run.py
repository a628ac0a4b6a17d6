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
import sys
from pathlib import Path

from fwcore.cache import use_numba_folder

# The second judge is that of the tests.
sys.path.append(str(Path(__file__).parents[1] / "fwcore"))
# numba's own cache knows nothing of edits in files that a kernel calls into: what is measured must
# be what is there.
use_numba_folder()

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

PARTS = {
    "start": start,
    "certified": certified,
    "logistic": logistic,
    "same": same,
    "sampled": sampled,
    "rows": finite_sum,
    "oracles": inexact,
    "machine": machine,
    "loading": loading,
    "page": page,
    "store": store,
    "large": large,
}
"""Each gives its ``tables(asked)``."""
_LEFT_OUT = ("large",)
_print = Console(width=200).print


def show(title: str, rows: report.Rows) -> None:
    """Print rows as a table."""
    table = Table(*rows[0], title=title)
    for row in rows:
        table.add_row(
            *(f"{value:,.4g}" if isinstance(value, float) else str(value) for value in row.values())
        )
    _print(table)


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
        choices=sorted({*(p.name for p in PEERS), *(p.name for p in logistic.PEERS)}),
        help="peers; by default all that are installed",
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.parts) - set(PARTS):
        parser.error(f"unknown parts: {', '.join(sorted(unknown))}")
    asked = report.Asked(arguments.cases, arguments.peers)
    for part in arguments.parts or [part for part in PARTS if part not in _LEFT_OUT]:
        about = {
            "arguments": f"PARTS={part}{asked}",
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "memory": psutil.virtual_memory().total,
            "load": os.getloadavg()[0],
            "versions": versions(),
        }
        titles = []
        for title, rows in PARTS[part].tables(asked):
            if rows:
                show(title, rows)
                report.keep(part, title, rows, about)
                titles.append(title)
        if asked.cases is None:
            report.drop_others(part, titles)
        _print(f"{part}: written to {report.README.name}; load before: {about['load']:.2f}")


if __name__ == "__main__":
    main()

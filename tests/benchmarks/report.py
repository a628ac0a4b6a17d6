"""What was measured, kept by part in measured.json, and README.md made from it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MEASURED, README = HERE / "measured.json", HERE / "README.md"
_HEAD = """# What was measured

`make bench` measures and writes this page; no figure is typed by hand. A part of it: `make bench
PARTS="certified machine" CASES=pyrim PEERS=celer`. Each part says with which arguments, on what
machine and under which load it ran last. Times of one machine say little about another; the ratios
say more. Every method is timed without compilation and without the judge.

"""


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _table(title: str, rows: list[dict[str, Any]]) -> str:
    head = list(rows[0])
    lines = [f"### {title}", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(_cell(row.get(name, "")) for name in head) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def keep(part: str, tables: dict[str, list[dict[str, Any]]], about: dict[str, Any]) -> None:
    """Put the tables of a part in the place of those that it had, and write the page again."""
    known = json.loads(MEASURED.read_text()) if MEASURED.is_file() else {}
    tables = {title: rows for title, rows in tables.items() if rows}
    if not tables:
        return
    known[part] = about | {"tables": tables}
    MEASURED.write_text(json.dumps(known, indent=1, default=float) + "\n")
    README.write_text(_HEAD + "\n".join(_section(name, known[name]) for name in sorted(known)))


def _section(part: str, found: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    where = (
        f"`make bench {found['arguments']}`, {found['cores']} cores ({found['processor']}), load "
        f"before {found['load']:.2f}; {versions}."
    )
    tables = "\n".join(_table(title, rows) for title, rows in found["tables"].items())
    return f"## {part}\n\n{where}\n\n{tables}"

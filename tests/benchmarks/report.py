"""What was measured, kept by part and table in measured.json, and README.md made from it."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

Rows: TypeAlias = list[dict[str, Any]]
Tables: TypeAlias = Iterator[tuple[str, Rows]]
"""(title, rows), each as soon as it is measured."""

HERE = Path(__file__).parent
MEASURED, README = HERE / "measured.json", HERE / "README.md"
_HEAD = """# What was measured

`make bench` measures and writes this page; no figure is typed by hand. A part of it: `make bench
PARTS="certified machine" CASES=pyrim PEERS=celer`, whose tables take the place of older ones. Each
says with which arguments, on what machine and under which load it ran last. Times of one machine
say little about another; the ratios say more: seconds of the peer that is the fastest in CPU
seconds, over those of the row. Rows of ours are compared with the best of ours of the same form and
the same stored X, too. Every method is timed without compilation and without the judge. In the
parts certified and logistic a second judge, in NumPy, computes gaps again, at the worst point and
in the middle of each path. There times are medians: of nine rounds up to half a second and of three
up to five, where each round has an order of its own, and of eight runs in a row or five of glmnet's
within a round where they are short, after a first that does not count. What our methods know of a
problem before any path is timed in rows "from arrays" alone, and what peers find of it themselves
always: that X and y are finite, the norms of columns, X'y, and which products equal others.

Peers take one thread and their own warm starts along the path, with the settings that they have by
default but for these. They get the columns as ours have them, and add no intercept and no scaling.
The tolerance is the coarsest that reaches the accuracy, of a ladder of tenths, and where it is a
gap or a slope of half tenths; what took longer than a minute is not tried at a finer one, and a
row says what it reached. glmnet runs in its two ways to update slopes, or of the logistic loss with
its two Newton steps, keeps all points (`fdev = 0`, `devmax = 1`) and cycles up to 1e7 times. adelie
exits early nowhere and cycles as often; of the logistic loss its Newton steps have the same
tolerance. celer and skglm (`AndersonCD`, or `ProxNewton`) take up to 100 working sets a point, of
the logistic loss up to 1,000, where celer takes Newton steps (`use_PN`). scikit-learn cycles up to
1e5 times a point. liblinear has no warm start, and up to 1e4 iterations. One that fails, for want
of memory or for an error of its own, has a row that says so.

"""


class Asked(NamedTuple):
    """The cases and peers that were asked for; None stands for all."""

    cases: Collection[str] | None
    peers: Collection[str] | None

    def __str__(self) -> str:
        """As ``make bench`` takes them."""
        given = (("CASES", self.cases), ("PEERS", self.peers))
        return "".join(f' {name}="{" ".join(of)}"' for name, of in given if of is not None)

    def wants_case(self, name: str) -> bool:
        return self.cases is None or name in self.cases

    def wants_peer(self, name: str) -> bool:
        return self.peers is None or name in self.peers


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _table(title: str, rows: Rows) -> str:
    head = list(rows[0])
    lines = [f"### {title}", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(_cell(row.get(name, "")) for name in head) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _known() -> dict[str, dict[str, Any]]:
    return json.loads(MEASURED.read_text()) if MEASURED.is_file() else {}


def _write(known: dict[str, dict[str, Any]]) -> None:
    MEASURED.write_text(json.dumps(known, indent=1, default=float) + "\n")
    README.write_text(_HEAD + "\n".join(_section(name, known[name]) for name in sorted(known)))


def keep(part: str, title: str, rows: Rows, about: dict[str, Any]) -> None:
    """Put a table in the place of the one that had its title, and write the page again."""
    known = _known()
    known.setdefault(part, {})[title] = about | {"rows": rows}
    _write(known)


def drop_others(part: str, titles: Iterable[str]) -> None:
    """Leave only the tables of these titles: those that a whole part has now."""
    known, titles = _known(), set(titles)
    if titles:
        known[part] = {title: found for title, found in known[part].items() if title in titles}
        _write(known)


def _where(found: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return (
        f"`make bench {found['arguments']}`, {found['cores']} cores ({found['processor']}), load "
        f"before {found['load']:.2f}; {versions}."
    )


def _section(part: str, tables: dict[str, Any]) -> str:
    lines, before = [f"## {part}\n"], ""
    for title, found in tables.items():
        where = _where(found)
        # Of tables that were measured together the first says how.
        lines += [] if where == before else [where + "\n"]
        lines.append(_table(title, found["rows"]))
        before = where
    return "\n".join(lines)

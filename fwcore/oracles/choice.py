"""The oracles on a part of the rows that options name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fwcore.design import Floats, Ints, Rows
from fwcore.oracles.held import KINDS, Partial
from fwcore.oracles.through_rows import ThroughRows


def variant_of(options: Any) -> dict[str, Any]:
    """Which oracle kernels are compiled for: all those on a part of the rows are one type."""
    return {} if getattr(options, "oracle", "exact") == "exact" else {"oracle": KINDS[0]}


class Answer(NamedTuple):
    """What an oracle answered last: columns (k,), -1 for none; whether it is certain; and how often the judge is to look."""

    columns: Ints
    certain: bool
    every: int


def last_answer(oracle: Any) -> Answer | None:
    """Of an oracle on a part of the rows, or one in the place of another; None of all others."""
    inner = oracle.oracle if isinstance(oracle, ThroughRows) else oracle
    if not isinstance(inner, Partial):
        return None
    told = inner.told[0]
    return Answer(inner.chosen[: told["wanted"]], bool(told["certain"]), int(told["judge"]))


def through_rows(rows: Rows, target: Floats, p: int, centred: bool, entries: int, options: Any, seed: int) -> ThroughRows:
    """An oracle on a part of the rows in the place of one on columns; ``target`` (m,) is what r is taken from."""
    m = target.size
    room = (np.zeros(m), np.zeros(p, np.bool_), np.array([centred]), np.array([entries]))
    return ThroughRows(Partial.of(rows, m, p, options, seed), rows, target, *room)

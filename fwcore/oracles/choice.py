"""The oracles on a part of the rows that options name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fwcore.design import Floats, Ints, Rows
from fwcore.oracles.greedy_rows import GreedyRows
from fwcore.oracles.halving import Halving
from fwcore.oracles.random_rows import RandomRows
from fwcore.oracles.rejects import Rejects
from fwcore.oracles.rows import Partial
from fwcore.oracles.through_rows import ThroughRows

PartialOracle = GreedyRows | RandomRows | Halving | Rejects


class Answer(NamedTuple):
    """What an oracle answered last: columns (k,), -1 for none; whether it is certain; and how often the judge is to look."""

    columns: Ints
    certain: bool
    every: int


def last_answer(oracle: Any) -> Answer | None:
    """Of an oracle on a part of the rows, or one in the place of another; None of all others."""
    inner = oracle.oracle if isinstance(oracle, ThroughRows) else oracle
    if not isinstance(inner, PartialOracle):
        return None
    told = inner.held.told[0]
    return Answer(inner.held.chosen[: told["wanted"]], bool(told["certain"]), int(told["judge"]))


def partial_oracle(rows: Rows, m: int, p: int, options: Any, seed: int) -> PartialOracle:
    """For `fwcore.options.OracleOptions` whose oracle is not exact; a pass over X for the sizes of the rows."""
    held = Partial.of(rows, m, p, options, seed)
    if options.oracle == "rejects":
        return Rejects(held, np.zeros(p, np.int64))
    kinds: dict[str, Any] = {"greedy rows": GreedyRows, "random rows": RandomRows, "halving": Halving}
    oracle: PartialOracle = kinds[options.oracle](held)
    return oracle


def through_rows(rows: Rows, target: Floats, p: int, centred: bool, entries: int, options: Any, seed: int) -> ThroughRows:
    """The same in the place of an oracle on columns; ``target`` (m,) is what r is taken from."""
    m = target.size
    room = (np.zeros(m), np.zeros(p, np.bool_), np.array([centred]), np.array([entries]))
    return ThroughRows(partial_oracle(rows, m, p, options, seed), rows, target, *room)

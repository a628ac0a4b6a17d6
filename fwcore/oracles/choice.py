"""The oracles that options name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fwcore.errors import ParameterError
from fwcore.kernels.types import Floats, Ints
from fwcore.oracles.row_oracle_adapter import RowOracleAdapter
from fwcore.oracles.row_subset import CURVATURE, RULES, RowSubsetOracle
from fwcore.oracles.rows import ROW_ORACLES


def asks_rows(options: Any) -> bool:
    """Whether options name an oracle on a part of the rows."""
    return "oracle" in options.declared() and options.oracle != "exact"


def variant_of(options: Any) -> dict[str, Any]:
    """Which oracle kernels are compiled for: all those on a part of the rows are one type."""
    return {"oracle": ROW_ORACLES[0].name} if asks_rows(options) else {}


class Answer(NamedTuple):
    """What an oracle answered last: columns (k,), -1 for none; whether it is certain; and how often
    the judge is to check.
    """

    columns: Ints
    certain: bool
    every: int


def last_answer(oracle: Any) -> Answer | None:
    """Of an oracle on a part of the rows, or one in the place of another; None of all others."""
    inner = getattr(oracle, "oracle", oracle)
    if not hasattr(inner, "chosen"):
        return None
    progress, every = inner.progress[0], int(inner.config["judge"][0])
    return Answer(inner.chosen[: progress["wanted"]], bool(progress["certain"]), every)


def allowed_error(options: Any) -> float | None:
    """The share by which the bound of Frank-Wolfe grows: 0 of exact gradients, None where nothing
    bounds their errors.
    """
    if not asks_rows(options):
        return 0.0
    found = next(oracle for oracle in ROW_ORACLES if oracle.name == options.oracle)
    return float(options.oracle_error) if asks_curvature(options) and found.bounds else None


def asks_curvature(options: Any) -> bool:
    """Whether the rows that an oracle looks at follow from the curvature of f on the ball."""
    return asks_rows(options) and bool(options.oracle_rule == RULES[CURVATURE])


def row_subset_oracle(
    problem: Any, options: Any, seed: int, *, ball: bool = False
) -> RowSubsetOracle:
    """The row oracle that `fwcore.options.OracleOptions` name; ``ball``: for steps on the l1 ball.

    Raises
    ------
    ParameterError
        There is none of that name, or its rule needs a ball where there is none.
    """
    if asks_curvature(options) and not ball:
        rule = "another one where no l1 ball bounds the steps"
        raise ParameterError("oracle_rule", "fwcore", rule, options.oracle_rule)
    names = [oracle.name for oracle in ROW_ORACLES]
    if options.oracle not in names:
        raise ParameterError("oracle", "fwcore", f"one of {names}", options.oracle)
    kind = names.index(options.oracle)
    draws = ROW_ORACLES[kind].draws[not options.oracle_by_size]
    size = (problem.m, problem.p)
    return RowSubsetOracle.of(problem.rows, *size, options, seed, kind, len(names), draws)


def row_oracle_adapter(problem: Any, target: Floats, options: Any, seed: int) -> RowOracleAdapter:
    """A row oracle in the place of one on columns; ``target`` (m,) is what r is taken from."""
    centred = bool(problem.design.offset.any())
    room = (np.zeros(problem.m), np.zeros(problem.p, np.bool_))
    return RowOracleAdapter(
        row_subset_oracle(problem, options, seed, ball=True),
        problem.rows,
        target,
        *room,
        np.array([centred]),
        np.array([problem.entries]),
    )

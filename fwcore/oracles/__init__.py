"""How a step finds its steepest coordinate.

An oracle is a NamedTuple of arrays; `steepest`, for gradients that follow from an image, and
`steepest_of_rows`, for those of a residual, pick the implementation by its type when a kernel is
compiled.
"""

from typing import Any

from fwcore.oracles.blocks import Blocks
from fwcore.oracles.full import Full, FullPass
from fwcore.oracles.protocol import steepest
from fwcore.oracles.row_oracle_adapter import RowOracleAdapter
from fwcore.oracles.row_subset import RULES, RowSubsetOracle
from fwcore.oracles.rows import ROW_ORACLES, RowOracle, steepest_columns, steepest_of_rows
from fwcore.oracles.sampled import Replaced, Sampled

__all__ = [
    "COLUMN_ORACLES",
    "ROW_ORACLES",
    "RULES",
    "Blocks",
    "Full",
    "FullPass",
    "Replaced",
    "RowOracle",
    "RowOracleAdapter",
    "RowSubsetOracle",
    "Sampled",
    "steepest",
    "steepest_columns",
    "steepest_of_rows",
]

COLUMN_ORACLES: list[Any] = [Sampled, Replaced, Blocks]
"""How `sfw` may draw its columns; a new way is a file with such a class and a name here.

``name`` and ``title`` say what it is called, ``replaces`` whether a column may come twice in a
draw, ``together`` whether columns are drawn by the block, and ``drawn(design, sigma, options,
seed)`` makes the oracle of a run.
"""

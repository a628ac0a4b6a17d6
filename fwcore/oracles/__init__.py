"""How a step finds its steepest coordinate.

An oracle is a NamedTuple of arrays; `steepest`, for gradients that follow from an image, and `steepest_of_rows`, for those of a
residual, pick the implementation by its type when a kernel is compiled.
"""

from fwcore.oracles.blocks import Blocks
from fwcore.oracles.full import Full, FullPass
from fwcore.oracles.held import KINDS, RULES, Partial
from fwcore.oracles.protocol import steepest
from fwcore.oracles.rows import steepest_columns, steepest_of_rows
from fwcore.oracles.sampled import Replaced, Sampled
from fwcore.oracles.through_rows import ThroughRows

__all__ = [
    "KINDS",
    "RULES",
    "Blocks",
    "Full",
    "FullPass",
    "Partial",
    "Replaced",
    "Sampled",
    "ThroughRows",
    "steepest",
    "steepest_columns",
    "steepest_of_rows",
]

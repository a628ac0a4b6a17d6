"""How a step finds its steepest coordinate.

An oracle is a NamedTuple of arrays; `steepest`, for gradients that follow from an image, and `steepest_of_rows`, for those of a
residual, pick the implementation by its type when a kernel is compiled.
"""

from fwcore.oracles.blocks import Blocks
from fwcore.oracles.full import Full, FullPass
from fwcore.oracles.greedy_rows import GreedyRows
from fwcore.oracles.halving import Halving
from fwcore.oracles.protocol import steepest
from fwcore.oracles.random_rows import RandomRows
from fwcore.oracles.rejects import Rejects
from fwcore.oracles.rows import RULES, Partial, steepest_of_rows
from fwcore.oracles.sampled import Replaced, Sampled
from fwcore.oracles.through_rows import ThroughRows

__all__ = [
    "RULES",
    "Blocks",
    "Full",
    "FullPass",
    "GreedyRows",
    "Halving",
    "Partial",
    "RandomRows",
    "Rejects",
    "Replaced",
    "Sampled",
    "ThroughRows",
    "steepest",
    "steepest_of_rows",
]

"""How a step finds its steepest coordinate.

An oracle is a NamedTuple of arrays; `steepest` picks the implementation by its type when a kernel is compiled.
"""

from fwcore.oracles.blocks import Blocks
from fwcore.oracles.full import Full
from fwcore.oracles.protocol import steepest
from fwcore.oracles.sampled import Replaced, Sampled

__all__ = ["Blocks", "Full", "Replaced", "Sampled", "steepest"]

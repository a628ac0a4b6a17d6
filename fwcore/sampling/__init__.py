"""How many columns a step looks at, and what a draw of them misses."""

from fwcore.sampling.draws import draws_to_certify, log_miss, miss_probability
from fwcore.sampling.rules import (
    RULES,
    Count,
    Fraction,
    Hit,
    HitPath,
    Rule,
    Shrink,
    Top,
    parse,
)

__all__ = [
    "RULES",
    "Count",
    "Fraction",
    "Hit",
    "HitPath",
    "Rule",
    "Shrink",
    "Top",
    "draws_to_certify",
    "log_miss",
    "miss_probability",
    "parse",
]

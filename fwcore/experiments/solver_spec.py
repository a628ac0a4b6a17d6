"""A solver with options, written as one word: ``sfw:1%``, ``scd:update=exact;tol=1e-4``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fwcore.errors import ParameterError
from fwcore.options import build
from fwcore.solvers import Solver, all_solvers, find_solver


@dataclass(frozen=True)
class SolverSpec:
    """A solver with options, as it was written: ``sfw:1%``, ``scd:update=exact;tol=1e-4``."""

    text: str
    solver: Solver
    options: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, solver: str, options: Mapping[str, Any]) -> SolverSpec:
        """A solver with options by name; raises as `parse`."""
        words = ";".join(f"{name}={value}" for name, value in options.items())
        return cls.parse(f"{solver}:{words}" if words else solver)

    @classmethod
    def parse(cls, text: str) -> SolverSpec:
        """The solver's name and, after a colon, options ``name=value`` divided by semicolons; a
        value alone: the sampling or batch.

        Raises
        ------
        ParameterError
            No such solver or option, or a value that does not fit.
        """
        name, _, rest = text.strip().partition(":")
        solver = find_solver(name)
        options: dict[str, Any] = {}
        for part in filter(None, rest.split(";")):
            key, equals, value = part.partition("=")
            short = "batch" if "batch" in solver.Options.declared() else "sampling"
            options |= {key.strip(): value.strip()} if equals else {short: key.strip()}
        build(solver.Options, type(solver).__name__, options)
        return cls(text.strip(), solver, options)


def parse_specs(text: str) -> list[SolverSpec]:
    """Solvers divided by commas.

    Raises
    ------
    ParameterError
        None, or one that is not understood.

    >>> [spec.solver.name for spec in parse_specs("sfw:1%,cd")]
    ['sfw', 'cd']
    """
    names = "|".join(re.escape(solver.name) for solver in all_solvers())
    # Sampling rules hold commas, too: one divides where a solver's name follows.
    found = [
        SolverSpec.parse(part)
        for part in re.split(rf",(?=\s*(?:{names})\s*(?:[:,]|$))", text)
        if part.strip()
    ]
    if not found:
        raise ParameterError(
            "solvers", "fwcore compare", "names of solvers divided by commas", text
        )
    return found

"""A run as the user puts it together."""

from __future__ import annotations

from typing import Any

from fwcore import Options, find_solver


class RunSpec:
    """A run as the user put it together: a solver, its options and a seed, under a name.

    ``key`` never names another run of the page, and ``style`` gives colour, dash and marker for
    good.
    """

    def __init__(self, key: int, style: int, solver: str) -> None:
        self.key = key
        self.style = style
        self.solver = solver
        self.options: Options = find_solver(solver).Options()
        self.seed = 0
        self.repeats = 1
        self.given_name = ""
        self.hidden = False
        self.pinned = False

    @property
    def name(self) -> str:
        """The name that was given, or the solver and those of its options that tell it apart; and
        how often it is repeated.
        """
        if self.given_name:
            return self.given_name + times(self.repeats)
        changed = self.options.changed()
        if "sampling" in self.options.declared():
            changed = {"sampling": self.options.settings()["sampling"], **changed}
        values = [
            str(value).replace("%", " %") if name == "sampling" else f"{name} {_short(value)}"
            for name, value in changed.items()
        ]
        seed = [f"seed {self.seed}"] if self.seed else []
        return " ".join([self.solver, *values[:3], *seed]) + times(self.repeats)

    def call(self, name: str) -> None:
        """Give it a name, which does not say how often it is repeated."""
        self.given_name = name.strip().removesuffix(times(self.repeats))

    def take(self, options: dict[str, Any], seed: int) -> None:
        """Take over options as they were written, and a seed."""
        declared = self.options.declared()
        for name, value in options.items():
            if name in declared:
                given = declared[name].read(value) if isinstance(value, str) else value
                setattr(self.options, name, given)
        self.seed = seed

    def settings(self) -> tuple[Any, ...]:
        """What makes the run what it is; equal settings give equal results, bit for bit."""
        return (self.solver, self.options.settings(), self.seed, self.repeats)


def times(repeats: int) -> str:
    """What follows the name of a run that is repeated."""
    return f" × {repeats}" if repeats > 1 else ""


def _short(value: Any) -> str:
    return f"{value:.3g}".replace("e-0", "e-") if isinstance(value, float) else str(value)

"""How many columns a step looks at: a choice of rule, its numbers, and what it comes to."""

from __future__ import annotations

import dataclasses
from typing import Any

from app.controls.fields import Field
from fwcore import Options, ParameterError, sampling

_LABELS = {
    "count": "columns looked at per step",
    "rho": "probability ρ",
    "relevant": "relevant columns s",
    "top": "share of the steepest",
    "fraction": "share of the columns",
}
"""What numbers of rules are called; those that are called by their names are not here."""
_SHARES = ("fraction", "start", "end")
_PERCENTAGES = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100]


def sampling_field(options: Options, name: str, columns: int, relevant: int) -> Field:
    """What the page draws for a rule of sampling: its kind, its numbers, and what it comes to."""
    rule = getattr(options, name)
    return {
        "kind": "sampling",
        "label": "Columns looked at per step",
        "rule": type(rule).prefix,
        "rules": [[kind.prefix, kind.title] for kind in sampling.RULES],
        "parts": [_part(rule, f.name) for f in dataclasses.fields(rule)],
        "told": told(rule, columns, relevant),
    }


def _part(rule: Any, name: str) -> Field:
    value, label = getattr(rule, name), _LABELS.get(name, name)
    if name not in _SHARES:
        return {"name": name, "label": label, "kind": "text", "value": str(value)}
    shares = sorted({*(percent / 100 for percent in _PERCENTAGES), float(value)})
    steps = [[str(share), f"{100 * share:g} %"] for share in shares]
    return {"name": name, "label": label, "kind": "slider", "value": str(value), "steps": steps}


def told(rule: Any, columns: int, relevant: int) -> str:
    """What a rule comes to, in words."""
    if rule.waits:
        return f"{rule.formula}, found before the run."
    s = min(relevant, columns)
    first, last = rule.kappa(columns, 0.0), rule.kappa(columns, 1.0)
    kappa = f"κ = {first:,}" if first == last else f"κ = {first:,} … {last:,}"
    miss = sampling.miss_probability(columns, last, s)
    return (
        f"{kappa} of {columns:,} columns. With {s:,} relevant columns a draw holds none with "
        f"probability {miss:.2g} (eq. 11)."
    )


def take_sampling(options: Options, name: str, part: str, text: str, columns: int) -> None:
    """Set the kind of rule (``part`` "rule"), or one of its numbers.

    Raises
    ------
    ParameterError
        The text does not fit.
    """
    rule = getattr(options, name)
    if part == "rule":
        kinds = {kind.prefix: kind for kind in sampling.RULES}
        if text not in kinds:
            raise ParameterError("sampling", "the page", f"one of {[*kinds]}", text)
        kind = kinds[text]
        # The usual count may be more than there are columns.
        new: Any = (
            sampling.Count(min(sampling.Count().count, columns))
            if (kind is sampling.Count)
            else kind()
        )
    else:
        known = {f.name: type(getattr(rule, f.name)) for f in dataclasses.fields(rule)}
        if part not in known:
            raise ParameterError("sampling", "the page", f"one of {[*known]}", part)
        try:
            number = known[part](text)
        except ValueError:
            wanted = "an int" if known[part] is int else "a number"
            raise ParameterError(part, type(rule).__name__, wanted, text) from None
        new = dataclasses.replace(rule, **{part: number})
    new.kappa(columns)
    setattr(options, name, new)

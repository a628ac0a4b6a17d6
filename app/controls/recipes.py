"""The controls of data that are made: a slider for each value of a generator."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from app.controls.fields import Field, field
from fwcore import datasets

_STEPS = 20


@cache
def recipes() -> list[dict[str, Any]]:
    """The generators, with a field for each of their values."""
    return [
        {
            "name": name,
            "title": recipe.title,
            "fields": [_field(recipe(), value) for value in recipe.declared()],
        }
        for name, recipe in datasets.made.RECIPES.items()
    ]


def _field(recipe: Any, name: str) -> Field:
    drawn, kind = field(recipe, name), recipe.param[name]
    low, high = kind.get_soft_bounds()
    if kind.softbounds is None:
        return drawn
    value = getattr(recipe, name)
    whole = isinstance(value, int)
    texts = [_text(v, whole) for v in sorted({float(value), *_between(low, high)})]
    steps = [[text, f"{int(text):,}" if whole else text] for text in dict.fromkeys(texts)]
    return drawn | {"kind": "slider", "steps": steps, "value": _text(value, whole)}


def _text(value: float, whole: bool) -> str:
    return str(round(value)) if whole else f"{value:.4g}"


def _between(low: float, high: float) -> list[float]:
    """1, 2 and 5 times the powers of ten between two positive bounds; else even steps."""
    if low <= 0:
        return [float(v) for v in np.linspace(low, high, _STEPS)]
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    return [v for k in powers for v in (d * 10.0**k for d in (1, 2, 5)) if low <= v <= high]

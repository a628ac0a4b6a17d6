"""A field for any parameter that is a kind of option (`fwcore.option_kinds`): what the page draws,
and how what it sends is read.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import param

from fwcore import ParameterError

_DECADES_FOR_A_LOG_SLIDER = 4
_LONGEST_TEXT = 200
Field: TypeAlias = dict[str, Any]


def log_steps(low: float, high: float) -> list[float]:
    """1 and 3 times each power of ten, from ``high`` down to ``low``."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    values = [float(f"{digit}e{power}") for power in powers for digit in (1, 3)]
    return sorted((v for v in values if low <= v <= high), reverse=True)


def short(value: float) -> str:
    """A step of a slider, as it is told."""
    return f"{value:.0e}".replace("e-0", "e-").replace("e+00", "")


def field(owner: param.Parameterized, name: str) -> Field:
    """What the page draws for one parameter."""
    kind = owner.param[name]
    written = kind.write(getattr(owner, name))
    text = "" if written is None else str(written)
    common = {"name": name, "label": kind.label, "doc": kind.doc or "", "value": text}
    return common | WIDGETS[kind.widget](kind, getattr(owner, name))


def _text(kind: Any, value: Any) -> Field:
    return {"kind": "text"}


def _switch(kind: Any, value: Any) -> Field:
    return {"kind": "switch"}


def _select(kind: Any, value: Any) -> Field:
    labels = getattr(kind, "names", None) or {name: name for name in kind.objects}
    return {"kind": "select", "choices": [[str(v), label] for label, v in labels.items()]}


def _amount(kind: Any, value: Any) -> Field:
    low, high = kind.get_soft_bounds()
    if not (low and high and np.log10(high / low) >= _DECADES_FOR_A_LOG_SLIDER):
        return _text(kind, value)
    # The steps of a slider must hold the value that it begins with, or it would change it.
    values = sorted({*log_steps(low, high), float(value)}, reverse=True)
    return {"kind": "slider", "steps": [[str(v), short(v)] for v in values]}


def _sampling(kind: Any, value: Any) -> Field:
    return {"kind": "sampling"}


WIDGETS: dict[str, Callable[[Any, Any], Field]] = {
    "amount": _amount,
    "count": _text,
    "sampling": _sampling,
    "select": _select,
    "switch": _switch,
    "text": _text,
}
"""What shows an option, by the ``widget`` of its kind."""


def take(owner: param.Parameterized, name: str, text: str) -> None:
    """Set a parameter to what was typed.

    Raises
    ------
    ParameterError
        It is none of ``owner``, or does not take that; says what it takes.
    """
    known = [n for n, p in owner.param.objects("existing").items() if hasattr(p, "widget")]
    if name not in known:
        raise ParameterError("name", "the page", f"one of {known}", name)
    kind = owner.param[name]
    try:
        if len(text) > _LONGEST_TEXT:
            raise ValueError
        setattr(owner, name, kind.read(text))
    except ParameterError:
        raise
    except ValueError:
        shown = text[:40]
        raise ParameterError(kind.label or name, "the page", kind.accepts, shown) from None

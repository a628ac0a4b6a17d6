"""The forms of the problem, and what is different between them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """``parameter`` and ``symbol``: what a path runs over, in code and on the page; whether it
    increases, and counts columns.
    """

    parameter: str
    symbol: str
    increasing: bool = True
    whole: bool = False


FORMS: dict[str, Form] = {
    "ball": Form("delta", "δ"),
    "penalty": Form("lam", "λ", increasing=False),
    "support": Form("k", "k", whole=True),
}
"""min f(a) subject to sum abs(a) <= delta; min f(a) + lam * sum abs(a); min f(a) subject to at most
k non-zeros.
"""

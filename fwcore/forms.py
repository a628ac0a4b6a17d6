"""The forms of the problem, and what is different between them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """``parameter`` and ``symbol``: what a path runs over, in code and on the page; ``problem``:
    what is solved at each of its values; whether the values increase, and count columns.
    """

    parameter: str
    symbol: str
    problem: str
    increasing: bool = True
    whole: bool = False


FORMS: dict[str, Form] = {
    "ball": Form("delta", "δ", "min f(a) subject to ‖a‖₁ ≤ δ"),
    "penalty": Form("lam", "λ", "min f(a) + λ‖a‖₁", increasing=False),
    "support": Form("k", "k", "min f(a) subject to at most k coefficients ≠ 0", whole=True),
}
"""min f(a) subject to sum abs(a) <= delta; min f(a) + lam * sum abs(a); min f(a) subject to at most
k non-zeros.
"""

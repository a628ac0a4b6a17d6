"""Accelerated proximal gradient for the penalty form (Beck & Teboulle 2009; Nesterov 2013)."""

from __future__ import annotations

from typing import Any

from fwcore.options import PenaltyOptions
from fwcore.solvers.proximal._accelerated import ProximalOptions, ProximalSolver


class FistaOptions(ProximalOptions, PenaltyOptions):
    """Options of `Fista`."""


class Fista(ProximalSolver):
    """min f(a) + lam * sum abs(a) by soft-thresholded gradient steps from an extrapolated point.

    For an elastic net (r / 2) ||a||^2, r = lam (1 / l1_ratio - 1), is a part of f.

    a_{k+1} = soft(b_k - f'(b_k) / L, lam / L), b_k = a_k + ((t_k - 1) / t_{k+1}) (a_k - a_{k-1}),
    t_{k+1} = (1 + sqrt(1 + 4 t_k^2)) / 2.

    L is found by backtracking, and momentum restarts where it points uphill (O'Donoghue & Candes
    2015), or both are as in SLEP (``steps``). A gradient is charged as p dot
    products, each product X a as one for every non-zero coefficient.
    """

    name = "fista"
    title = "FISTA"
    reference = "Beck & Teboulle 2009; Nesterov 2013 (SLEP's regularised form)"
    form = "penalty"
    Options = FistaOptions

    def ridge_weight(self, options: Any, value: float) -> float:
        return float(options.ridge_weight(value))

"""What papers printed, to stand beside what is measured here."""

from __future__ import annotations

from collections.abc import Mapping

# One percent of all products, of which those that are constant are left out here.
_PYRIM = {"steps": 277, "dots": 7.61e5, "active": 27.6, "speedup": 27.3}
_TRIAZINES = {"steps": 715, "dots": 5.18e6, "active": 120.6}

TABLES: Mapping[str, Mapping[str, Mapping[str, float]]] = {
    "pyrim": {
        "sfw:1%": _PYRIM,
        "sfw:2014": _PYRIM,
        "cd": {"active": 68},
        "scd": {"active": 117},
        "fista": {"active": 3349},
        "apg": {"active": 13_030},
    },
    "triazines": {"sfw:1%": _TRIAZINES, "sfw:6354": _TRIAZINES},
}
"""Dataset -> solver of `fwcore.experiments.compare` -> figure: Frandi et al. (2016), Tables 4 and
5; ``scd`` is theirs of any update.
"""

TEXTS: Mapping[str, float] = {
    "classic-halves": 83.5,
    "hitech-halves": 76.3,
    "la2-halves": 81.2,
    "ohscal-halves": 82.9,
}
"""Accuracy in per cent of CoSaMP on texts: Rakotomamonjy, Koco & Ralaivola (2016), Table II."""


def printed(dataset: str, solver: str, figure: str) -> float | None:
    """The figure that the paper has for a solver on a dataset; None where it has none."""
    rows = TABLES.get(dataset, {})
    name = solver.replace("sampling=", "")
    row = rows.get(name) or rows.get("scd" if name.startswith("scd:") else "", {})
    return row.get(figure)

"""Figure 1 of Shalev-Shwartz & Tewari (2009): solvers racing at one lam."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import holoviews as hv
import numpy as np

from app.theme import RUN_COLOURS, RUN_DASHES
from fwcore import race

# Loads the backend without a word to the notebook, as hv.extension would have.
hv.renderer("bokeh")

COSTS = {"entries": "matrix entries touched", "grads": "derivatives of samples", "seconds": "CPU seconds"}
MEASURES = {"objective": "regularised loss", "density": "share of coefficients ≠ 0"}


def race_curves(curves: Sequence[race.Curve], *, cost: str = "entries", measure: str = "objective") -> Any:
    """What solvers had reached against what it cost, a line each.

    Parameters
    ----------
    curves : sequence of Curve
        From `fwcore.race.race`.
    cost : "entries", "grads" or "seconds"
        The horizontal axis.
    measure : "objective" or "density"
        The vertical axis; the objective has a logarithmic one.

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ValueError
        No curves, or an unknown cost or measure.
    """
    if not curves:
        raise ValueError("The 'curves' parameter of race_curves must be a sequence with a curve. Got an empty one instead.")
    for name, value, known in (("cost", cost, COSTS), ("measure", measure, MEASURES)):
        if value not in known:
            raise ValueError(f"The '{name}' parameter of race_curves must be one of {[*known]}. Got {value!r} instead.")
    lines = []
    for k, curve in enumerate(curves):
        x, y = getattr(curve, cost), getattr(curve, measure)
        told = np.isfinite(x)
        line = hv.Curve((x[told], y[told]), (cost, COSTS[cost]), (measure, MEASURES[measure]), label=curve.contender)
        lines.append(
            line.opts(
                color=RUN_COLOURS[k % len(RUN_COLOURS)], line_dash=RUN_DASHES[k % len(RUN_DASHES)], line_width=2, tools=["hover"]
            )
        )
    plot = hv.Overlay(lines)
    return plot.opts(legend_position="top_right", responsive=True, min_height=320, logy=measure == "objective", show_grid=True)

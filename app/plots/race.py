"""Solvers racing at one lam or delta: Figures 1 of Shalev-Shwartz & Tewari (2009) and of Negiar et
al. (2020).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import holoviews as hv
import numpy as np

from app.theme import run_style
from fwcore import ParameterError, experiments

# Loads the backend without a word to the notebook, as hv.extension would have.
hv.renderer("bokeh")

COSTS = {
    "steps": "steps",
    "entries": "matrix entries touched",
    "grads": "derivatives of samples",
    "seconds": "CPU seconds",
}
MEASURES = {
    "objective": "objective",
    "suboptimality": "(F − F min) / (F max − F min)",
    "density": "share of coefficients ≠ 0",
    "true_gap": "true gap / f(0)",
    "gap": "the method's own gap / f(0)",
}


def race_curves(
    curves: Sequence[experiments.race.Curve],
    *,
    cost: str = "entries",
    measure: str = "objective",
    least: float | None = None,
) -> Any:
    """What solvers had reached against what it cost, a line each.

    Parameters
    ----------
    curves : sequence of Curve
        From `fwcore.experiments.race.race`.
    cost : "entries", "grads", "seconds" or "steps"
        The horizontal axis.
    measure : "objective", "suboptimality", "true_gap", "gap" or "density"
        The vertical axis; only that of the density is not logarithmic. With the suboptimality, both
        are, and what is proven of a method's mean is drawn as a faint line where it says something.
    least : float, optional
        For the suboptimality: the least objective, from
        `fwcore.experiments.race.certified_minimum`.

    Returns
    -------
    holoviews.Overlay

    Raises
    ------
    ParameterError
        No curves, an unknown cost or measure, or a suboptimality without the least objective.

    >>> from fwcore import datasets
    >>> from fwcore.experiments.solver_spec import parse_specs
    >>> problem, specs = datasets.load("diabetes"), parse_specs("scd,cd")
    >>> curves = experiments.race.race(problem, specs, problem.lam_max / 10, entries=1e6)
    >>> [line.label for line in race_curves(curves)]
    ['scd', 'cd']
    """
    _check(curves, cost, measure, least)
    relative = measure == "suboptimality"
    lines = [_line(k, curve, cost, measure, least) for k, curve in enumerate(curves)]
    if least is not None and relative:
        proven = [_proven(k, curve, cost, least) for k, curve in enumerate(curves)]
        lines += [line for line in proven if len(line)]
    return hv.Overlay(lines).opts(
        legend_position="top_right",
        responsive=True,
        min_height=320,
        logx=relative,
        logy=measure != "density",
        show_grid=True,
    )


def _check(
    curves: Sequence[experiments.race.Curve], cost: str, measure: str, least: float | None
) -> None:
    if not curves:
        raise ParameterError("curves", "race_curves", "a sequence with a curve", "an empty one")
    for name, value, known in (("cost", cost, COSTS), ("measure", measure, MEASURES)):
        if value not in known:
            raise ParameterError(name, "race_curves", f"one of {[*known]}", value)
    if measure == "suboptimality" and least is None:
        raise ParameterError("least", "race_curves", "a number for the suboptimality", None)


def _line(
    k: int, curve: experiments.race.Curve, cost: str, measure: str, least: float | None
) -> Any:
    """The ``k``-th curve, where both figures are known."""
    x = getattr(curve, cost)
    if measure == "suboptimality" and least is not None:
        y = curve.suboptimality(least)
        known = np.isfinite(x) & np.isfinite(y) & (x > 0) & (y > 0)
    else:
        y = getattr(curve, measure)
        known = np.isfinite(x) & np.isfinite(y)
    line = hv.Curve(
        (x[known], y[known]),
        (cost, COSTS[cost]),
        (measure, MEASURES[measure]),
        label=curve.solver,
    )
    colour, dash = run_style(k)
    return line.opts(
        color=colour,
        line_dash=dash,
        line_width=2,
        tools=["hover"],
    )


def _proven(k: int, curve: experiments.race.Curve, cost: str, least: float) -> Any:
    """What is proven of the ``k``-th curve, where that is below the suboptimality of the start."""
    x, y = getattr(curve, cost), curve.bound / (curve.objective[0] - least)
    known = np.isfinite(x) & (x > 0) & (y > 0) & (y <= 1.0)
    line = hv.Curve(
        (x[known], y[known]),
        (cost, COSTS[cost]),
        ("suboptimality", MEASURES["suboptimality"]),
        label=f"{curve.solver}, proven",
    )
    return line.opts(color=run_style(k)[0], line_dash="dotted", line_width=1.2, alpha=0.6)


PLOTS: dict[str, Callable[..., Any]] = {
    "race": race_curves,
    "gap": partial(race_curves, measure="true_gap"),
    "active": partial(race_curves, measure="density"),
}
"""Pictures of a race by name."""

"""The gaps along the path (Frandi et al. 2016; what a sampled gap is worth)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.live.picture import LEVEL, SPREAD, Axis, Layer, Picture, Shown, leader
from app.live.thinning import ROUNDING
from app.runs import Run
from fwcore import FORMS

# Gaps nearer than that are the same, but for the step between them.
_SAME = 1.5


class PathGaps(Picture):
    """At the end of each point: what the method saw, and the truth."""

    name = "gap"
    title = "The gap at the end of each point"
    brief = "True gap"
    x = Axis(("point", "l1", "dots"), logs=("dots",))
    y = Axis(("gap",), log=True)
    layers = (
        Layer("gulf", y="seen_gap|relative_gap", label="what the sample did not see"),
        *(replace(layer, y="relative_gap") for layer in SPREAD),
        Layer("rings", y="own_gap", style={"size": 6}),
        Layer("line", y="relative_gap", named=True, style={"line_width": 1.4}),
        Layer("dots", y="relative_gap", style={"size": 5}),
        LEVEL,
    )
    tips = ("point", "own_gap", "relative_gap")
    blank = {"": "No gap: libraries show no steps, and problems with k columns are not convex."}
    help = (
        "The duality gap bounds how far a point is from the optimum. A solver that samples "
        "columns knows the gap over its sample alone (hollow), which at the same iterate is "
        "never larger than the true one (filled). The shaded gulf is what it cannot know; a "
        "small hollow mark certifies nothing. A gap below 1e-13 of f(0) is a rounding error, which "
        "has no mark."
    )
    legend = (
        "Filled: true gap. Hollow: the method's own. Shaded: what the sample did not see. Level: "
        "stopping threshold."
    )

    def describe(self, run: Run) -> str:
        if FORMS[run.solver.form].whole:
            return "no gap, as the problem is not convex; a point stops at k columns"
        gaps = run.relative_gaps
        text = f"true relative gap {gaps[-1]:.2e}, worst point {gaps.max():.2e}; a point stops "
        if (stop := run.stopping) is None:
            return text + "as the library does"
        rule, tol = stop
        text += f"when {'coefficients settle' if rule == 'moved' else 'its own gap is small'}"
        text += f" (threshold {tol:.0e})"
        share = run.kappa_share
        if share is None:
            return text
        return text + f"; κ/n = {share:.3f}, and the smaller it is, the more row sampling helps"

    def finding(self, runs: Sequence[Shown]) -> str:
        """What a sampled gap hides of the selected run, or how good the answers are."""
        lead = leader(runs)
        if lead is None or FORMS[lead.run.solver.form].whole:
            return ""
        true, own = lead.run.relative_gaps, lead.run.own_gaps
        known = np.isfinite(own) & (own > ROUNDING) & (true > ROUNDING)
        worst = f"at most {max(true.max(), ROUNDING):.1e} of f(0)"
        if not known.any():
            return f"{lead.name}: true gap {worst}"
        ratios = true[known] / own[known]
        ratio, most = float(np.median(ratios)), float(ratios.max())
        if most < _SAME:
            alike = ratios.min() > 1 / _SAME
            told = "its own gap is the true one," if alike else "the true gap is below its own,"
            return f"{lead.name}: {told} {worst}"
        if ratio < _SAME:
            return f"The true gap of {lead.name} is up to {_times(most)} times what its sample sees"
        return f"The true gap of {lead.name} is {_times(ratio)} times what its sample sees (median)"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}"


class StepGaps(Picture):
    """The gaps of all steps."""

    name = "steps"
    title = "The gap in each step"
    brief = "All steps"
    x = Axis(("step",), log=True)
    y = Axis(("gap",), log=True)
    layers = (
        Layer("line", "gaps", style={"line_width": 1.2}),
        Layer("dots", "moves", style={"size": 2, "line_alpha": 0.0, "fill_alpha": 0.6}),
        Layer("rings", "checks", style={"size": 5}),
        LEVEL,
    )
    help = (
        "The gap that the method itself sees, step by step over the whole path. It jumps up "
        "at each new point of the path, and falls while the point is walked. Circles are "
        "true gaps, computed off the clock every thousand steps and at the end of each "
        "point."
    )
    legend = (
        "Line: the method's own gap. Circles: true gap. Dots: largest move. Level: stopping "
        "threshold."
    )

    def finding(self, runs: Sequence[Shown]) -> str:
        """How many steps each run took."""
        steps = [(s.name, int(s.run.points["steps"][-1])) for s in runs if s.run.ended]
        said = ", ".join(f"{name} {count:,}" for name, count in steps[:3])
        return f"Steps in all: {said}" if said else ""

    def describe(self, run: Run) -> str:
        return f"{int(run.points['steps'][-1]):,} steps, own gap at last {run.own_gaps[-1]:.2e}"

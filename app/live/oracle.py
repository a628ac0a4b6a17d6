"""Is the draw right? Equation 11 of Frandi et al. (2016), beside draws that are made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.live.picture import Axis, Columns, Layer, Picture, Shown
from app.runs import Run
from fwcore import sampling

_DRAWS = 100
_SHARES = np.geomspace(0.001, 0.5, 24)


def _sizes(lead: Shown) -> tuple[int, int, list[int]]:
    """Columns, relevant ones, and sizes of a draw."""
    p = int(lead.run.walk.problem.p)
    kappas = sorted({max(1, round(share * p)) for share in _SHARES})
    return p, min(p, lead.relevant), kappas


def _formula(entry: Shown, lead: Shown, point: int) -> Columns:
    """The probability that a draw holds none of the relevant columns, by equation 11."""
    if entry.key != lead.key:
        return {"kappa_share": [], "miss": []}
    p, relevant, kappas = _sizes(lead)
    return {
        "kappa_share": [100 * kappa / p for kappa in kappas],
        "miss": [sampling.miss_probability(p, kappa, relevant) for kappa in kappas],
    }


def _simulated(entry: Shown, lead: Shown, point: int) -> Columns:
    """The share of a hundred draws that hold none."""
    if entry.key != lead.key:
        return {"kappa_share": [], "miss": []}
    p, relevant, kappas = _sizes(lead)
    random = np.random.default_rng(0)
    drawn = [random.hypergeometric(relevant, p - relevant, kappa, _DRAWS) for kappa in kappas]
    return {
        "kappa_share": [100 * kappa / p for kappa in kappas],
        "miss": [float(np.mean(found == 0)) for found in drawn],
    }


def _on_curve(kappa: int | None, lead: Shown) -> Columns:
    if kappa is None:
        return {"kappa_share": [], "miss": []}
    p, relevant, _ = _sizes(lead)
    miss = sampling.miss_probability(p, kappa, relevant)
    return {"kappa_share": [100 * kappa / p], "miss": [miss]}


def _here(entry: Shown, lead: Shown, point: int) -> Columns:
    """Where a run is on the curve."""
    return _on_curve(entry.run.kappa() if entry.kin else None, lead)


def _ahead(entry: Shown, lead: Shown, point: int) -> Columns:
    """Where it would be as the list has it by now."""
    walked, planned = entry.run.kappa(), entry.run.kappa(entry.planned)
    return _on_curve(planned if planned != walked and entry.kin else None, lead)


class Simulator(Picture):
    """The probability of a miss as the draw grows: the formula, and draws that are made."""

    name = "simulator"
    title = "How often does a draw hold no relevant column?"
    brief = "Misses"
    x = Axis(("kappa_share",), log=True)
    y = Axis(("miss",))
    layers = (
        Layer("line", "formula", style={"line_width": 1.6}),
        Layer("rings", "simulated", style={"size": 6}),
        Layer("dots", "here", style={"size": 14, "marker": "diamond"}),
        Layer("rings", "ahead", style={"size": 16, "marker": "diamond", "line_width": 2}),
    )
    help = (
        "A step looks at a draw of columns. If none of the columns that matter is among "
        "them, the step cannot make progress on these. The line is the exact probability "
        "(eq. 11 of Frandi et al.), hollow marks are a hundred simulated draws each, and "
        "the diamonds are your runs. Move the slider of the selected run and watch the "
        "hollow diamond."
    )
    legend = (
        f"Line: equation 11 for the relevant columns. Hollow: {_DRAWS} simulated draws. "
        "Diamonds: the runs; hollow: as they are set now."
    )
    computed = {"formula": _formula, "simulated": _simulated, "here": _here, "ahead": _ahead}

    def finding(self, runs: Sequence[Shown]) -> str:
        """What a draw of the selected run misses, or of the first that samples columns."""
        sampling_runs = [s for s in runs if s.run.reached and s.run.kappa() is not None]
        told = next((s for s in sampling_runs if s.lead), next(iter(sampling_runs), None))
        if told is None:
            return ""
        p, relevant, _ = _sizes(told)
        miss = sampling.miss_probability(p, told.run.kappa() or p, relevant)
        those = f"all {relevant} relevant columns" if relevant > 1 else "a relevant column"
        said = f"A draw of {told.name} misses {those} {miss:.0%} of the time"
        return said if told.surely else f"{said}, if {relevant} matter"

    def describe(self, run: Run) -> str:
        kappa = run.kappa()
        return f"{kappa:,} columns a draw" if kappa is not None else ""


class EmptyDraws(Picture):
    """Draws that showed no way down, for each step so far: several may come before one that
    does.
    """

    name = "empty"
    title = "Draws without a descent direction"
    brief = "Empty draws"
    x = Axis(("point", "l1", "dots"), logs=("dots",))
    y = Axis(("empty_share",))
    layers = (
        Layer("line", named=True, style={"line_width": 1.8}),
        Layer("rings", y="chance_share", style={"size": 6}),
    )
    tips = ("point", "empty_share")
    help = (
        "A draw may hold no column along which the objective falls. Such a draw costs its "
        "dot products and moves nothing, so that the solver draws again. With the option to "
        "stop at an empty draw, as Algorithm 2 is printed, chance ends points: hollow "
        "marks."
    )
    legend = (
        "Per step, so far. Such a draw costs dot products, and moves nothing. Hollow: it ended the "
        "point by chance."
    )

    def describe(self, run: Run) -> str:
        last = run.points[-1]
        if not last["empty"] >= 0 or not last["steps"]:
            return ""
        text = f"{int(last['empty']):,} draws moved nothing, in {int(last['steps']):,} steps"
        ended = run.ended_by_chance
        return f"{text}; {ended} of {run.reached} points ended by chance" if ended else text

    def finding(self, runs: Sequence[Shown]) -> str:
        drew = [s for s in runs if s.run.ended and s.run.points["empty"][-1] > 0]
        lead = next((s for s in drew if s.lead), next(iter(drew), None))
        if lead is None:
            return ""
        if ended := lead.run.ended_by_chance:
            return f"Chance ended {ended} of the {lead.run.reached} points of {lead.name}"
        last = lead.run.points[-1]
        share = float(last["empty"] / (last["empty"] + last["steps"]))
        return f"{share:.0%} of the draws of {lead.name} show no descent direction"

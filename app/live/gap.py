"""The gaps of each step (Frandi et al. 2016; what a sampled gap is worth)."""

from __future__ import annotations

from typing import Any

from bokeh.models import Span

from app.live.picture import Picture
from app.live.sources import RunSources
from app.runs import Run
from fwcore import FORMS


class Gaps(Picture):
    """The method's own gap in each step, the true gap where the judge looked, and the line at which
    a point stops.
    """

    name = "gap"
    title = "Gap, relative to f(0)"
    y_label = "gap / f(0)"
    x = "step"
    legend = (
        "Line: the method's own gap. Circles: the true gap. Dots: largest move. Level line: the "
        "stopping threshold."
    )

    def build(self) -> None:
        self.add_figure(y_axis_type="log")
        self._levels: list[Span] = []

    def draw(self, plot: Any, sources: RunSources, line: dict[str, Any], colour: str) -> None:
        self.line(plot, sources.gaps, "step", "gap", line_width=1.2, **line)
        self.mark(
            plot,
            sources.moves,
            "step",
            "gap",
            size=2,
            fill_color=colour,
            line_color=None,
            fill_alpha=0.6,
        )
        self.mark(plot, sources.checks, "step", "gap", size=5, line_color=colour, fill_alpha=0.0)
        style = {"line_color": colour, "line_dash": "dashdot", "line_alpha": 0.8}
        self._levels.append(self.level_line(plot, visible=False, **style))

    def level(self, k: int, run: Run | None) -> None:
        """Draw the stopping line of the k-th run, or none."""
        stop = stopping(run) if run is not None else None
        self._wire.set(
            self._levels[k], visible=stop is not None, location=stop[1] if stop else None
        )

    def describe(self, run: Run) -> str:
        walk = run.walk
        if walk is None or not walk.reached:
            return ""
        if FORMS[run.solver.form].whole:
            return "no gap, as the problem is not convex; a point stops at k columns"
        gaps = walk.points["true_gap"][: walk.reached] / walk.problem.f0
        text = f"true relative gap {gaps[-1]:.2e}, worst point {gaps.max():.2e}; a point stops "
        if (stop := stopping(run)) is None:
            return text + "as the library does"
        rule, tol = stop
        text += f"at {'largest move' if rule == 'moved' else 'own gap'} {tol:.0e}"
        share = walk.notes.get("kappa_share")
        return (
            text
            if share is None
            else text + f"; κ/n = {share:.3f}, and the smaller it is, the more row sampling helps"
        )


def stopping(run: Run) -> tuple[str, float] | None:
    """The stopping rule of a point and its tolerance; None where a library has rules of its own, or
    columns are counted.
    """
    declared = run.solver.Options.declared()
    if "rule" not in declared:
        return None
    rule, tol = (run.options.get(name, declared[name].default) for name in ("rule", "tol"))
    return str(rule), float(tol)

"""Active features against the l1 norm (Frandi et al. 2016, Fig. 4)."""

from __future__ import annotations

from typing import Any

from app.live.picture import Picture
from app.live.sources import RunSources
from app.runs import Run


class ActiveFeatures(Picture):
    """Number of non-zero coefficients, on a linear or a logarithmic axis."""

    name = "active"
    title = "Active features"
    y_label = "non-zero coefficients"
    legend = "Dot: the iterate in flight."

    def build(self) -> None:
        self.add_figure()
        self._drawn: list[tuple[RunSources, dict[str, Any], str]] = []

    def show_log(self, log: bool) -> None:
        """Choose the vertical axis. The figure with the logarithmic one is made when it is first
        asked for.
        """
        if log and len(self.figures) == 1:
            plot = self.add_figure(y_axis_type="log")
            for drawn in self._drawn:
                self._draw_on(plot, *drawn)
            self._put()
        for plot, shown in zip(self.figures, (not log, log), strict=False):
            plot.visible = shown

    def draw(self, plot: Any, sources: RunSources, line: dict[str, Any], colour: str) -> None:
        if plot is self.figures[0]:
            self._drawn.append((sources, line, colour))
        self._draw_on(plot, sources, line, colour)

    def _draw_on(self, plot: Any, sources: RunSources, line: dict[str, Any], colour: str) -> None:
        self.line(plot, sources.points, "l1", "nnz", line_width=2, **line)
        self.mark(plot, sources.head, "l1", "nnz", size=5, fill_color=colour, line_color=colour)

    def describe(self, run: Run) -> str:
        walk = run.walk
        if walk is None or not walk.reached:
            return ""
        counts = walk.points["nnz"][: walk.reached]
        return f"{counts[-1]:,} active features at point {counts.size} of {walk.grid.size}"

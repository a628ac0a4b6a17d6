"""Coefficient paths against the l1 norm (Frandi et al. 2016, Fig. 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bokeh.models import HoverTool

from app.live.features import COUNT, lookup
from app.live.picture import Picture
from app.live.sources import PATH_COLUMNS, RunSources
from app.runs import Run


class CoefficientPaths(Picture):
    """The largest coefficients by mean absolute value of the first run, followed in every run."""

    name = "paths"
    title = f"Coefficient paths, the {COUNT} largest"
    y_label = "coefficient"
    legend = "Dots: the iterate in flight. Hover a line for its feature. The overlay is dashed."

    def build(self) -> None:
        plot = self.add_figure()
        self._lines: list[list[Any]] = [[] for _ in PATH_COLUMNS]
        self._names = [""] * COUNT
        self._hover = HoverTool(
            renderers=[],
            line_policy="nearest",
            tooltips=[
                ("feature", "$name"),
                ("coefficient", "$snap_y{0.00000}"),
                ("ℓ1 norm", "$snap_x{0.0000}"),
            ],
        )
        plot.add_tools(self._hover)

    def draw(self, plot: Any, sources: RunSources, line: dict[str, Any], colour: str) -> None:
        for k, column in enumerate(PATH_COLUMNS):
            renderer = self.line(
                plot, sources.paths, "l1", column, line_width=1.6, line_alpha=0.85, **line
            )
            renderer.name = self._names[k]
            self._lines[k].append(renderer)
        self.mark(
            plot, sources.heads, "l1", "coefficient", size=5, fill_color=colour, line_color=colour
        )

    def add_runs(self, first: int, runs: Sequence[RunSources]) -> None:
        super().add_runs(first, runs)
        self._hover.renderers = [renderer for lines in self._lines for renderer in lines]

    def name_features(self, names: list[str]) -> None:
        """Say which features the lines are, in the order of the columns."""
        self._names = [*names, *[""] * (COUNT - len(names))]
        for lines, name in zip(self._lines, self._names, strict=True):
            for renderer in lines:
                self._wire.set(renderer, name=name)

    def describe(self, run: Run) -> str:
        walk = run.walk
        if walk is None or not walk.reached:
            return ""
        indices, values = walk.columns[walk.reached - 1]
        if not len(indices):
            return "all coefficients are zero"
        largest = indices[abs(values).argmax()]
        value = lookup([largest], indices, values)[0]
        return f"largest coefficient {walk.problem.feature_names[largest]} = {value:.4g}"

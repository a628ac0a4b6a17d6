"""What every live picture is: a Bokeh figure over the shared sources, with a sentence that says
what it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from bokeh.models import (
    AllIndices,
    CDSView,
    ColumnDataSource,
    DataRange1d,
    GlyphRenderer,
    Line,
    Range1d,
    Scatter,
    Span,
)
from bokeh.plotting import figure

from app.live.sources import RunSources
from app.runs import Run
from app.theme import GUIDE_COLOUR, PICTURE_HEIGHT, run_style
from app.wire import Wire

# Nothing here is selected or muted; glyphs for those states would multiply the models of a page by
# four.
_ONE_GLYPH = {
    "selection_glyph": None,
    "nonselection_glyph": None,
    "muted_glyph": None,
    "hover_glyph": None,
}


AXES = {
    "l1": "ℓ1 norm of the coefficients",
    "step": "step",
    "entries": "matrix entries touched",
}
"""Columns of the points that an axis may show, with a label. Pictures over the l1 norm share it."""


class Picture:
    """Built once; runs are added to it as they first appear, and never taken away.

    Attributes
    ----------
    name, title : str
    figures : list of figure
        One, or one for each scale of the vertical axis, of which one is visible.
    cursors : list of Span
        The vertical cursor of each figure.
    x : str
        The horizontal axis, a name in `AXES`.
    optional : bool
        Whether it is shown only where a run `concerns` it.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    x: ClassVar[str] = "l1"
    optional: ClassVar[bool] = False
    y_label: ClassVar[str]
    legend: ClassVar[str] = ""

    def __init__(self, l1_range: Range1d, wire: Wire) -> None:
        self.figures: list[Any] = []
        self.cursors: list[Span] = []
        self._l1_range = l1_range
        self._wire = wire
        self._all_rows = AllIndices()
        self._anchor = ColumnDataSource({"x": [1.0], "y": [1.0]})
        self._new_glyphs: list[tuple[Any, GlyphRenderer[Any]]] = []
        self._new_spans: list[tuple[Any, Span]] = []
        self.build()
        self._put()

    def build(self) -> None:
        """Make the figures."""
        self.add_figure()

    def add_figure(self, **options: Any) -> Any:
        """A figure in the common manner; linked by the range of the l1 norm where that is its
        axis.
        """
        plot = figure(
            title=self.title,
            height=PICTURE_HEIGHT,
            sizing_mode="stretch_width",
            x_range=self._l1_range if self.x == "l1" else DataRange1d(range_padding=0.02),
            x_axis_type="linear" if self.x == "l1" else "log",
            x_axis_label=AXES[self.x],
            y_axis_label=self.y_label,
            tools="xpan,xwheel_zoom,box_zoom,reset,save",
            active_scroll=None,
            output_backend="canvas",
            **options,
        )
        # Axes of a picture without data would be blank: an unseen mark holds them until there are
        # some.
        self.mark(plot, self._anchor, "x", "y", fill_alpha=0.0, line_alpha=0.0, size=1)
        plot.axis.axis_label_standoff = 4
        plot.toolbar.autohide = True
        plot.toolbar.logo = None
        plot.min_border_left = 62
        cursor = Span(
            dimension="height",
            line_color=GUIDE_COLOUR,
            line_dash="dotted",
            line_width=1.5,
            visible=False,
        )
        plot.add_layout(cursor)
        self.figures.append(plot)
        self.cursors.append(cursor)
        return plot

    def line(
        self, plot: Any, source: ColumnDataSource, x: str, y: str, **style: Any
    ) -> GlyphRenderer[Any]:
        """Draw a line."""
        return self._add(plot, source, Line(x=x, y=y, **style))

    def mark(
        self, plot: Any, source: ColumnDataSource, x: str, y: str, **style: Any
    ) -> GlyphRenderer[Any]:
        """Draw a mark a row."""
        return self._add(plot, source, Scatter(x=x, y=y, **style))

    def _add(self, plot: Any, source: ColumnDataSource, glyph: Any) -> GlyphRenderer[Any]:
        # Every message to the page looks at every model of it, so glyphs share what they can.
        there = [*plot.renderers, *(glyph for drawn, glyph in self._new_glyphs if drawn is plot)]
        shared = (renderer.view for renderer in there if renderer.data_source is source)
        view = next(shared, None) or CDSView(filter=self._all_rows)
        renderer = GlyphRenderer(data_source=source, glyph=glyph, view=view, **_ONE_GLYPH)
        self._new_glyphs.append((plot, renderer))
        return renderer

    def level_line(self, plot: Any, **style: Any) -> Span:
        """Draw a line across the picture."""
        span = Span(dimension="width", **style)
        self._new_spans.append((plot, span))
        return span

    def _put(self) -> None:
        """Put what was drawn into its figures, all at once: for each change of its list of glyphs
        the page builds a figure again.
        """
        for plot in self.figures:
            glyphs = [glyph for drawn, glyph in self._new_glyphs if drawn is plot]
            spans = [span for drawn, span in self._new_spans if drawn is plot]
            if glyphs:
                plot.renderers = [*plot.renderers, *glyphs]
            if spans:
                plot.center = [*plot.center, *spans]
        self._new_glyphs, self._new_spans = [], []

    def hold_axes(self, hold: bool) -> None:
        """Show axes although there are no data, or let the data alone decide."""
        shown = [1.0] if hold else []
        self._wire.set(self._anchor, data={"x": shown, "y": shown})

    def add_runs(self, first: int, runs: Sequence[RunSources]) -> None:
        """Draw some more runs, the ``first``-th and those after it, now and from now on."""
        for k, sources in enumerate(runs, first):
            colour, dash = run_style(k)
            for plot in self.figures:
                self.draw(plot, sources, {"line_color": colour, "line_dash": dash}, colour)
        self._put()

    def draw(self, plot: Any, sources: RunSources, line: dict[str, Any], colour: str) -> None:
        """Add the glyphs of one run to one figure."""

    def concerns(self, run: Run) -> bool:
        """Whether the run has anything to show here."""
        return True

    def finding(self, runs: Sequence[Run]) -> str:
        """What the picture shows of all runs, as its title; nothing while there is none."""
        return ""

    def describe(self, run: Run) -> str:
        """What the picture shows of a run that has reached a point, in words for those who cannot
        see it.
        """
        return ""

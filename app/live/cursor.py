"""The vertical cursor: one point of the path, marked in every picture, chosen by the mouse or on a
slider.

It moves in the page, without asking the server.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bokeh.events import MouseMove
from bokeh.models import ColumnDataSource, CustomJS, Div, Span

from app.live.picture import Picture
from app.live.sources import RunSources
from app.wire import Wire

_PLACE = """
    const points = source.data;
    const k = Math.min(Math.round(chosen.data.k[0]), points.l1.length - 1);
    const shown = k >= 0;
    spans.forEach((span, i) => {
        const place = shown ? points[columns[i]][k] : NaN;
        span.visible = Number.isFinite(place);
        if (span.visible) span.location = place;
    });
    if (!shown) { readout.text = ""; return; }
    const say = (x, digits) => Number.isFinite(x) ? Number(x).toPrecision(digits) : "none";
    readout.text = `Point ${points.point[k] + 1}: δ or λ ${say(points.value[k], 4)}, `
        + `ℓ1 norm ${say(points.l1[k], 4)}, ${points.nnz[k]} active, `
        + `test error ${say(points.test_error[k], 4)}, `
        + `train error ${say(points.train_error[k], 4)}, `
        + `true gap / f(0) ${say(points.relative_gap[k], 2)}, after ${points.step[k]} steps`;
"""

_NEAREST = """
    const xs = source.data[column];
    if (xs.length == 0) return;
    let best = 0;
    for (let i = 1; i < xs.length; i++)
        if (Math.abs(xs[i] - cb_obj.x) < Math.abs(xs[best] - cb_obj.x)) best = i;
    if (chosen.data.k[0] != best) chosen.data = {k: [best]};
"""


class Cursor:
    """Links the cursors of all pictures to the points of the first run. ``readout`` tells the point
    in words, and ``tell`` is told which one the mouse has chosen.
    """

    def __init__(
        self,
        pictures: Sequence[Picture],
        sources: RunSources,
        wire: Wire,
        tell: Callable[[int], None],
    ) -> None:
        self._wire = wire
        self._chosen = ColumnDataSource({"k": [-1]})
        # What the mouse chooses in the page comes back as a change of the source.
        self._chosen.on_change("data", lambda name, old, new: tell(int(new["k"][0])))
        self.readout = Div(text="", sizing_mode="stretch_width", min_height=22)
        self._source = sources.points
        self._place = CustomJS(
            args={
                "source": self._source,
                "chosen": self._chosen,
                "readout": self.readout,
                "spans": [],
                "columns": [],
            },
            code=_PLACE,
        )
        self._chosen.js_on_change("data", self._place)
        for picture in pictures:
            for plot, span in zip(picture.figures, picture.cursors, strict=True):
                self.follow(plot, span, picture.x)

    def follow(self, plot: Any, span: Span, column: str) -> None:
        """Let the mouse in ``plot``, whose axis shows a ``column`` of the points, choose the point,
        and mark it by ``span``.
        """
        known = self._place.args
        self._place.args = {
            **known,
            "spans": [*known["spans"], span],
            "columns": [*known["columns"], column],
        }
        args = {"source": self._source, "chosen": self._chosen, "column": column}
        plot.js_on_event(MouseMove, CustomJS(args=args, code=_NEAREST))

    def choose(self, point: int | None) -> None:
        """Mark a point, or none."""
        self._wire.rows(self._chosen, {"k": [-1 if point is None else point]}, replace=True)

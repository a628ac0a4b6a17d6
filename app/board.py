"""The right side of the page: the pictures, their sources, what is said of them in words."""

from __future__ import annotations

import html
import time
from typing import Any

import panel as pn
import panel_material_ui as pmui
from bokeh.models import Div, Range1d

from app.document import push, with_document
from app.live import LIVE, ActiveFeatures, CoefficientPaths, Gaps
from app.live.cursor import Cursor
from app.live.features import TopFeatures
from app.live.picture import Picture
from app.live.sources import RunSources
from app.runs import Run
from app.theme import CARD, CARD_GRID, SMALL_TITLES
from app.wire import Wire

_PREBUILT = 2
_CHOOSE_EVERY_SECONDS = 1.0


class Board:
    """Owns the figures of one page and feeds them from runs. Panes are built once."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._l1_range = Range1d(0.0, 1.0)
        self.pictures: list[Picture] = [picture(self._l1_range, wire) for picture in LIVE]
        self.sources: list[RunSources] = []
        self._features, self._chosen_at = TopFeatures(), 0.0
        self._runs: list[Run] = []
        self._add_slots(_PREBUILT)
        self._cursor = Cursor(self.pictures, self.sources[0], wire, self._point_at)
        self.point = pmui.IntSlider(
            label="Point under the cursor", start=1, end=2, value=1, disabled=True, size="small"
        )
        self.point.param.watch(self._move_cursor, "value")
        self._log = pmui.Switch(label="log axis", value=False, size="small", margin=(0, 10))
        # Bokeh's own Div: to change a Panel pane costs 5 ms, and there are four a second.
        self._captions = {
            picture.name: Div(text="", sizing_mode="stretch_width", margin=(0, 12, 4, 12))
            for picture in self.pictures
        }
        self.table = pn.pane.HTML("", sizing_mode="stretch_width")
        self.view = self._arrange()
        self.say()

    def _move_cursor(self, event: Any) -> None:
        self._cursor.choose(event.new - 1)
        self._wire.send()

    def _point_at(self, k: int) -> None:
        """Let the slider show the point that the mouse has chosen."""
        if 0 <= k < self.point.end:
            self.point.value = k + 1

    def _picture(self, kind: type[Picture]) -> Any:
        return next(picture for picture in self.pictures if isinstance(picture, kind))

    def _add_slots(self, count: int) -> None:
        """Make glyphs and sources for as many runs as are to be shown at once, and never take them
        away.
        """
        first = len(self.sources)
        new = [RunSources(self._wire) for _ in range(first, count)]
        self.sources += new
        for picture in self.pictures:
            picture.add_runs(first, new)
        for k in range(first, count):
            self._show(k)

    def _show(self, k: int) -> None:
        """Let the k-th slot show the k-th run, or none."""
        run = self._runs[k] if k < len(self._runs) else None
        self.sources[k].show(run)
        self._picture(Gaps).level(k, run)

    def begin(self, runs: list[Run]) -> None:
        """Show these runs instead of what was there; each keeps its colour."""
        self._runs = runs
        self._features, self._chosen_at = TopFeatures(), 0.0
        if len(self.sources) < len(self._runs):
            with_document(self._add_slots, len(self._runs))
        for picture in self.pictures:
            picture.hold_axes(True)
            for plot in picture.figures:
                self._wire.reset(plot.x_range)
                self._wire.reset(plot.y_range)
        self._extra.visible = any(
            picture.concerns(run)
            for picture in self.pictures
            if picture.optional
            for run in self._runs
        )
        for k in range(len(self.sources)):
            self._show(k)
        self._cursor.choose(None)
        self.point.disabled = True
        self.table.object = ""
        self.say()

    def resend(self) -> None:
        """Send everything again at the next tick."""
        for sources in self.sources:
            sources.resend()

    def tick(self) -> None:
        """Send what is new of all runs."""
        changed = self._choose_features()
        for sources in self.sources:
            sources.tick(self._features, changed)
        self._fit_range()
        if any(sources.shown for sources in self.sources):
            for picture in self.pictures:
                picture.hold_axes(False)
        first = self._runs[0].walk if self._runs else None
        if first is not None and first.reached and self.point.disabled:
            self.point.param.update(end=max(2, first.grid.size), disabled=False)

    def _choose_features(self) -> bool:
        """Which coefficients to draw; a change sends all paths again, so while a run goes on there
        is at most one a second.
        """
        first = self._runs[0] if self._runs else None
        if first is None or first.walk is None:
            return False
        self._features.follow(first.walk.columns, first.walk.reached)
        now = time.monotonic()
        if not first.state.over and now - self._chosen_at < _CHOOSE_EVERY_SECONDS:
            return False
        if not self._features.choose():
            return False
        self._chosen_at = now
        names = first.walk.problem.feature_names
        self._picture(CoefficientPaths).name_features([names[j] for j in self._features.indices])
        return True

    def _fit_range(self) -> None:
        ends = [0.0]
        for run in self._runs:
            if run.walk is None:
                continue
            if run.solver.form == "ball":
                ends.append(float(run.walk.grid[-1]))
            elif run.walk.reached:
                ends.append(float(run.walk.points["l1"][: run.walk.reached].max()))
        end = 1.02 * max(ends)
        if end > 0:
            self._wire.set(self._l1_range, end=end, reset_end=end)

    def say(self) -> None:
        """Say below each picture what it shows."""
        for picture in self.pictures:
            sentences = [
                f"<b>{html.escape(run.solver.name)}</b>: {html.escape(text)}"
                for run in self._runs
                if (text := picture.describe(run))
            ]
            shown = ". ".join(sentences) + ("." if sentences else "Empty until a path is run.")
            text = (
                f'<div class="caption" id="caption-{picture.name}" '
                'style="font-size:12px;line-height:1.35;min-height:2.8em">'
                f'{shown} <span style="opacity:.75">{html.escape(picture.legend)}</span></div>'
            )
            self._wire.set(self._captions[picture.name], text=text)
            for plot in picture.figures:
                self._wire.set(plot.title, text=picture.finding(self._runs) or picture.title)

    def tabulate(self) -> None:
        """Write the points of all runs as a table."""
        self.table.object = "".join(
            _table(run) for run in self._runs if run.walk is not None and run.walk.reached
        )

    def _arrange(self) -> Any:
        """The pictures in a grid of two columns, of one where the page is narrow, and the table
        below.
        """
        cells: dict[bool, list[Any]] = {False: [], True: []}
        for picture in self.pictures:
            parts: list[Any] = [
                pn.pane.Bokeh(plot, sizing_mode="stretch_width") for plot in picture.figures
            ]
            if isinstance(picture, ActiveFeatures):
                parts = [self._active_cell(picture, parts[0])]
            caption = pn.pane.Bokeh(self._captions[picture.name], sizing_mode="stretch_width")
            cells[picture.optional].append(
                pn.Column(*parts, caption, sizing_mode="stretch_width", styles=CARD, margin=0)
            )
        # Plain boxes in a style sheet's grid: components that React must mount would cost the page
        # a second.
        grid = pn.Column(
            *cells[False], sizing_mode="stretch_width", styles=CARD_GRID, margin=(0, 8)
        )
        # In a grid of its own: one that is there does not grow by a card that appears in it. The
        # box around it is what is hidden: a grid says itself how it is displayed.
        rare = pn.Column(
            *cells[True], sizing_mode="stretch_width", styles=CARD_GRID, margin=(8, 8, 0, 8)
        )
        self._extra = pn.Column(rare, sizing_mode="stretch_width", visible=False, margin=0)
        point = pn.Row(
            self.point,
            pn.pane.Bokeh(self._cursor.readout, sizing_mode="stretch_width"),
            sizing_mode="stretch_width",
        )
        table = pmui.Accordion(
            ("The points as a table", self.table),
            active=[],
            dynamic=True,
            sizing_mode="stretch_width",
            margin=8,
            sx=SMALL_TITLES,
        )
        return pn.Column(grid, self._extra, point, table, sizing_mode="stretch_width", margin=0)

    def _active_cell(self, picture: ActiveFeatures, linear: Any) -> Any:
        """The picture of active features below its switch; the second figure joins when it is first
        shown.
        """
        plots = pn.Column(linear, sizing_mode="stretch_width", margin=0)

        def switch(log: bool) -> None:
            picture.show_log(log)
            if len(picture.figures) > len(plots):
                plots.append(pn.pane.Bokeh(picture.figures[-1], sizing_mode="stretch_width"))
                self._cursor.follow(picture.figures[-1], picture.cursors[-1], picture.x)
            push(self.view)

        self._log.param.watch(lambda event: with_document(switch, event.new), "value")
        # The switch lies over the empty corner beside the picture's title.
        self._log.styles = {"position": "absolute", "right": "8px", "top": "0", "z-index": "2"}
        return pn.Column(
            self._log, plots, sizing_mode="stretch_width", styles={"position": "relative"}, margin=0
        )


_COLUMNS = {
    "point": "point",
    "value": "δ or λ",
    "l1": "ℓ1 norm",
    "nnz": "active",
    "train_error": "train error",
    "test_error": "test error",
    "true_gap": "true gap / f(0)",
    "steps": "steps",
    "dots": "dot products",
}


def _table(run: Run) -> str:
    walk = run.walk
    if walk is None:
        return ""
    rows = walk.points[: walk.reached]
    head = "".join(
        f'<th scope="col" style="text-align:right;padding:2px 8px">{title}</th>'
        for title in _COLUMNS.values()
    )
    body = []
    for row in rows:
        cells = [f"{int(row['point']) + 1}"]
        for name in list(_COLUMNS)[1:]:
            value = row[name] / walk.problem.f0 if name == "true_gap" else row[name]
            cells.append(
                f"{int(value):,}" if rows.dtype[name].kind == "i" else f"{float(value):.4g}"
            )
        body.append(
            "<tr>"
            + "".join(f'<td style="text-align:right;padding:1px 8px">{cell}</td>' for cell in cells)
            + "</tr>"
        )
    return (
        '<div style="overflow-x:auto"><table '
        'style="font-size:12px;border-collapse:collapse"><caption style="text-align:left">'
        f"{html.escape(run.solver.title)}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div>"
    )

"""Explorer: the whole of the page, and what a notebook shows in a cell."""

from __future__ import annotations

from typing import Any

import panel as pn
import panel_material_ui as pmui
import param
from bokeh.models import Div
from panel.io.callbacks import PeriodicCallback
from panel.io.resources import get_dist_path
from panel.viewable import Viewer

from app import words
from app.board import Board
from app.controls.options import SolverCards
from app.controls.problem import grid_controls, problem_controls, solver_controls
from app.controls.transport import Transport
from app.document import forget_busy, served
from app.drain import Drain
from app.runs import RunState, Session
from app.scheduler import scheduler
from app.settings import EXPERIMENT, SPEEDS, Settings
from app.theme import SIDEBAR_WIDTH
from app.wire import Wire
from fwcore import DatasetError, ParameterError

TITLE = "Frank-Wolfe Explorer"


class Explorer(Viewer):
    """Watch solvers of the Lasso walk a regularisation path.

    >>> Explorer()  # doctest: +SKIP
    """

    phase = param.String(
        default="loading",
        doc="loading, empty, preparing, running, paused, done, stopped or failed.",
    )
    headline = param.String(doc="What is being solved, in words.")
    complaint = param.String(doc="What is wrong with the settings, or which run failed and why.")

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.settings = Settings()
        self.session = Session(scheduler)
        self.wire = Wire()
        self.board = Board(self.wire)
        self._page: pmui.Page | None = None
        self._refusal = ""
        self._status = Div(
            text="",
            sizing_mode="stretch_width",
            margin=(0, 12, 4, 12),
            styles={"font-size": "13px"},
            min_height=48,
        )
        self.drain = Drain(self.session, self.board, self.wire, self._show)
        self.transport = Transport(self.param.phase, self.settings, self._command)
        self.settings.param.watch(self._describe, [*EXPERIMENT])
        for options in self.settings.options.values():
            options.param.watch(self._describe, [*options.declared()])
        self.settings.param.watch(lambda event: self.session.set_speed(SPEEDS[event.new]), "speed")
        self.wire.param.watch(self._follow_system, "dark")
        self._wired = not served()
        if not self._wired:
            pn.state.onload(self._wire)
            pn.state.on_session_destroyed(self.close)
        self._describe()
        self._show()
        self._compiling: PeriodicCallback | None = None
        if served() and words.compiling():
            self._compiling = PeriodicCallback(
                callback=self._tell_compiled, period=1000, background=True
            )
            self._compiling.start()

    # Async although it awaits nothing: see app.drain.
    async def _tell_compiled(self) -> None:
        """Say how far the compilation of the solvers is, until it is done."""
        if not words.compiling() and self._compiling is not None:
            self._compiling.stop()
            self._compiling = None
        if not self.session.runs:
            self._show()
            self.wire.send()

    def _wire(self) -> None:
        """The page is ready. What was clicked earlier could have been lost, so that until now no
        button was live.
        """
        self._wired = True
        self._tell()
        self._follow_system()

    def _follow_system(self, *events: Any) -> None:
        """Dark or light, as the system is, until somebody turns the switch of the page."""
        # Components that are mounted after a change of theme would set it back.
        if self._page is not None and self._wired:
            self._page.dark_theme = self.wire.dark

    def _describe(self, *events: Any) -> None:
        """Say what is solved: what was run, not what has been set since."""
        chosen, run = self.settings.chosen(), self.session.experiment
        self.headline = words.headline(run or chosen, changed=run not in (None, chosen))

    def _tell(self, *events: Any) -> None:
        state = self.session.state
        nothing = "empty" if self._wired else "loading"
        failures = [
            f"{run.solver.title}: {run.message}"
            for run in self.session.runs
            if run.state is RunState.FAILED
        ]
        phase, complaint = (
            state.value if state else nothing,
            self._refusal or "\n\n".join(dict.fromkeys(failures)),
        )
        # To set a parameter that stays the same costs a third of a tick.
        if (phase, complaint) != (self.phase, self.complaint):
            self.param.update(phase=phase, complaint=complaint)

    @property
    def status(self) -> str:
        """A line of HTML for each run."""
        return words.status(self.session)

    def _show(self) -> None:
        """Tell, and let the next message carry it."""
        self._tell()
        # Bokeh's own Div: to change a Panel pane ten times a second costs 5 ms each.
        self.wire.set(self._status, text=self.status)

    def _command(self, name: str) -> None:
        """What a button asks for: run, pause, resume, step, stop or reset."""
        self._refusal = ""
        if name == "run" or (name == "step" and not self.session.live):
            self._start(paused=name == "step")
        elif name == "reset":
            self.session.reset()
            self._describe()
            self.board.begin([])
        else:
            getattr(self.session, name)()
        self._show()
        self.wire.send()
        # Also where all have ended meanwhile, or nobody would tell.
        if self.session.runs:
            self.drain.start()
        if name in ("run", "step") and self._page is not None and self.wire.narrow:
            self._page.sidebar_open = False

    def _start(self, *, paused: bool) -> None:
        try:
            experiment = self.settings.experiment()
        except (ParameterError, DatasetError) as error:
            self._refusal = str(error)
            return
        self.session.start(experiment, SPEEDS[self.settings.speed], paused=paused)
        self._describe()
        self.board.begin(self.session.runs)

    def close(self, *events: Any) -> None:
        """Free what the page holds: its runs end at once, and its ticks."""
        # The document is gone by now, and its models with it: only what outlives a page is to be
        # freed.
        self.session.reset()
        self.drain.stop()
        if self._compiling is not None:
            self._compiling.stop()
            self._compiling = None

    def controls(self) -> list[Any]:
        """The left side."""
        return [
            self.transport.view(),
            problem_controls(self.settings),
            solver_controls(self.settings),
            SolverCards(self.settings).view,
            grid_controls(self.settings),
        ]

    def main(self) -> list[Any]:
        """The right side."""
        alert = pmui.Alert(
            object=self.param.complaint,
            visible=self.param.complaint.rx.bool(),
            severity="error",
            sizing_mode="stretch_width",
            margin=(4, 8),
        )
        return [
            self.wire,
            pn.pane.HTML(
                self.param.headline,
                sizing_mode="stretch_width",
                margin=(6, 12, 2, 12),
                styles={"font-size": "14px"},
            ),
            alert,
            pn.pane.Bokeh(self._status, sizing_mode="stretch_width"),
            self.board.view,
        ]

    def page(self) -> Any:
        """The page that is served."""
        if served():
            # Panel points style sheets at this server when it answers the request of the page. A
            # session that is made again because the page took long to connect gets no such request,
            # and its page would ask a content delivery network.
            pn.state.curdoc.template_variables["dist_url"] = get_dist_path()
        self._page = pmui.Page(
            title=TITLE,
            sidebar=self.controls(),
            main=self.main(),
            sidebar_width=SIDEBAR_WIDTH,
            busy_indicator=None,
        )
        forget_busy(self._page)
        return self._page

    def __panel__(self) -> Any:
        left = pn.Column(*self.controls(), width=SIDEBAR_WIDTH)
        return pn.Row(
            left, pn.Column(*self.main(), sizing_mode="stretch_width"), sizing_mode="stretch_width"
        )

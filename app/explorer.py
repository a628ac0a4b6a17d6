"""Explorer: the whole of the page, and what a notebook shows in a cell."""

from __future__ import annotations

import logging
from typing import Any

import panel as pn
from panel.io.callbacks import PeriodicCallback
from panel.io.resources import get_dist_path
from panel.viewable import Viewer

from app import recorded, words
from app.commander import Commander
from app.controls.problem import (
    certified_answer,
    dataset_state,
    grouped,
    problem_fields,
    solver_choices,
)
from app.controls.run import run_form
from app.drain import Drain
from app.feed import Feed
from app.live import all_pictures
from app.runs import COSTS, RunState
from app.scheduler import scheduler
from app.session import Session
from app.settings import Settings, why_not
from app.theme import run_look
from app.views import all_views
from app.wire import Wire
from fwcore import DatasetError, ParameterError, find_loss

TITLE = "Frank-Wolfe Explorer"
_log = logging.getLogger(__name__)


class Explorer(Viewer):
    """Watch solvers of the Lasso walk a regularisation path.

    >>> Explorer()  # doctest: +SKIP
    """

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self.settings = Settings()
        self.session = Session(scheduler)
        self.wire = Wire(self.hear)
        self.feed = Feed(self.wire, self.settings, self.session, scheduler.submit)
        self.drain = Drain(self.session, self.feed, self.wire, self.tell)
        self.selected = self.settings.runs[0].key
        self.refusal = ""
        self._commander = Commander(self)
        self._watch: PeriodicCallback | None = None
        if _served():
            pn.state.on_session_destroyed(self.close)
        self._begin_with_what_was_recorded()
        self.wire.put(
            cell=not _served(),
            pictures=[picture.declaration() for picture in all_pictures()],
            views=[vars(view) for view in all_views()],
            units=[[unit, name] for unit, name in COSTS.items()],
            datasets=grouped(),
        )
        self.feed.look_at(all_views()[0].pictures, table=False)
        self.show()
        self.drain.put(final=True)
        self.wire.opening = self.wire.message()
        if _served() and words.compiling():
            self.watch()

    def _begin_with_what_was_recorded(self) -> None:
        """The first sight is that of runs that have ended, never of empty pictures."""
        keys = [spec.key for spec in self.settings.runs]
        runs = dict(zip(keys, recorded.runs(), strict=True))
        self.session.show(self.settings.chosen(), runs, self.settings.runs)

    def hear(self, data: Any) -> None:
        """Do what the page asks for; what does not fit is refused in words."""
        self.refusal, fault = "", None
        try:
            self._commander.obey(data)
        except (ParameterError, DatasetError, TypeError, ValueError, OverflowError) as error:
            if isinstance(data, dict) and data.get("do") == "set":
                fault = self._fault(data, str(error))
            else:
                self.refusal = str(error)
        self.wire.put(fault=fault)
        self.show()
        # Asked once: a run may end at any moment, and somebody must tell.
        live = self.session.live
        if live:
            # The answer comes at once, and the data with the next tick.
            self.wire.send()
        else:
            self.drain.flush(final=True)
        if live or self.feed.busy:
            self.drain.start()

    @staticmethod
    def _fault(data: dict[str, Any], text: str) -> dict[str, Any]:
        """What is wrong with what was typed, and where, so that it is told beside it."""
        name, value, run = data.get("name"), data.get("value"), data.get("run")
        return {
            "name": name if isinstance(name, str) else "",
            "value": value[:200] if isinstance(value, str) else "",
            "run": run if isinstance(run, int) else None,
            "text": text,
        }

    def show(self) -> None:
        """Put the list of runs, the controls, and what is solved."""
        settings, session = self.settings, self.session
        if self.selected not in {spec.key for spec in settings.runs} and settings.runs:
            self.selected = settings.runs[0].key
        self.feed.lead = self.selected
        chosen = settings.chosen()
        self.wire.put(
            runs=[
                {
                    "key": spec.key,
                    "name": spec.name,
                    "drawn": self.feed.name(spec),
                    "solver": spec.solver,
                    "hidden": spec.hidden,
                    "pinned": spec.pinned,
                    "changed": session.changed(spec, chosen),
                    "against": why_not(spec.solver, settings.loss),
                    **run_look(spec.style),
                }
                for spec in settings.runs
            ],
            selected=self.selected,
            form=run_form(settings.find(self.selected), settings) if settings.runs else None,
            problem=problem_fields(settings),
            dataset=dataset_state(settings),
            solvers=solver_choices(settings),
            certified=certified_answer(settings),
        )
        self.tell()
        if self.wire.state["dataset"]["coming"]:
            self.watch()

    def tell(self) -> None:
        """Put where the runs are."""
        settings, session = self.settings, self.session
        for spec in settings.runs:
            self.wire.put(**{f"row:{spec.key}": words.row(session.group(spec.key))})
        shown = session.experiment or settings.chosen()
        solvers = [spec.solver for spec in settings.runs]
        failures = [
            f"{run.solver.title}: {run.message}"
            for spec in settings.runs
            for run in session.group(spec.key)
            if run.state is RunState.FAILED
        ]
        self.wire.put(
            phase=session.state.value if session.state else "empty",
            headline=words.headline(shown, solvers) if solvers else "Add a run to begin.",
            error=find_loss(shown.loss).error_name,
            changed=any(session.changed(s, settings.chosen()) for s in settings.runs),
            compiling=words.compiling(),
            complaint=self.refusal or "\n".join(dict.fromkeys(failures)),
        )

    def watch(self) -> None:
        """Look every half a second at what goes on beside the runs: what is compiled or fetched."""
        if self._watch is None:
            self._watch = PeriodicCallback(callback=self._look, period=500, background=True)
            self._watch.start()

    # Async although it awaits nothing: see app.drain.
    async def _look(self) -> None:
        state = dataset_state(self.settings)
        self.wire.put(dataset=state, compiling=words.compiling())
        if self._commander.download is not None and self._commander.download.over:
            self.refusal, self._commander.download = self._commander.download.error, None
            self.wire.put(datasets=grouped())
            self.show()
        self.wire.send()
        waiting = state["coming"] or self._commander.download is not None or words.compiling()
        if not waiting and self._watch is not None:
            self._watch.stop()
            self._watch = None

    def close(self, *events: Any) -> None:
        """Free what the page holds: its runs end at once, and its ticks."""
        self.session.reset()
        self.drain.stop()
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    def page(self) -> Any:
        """The page that is served."""
        if _served():
            # Panel points style sheets at this server when it answers the request of the page. A
            # session that is made again because the page took long to connect gets no such request,
            # and its page would ask a content delivery network.
            pn.state.curdoc.template_variables["dist_url"] = get_dist_path()
            pn.state.curdoc.title = TITLE
        return self.wire

    def __panel__(self) -> Any:
        return self.wire


def _served() -> bool:
    """Whether this code runs in a session of a server, as opposed to a notebook or a script."""
    return pn.state.curdoc is not None and pn.state.curdoc.session_context is not None

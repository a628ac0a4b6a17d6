"""Explorer: the whole of the page, and what a notebook shows in a cell."""

from __future__ import annotations

import logging
import weakref
from typing import Any

import panel as pn
from panel.io.callbacks import PeriodicCallback
from panel.viewable import Viewer

from app import address, recorded, server, words
from app.background import Work
from app.bringing import Bringing
from app.commander import Commander
from app.commands import Budget, Faults
from app.controls.problem import (
    certified_answer,
    dataset_state,
    grouped,
    problem_fields,
    solver_choices,
)
from app.controls.recipes import recipes
from app.controls.run import run_entry, run_form
from app.downloads import Download
from app.drain import Drain
from app.feed import Feed
from app.given import given_settings
from app.keeper import the_keeper
from app.live import all_pictures
from app.pace import COSTS, FIRST_PACE, Pace
from app.pages import Pages
from app.run_spec import RunSpec
from app.runs import Run, RunState
from app.saved import SavedRuns
from app.scheduler import scheduler
from app.scripted import Scripted
from app.session import Session
from app.settings import Experiment, Settings
from app.taking import Taking
from app.teaching import Teaching
from app.views import View, all_views
from app.wire import Wire
from fwcore import DatasetError, ParameterError, find_loss

TITLE = "Frank-Wolfe Explorer"
# A person makes a few a second; dragging a slider and an upload make some tens.
_MESSAGES_A_SECOND, _MESSAGES_AT_ONCE = 100.0, 400.0
_WATCH_MS, _READ_MS = 500, 100
"""Between two looks; what is read is waited for by somebody."""
_log = logging.getLogger(__name__)


class Explorer(Scripted, Viewer):
    """Watch solvers of the Lasso walk a regularisation path.

    Parameters
    ----------
    X : ndarray, scipy sparse matrix or DataFrame of shape (m, p), optional
        Data of your own; by default those of ``dataset``.
    y : array of shape (m,), optional
        The response; or ``target``, the name of a column of a DataFrame.
    test : (X_test, y_test), optional
        Rows for the test error; else ``test_fraction`` of the rows, a quarter, are held out.
    feature_names : sequence of p str, optional
    dataset : str, optional
        A name of the catalogue.
    loss : str, optional
        "squared", "logistic" or "huber".
    runs : sequence of str or (str, dict), optional
        Solvers, with options: ``[("sfw", {"sampling": "1%"}), "fw"]``.

    Raises
    ------
    ParameterError
        Something does not fit; where it is a name, the nearest is told.

    >>> explorer = Explorer(dataset="diabetes", runs=[("sfw", {"sampling": "10%"}), "cd"])
    >>> explorer.settings.sampling = "20%"
    >>> [run.name for run in explorer.settings.runs]
    ['sfw 20 %', 'cd']
    >>> explorer.close()
    """

    def __init__(self, X: Any = None, y: Any = None, **given: Any) -> None:
        settings = given_settings(X, y, given)
        self._furnish()
        self._compose(settings or self.pages.asked_for())
        if address.served():
            pn.state.on_session_destroyed(self.close)
            self.pages.enter(self.pages.token)
        self._open(all_views()[0])

    def _furnish(self) -> None:
        """What a page has before it has settings."""
        super().__init__()
        self.wire = Wire(self.hear)
        self.keeper = the_keeper()
        self.pages = Pages(self)
        self.teaching = Teaching(self)
        self.taking = Taking(self)
        self.parts = (SavedRuns(self), Bringing(self), self.taking, self.teaching)
        self.reading, self.making = Work("read"), Work("make")
        self.pace: Pace | None = FIRST_PACE
        self.pace_told: list[Any] = [FIRST_PACE.unit, FIRST_PACE.rate]
        self.download: Download | None = None
        self._events = 0
        self._drawn_as: dict[int, str] = {}
        self.refusal = ""
        self._budget = Budget(_MESSAGES_A_SECOND, _MESSAGES_AT_ONCE)
        self._watch: PeriodicCallback | None = None

    def _open(self, view: View | None) -> None:
        """Put what the page opens with: a view, or controls alone."""
        self.wire.put(
            cell=self.cell if self.partial or not address.served() else None,
            token=self.pages.token if address.served() else "",
            place=address.place(),
            pictures=[picture.declaration() for picture in all_pictures()],
            views=[vars(view) for view in all_views()],
            units=[[unit, name] for unit, name in COSTS.items()],
            recipes=recipes(),
            bounds=server.bounds(),
        )
        self.offer()
        if view is not None:
            self.feed.look_at(view.pictures, table=not view.hero)
        self.teaching.begin()
        self.pages.turn(self.pages.asked)
        self.show()
        self.drain.put(final=True)
        self.wire.opening = self.wire.message()
        if address.served() and words.compiling():
            self.watch()

    def _compose(self, settings: Settings, session: Session | None = None) -> None:
        """Begin with settings: their runs, and what feeds the page. What was recorded of them is
        shown, so that the first sight is never that of empty pictures; unless they have a session,
        of another page, with which this one shares its runs.
        """
        self.settings, self.faults = settings, Faults()
        self.session = session or Session(scheduler, self._keep_run)
        self.feed = Feed(self.wire, settings, self.session, scheduler.submit)
        self.drain = Drain(self.session, self.feed, self.wire, self.tell)
        self._commander = Commander(self)
        # A notebook closes nothing.
        weakref.finalize(self, lambda brought: brought.close(), settings)
        if not address.served() and not self.partial:
            self.follow(settings)
        if session is None and settings.chosen() == recorded.experiment():
            for run in recorded.runs():
                made_of = (run.solver.name, run.options, 0, 1)
                for spec in [s for s in settings.runs if s.settings() == made_of][:1]:
                    self.session.show(settings.chosen(), spec, [run], spec.name)

    def begin_again(self, settings: Settings) -> None:
        """Turn to other settings; the runs of this page end, unless another page shows them."""
        self._leave()
        self._turn(settings)
        for part in self.others:
            part._turn(settings, self.session)

    def _turn(self, settings: Settings, session: Session | None = None) -> None:
        self.drain.stop()
        for spec in self.settings.runs:
            self.wire.rows(spec.key, "*", {}, replace=True)
            self.wire.put(**{f"stop:{spec.key}": None, f"row:{spec.key}": None})
        before = self.feed
        self._compose(settings, session)
        self.offer()
        self.feed.look_at(before.open, before.table, before.outlook)

    def _keep_run(self, run: Run, spec: RunSpec, experiment: Experiment) -> None:
        name = spec.name if run.seed == spec.seed else f"{spec.name}, seed {run.seed}"
        self.keeper.follow(run, self.pages.owner, name, experiment)

    def hear(self, data: Any) -> None:
        """Do what the page asks for; what does not fit is refused in words."""
        manner = self._commander.manner(data)
        if not self._budget.allows(manner.worth):
            return
        asked = data.get("do") if isinstance(data, dict) else None
        self.refusal, self.obeying = "", True
        try:
            self._commander.obey(data)
        except (ParameterError, DatasetError, TypeError, ValueError, OverflowError) as error:
            if asked == "set":
                self.faults.note(data, str(error))
            else:
                self.refusal = str(error)
        except Exception as error:
            # One command less, and the page goes on.
            _log.exception("%s failed", asked)
            self.refusal = f"That failed, and is recorded: {type(error).__name__}: {error}"
        finally:
            self.obeying = False
        self.wire.put(faults=self.faults.told)
        if manner.changes or self.refusal:
            self.answer()
        else:
            self.wire.send()
        if address.served() and asked is not None and manner.saving:
            self.pages.keep()

    def answer(self) -> None:
        """Show what has become of settings and runs, here and on other parts of the page."""
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
        for other in self.others:
            other.show()
            other.drain.start()

    def set_pace(self, pace: Pace | None, unit: str = FIRST_PACE.unit) -> None:
        """What each run may spend a second; None is full speed, told in a ``unit``."""
        self.pace = pace
        self.pace_told = [unit, None] if pace is None else [pace.unit, pace.rate]
        self.session.set_pace(pace)
        for other in self.others:
            other.pace, other.pace_told = self.pace, self.pace_told

    def event(self, happened: str, /, **told: Any) -> None:
        """Tell of something that happened once, whatever is sent again later."""
        self._events += 1
        self.wire.put(**{happened: told | {"number": self._events}})

    def offer(self) -> None:
        """Put the data that can be chosen."""
        self.wire.put(datasets=grouped(self.settings))

    def show(self) -> None:
        """Put the list of runs, the controls, and what is solved."""
        settings, session = self.settings, self.session
        spec = settings.selected_run
        self.feed.lead = spec.key if spec else 0
        chosen = settings.chosen()
        named = {spec.key: (self.feed.listed(spec), self.feed.name(spec)) for spec in settings.runs}
        self._drawn_as = {key: drawn for key, (name, drawn) in named.items() if drawn != name}
        self.wire.put(
            runs=[
                run_entry(spec, settings, *named[spec.key], changed=session.changed(spec, chosen))
                for spec in settings.runs
            ],
            selected=self.feed.lead,
            form=run_form(spec, settings) if spec else None,
            pace=self.pace_told,
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
            row = words.row(session.group(spec.key))
            if row["figures"] and (drawn := self._drawn_as.get(spec.key)):
                row["figures"] = f"{drawn}: {row['figures']}"
            self.wire.put(**{f"row:{spec.key}": row})
        shown = self.feed.experiment_of(self.feed.lead) or settings.chosen()
        walked = [spec.solver for spec in settings.runs if spec.key in session.runs]
        solvers = walked or [spec.solver for spec in settings.runs]
        failures = [
            f"{run.solver.title}: {run.message}"
            for spec in settings.runs
            for run in session.group(spec.key)
            if run.state is RunState.FAILED
        ]
        self.teaching.tell()
        self.keep_still()
        self.wire.put(
            phase=session.state.value if session.state else "empty",
            headline=words.headline(shown, solvers) if solvers else "Add a run to begin.",
            error=find_loss(shown.loss).error_name if session.comparable else "",
            changed=any(session.changed(s, settings.chosen()) for s in settings.runs),
            compiling=words.compiling(),
            complaint=self.refusal or "\n".join(dict.fromkeys(failures)),
            notice=self.keeper.history.trouble,
        )

    def watch(self) -> None:
        """Look now and then at what goes on beside the runs: what is compiled, fetched or read."""
        period = _READ_MS if self.reading.busy else _WATCH_MS
        if self._watch is None:
            self._watch = PeriodicCallback(callback=self._look, period=period, background=True)
            self._watch.start()
        elif self._watch.period != period:
            self._watch.period = period

    # Async although it awaits nothing: see app.drain.
    async def _look(self) -> None:
        state = dataset_state(self.settings)
        self.wire.put(dataset=state, compiling=words.compiling())
        for work in (self.reading, self.making):
            work.look()
        if self.download is not None and self.download.over:
            self.refusal, self.download = self.download.error, None
            self.offer()
            self.show()
        self.wire.send()
        busy = self.download is not None or self.reading.busy or self.making.busy
        waiting = state["coming"] or busy or words.compiling()
        if not waiting and self._watch is not None:
            self._watch.stop()
            self._watch = None

    def _leave(self) -> None:
        self.session.reset()
        self.settings.close()
        self.drain.stop()

    def close(self, *events: Any) -> None:
        """Free what the page holds: its runs end at once, and its ticks."""
        self._leave()
        self.pages.leave()
        self.rest()

    def rest(self) -> None:
        """Tick no more."""
        self.drain.stop()
        if self._watch is not None:
            self._watch.stop()
            self._watch = None

    def page(self) -> Any:
        """The page that is served."""
        if address.served():
            address.furnish(TITLE)
        return self.wire

    def __panel__(self) -> Any:
        return self.wire

import asyncio
import gc
import time
import weakref
from dataclasses import replace

import panel_material_ui as pmui
import pytest
from fakes import scheduler, wait_for

from app import explorer, words
from app.controls.field import text_field
from app.controls.options import WIDGETS, SolverCards, log_steps, widget_for
from app.controls.sampling import SamplingControl
from app.drain import Drain
from app.settings import SPEEDS, Settings
from fwcore import ParameterError, WalkOptions, all_solvers, register, unregister
from fwcore.options import Amount, BatchSize, Switch
from fwcore.solvers.frank_wolfe.fw import DeterministicFW


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setattr(explorer, "scheduler", scheduler())
    page = explorer.Explorer()
    page.settings.param.update(points=10, delta_max=5.0, speed="full speed")
    yield page
    page.close()


def drained(page):
    """Tick as the page would, until nothing is live."""
    wait_for(lambda: not page.session.live, "the runs to end")
    page.drain.flush(final=True)
    page._tell()


def test_run_walks_and_the_page_tells(page):
    assert page.phase == "empty"
    assert not page.transport.run.disabled
    assert page.transport.stop.disabled
    page._command("run")
    assert page.transport.run.disabled
    assert not page.transport.stop.disabled
    drained(page)
    assert page.phase == "done"
    assert 'data-state="done"' in page.status
    assert "point <b>10</b> of 10" in page.status
    assert len(page.board.sources[0].points.data["l1"]) == 10
    page._command("reset")
    assert page.phase == "empty"
    assert "Press <b>Run</b>" in page.status


def test_the_slider_shows_the_point_that_the_mouse_has_chosen(page):
    page._command("run")
    drained(page)
    page.board._cursor._chosen.data = {"k": [4]}
    assert page.board.point.value == 5
    page.board.point.value = 7
    assert page.board._cursor._chosen.data["k"] == [6]


def test_a_loss_that_does_not_fit_is_refused_with_a_remedy(page):
    page.settings.param.update(solver="cd", competitors=[], loss="huber")
    page._command("run")
    assert "such as squared; or choose another solver. Got 'huber'" in page.complaint


def test_step_then_resume_then_stop(page):
    page.settings.speed = "1 step/s"
    page._command("step")
    wait_for(lambda: all(run.latest is not None for run in page.session.runs), "the first step")
    page._tell()
    assert (page.phase, page.transport.pause.label) == ("paused", "Resume")
    page._command("resume")
    assert page.phase == "running"
    assert page.transport.pause.label == "Pause"
    page._command("stop")
    assert page.phase == "stopped"
    assert "What was reached is kept" in page.status


def test_bad_settings_are_told_and_nothing_runs(page, monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_DATA", str(tmp_path))
    page.settings.dataset = "pyrim"
    page._command("run")
    assert "not at hand" in page.complaint
    assert page.session.runs == []


def test_a_complaint_goes_when_the_next_run_starts(page, monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_DATA", str(tmp_path))
    page.settings.dataset = "pyrim"
    page._command("run")
    assert page.complaint
    page.settings.param.update(dataset="diabetes", points=5)
    page._command("run")
    assert page.complaint == ""
    drained(page)


def test_a_tick_is_skipped_while_the_page_lags_and_all_is_sent_after(page):
    page._command("run")
    wait_for(lambda: not page.session.live, "the runs to end")
    page.wire.sent = page.wire.seen + 3
    page.drain._sent_at = time.monotonic() + 3600
    asyncio.run(page.drain._tick())
    assert list(page.board.sources[0].points.data["l1"]) == []
    page.wire.seen = page.wire.sent
    asyncio.run(page.drain._tick())
    assert len(page.board.sources[0].points.data["l1"]) == 10
    assert page.drain not in Drain._live


def test_a_page_that_never_answers_is_still_sent_everything_now_and_then(page):
    page._command("run")
    wait_for(lambda: not page.session.live, "the runs to end")
    page.wire.sent = page.wire.seen + 3
    page.drain._sent_at = time.monotonic() - 3600
    asyncio.run(page.drain._tick())
    assert len(page.board.sources[0].points.data["l1"]) == 10


def test_ticks_slow_down_in_a_crowd(page, monkeypatch):
    monkeypatch.setattr(Drain, "_live", {object() for _ in range(11)})
    assert page.drain._period == 200
    monkeypatch.setattr(Drain, "_live", {object() for _ in range(10)})
    assert page.drain._period == 100


def test_the_headline_says_what_is_solved(page):
    assert "Stochastic Frank-Wolfe" in page.headline
    assert "beside Coordinate descent" in page.headline
    page.settings.solver = "cd"
    assert "λ" in page.headline
    assert "beside" not in page.headline
    page.settings.dataset = "synthetic-10000-32"
    assert "200 rows to learn from, 200 to test on" in page.headline
    assert page.settings.relevant == 32
    page.settings.dataset = "pyrim"
    # Its paper holds out nothing, and the page would have no test error.
    assert "56 rows to learn from, 18 to test on" in page.headline
    page.settings.test_fraction = 0.0
    assert "74 rows to learn from, none held out" in page.headline


def test_the_headline_is_that_of_the_run_until_another_is_made(page):
    page._command("run")
    drained(page)
    shown = page.headline
    assert "changed" not in shown
    page.settings.options["sfw"].sampling = "3%"
    assert page.headline.startswith(shown)
    assert "Settings changed – Run to apply" in page.headline
    page.settings.options["sfw"].sampling = "1%"
    assert page.headline == shown
    page.settings.param.update(dataset="synthetic-10000-32", points=5, delta_max=1.0)
    assert "Diabetes" in page.headline
    page._command("run")
    drained(page)
    assert "changed" not in page.headline
    assert "5 points" in page.headline
    assert "Diabetes" not in page.headline
    page.settings.seed = 1
    page._command("reset")
    assert "changed" not in page.headline


def test_twenty_solvers_run_side_by_side(page):
    names = [s.name for s in all_solvers() if s.compiles and s.form != "support"][:10]
    solvers = tuple((name, {"tol": tol}) for name in names for tol in (1e-2, 3e-2))
    page.session.start(replace(page.settings.experiment(), solvers=solvers), None)
    page.board.begin(page.session.runs)
    wait_for(lambda: not page.session.live, "the runs to end", 300)
    page.drain.flush(final=True)
    assert page.status.count('data-state="done"') == 20
    assert sum(bool(sources.points.data["l1"]) for sources in page.board.sources) == 20


def test_runs_that_end_while_the_click_is_answered_are_told(page, monkeypatch):
    """Run would stay grey for ever."""

    def send():
        wait_for(lambda: not page.session.live, "the runs to end")

    monkeypatch.setattr(page.wire, "send", send)
    page._command("run")
    assert page.drain in Drain._live
    asyncio.run(page.drain._tick())
    assert page.phase == "done"
    assert not page.transport.run.disabled


@pytest.mark.parametrize("text", ["5000", "1", "many", "", "2.5"])
def test_a_number_that_does_not_fit_is_told_in_place_and_changes_nothing(text):
    settings = Settings()
    field = text_field(settings, "points")
    field.value = text
    assert field.error_state
    assert field.helper_text == "Must be an int in [2, 1000]."
    assert settings.points == 100
    field.value = "50"
    assert (field.error_state, field.helper_text, settings.points) == (False, "", 50)
    settings.points = 60
    assert field.value == "60"


def test_a_number_that_is_found_for_you_is_an_empty_field():
    settings = Settings()
    field = text_field(settings, "delta_max")
    assert field.value == ""
    field.value = "0"
    assert field.helper_text == "Must be a number in (0.0, inf), or nothing."
    field.value = "2.5"
    assert settings.delta_max == 2.5
    field.value = " "
    assert settings.delta_max is None


def test_messages_are_escaped():
    page = explorer.Explorer()
    page._command("step")
    page.session.runs[0].fail(RuntimeError("<script>alert(1)</script>"))
    assert "<script>" not in words.status(page.session)
    page.close()


def test_an_explorer_can_be_shown_in_a_cell_and_as_a_page(page):
    assert isinstance(page.page(), pmui.Page)
    model = page.__panel__().get_root()
    figures = [m for m in model.references() if type(m).__name__ == "figure"]
    # One of them waits for a run that it concerns.
    assert len(figures) == 6


def test_nothing_keeps_a_page_that_was_closed(monkeypatch):
    monkeypatch.setattr(explorer, "scheduler", scheduler())
    page = explorer.Explorer()
    shown = page.page()
    page.close()
    gone = [weakref.ref(page), weakref.ref(shown), weakref.ref(page.session)]
    del page, shown
    gc.collect()
    assert [ref() for ref in gone] == [None, None, None]


def test_settings_become_an_experiment_that_is_complete():
    settings = Settings()
    settings.param.update(competitors=["cd", "sfw"], points=7, seed=3)
    settings.options["sfw"].sampling = "3%"
    experiment = settings.experiment()
    assert [name for name, _ in experiment.solvers] == ["sfw", "cd"]
    assert experiment.solvers[0][1]["sampling"] == "3%"
    assert (experiment.points, experiment.seed, experiment.delta_max) == (7, 3, None)
    assert SPEEDS[settings.speed] == 200.0


@pytest.mark.parametrize(
    "setting",
    [{"points": 1}, {"delta_max": 0.0}, {"seed": -1}, {"test_fraction": 0.95}, {"dataset": "x"}],
)
def test_settings_out_of_range_are_refused(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        Settings().param.update(**setting)


def test_the_sampling_control_writes_the_rule_and_says_what_it_comes_to():
    settings = Settings()
    options = settings.options["sfw"]
    control = SamplingControl(options, "sampling", settings)
    assert "κ = 11" in control.told
    assert "⌈fraction · p⌉" in control.told
    control._fields[control._kind.value]["fraction"].value = 0.05
    assert options.sampling.text == "5%"
    assert "κ = 51" in control.told
    kinds = control._kind.options
    control._kind.value = kinds["one of the steepest, with confidence (Theorem 1)"]
    assert options.sampling.text == "top:0.98,0.02"
    assert "κ = 194" in control.told
    settings.dataset = "synthetic-10000-32"
    assert "κ = 194</b> of 10,000 columns" in control.told
    assert "P(miss) = 0.534" in control.told
    control._kind.value = kinds["a number of columns"]
    control._fields[control._kind.value]["count"].value = "20000"
    assert "an int in [1, 10000]. Got 20000" in control.told
    control._fields[control._kind.value]["count"].value = "some"
    assert "an int. Got 'some'" in control.told


@pytest.mark.parametrize("name", [solver.name for solver in all_solvers()])
def test_the_widgets_of_a_card_change_no_option(name):
    settings = Settings()
    before = settings.options[name].settings()
    for option in before:
        widget_for(settings.options[name], option, settings)
    assert settings.options[name].settings() == before


def test_a_tolerance_gets_a_log_slider_over_the_decades():
    assert log_steps(1e-8, 1e-1)[0] == 0.1
    assert log_steps(1e-8, 1e-1)[-1] == 1e-8
    settings = Settings()
    slider = widget_for(settings.options["sfw"], "tol", settings)
    assert isinstance(slider, pmui.DiscreteSlider)
    slider.value = 1e-6
    assert settings.options["sfw"].tol == 1e-6


class Dial(Amount):
    """A kind with a widget of its own."""

    widget = "dial"


def test_a_registered_solver_gets_a_card_from_its_options(monkeypatch):
    class Many(DeterministicFW):
        name = "many"
        title = "Many options"

        class Options(WalkOptions):
            lazy = Switch(default=True, doc="Whether to be lazy.")
            ratio = Amount(default=0.5, bounds=(0.0, 1.0), doc="A ratio.")
            share = BatchSize(default="1%", doc="A share.")
            bright = Dial(default=0.5, bounds=(0.0, 1.0), doc="A kind of its own.")

    def dial(options, name, settings, common):
        return pmui.FloatSlider.from_param(options.param[name], **common)

    monkeypatch.setitem(WIDGETS, "dial", dial)
    register(Many())
    try:
        settings = Settings()
        assert "many" in settings.param.solver.objects
        settings.solver = "many"
        kinds = {
            name: type(widget_for(settings.options["many"], name, settings))
            for name in ("lazy", "ratio", "share", "bright")
        }
        assert kinds == {
            "lazy": pmui.Switch,
            "ratio": pmui.TextInput,
            "share": pmui.TextInput,
            "bright": pmui.FloatSlider,
        }
        cards = SolverCards(settings).view
        assert cards._names == ["Many options (many)", "Coordinate descent (cd)"]
        settings.param.update(solver="cd", competitors=["many", "fw"])
        assert cards._names == [
            "Coordinate descent (cd)",
            "Many options (many)",
            "Frank-Wolfe (fw)",
        ]
        settings.param.update(solver="many", competitors=["cd"])
        assert settings.experiment().solvers[0] == ("many", settings.options["many"].settings())
    finally:
        unregister("many")
    with pytest.raises((ValueError, ParameterError)):
        Settings().solver = "many"

import pytest
from fakes import spec

from app.commands import pace
from app.controls.fields import WIDGETS, field, log_steps, take
from app.controls.problem import dataset_state, grouped, problem_fields, solver_choices
from app.controls.run import run_form, take_run
from app.settings import FIRST_RUNS, MOST_RUNS, Settings, why_not
from fwcore import (
    ParameterError,
    WalkOptions,
    all_solvers,
    datasets,
    find_solver,
    register,
    unregister,
)
from fwcore.options import Amount, BatchSize, Switch
from fwcore.solvers.frank_wolfe.fw import DeterministicFW


@pytest.fixture
def nothing_at_hand(monkeypatch, tmp_path):
    monkeypatch.delenv("FWCORE_DATA", raising=False)
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))


def test_the_list_begins_with_the_runs_of_the_first_sight():
    settings = Settings()
    assert [s.solver for s in settings.runs] == [solver for solver, _ in FIRST_RUNS]
    assert [s.name for s in settings.runs] == ["sfw 1 %", "sfw 10 %", "fw"]
    assert [s.style for s in settings.runs] == [0, 1, 2]


def test_a_run_is_named_by_what_tells_it_apart():
    made = spec(1, "sfw", sampling="3%", tol=1e-5)
    made.seed = 4
    assert made.name == "sfw 3 % tol 1e-5 seed 4"
    made.given_name = "mine"
    assert made.name == "mine"


def test_runs_are_added_copied_moved_removed_and_restored_each_with_its_look():
    settings = Settings()
    first, second, third = settings.runs
    copy = settings.add("sfw", beside=second)
    assert settings.runs == [first, second, copy, third]
    assert copy.settings() == second.settings()
    assert copy.options is not second.options
    copy.options.tol = 1e-5
    assert second.options.tol != 1e-5
    settings.move(third.key, 2)
    assert settings.runs == [first, second, third, copy]
    settings.move(first.key, 0)
    assert settings.runs[0] is first
    settings.remove(second.key)
    new = settings.add("cd")
    # The look of the one that went is kept for it.
    assert new.style != second.style == 1
    assert settings.restore() is second
    assert settings.runs[1] is second
    assert len({s.style for s in settings.runs}) == len(settings.runs)
    assert settings.restore() is None
    assert len({s.key for s in settings.runs}) == len(settings.runs)


def test_there_are_no_more_runs_than_can_be_told_apart():
    settings = Settings()
    for _ in range(MOST_RUNS - 3):
        settings.add("cd")
    with pytest.raises(ParameterError, match=f"at most {MOST_RUNS}"):
        settings.add("cd")


def test_settings_become_an_experiment_that_is_complete():
    settings = Settings(points=7)
    experiment = settings.experiment()
    assert (experiment.dataset, experiment.points) == ("synthetic-10000-32", 7)
    assert (experiment.delta_max, experiment.test_fraction) == (None, 0.5)
    settings.runs.clear()
    with pytest.raises(ParameterError, match="add a run"):
        settings.experiment()


@pytest.mark.parametrize(
    "setting", [{"points": 1}, {"delta_max": 0.0}, {"test_fraction": 0.95}, {"dataset": "x"}]
)
def test_settings_out_of_range_are_refused(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        Settings().param.update(**setting)


def test_data_whose_paper_holds_out_nothing_hold_out_a_quarter():
    settings = Settings()
    for entry in datasets.DATASETS:
        settings.dataset = entry.name
        assert settings.test_fraction > 0


def test_a_dataset_brings_its_sampling_unless_the_user_chose_another():
    settings = Settings()
    settings.dataset = "breast-cancer"
    sampled = [s.options.sampling.text for s in settings.runs[:2]]
    assert sampled == ["20%", "10%"]


def test_a_solver_that_the_loss_lacks_is_refused_with_a_remedy():
    settings = Settings(loss="huber")
    settings.add("cd")
    with pytest.raises(ParameterError, match="choose the squared loss, or another solver"):
        settings.experiment()
    against = {choice["name"]: choice["against"] for choice in solver_choices(settings)}
    assert against["cd"] == why_not("cd", "huber") != ""
    assert against["sfw"] == ""


def test_a_solver_that_the_data_are_too_large_for_is_refused(monkeypatch):
    assert why_not("sklearn", "squared", "triazines") == ""
    monkeypatch.setattr(type(find_solver("sklearn")), "most_entries", 10**8)
    assert "at most 100,000,000 entries" in why_not("sklearn", "squared", "triazines")
    assert why_not("sklearn", "squared", "diabetes") == ""
    assert why_not("cd", "squared", "triazines") == ""


def test_every_solver_is_in_a_family():
    choices = solver_choices(Settings())
    assert [c["name"] for c in choices] == [s.name for s in all_solvers()]
    assert "Registered" not in {c["family"] for c in choices}


@pytest.mark.parametrize("text", ["5000", "1", "many", "", "2.5", "9" * 300])
def test_a_number_that_does_not_fit_is_refused_and_changes_nothing(text):
    settings = Settings()
    with pytest.raises(ParameterError, match=r"must be an int in \[2, 1000\]"):
        take(settings, "points", text)
    assert settings.points == 100
    take(settings, "points", "50")
    assert settings.points == 50


def test_a_number_that_is_found_for_you_is_an_empty_field():
    settings = Settings()
    assert field(settings, "delta_max")["value"] == ""
    with pytest.raises(ParameterError, match="or nothing"):
        take(settings, "delta_max", "0")
    take(settings, "delta_max", "2.5")
    assert settings.delta_max == 2.5
    take(settings, "delta_max", " ")
    assert settings.delta_max is None


@pytest.mark.parametrize("name", ["runs", "name", "options", "__class__", ""])
def test_nothing_but_settings_can_be_set(name):
    with pytest.raises(ParameterError, match="one of"):
        take(Settings(), name, "1")


@pytest.mark.parametrize("name", [solver.name for solver in all_solvers()])
def test_the_fields_of_a_run_hold_its_options_and_change_none(name):
    settings = Settings()
    made = spec(9, name)
    before = made.options.settings()
    form = run_form(made, settings)
    drawn = {f["name"]: f for f in form["first"] + form["rest"]}
    assert set(drawn) == {*before, "seed", "repeats"}
    assert made.options.settings() == before
    for option in before:
        shown = drawn[option]
        if shown["kind"] == "slider":
            assert shown["value"] in [step for step, _ in shown["steps"]]
        if shown["kind"] != "sampling":
            # What is shown is what would be set.
            take_run(made, settings, option, shown["value"])
    assert made.options.settings() == before


def test_the_first_controls_are_the_columns_and_the_tolerance():
    settings = Settings()
    form = run_form(settings.runs[0], settings)
    assert [f["name"] for f in form["first"]] == ["sampling", "tol"]
    assert form["first"][0]["label"] == "Columns looked at per step"
    assert form["first"][0]["parts"][0]["label"] == "share of the columns"


def test_a_tolerance_gets_a_log_slider_over_the_decades():
    assert log_steps(1e-8, 1e-1)[0] == 0.1
    assert log_steps(1e-8, 1e-1)[-1] == 1e-8
    made = spec(1, "sfw")
    slider = field(made.options, "tol")
    assert slider["kind"] == "slider"
    assert ["1e-05", "1e-5"] in slider["steps"]
    take(made.options, "tol", "1e-05")
    assert made.options.tol == 1e-5


def test_the_sampling_is_set_part_by_part_and_says_what_it_comes_to():
    settings = Settings()
    made = settings.runs[0]

    def told():
        return run_form(made, settings)["first"][0]["told"]

    assert "κ = 100 of 10,000 columns" in told()
    take_run(made, settings, "sampling.fraction", "0.05")
    assert made.options.sampling.text == "5%"
    take_run(made, settings, "sampling.rule", "top")
    assert made.options.sampling.text == "top:0.98,0.02"
    assert "κ = 194 of 10,000 columns" in told()
    assert "with probability 0.53 (eq. 11)" in told()
    take_run(made, settings, "sampling.rule", "shrink")
    assert "κ = 1,000 … 100 of 10,000 columns" in told()
    take_run(made, settings, "sampling.rule", "count")
    for part, text, rule in [
        ("count", "20000", "an int in [1, 10000]"),
        ("count", "some", "an int"),
        ("fraction", "0.5", "one of"),
        ("rule", "best", "one of"),
    ]:
        with pytest.raises(ParameterError) as refused:
            take_run(made, settings, f"sampling.{part}", text)
        assert rule in str(refused.value)
    take_run(made, settings, "sampling.count", "5000")
    # Another dataset has fewer columns.
    settings.dataset = "diabetes"
    assert made.options.sampling.text == "1%"
    assert "κ = 11 of 1,001 columns" in told()
    settings.dataset = "breast-cancer"
    take_run(made, settings, "sampling.rule", "count")
    assert made.options.sampling.count == settings.columns < 194


@pytest.mark.parametrize("text", ["-1", "1.5", "x", str(2**32), ""])
def test_a_seed_is_a_whole_number(text):
    settings = Settings()
    with pytest.raises(ParameterError, match="seed"):
        take_run(settings.runs[0], settings, "seed", text)
    take_run(settings.runs[0], settings, "seed", "7")
    assert settings.runs[0].seed == 7


@pytest.mark.parametrize(
    "data",
    [{}, {"unit": "dots", "rate": 0}, {"unit": "miles", "rate": 1.0}]
    + [{"unit": "dots", "rate": rate} for rate in ("1", True, float("inf"), -2.0, float("nan"))],
)
def test_a_pace_is_a_unit_and_a_positive_rate(data):
    with pytest.raises(ParameterError):
        pace(data)
    assert pace({"unit": "dots", "rate": None}) is None
    assert pace({"unit": "seconds", "rate": 0.5}).rate == 0.5


def test_every_dataset_is_in_one_group_and_says_where_it_comes_from(nothing_at_hand):
    groups = dict(grouped(Settings()))
    assert [*groups] == ["Always there", "To be downloaded", "To be put there by hand"]
    names = {kind: [name for name, _, _ in entries] for kind, entries in groups.items()}
    listed = [name for kind in names.values() for name in kind]
    assert sorted(listed) == sorted(entry.name for entry in datasets.DATASETS)
    assert "diabetes" in names["Always there"]
    assert "pyrim" in names["To be downloaded"]
    assert "classic" in names["To be put there by hand"]
    settings = Settings()
    for entry in datasets.DATASETS:
        settings.dataset = entry.name
        assert "Licence: " in dataset_state(settings)["about"]


def test_the_losses_that_a_response_does_not_take_cannot_be_chosen():
    settings = Settings()
    assert problem_fields(settings)[0]["disabled"] == ["logistic"]
    settings.dataset = "breast-cancer"
    assert problem_fields(settings)[0]["disabled"] == []


class Dial(Amount):
    """A kind with a widget of its own."""

    widget = "dial"


def test_a_registered_solver_gets_fields_from_its_options(monkeypatch):
    class Many(DeterministicFW):
        name = "many"
        title = "Many options"

        class Options(WalkOptions):
            lazy = Switch(default=True, doc="Whether to be lazy.")
            ratio = Amount(default=0.5, bounds=(0.0, 1.0), doc="A ratio.")
            share = BatchSize(default="1%", doc="A share.")
            bright = Dial(default=0.5, bounds=(0.0, 1.0), doc="A kind of its own.")

    monkeypatch.setitem(WIDGETS, "dial", lambda kind, value: {"kind": "slider", "steps": []})
    register(Many())
    try:
        settings = Settings()
        made = settings.add("many")
        kinds = {f["name"]: f["kind"] for f in run_form(made, settings)["rest"]}
        assert kinds["lazy"] == "switch"
        assert kinds["ratio"] == kinds["share"] == "text"
        assert kinds["bright"] == "slider"
        take_run(made, settings, "lazy", "false")
        take_run(made, settings, "share", "5%")
        assert (made.options.lazy, made.options.settings()["share"]) == (False, "5%")
        assert "many" in {choice["name"] for choice in solver_choices(settings)}
        assert find_solver("many").title == "Many options"
    finally:
        unregister("many")
    with pytest.raises(ParameterError):
        Settings().add("many")

"""Links that restore every setting, and text of strangers in their place."""

import base64
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

from app import address, links
from app.explorer import Explorer
from app.live import all_pictures
from app.outlook import Outlook, read
from app.settings import MOST_RUNS, Settings
from fwcore import ParameterError, all_solvers


def packed(held, version=links.VERSION):
    data = zlib.compress(json.dumps(held).encode(), 9)
    return f"{version}.{base64.urlsafe_b64encode(data).decode().rstrip('=')}"


def same(first, second):
    assert second.chosen() == first.chosen()
    for mark in ("solver", "seed", "repeats", "given_name", "hidden", "pinned", "style"):
        got = [getattr(spec, mark) for spec in second.runs]
        assert got == [getattr(spec, mark) for spec in first.runs]
    assert [spec.settings() for spec in second.runs] == [spec.settings() for spec in first.runs]


def test_a_link_restores_every_setting():
    chosen = Settings()
    chosen.dataset = "synthetic-50000-158"
    chosen.param.update(split_seed=7, points=33, test_fraction=0.1, delta_max=2.5)
    for solver in all_solvers():
        if len(chosen.runs) < MOST_RUNS:
            chosen.add(solver.name)
    chosen.runs[0].options.param.update(sampling="hit:0.99,5", tol=1e-5, rule="gap")
    chosen.runs[1].seed, chosen.runs[1].repeats = 4_000_000_000, 7
    chosen.runs[2].given_name, chosen.runs[2].pinned = "<b>é</b> 1 %", True
    chosen.runs[3].hidden = True
    # A run was removed meanwhile: those after it keep their colours.
    chosen.remove(chosen.runs[4].key)
    link = links.to_link(chosen)
    assert len(link) < 2_000
    same(chosen, links.read_link(link)[0])


def test_a_link_restores_how_the_page_looked_at_it():
    held = {"view": "gap", "pace": ["entries", 1e6], "large": {"gap": "race"}}
    held["axes"] = {"race": {"x": "seconds", "ylog": True}, "gap": {"x": "point"}}
    outlook = read(held)
    # The first column is what a picture begins with.
    assert outlook.axes == {"race": {"x": "seconds", "ylog": True}}
    chosen = Settings()
    chosen.selected = chosen.runs[2].key
    opened, again = links.read_link(links.to_link(chosen, outlook))
    assert again == outlook
    assert opened.selected_run is opened.runs[2]
    assert links.to_link(chosen) == links.to_link(chosen, Outlook())


@pytest.mark.parametrize(
    ("held", "told"),
    [
        ({"view": "cake"}, "view"),
        ({"axes": {"cake": {}}}, "axes"),
        ({"axes": {"race": {"x": "cake"}}}, "axis"),
        ({"axes": {"race": {"xlog": 1}}}, "scale"),
        ({"large": {"gap": "bars"}}, "large"),
        ({"pace": ["dots"]}, "pace"),
        ({"pace": ["cake", 1.0]}, "unit"),
        ({"pace": ["dots", -1.0]}, "rate"),
        ([], "look"),
    ],
)
def test_a_look_that_does_not_fit_is_refused(held, told):
    with pytest.raises(ParameterError, match=f"'{told}' parameter"):
        read(held)


def test_a_run_at_the_defaults_of_its_solver_keeps_them_whatever_the_dataset_says():
    chosen = Settings()
    chosen.dataset = "digits-3-8"
    chosen.add("sfw").options.param.update(sampling="1%")
    opened, _ = links.read_link(links.to_link(chosen))
    assert opened.runs[-1].options.sampling.text == "1%"
    same(chosen, opened)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "made by Share"),
        ("x" * 9_999, "made by Share"),
        ("1.", "whole, as Share made it"),
        ("1.%%%", "whole, as Share made it"),
        ("1.AAAA", "whole, as Share made it"),
        (packed({}, 2), "this page is older than the link"),
        (packed([]), "made by Share"),
        (packed({"runs": []}), "of a dataset that is here"),
        (packed({"runs": [], "dataset": "own-1"}), "of a dataset that is here"),
        (packed({"runs": [], "dataset": "diabetes", "loss": "x"}), "one of"),
        (
            packed({"runs": [{}] * 99, "dataset": "diabetes", "loss": "squared"}),
            "of at most 40 runs",
        ),
        (packed("[" * 5_000), "made by Share"),
    ],
)
def test_what_is_no_link_of_ours_is_refused_in_words(text, told):
    with pytest.raises(ParameterError, match=told):
        links.read_link(text)


def test_a_link_unpacks_to_no_more_than_a_bound():
    bomb = base64.urlsafe_b64encode(zlib.compress(b" " * 2_000_000, 9)).decode().rstrip("=")
    assert len(bomb) < links.LONGEST
    with pytest.raises(ParameterError, match="whole"):
        links.read_link(f"1.{bomb}")


@pytest.mark.parametrize("count", [40, pytest.param(10_000, marks=pytest.mark.slow)])
def test_whatever_an_address_asks_a_page_opens(monkeypatch, caplog, count):
    words = st.sampled_from(
        ["gap", "rows", "../x", "-1", "1e9", "٣", "%s", links.to_link(Settings())]
    )
    values = st.one_of(st.text(max_size=60), words, st.integers().map(str))

    @budget(max_examples=count, deadline=None, database=None)
    @given(st.dictionaries(st.sampled_from(["s", "lesson", "step", "show", "present"]), values))
    def opens(query):
        asked = {name: text.encode("ascii", "replace").decode() for name, text in query.items()}
        monkeypatch.setattr(address, "asked", lambda name: asked.get(name, ""))
        page = Explorer()
        opened = json.loads(page.wire.opening)["puts"]
        assert opened["runs"]
        assert len(opened["complaint"]) < 700
        # Nothing of another page.
        assert page.settings.own == []
        page.close()

    opens()
    assert [record for record in caplog.records if record.exc_info] == []


RUN = {"solver": "sfw", "options": {}}
PLAIN = {"dataset": "diabetes", "loss": "squared", "runs": [RUN]}
LOOKS = ("selected", "look")
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=300),
    st.lists(st.integers(), max_size=3), st.dictionaries(st.text(max_size=5), st.text(max_size=5)),
)  # fmt: skip


@budget(max_examples=400, deadline=None)
@given(st.data())
def test_hostile_values_are_refused_or_bounded(data):
    held = json.loads(json.dumps(PLAIN))
    name = data.draw(
        st.sampled_from([*PLAIN, *("test_fraction", "split_seed", "points", "delta_max"), *LOOKS])
    )
    if name == "look" and data.draw(st.booleans()):
        parts = st.sampled_from(["view", "axes", "large", "pace"])
        names = st.sampled_from(["race", "gap", "dots", "x", "ylog"])
        tree = st.dictionaries(names, VALUES | st.dictionaries(names, VALUES | names))
        held[name] = data.draw(st.dictionaries(parts, VALUES | tree))
    elif data.draw(st.booleans()):
        held[name] = data.draw(VALUES)
    else:
        own = data.draw(st.sampled_from(["solver", "options", "seed", "repeats", "name", "pinned"]))
        options = st.dictionaries(st.sampled_from(["tol", "sampling", "rule", "x"]), VALUES)
        held["runs"][0][own] = data.draw(st.one_of(VALUES, options))
    try:
        opened, outlook = links.read_link(packed(held))
    except ParameterError:
        return
    assert 2 <= opened.points <= 1000
    assert opened.selected_run is None or opened.selected_run in opened.runs
    assert not outlook.axes or {*outlook.axes} <= {p.name for p in all_pictures()}
    assert len(opened.runs) <= MOST_RUNS
    assert all(len(spec.given_name) <= 60 for spec in opened.runs)


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_random_text_is_refused(count):
    @budget(max_examples=count, deadline=None, database=None)
    @given(st.text(max_size=300))
    def refused(text):
        with pytest.raises(ParameterError):
            links.read_link(text)

    refused()


LINKS = {
    1: "1.eNp9izEOwjAMRe9iia1C7sDCVRBDIG6JlMYhdmCIcnecsR3Y_N97buCdOiGFK_jgHqQkMEFkESPyrq"
    "6QN5A5JB3ogrZKTXbfGgjHD5VRLl_jnDXwUA2Uo2E8I-IMfYLkNjJQuK4v2_9exW05hrSam_EEfVcf4r"
    "18-oO89x9Cc0n7",
}
"""Links of all versions, as they were made then; none is ever changed."""


@pytest.mark.parametrize("version", LINKS)
def test_a_link_of_an_earlier_version_opens(version):
    settings, outlook = links.read_link(LINKS[version])
    assert outlook == Outlook()
    assert (settings.dataset, settings.points) == ("diabetes", 50)
    assert [spec.solver for spec in settings.runs] == ["sfw", "sfw", "fw", "cd"]
    assert settings.runs[0].given_name == "rough"
    assert settings.runs[0].options.tol == 1e-4
    assert max(LINKS) == links.VERSION


def test_long_names_are_cut_so_that_a_link_stays_short():
    settings = Settings()
    settings.clear()
    for k in range(40):
        settings.add("sfw").given_name = f"{k} " + "".join(
            chr(0x4E00 + 97 * k + j) for j in range(56)
        )
    link = links.to_link(settings)
    assert len(link) < 2_000
    assert len(links.read_link(link)[0].runs) == 40

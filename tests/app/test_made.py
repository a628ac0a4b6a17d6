"""Data that are made: on the page, in links, and for the public."""

import pytest

from app.controls.recipes import recipes
from app.links import document, restored
from app.settings import Settings
from fwcore import ParameterError, datasets

NAME = "made:correlated_gaussian:rows=60,columns=300,relevant=4,seed=0,rho=0.9"


def test_a_generator_is_sliders_whose_values_are_taken_as_they_are():
    for recipe in recipes():
        values = {field["name"]: field["value"] for field in recipe["fields"]}
        name = datasets.made.name_of(recipe["name"], values)
        assert name == datasets.made.name_of(recipe["name"], {})
        for field in recipe["fields"]:
            for text, _ in field.get("steps", []):
                kind = datasets.made.RECIPES[recipe["name"]].declared()[field["name"]]
                assert kind.read(text) == pytest.approx(float(text))


def test_data_are_made_chosen_walked_and_shared(small):
    values = {"rows": "60", "columns": "300", "relevant": "4", "rho": "0.9"}
    small.hear({"do": "make", "generator": "correlated_gaussian", "values": values})
    made = small.settings.dataset
    assert made.startswith(NAME)
    assert small.wire.state["dataset"]["name"] == made
    groups = dict(small.wire.state["datasets"])
    assert [name for name, _, _ in groups["Brought or made by you"]] == [made]
    again = restored(document(small.settings))
    assert again.dataset == made
    assert (again.columns, again.relevant) == (300, 4)
    problem = datasets.load(made)
    assert (problem.m, problem.p) == (45, 300)
    assert (datasets.true_coefficients(made, problem) != 0).sum() == 4


@pytest.mark.parametrize(
    ("generator", "values", "what"),
    [
        ("correlated_gaussian", {"rows": "-3"}, "'rows'"),
        ("correlated_gaussian", {"rho": "2"}, "'rho'"),
        ("correlated_gaussian", {"columns": "10", "relevant": "11"}, "'relevant'"),
        ("synthetic", {"rows": "1000000", "columns": "1000"}, "'columns'"),
        ("synthetic", {"nobody": "1"}, "'nobody'"),
        ("nobody", {}, "'dataset'"),
        ("synthetic", {"rows": 7}, "'rows'"),
        ("synthetic", "rows", "'values'"),
        ("synthetic", dict.fromkeys(map(str, range(99)), "1"), "'values'"),
    ],
)
def test_what_cannot_be_made_is_refused_and_changes_nothing(generator, values, what, page):
    before = page.settings.dataset
    page.hear({"do": "make", "generator": generator, "values": values})
    assert what in page.wire.state["complaint"]
    assert page.settings.dataset == before


def test_the_public_makes_less_and_leaves_nothing_on_disk(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_PUBLIC", "1")
    settings = Settings()
    with pytest.raises(ParameterError, match="on this server"):
        settings.choose("made:synthetic:rows=2000,columns=10000")
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    monkeypatch.setenv("FWCORE_CACHE_READONLY", "1")
    datasets.load("diabetes", split_seed=77)
    assert [*tmp_path.iterdir()] == []
    monkeypatch.setenv("FWCORE_CACHE_READONLY", "")
    datasets.load("diabetes", split_seed=78)
    assert [*tmp_path.iterdir()] != []
    kept = sorted(tmp_path.rglob("*"))
    datasets.load(NAME)
    assert sorted(tmp_path.rglob("*")) == kept

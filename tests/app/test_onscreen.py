"""A report draws what is on screen: the same pictures, axes and rows."""

import re
from dataclasses import replace
from html import escape

import holoviews as hv
import numpy as np
import pytest
from fakes import shown, wait_for, walked

from app.live import all_pictures
from app.onscreen import on_screen
from app.outlook import Outlook, read
from app.plots import screen
from app.report import report
from app.views import VIEWS

OUTLOOK = read({
    "view": "gap",
    "axes": {"gap": {"x": "dots", "xlog": True}, "race": {"y": "relative_gap"}},
    "large": {"gap": "race"},
})  # fmt: skip


@pytest.fixture(scope="module")
def entries():
    runs = [
        walked("sfw", points=12, sampling="20%"),
        walked("fw", points=12),
        walked("cd", points=9),
    ]
    return shown(*runs)


def told(entries, names, outlook=OUTLOOK):
    styles = {entry.key: entry.key for entry in entries}
    return on_screen(names, entries, outlook, styles=styles)


def repeated(entries):
    """The first of them as if it had been run with three seeds."""
    first, *others = entries
    return [replace(first, group=(first.run,) * 3), *others]


def test_pictures_of_the_view_come_with_the_large_one_first(entries):
    assert OUTLOOK.pictures() == ("race", "gap", "inside", "steps")
    assert Outlook(view="table").pictures() == VIEWS[0].pictures
    assert [held["name"] for held in told(entries, OUTLOOK.pictures())] == [*OUTLOOK.pictures()]


def test_lines_hold_the_rows_of_the_axes_that_were_chosen(entries):
    race, gap = told(entries, ("race", "gap"))
    assert [gap[axis]["log"] for axis in ("x", "y")] == [True, True]
    for picture, columns in ((race, ("dots", "relative_gap")), (gap, ("dots", "relative_gap"))):
        lines = [e for e in screen(picture) if type(e).__name__ == "Curve"]
        assert len(lines) == len(entries)
        for line, entry in zip(lines, entries, strict=True):
            run = entry.run
            expected = [run.points["dots"], run.relative_gaps]
            fits = np.logical_and.reduce([values > 1e-13 for values in expected])
            for k, name in enumerate(columns):
                assert [d.name for d in line.dimensions()][k] == name
                np.testing.assert_array_equal(line.dimension_values(k), expected[k][fits])


def test_the_gulf_is_shaded_from_what_was_seen_to_the_truth(entries):
    (gap,) = told(entries[:1], ("gap",), Outlook())
    figure = hv.render(screen(gap))
    patch = next(r for r in figure.renderers if type(r.glyph).__name__ == "Patch")
    ys = np.array(patch.data_source.data["y"])
    half = ys.size // 2
    across = ys[half:][::-1] - ys[:half]
    assert (across >= 0).all() or (across <= 0).all()
    assert across.any()


@pytest.mark.parametrize("picture", all_pictures(), ids=lambda picture: picture.name)
def test_every_picture_of_the_page_is_drawn_or_says_why_not(entries, picture):
    (held,) = told(repeated(entries), (picture.name,), Outlook())
    text = report({}, {"pictures": [held]})
    assert held["legend"].split(".")[0] in text.replace("&#x27;", "'")
    if screen(held) is None:
        assert picture.name in ("hits", "steps", "empty") or held["blank"]
        assert any(said in text.replace("&#x27;", "'") for said in held["blank"].values())
    else:
        assert len(re.findall(r"<div id=", text)) == 1


def test_the_threshold_is_drawn_where_a_gap_is_the_rule(entries):
    certified = shown(walked("corrective_fw", points=5, rule="gap", tol=1e-4))
    for several, levels in ((certified, [1e-4]), (entries, [])):
        (held,) = told(several, ("gap",), Outlook())
        drawn = screen(held)
        assert [e.data for e in drawn if type(e).__name__ == "HLine"] == levels
        assert hv.render(drawn)


def test_repeats_are_drawn_as_a_band(entries):
    (held,) = told(repeated(entries[:1]), ("error",), Outlook())
    (area,) = [element for element in screen(held) if type(element).__name__ == "Area"]
    rows = held["runs"][0]["rows"]["spread"]
    for k, end in ((1, "low"), (2, "high")):
        expected = rows[f"test_error_{end}"]
        np.testing.assert_array_equal(area.dimension_values(k), expected)
    (held,) = told(entries[:1], ("error",), Outlook())
    assert "Area" not in {type(element).__name__ for element in screen(held)}


def test_a_page_keeps_how_it_is_looked_at_and_makes_its_report_so(small):
    small.hear({"do": "run"})
    wait_for(lambda: not small.session.live, "the runs")
    look = {"view": "oracle", "axes": {"empty": {"x": "l1"}}, "large": {}}
    names = ["simulator", "draws", "empty", "hits"]
    small.hear({"do": "look", "pictures": names, "table": False, **look})
    assert small.pages.outlook.document() == {
        "view": "oracle", "axes": look["axes"], "pace": ("dots", None)
    }  # fmt: skip
    made = small.taking.made("html").decode()
    legends = {picture.name: picture.legend for picture in all_pictures()}
    assert all(escape(legends[name]) in made for name in names)
    assert escape(legends["race"]) not in made
    small.hear({"do": "look", "pictures": names, "view": "cake"})
    assert "one of" in small.refusal
    assert small.pages.outlook.view == "oracle"

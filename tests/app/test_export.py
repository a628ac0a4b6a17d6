"""Results to take away: every format holds the numbers of the trace."""

import base64
import csv
import io
import json
import re
import zipfile

import numpy as np
import pyarrow.parquet
import pytest
from fakes import shown, wait_for, walked

from app import papers, report
from app.explorer import Explorer
from app.export import FORMATS
from app.live import all_pictures
from app.plots import CURVES, plot
from app.settings import why_not
from app.tables import printed_table
from app.views import all_views
from fwcore import ParameterError

ABOUT = {"headline": "<script>alert(1)</script>"}


@pytest.fixture(scope="module")
def results():
    names = ("=cmd", "cd <i>")
    return dict(zip(names, (walked(n, points=6).walk.result() for n in ("sfw", "cd")), strict=True))


def made(kind, results):
    return FORMATS[kind].make(results, ABOUT, list)


def test_csv_holds_every_point_and_no_formula(results):
    rows = list(csv.DictReader(io.StringIO(made("csv", results).decode())))
    assert [row["run"] for row in rows] == ["'=cmd"] * 6 + ["cd <i>"] * 6
    expected = [value for result in results.values() for value in result.points["objective"]]
    assert [float(row["objective"]) for row in rows] == expected


def test_json_holds_points_and_coefficients(results):
    held = json.loads(made("json", results))
    for run, result in zip(held["runs"], results.values(), strict=True):
        assert run["digest"] == result.digest()
        assert run["points_table"]["l1"] == result.points["l1"].tolist()
        values = [value for point in run["coefficients"] for value in point["values"]]
        assert values == result.coefs.data.tolist()


def test_parquet_holds_a_file_a_run(results):
    with zipfile.ZipFile(io.BytesIO(made("parquet", results))) as archive:
        assert archive.namelist() == ["1 _cmd.parquet", "2 cd _i_.parquet"]
        for name, result in zip(archive.namelist(), results.values(), strict=True):
            table = pyarrow.parquet.read_table(io.BytesIO(archive.read(name)))
            assert table["objective"].to_pylist() == result.points["objective"].tolist()


def test_the_report_asks_for_nothing_and_executes_no_name(results):
    text = made("html", results).decode()
    assert "<script>alert(1)</script>" not in text
    assert "<h1>&lt;script&gt;alert(1)" in text
    assert re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="', text) == []
    # Each number is shown in a few figures, and is there in all of them.
    cells = set(re.findall(r'<td><data value="([^"]*)">', text))
    for result in results.values():
        for name in ("l1", "true_gap", "train_error"):
            assert {repr(value) for value in result.points[name].tolist()} <= cells
        assert result.digest() in text


@pytest.mark.parametrize("kind", CURVES)
def test_a_picture_of_results_draws_their_points(results, kind):
    drawn = plot(results, kind)
    ends = [element.dimension_values(1)[-1] for element in drawn]
    columns = {"active": "nnz", "error": "test_error"}
    if kind in columns:
        assert ends == [result.points[columns[kind]][-1] for result in results.values()]
    assert np.isfinite(ends).all()
    assert plot(next(iter(results.values())), kind)


def test_pictures_refuse_what_they_do_not_know(results):
    with pytest.raises(ValueError, match="one of"):
        plot(results, "cake")
    with pytest.raises(ValueError, match="one at least"):
        plot({}, "path")


def test_a_page_makes_a_file_of_what_it_shows():
    page = Explorer()
    page.hear({"do": "take", "format": "csv"})
    assert "once a run was walked here" in page.refusal
    page.hear({"do": "set", "name": "dataset", "value": "diabetes"})
    page.hear({"do": "set", "name": "points", "value": "5"})
    page.hear({"do": "pace", "unit": "dots", "rate": None})
    page.hear({"do": "run"})
    wait_for(lambda: not page.session.live, "the runs")
    page.hear({"do": "take", "format": "cake"})
    assert "one of" in page.refusal
    page.hear({"do": "take", "format": "csv"})
    page.wire.message()

    def over():
        page.making.look()
        return not page.making.busy

    wait_for(over, "the file")
    file = json.loads(page.wire.message())["puts"]["file"]
    assert base64.b64decode(file["data"]).count(b"\n") == 16
    assert "file" not in page.wire.state
    page.close()


def test_a_report_of_what_was_recorded_shows_its_pictures_and_says_what_it_lacks(page):
    text = page.taking.made("html").decode()
    assert "sfw 1 %" in text
    assert text.count('data-root-id="') == 4
    assert "Recorded in short, without their points: sfw 1 %, sfw 10 %, fw. Run walks" in text


def test_presets_of_papers_are_settings_that_can_be_run():
    views = {view.name for view in all_views()}
    for preset in papers.listed():
        chosen = papers.settings_of(preset["name"])
        assert preset["view"] in views
        assert all(len(row) == len(preset["printed"][0]) for row in preset["printed"])
        for spec in chosen.runs:
            assert why_not(spec.solver, chosen.loss, chosen.dataset) == ""
    with pytest.raises(ParameterError, match="one of"):
        papers.settings_of("nobody")


def test_what_was_printed_stands_beside_ours():
    sampled, descent = walked("sfw", points=5, sampling="10%"), walked("cd", points=5)
    printed = [
        ["method", "iterations", "active features"],
        ["FW", "10", "2.5"],
        ["CD", "1,000", "40"],
        ["SLEP", "7", "9"],
    ]
    entries = shown(sampled, descent)
    table = printed_table(printed, [entries[0], None])
    assert len(table["head"]) == len(table["rows"][0]) == 7
    steps = sampled.points["steps"][-1]
    assert table["rows"][0][1:4] == ["10", f"{steps:,}", f"{steps / 10:.2f}"]
    assert table["rows"][1][2:4] == table["rows"][2][2:4] == ["–", "–"]
    assert printed_table([], entries)["rows"] == []


def test_a_preset_tells_what_was_printed_until_other_data_are_chosen(page):
    page.hear({"do": "paper", "name": "frandi-pyrim"})
    assert page.settings.test_fraction == 0.0
    # Samples are as large as in Table 3, constant columns included.
    kappas = [spec.options.sampling.text for spec in page.settings.runs[:3]]
    assert kappas == ["2014", "4028", "6042"]
    page.hear({"do": "look", "pictures": [], "table": True})
    assert page.wire.state["printed"]["rows"][0][:2] == ["FW 1 %", "277"]
    page.hear({"do": "set", "name": "dataset", "value": "diabetes"})
    assert page.settings.printed is None


def test_a_preset_replaces_the_runs_of_the_page():
    page = Explorer()
    page.hear({"do": "paper", "name": "negiar-breast-cancer"})
    assert page.wire.state["runs"][0]["solver"] == "sfw_rows"
    assert page.wire.state["turned"]["name"] == "gap"
    assert page.settings.printed is None
    page.hear({"do": "papers"})
    assert len(page.wire.state["papers"]) == len(papers.listed())
    page.close()
    assert report.report
    assert all_pictures()

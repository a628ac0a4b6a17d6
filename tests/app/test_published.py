"""The page of a paper: its numbers are those of the Parquet beside it, and it opens offline."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pyarrow.parquet
import pytest

from app import published
from app.plots.papers import panel
from app.theme import run_style
from fwcore.experiments import published as papers
from fwcore.experiments.published import Exhibit, Measured, Method, Panel


@pytest.fixture(scope="module")
def outcome():
    return papers.reproduce(papers.find_paper("negiar"), small=True, seeds=2)


@pytest.fixture(scope="module")
def written(outcome, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages") / "of" / "papers"
    return folder, published.write(outcome, folder)


def rows_of(text):
    """The cells of the tables of a page, row by row."""
    bodies = re.findall(r"<tbody>(.*?)</tbody>", text, re.S)
    rows = [row for body in bodies for row in re.findall(r"<tr>(.*?)</tr>", body)]
    return [[unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row)] for row in rows]


def test_every_number_of_the_page_stands_in_the_parquet_beside_it(written):
    folder, files = written
    assert all(file.exists() and file.stat().st_size > 100 for file in files)
    held = pyarrow.parquet.read_table(folder / "negiar.parquet").to_pylist()
    known = {
        (row["method"], row["figure"], name, papers.number_text(row[name]))
        for row in held
        for name in ("printed", "ours", "least", "most")
    }
    text = (folder / "negiar.html").read_text()
    rows = rows_of(text)
    assert len(rows) == sum(row["printed"] is not None or row["ours"] is not None for row in held)
    for method, figure, *numbers, _, _ in rows:
        for name, number in zip(("printed", "ours", "least", "most"), numbers, strict=True):
            assert (method, figure, name, number) in known


def test_claims_are_told_apart_from_what_was_printed(outcome, written):
    """The races of other sizes claim nothing, so one is made to be of the paper's."""
    whole = replace(outcome.experiments["race-rcv1"], made=False)
    proven = replace(outcome, experiments={**outcome.experiments, "race-rcv1": whole})
    text = published.page(proven)
    told = [claim for e in proven.exhibits for claim in proven.claims(e)]
    assert [claim.experiment for claim in told] == ["race-rcv1"] * 2
    for claim in told:
        assert f"{claim.sentence}: <b>{claim.verdict}</b>, {claim.numbers}." in unescape(text)
    rows = [*published._claim_rows(proven)]
    assert [(row["ours"], row["other"], row["holds"]) for row in rows] == [
        (claim.ours, claim.other, claim.holds) for claim in told
    ]
    assert pyarrow.parquet.read_table(written[0] / "negiar-claims.parquet").num_rows == 0


def test_the_pictures_show_the_curves_beside_them(outcome, written):
    folder, files = written
    curves = pyarrow.parquet.read_table(folder / "negiar-curves.parquet").to_pandas()
    exhibit = outcome.paper.find("figure", "1")
    overlay = panel(outcome, exhibit.panels[0])
    line = next(curve for curve in overlay if curve.label == "This work")
    asked = curves[(curves.experiment == "race-breast-cancer") & (curves.method == "This work")]
    grads = asked[(asked.column == "grads") & (asked.seed == 0)].value.to_numpy()
    np.testing.assert_array_equal(line.dimension_values("grads"), grads[grads > 0][: len(line)])
    assert {file.suffix for file in files} == {".parquet", ".html", ".png", ".svg"}
    text = (folder / "negiar-figure-1-1.svg").read_text()
    shown = [line.label for line in overlay if line.label]
    colours = {run_style(k)[0] for k in range(len(shown))}
    lines = re.findall(r'<g id="line2d_\d+">\s*<path d="[^"]*" clip-path[^>]*stroke: (#\w+)', text)
    assert len(lines) >= len(shown) > 1
    assert set(lines) == colours


def test_the_page_asks_for_nothing_and_executes_no_name(outcome):
    method = Method("<script>alert(1)</script>", "sfw_rows")
    named = replace(outcome.experiments["race-rcv1"], methods=[method])
    found = {"race-rcv1": {method.name: [Measured({"final objective": 1.0})]}}
    exhibit = Exhibit("figure", "1", "<b>bold</b>", ("race-rcv1",))
    shown = {"experiments": {"race-rcv1": named}, "found": found, "exhibits": [exhibit]}
    hostile = replace(outcome, **shown, absent={})
    text = published.page(hostile)
    assert "<script>alert(1)</script>" not in text
    assert "<b>bold</b>" not in text
    assert not re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="http', text)


def test_a_picture_is_the_mean_of_seeds_where_they_share_their_abscissae(outcome):
    shown = Panel("race-rcv1", "relevant", "F-measure", marks="F-measure")
    first, second = (Measured({}, {"relevant": [1.0, 2.0], "F-measure": [0.5, v]}) for v in (1, 0))
    method = Method("a", "omp", printed={"F-measure": "0.8"})
    named = replace(outcome.experiments["race-rcv1"], methods=[method])
    runs = {"race-rcv1": {"a": [first, second]}}
    made = replace(outcome, experiments={"race-rcv1": named}, found=runs)
    overlay = panel(made, shown)
    np.testing.assert_array_equal(overlay.get(0).dimension_values("F-measure"), [0.5, 0.5])
    assert overlay.get(1).data == 0.8
    assert panel(replace(outcome, found={}), shown) is None


def test_what_is_absent_or_made_is_said(outcome):
    standin = replace(
        outcome, absent={"race-rcv1": ["rcv1-sample"]}, standins={"race-california": "made:x"}
    )
    text = published.page(standin)
    assert "the files of rcv1-sample are absent" in text
    assert "data of a similar size, made here (made:x)" in text
    assert "At small sizes" in text
    gone = replace(outcome, exhibits=[Exhibit("table", "I", "Audio", absent="Not to be had.")])
    assert "Not to be had." in published.page(gone)

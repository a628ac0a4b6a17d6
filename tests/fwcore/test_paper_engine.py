"""``fwcore paper``: what was printed beside ours, with a verdict for each figure."""

import json

import pytest
from real_data import needs
from typer.testing import CliRunner

from fwcore import DatasetError, ParameterError, datasets, find_solver
from fwcore.cli import build_app
from fwcore.experiments import papers


def invoked(*arguments):
    return CliRunner().invoke(build_app(["paper"]), ["paper", *arguments])


def test_experiments_are_whole():
    for name, entry in papers.experiments().items():
        assert {"paper", "title", "dataset", "look", "differs", "view", "runs"} <= {*entry}, name
        datasets.find(entry["dataset"])
        for run in entry["runs"]:
            declared = find_solver(run["solver"]).Options.declared()
            assert {*run.get("options", {})} <= {*declared}
        heads, *lines = entry.get("printed", [["method"]])
        assert {*heads[1:]} <= {*papers.FIGURES}
        assert all(len(line) == len(heads) for line in lines)


@pytest.mark.parametrize(
    ("printed", "ours", "verdict"),
    [
        (100.0, 100.0, "within 15 %"),
        (100.0, 115.0, "within 15 %"),
        (100.0, 86.0, "within a factor 2"),
        (100.0, 199.0, "within a factor 2"),
        (100.0, 49.0, "differs"),
        (100.0, 0.0, "differs"),
        (None, 3.0, ""),
        (100.0, None, ""),
    ],
)
def test_a_verdict_is_a_ratio_either_way(printed, ours, verdict):
    assert papers.Cell("m", "f", printed, ours).verdict == verdict


def test_seeds_give_a_median_and_its_ends():
    cells = papers.reproduce("frandi-synthetic", seeds=3)
    by_method = {(cell.method, cell.figure): cell for cell in cells}
    cell = by_method["sfw 1%", "dot products"]
    assert cell.least < cell.ours < cell.most
    assert cell.printed is None
    exact = by_method["cd", "dot products"]
    assert exact.least == exact.ours == exact.most


def test_what_is_stopped_tells_what_was_walked():
    ended = []

    def progress(text, done, total):
        assert total == 4
        if done == 2:
            ended.append(text)

    cells = papers.reproduce("frandi-synthetic", progress=progress, stopped=lambda: bool(ended))
    assert ended == ["sfw 3%, seed 0"]
    walked = {cell.method for cell in cells if cell.ours is not None}
    assert walked == {"sfw 1%", "sfw 2%"}


@pytest.mark.slow
@needs("pyrim")
def test_pyrim_is_within_a_factor_two_of_what_was_printed():
    cells = papers.reproduce("frandi-pyrim")
    walked = [cell for cell in cells if cell.ours is not None]
    assert {cell.method for cell in walked} == {"FW 1 %", "FW 2 %", "FW 3 %", "CD"}
    assert {cell.verdict for cell in walked} <= {"within 15 %", "within a factor 2"}
    # What we do not walk stands there as it was printed.
    slep = [cell for cell in cells if cell.method == "SLEP Const."]
    assert [cell.printed for cell in slep] == [112.0, 1.29e8, 13_030.0]


def test_absent_files_are_told_and_a_stand_in_is_named_as_one(monkeypatch, tmp_path):
    monkeypatch.setenv("FWCORE_DATA", str(tmp_path))
    with pytest.raises(DatasetError):
        papers.reproduce("frandi-pyrim")
    result = invoked("frandi-pyrim")
    assert result.exit_code == 2
    listed = json.loads(invoked("--json").stdout)
    assert {entry["name"]: entry["available"] for entry in listed}["frandi-pyrim"] is False
    assert "--standin" in invoked().stdout
    small = {**papers.find("frandi-pyrim"), "standin": "made:synthetic:rows=60,columns=300"}
    monkeypatch.setattr(papers, "experiments", lambda: {"frandi-pyrim": small})
    told = json.loads(invoked("frandi-pyrim", "--standin", "--json").stdout)
    assert told["standin"]
    assert {cell["method"] for cell in told["cells"]} >= {"FW 1 %", "CD", "SCD"}
    assert "prove nothing" in invoked("frandi-pyrim", "--standin", "--quiet").stdout


def test_the_table_fits_and_says_what_differs():
    result = invoked("frandi-synthetic", "--quiet")
    assert result.exit_code == 0
    assert "What differs: The noise and the seed are ours" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize("given", [["nobody"], ["frandi-synthetic", "--seeds", "0"]])
def test_what_does_not_fit_is_told(given):
    result = invoked(*given)
    assert result.exit_code == 2
    assert "must be" in result.stderr


def test_a_name_and_a_number_of_seeds_are_checked():
    with pytest.raises(ParameterError, match="'paper'"):
        papers.reproduce("nobody")
    with pytest.raises(ParameterError, match="'seeds'"):
        papers.reproduce("frandi-synthetic", seeds=True)

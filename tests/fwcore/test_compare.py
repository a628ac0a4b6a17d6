"""Runs side by side, and the command that prints them."""

import csv
import io
import json
import math
from dataclasses import replace

import numpy as np
import pytest
import toys
from typer.testing import CliRunner

from fwcore import LOSSES, ParameterError, Problem, cli, find_loss
from fwcore.cli.compare import default_solvers
from fwcore.experiments import compare as study
from fwcore.experiments import published
from fwcore.experiments.compare import compare
from fwcore.experiments.solver_spec import parse_specs

ARGUMENTS = [
    "compare",
    "--dataset",
    "diabetes",
    "--points",
    "4",
    "--delta-max",
    "2",
    "--repeats",
    "2",
]


def run(*arguments):
    return CliRunner().invoke(cli.build_app(), [*ARGUMENTS, *arguments])


def test_contenders_are_written_with_their_options():
    first, second, third = parse_specs("cd, sfw:2%,scd:update=exact;tol=1e-4")
    assert (first.solver.name, first.options) == ("cd", {})
    assert second.options == {"sampling": "2%"}
    assert third.options == {"update": "exact", "tol": "1e-4"}
    rules = parse_specs("sfw:top:0.98,0.02,cd,sfw:hit:0.99,5")
    assert [spec.text for spec in rules] == ["sfw:top:0.98,0.02", "cd", "sfw:hit:0.99,5"]
    assert [spec.options.get("sampling") for spec in rules] == ["top:0.98,0.02", None, "hit:0.99,5"]


@pytest.mark.parametrize("text", ["", "nope", "cd:1%", "sfw:0%", "sfw:draw=all", "cd:tol=x"])
def test_contenders_that_are_not_understood(text):
    with pytest.raises(ParameterError):
        parse_specs(text)


@pytest.mark.parametrize("loss", LOSSES)
def test_what_is_compared_by_default_takes_the_loss(loss):
    names = [spec.solver for spec in parse_specs(default_solvers(find_loss(loss)))]
    assert {solver.form for solver in names} == {"penalty", "ball"}
    assert not [solver.name for solver in names if solver.lacks(find_loss(loss))]


def test_a_table_fits_80_columns_and_json_is_short_for_its_format():
    table, short, long = run(), run("--json"), run("--format", "json")
    assert max(map(len, table.stdout.splitlines())) <= 80
    told = [json.loads(done.stdout) for done in (short, long)]
    assert [row["solver"] for row in told[0]] == [row["solver"] for row in told[1]] != []


def test_figures_are_means_over_seeds():
    X, y = toys.arrays("wide")
    problem = Problem.from_arrays(X[:20], y[:20], test=(X[20:], y[20:]))
    rows = compare(
        problem,
        parse_specs("cd,sfw:20%,apg"),
        repeats=3,
        points=5,
        delta_max=4.0,
        shared={"tol": 1e-2},
    )
    assert [row.solver for row in rows] == ["cd", "sfw:20%", "apg"]
    cd, sfw, apg = rows
    assert cd.speedup == 1.0
    assert cd.active_deviation == apg.active_deviation == 0.0
    assert sfw.dots != round(sfw.dots) or sfw.active_deviation > 0
    assert all(row.finished and row.gap > 0 and row.error > 0 and row.at > 0 for row in rows)
    shown = rows._repr_html_()
    assert shown.count("<tr>") == 4
    assert f"<td>sfw:20%</td><td>{sfw.seconds:,.4g}</td>" in shown


def test_what_is_stopped_returns_the_contenders_that_were_done():
    begun = []
    rows = compare(
        toys.problem("wide"),
        parse_specs("cd,fw"),
        repeats=1,
        points=4,
        delta_max=4.0,
        progress=lambda text, done, total: begun.append(text),
        stopped=lambda: "fw" in begun,
    )
    assert [row.solver for row in rows] == ["cd"]


def test_without_test_rows_no_error_is_told():
    (row,) = compare(toys.problem("wide"), parse_specs("cd"), repeats=1, points=3)
    assert math.isnan(row.error)
    assert math.isnan(row.at)


def test_labels_and_points_that_chance_ended_are_told():
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 12))
    test = (random.standard_normal((30, 12)), np.sign(random.standard_normal(30)))
    labels = np.where(X[:, 0] > 0, 1.0, -1.0)
    problem = Problem.from_arrays(X, labels, test=test)
    asked = parse_specs("cd,sfw:sampling=1;empty=stop")
    descent, sampled = compare(problem, asked, repeats=2, points=6)
    assert 0.0 < descent.misclassified < 1.0
    assert sampled.chance > 1.0
    assert math.isnan(descent.chance)


def test_a_loss_that_a_contender_lacks_is_refused_before_anything_runs(monkeypatch):
    X, y = toys.arrays("wide")
    problem = Problem.from_arrays(X, [1.0 if v > 0 else -1.0 for v in y], loss="logistic")
    monkeypatch.setattr(study, "_walked", lambda walk, stopped: pytest.fail("it ran"))
    with pytest.raises(ParameterError, match="'loss' parameter of CoordinateDescent"):
        compare(problem, parse_specs("scd,cd"), repeats=1, points=3)
    monkeypatch.setattr(study.grids, "delta_max", lambda problem: pytest.fail("it ran"))
    for wrong, what in (({"shared": {"tol": 5.0}}, "'tol'"), ({"seed": -1}, "'seed'")):
        with pytest.raises(ParameterError, match=what):
            compare(toys.problem("wide"), parse_specs("sfw"), repeats=1, **wrong)
    with pytest.raises(ParameterError, match="'repeats'"):
        compare(problem, parse_specs("scd"), repeats=0)


def test_every_format_tells_the_same():
    told = json.loads(run("--solvers", "cd,sfw:5%", "--format", "json").stdout)
    assert [row["solver"] for row in told] == ["cd", "sfw:5%"]
    rows = [*csv.DictReader(io.StringIO(run("--solvers", "cd,sfw:5%", "--format", "csv").stdout))]
    assert [float(row["steps"]) for row in rows] == [row["steps"] for row in told]
    markdown = run("--solvers", "cd,sfw:5%", "--format", "markdown").stdout.splitlines()
    assert len(markdown) == 4
    assert markdown[2].startswith("| cd |")
    latex = run("--solvers", "cd,sfw:5%", "--format", "latex").stdout
    assert r"sfw:5\% &" in latex
    assert latex.rstrip().endswith(r"\end{tabular}")
    assert find_loss("squared").error_formula in latex
    assert "sfw:5%" in run("--solvers", "cd,sfw:5%").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "xml"], "'format'"),
        (["--solvers", "nope"], "'solver'"),
        (["--repeats", "0"], "'repeats'"),
        (["--loss", "hinge"], "'loss'"),
        (["--loss", "logistic"], "'y'"),
    ],
)
def test_bad_input_is_one_message(arguments, message):
    result = run(*arguments)
    assert result.exit_code == cli.BAD_INPUT
    assert message in result.stderr.replace("\n", "")


def test_logistic_paths_of_a_classification():
    arguments = [
        "compare",
        "--dataset",
        "breast-cancer",
        "--points",
        "4",
        "--repeats",
        "1",
        "--loss",
        "logistic",
        "--format",
        "json",
    ]
    result = CliRunner().invoke(cli.build_app(), [*arguments, "--solvers", "scd,fista"])
    assert result.exit_code == 0, result.output
    for row in json.loads(result.stdout):
        # The share of test rows on the wrong side.
        assert 0.0 <= row["error"] < 0.2


def test_a_step_limit_has_its_exit_code():
    result = run(
        "--solvers", "fw", "--rule", "gap", "--tol", "1e-12", "--max-steps", "2", "--format", "csv"
    )
    assert result.exit_code == cli.STEP_LIMIT


def test_the_figures_of_the_paper_stand_in_brackets(monkeypatch):
    paper = published.find_paper("frandi")
    pyrim = paper.experiments["pyrim"]
    declared = replace(paper, experiments={"pyrim": replace(pyrim, dataset="diabetes")})
    monkeypatch.setattr("fwcore.experiments.published.papers", lambda: {"frandi": declared})
    told = run("--solvers", "cd,sfw:1%,fista,apg:tol=1e-2", "--format", "markdown").output
    cd, sfw, fista, apg = told.splitlines()[2:]
    assert "[277]" in sfw
    assert "[761,000]" in sfw
    assert "[68.4]" in cd
    assert "[3,349]" in fista
    assert "[13,030]" in apg
    assert "[277]" in run("--solvers", "sfw:1%").output

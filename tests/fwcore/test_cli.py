import dataclasses
import json
import os
import signal
import subprocess
import sys
import types

import pyarrow.parquet
import pytest
import toys
from typer.testing import CliRunner

from fwcore import (
    ParameterError,
    all_solvers,
    cli,
    datasets,
    find_solver,
    register,
    unregister,
    walk_path,
)
from fwcore.option_kinds import RENAMED_VALUES
from fwcore.options import RENAMED
from fwcore.solvers.frank_wolfe.fw import DeterministicFW

FAST = ["path", "--dataset", "diabetes", "--points", "5", "--delta-max", "5"]


def run(*arguments):
    return CliRunner().invoke(cli.build_app(), list(arguments))


def test_a_path_becomes_files(tmp_path):
    out, trace, summary = (
        tmp_path / "path.parquet",
        tmp_path / "trace.parquet",
        tmp_path / "summary.json",
    )
    result = run(
        *FAST,
        "--sampling",
        "20%",
        "--tol",
        "1e-2",
        "--seed",
        "3",
        "--out",
        str(out),
        "--trace",
        str(trace),
        "--json",
        str(summary),
    )
    assert result.exit_code == 0, result.output
    told = json.loads(summary.read_text())
    assert (told["dataset"], told["solver"], told["seed"], told["points"]) == (
        "diabetes",
        "sfw",
        3,
        5,
    )
    assert told["settings"]["sampling"] == "20%"
    assert told["settings"]["tol"] == 0.01
    assert told["value_max"] == 5.0
    keys = {
        "status",
        "steps",
        "dots",
        "entries",
        "seconds",
        "mean_active",
        "best_test_error",
        "max_relative_gap",
        "versions",
    }
    assert keys <= told.keys()
    assert pyarrow.parquet.read_table(out).num_rows == 5
    assert pyarrow.parquet.read_table(trace).num_rows == told["steps"]


def test_without_a_file_the_summary_is_printed():
    result = run(*FAST, "--solver", "cd")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["solver"] == "cd"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--sampling", "0"],
            r"'kappa' parameter of StochasticFW must be an int in [1, 1000]. Got 0 instead.",
        ),
        (["--tol", "x"], r"'tol' parameter of StochasticFW must be a number"),
        (["--solver", "nope"], "'solver'"),
        (["--points", "0"], "'points'"),
        (["--delta-max", "-1"], "'delta_max'"),
        (
            ["--solver", "cd", "--sampling", "1%"],
            "'sampling' parameter of CoordinateDescent must be left out: its options are",
        ),
        (["--dataset", "nope"], "'dataset'"),
        (["--out", "/no/such/folder/file"], "'file'"),
        (["--test-fraction", "2"], "'test_fraction'"),
    ],
)
def test_bad_input_exits_with_2_and_one_message(arguments, message):
    result = run(*FAST, *arguments)
    assert result.exit_code == cli.BAD_INPUT
    assert message in result.stderr.replace("\n", "")
    assert "Traceback" not in result.output


def test_a_step_limit_has_an_exit_code_of_its_own():
    result = run(*FAST, "--solver", "fw", "--rule", "gap", "--tol", "1e-9", "--max-steps", "3")
    assert result.exit_code == cli.STEP_LIMIT
    assert json.loads(result.stdout)["status"] == "step_limit"


def test_a_file_of_ones_own_is_walked(tmp_path):
    (tmp_path / "mine.csv").write_text(
        "a;s;b;price\n" + "".join(f"{i},5;{'MF'[i % 2]};{i * i % 7};{i % 5}\n" for i in range(12))
    )
    own = [
        "path",
        "--data",
        str(tmp_path / "mine.csv"),
        "--target",
        "price",
        "--solver",
        "cd",
        "--points",
        "3",
        "--degree",
        "2",
    ]
    refused = run(*own)
    assert refused.exit_code == cli.BAD_INPUT
    assert "text in column 's'" in refused.stderr
    done = run(*own, "--categorical", "one-hot")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["dataset"] == "mine.csv"
    assert "encoded: s: F, M" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "'dataset'"),
        (["--dataset", "diabetes", "--data", "x.csv"], "'dataset'"),
        (
            ["--dataset", "diabetes", "--target", "y"],
            "'target' parameter of fwcore path must be left out without --data",
        ),
        (["--data", "/"], "a folder"),
        (["--data", "nowhere.csv"], "nowhere.csv: there is no such file"),
        (["--data", "nowhere.csv", "--missing", "guess"], "'missing'"),
        (["--data", "nowhere.csv", "--delimiter", "::"], "'delimiter'"),
    ],
)
def test_a_file_of_ones_own_that_cannot_be_had(arguments, message):
    result = run("path", *arguments)
    assert result.exit_code == cli.BAD_INPUT
    assert message in result.stderr.replace("\n", "")


def test_a_dataset_is_described_and_fetched(monkeypatch, tmp_path):
    told = run("datasets", "info", "diabetes").output
    assert all(
        text in told for text in ("442", "1,001", "products to degree 4", "scikit-learn", "always")
    )
    assert "at hand" in run("datasets", "fetch", "diabetes").stderr
    assert "'nothing'" in run("datasets", "info", "nothing").stderr
    monkeypatch.delenv("FWCORE_DATA", raising=False)
    monkeypatch.setenv("FWCORE_CACHE", str(tmp_path))
    fetched = run("datasets", "fetch", "classic")
    assert fetched.exit_code == cli.BAD_INPUT
    assert "text/classic.mat has no known address" in fetched.stderr.replace("\n", " ")
    assert ".parquet" in run("datasets", "formats").output
    assert run("datasets", "--markdown").output.startswith("# Datasets")


def test_the_lists_name_everything():
    assert all(name in run("datasets").output for name in ("diabetes", "pyrim"))
    assert all(name in run("solvers").output for name in ("sfw", "fw", "cd"))
    assert "--sampling 1%" in run("solvers", "sfw").output
    for command in ("solvers", "datasets"):
        lines = run(command).output.splitlines()
        assert max(map(len, lines)) <= 80
        assert len(json.loads(run(command, "--json").output)) > 20
    assert json.loads(run("solvers", "cd", "--json").output)[0]["needs"] == ["closed_line_search"]
    assert "one of" in run("solvers", "nobody").stderr


def test_flags_say_of_whom_they_are_and_what_each_does_by_default():
    told = " ".join(run("path", "--help").output.replace("│", " ").split())
    assert "by default, 1%: sfw" in told or "by default, sfw: 1%" in told
    assert "away_fw, pairwise_fw: 100%" in told
    assert all(name in told for name in ("--nonnegative", "--positive", "huber:T"))


@pytest.mark.parametrize(("solver", "columns"), [("sfw", "40%"), ("away_fw", "100%")])
def test_the_sampling_of_a_dataset_is_for_those_that_sample(solver, columns, monkeypatch):
    entry = dataclasses.replace(datasets.find("diabetes"), sampling="40%")
    monkeypatch.setattr(datasets, "find", lambda name: entry)
    given = ("--max-steps", "5", "--tol", "1", "--solver", solver)
    assert json.loads(run(*FAST, *given).stdout)["settings"]["sampling"] == columns


@pytest.mark.parametrize(
    "names",
    [
        ("sfw", "cd"),
        pytest.param(
            [s.name for s in all_solvers() if s.compiles],
            id="every solver",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_warmup_compiles_solvers_for_every_storage(names, monkeypatch):
    monkeypatch.setattr("fwcore.warmup.all_solvers", lambda: [find_solver(n) for n in names])
    told = run("warmup").output.splitlines()
    ready = [f"ready: {name} on {storage}" for name in names for storage in ("Dense", "Csc")]
    assert sorted(told) == sorted(ready)


def test_a_registered_solver_has_its_flags_and_can_be_walked():

    from fwcore import WalkOptions
    from fwcore.options import Count

    class Patient(DeterministicFW):
        name = "patient"

        class Options(WalkOptions):
            patience = Count(default=3, bounds=(0, 9), doc="How long to wait.")

    assert "--patience" not in run("path", "--help").output
    register(Patient())
    try:
        assert "--patience" in run("path", "--help").output
        result = run(*FAST, "--solver", "patient", "--patience", "4")
        assert json.loads(result.stdout)["settings"]["patience"] == 4
        assert (
            "'patience' parameter of Patient must be an int in [0, 9]"
            in run(*FAST, "--solver", "patient", "--patience", "12").stderr
        )
    finally:
        unregister("patient")


def test_ctrl_c_writes_what_was_reached(tmp_path):
    out, trace = tmp_path / "path.parquet", tmp_path / "trace.parquet"
    script = (
        "import sys, signal, os, fwcore, fwcore.cli as cli\n"
        "keep = fwcore.Walk._keep\n"
        "def interrupted(self, snapshot):\n"
        "    keep(self, snapshot)\n"
        "    if self.reached == 2: os.kill(os.getpid(), signal.SIGINT)\n"
        "fwcore.Walk._keep = interrupted\n"
        "sys.argv = ['fwcore', *sys.argv[1:]]\n"
        "cli.main()\n"
    )
    arguments = [*FAST, "--out", str(out), "--trace", str(trace)]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        env=os.environ,
        check=False,
    )
    assert done.returncode == cli.INTERRUPTED, done.stderr
    reached = pyarrow.parquet.read_table(out).num_rows
    assert 2 <= reached < 5
    assert json.loads(done.stdout)["status"] == "stopped"
    assert f"{reached} of 5 points were written" in done.stderr
    assert pyarrow.parquet.read_table(trace).num_rows > 0


def test_the_handler_of_ctrl_c_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    run(*FAST)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_command_is_a_module_and_a_line(monkeypatch):
    module = types.ModuleType("fwcore.cli.shout")
    module.add = lambda app, help_text: app.command("shout", help=help_text)(lambda: print("FW"))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(cli.COMMANDS, "shout", "Say it loud.")
    assert "Say it loud." in CliRunner().invoke(cli.build_app(["--help"]), ["--help"]).output
    assert CliRunner().invoke(cli.build_app(["shout"]), ["shout"]).output == "FW\n"


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_name_of_an_option_is_refused_with_the_new_one(old, new):
    with pytest.raises(ParameterError, match=f"it is called '{new}' now"):
        walk_path(toys.problem(), "omp", [1.0], **{old: "1"})
    flags = ["--dataset", "diabetes", "--solver", "omp", f"--{old.replace('_', '-')}", "1"]
    done = CliRunner().invoke(cli.build_app(), ["path", *flags])
    assert done.exit_code == 2
    assert f"'{new}'" in " ".join(done.stderr.split())


@pytest.mark.parametrize(("old", "new"), [*RENAMED_VALUES.items(), ("greedy rows", "greedy-rows")])
def test_an_old_spelling_of_a_choice_is_refused_with_the_new_one(old, new):
    name = next(
        (solver.name, option)
        for solver in all_solvers()
        for option, kind in solver.Options.declared().items()
        if kind.widget == "select" and new in kind.objects
    )
    with pytest.raises(ParameterError, match=f"spelled '{new}' now"):
        walk_path(toys.problem(), name[0], [1.0], **{name[1]: old})

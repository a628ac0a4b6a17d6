"""The table of CONTRIBUTING.md: each thing is added as it says, and works."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fwcore import datasets
from fwcore.datasets import parsing

HERE = Path(__file__).parent
SOURCES = ("extending.py", "extras.py", "toys.py")


def added(*names):
    # Kernels that know these types must not be found by others, nor by other versions of them.
    key = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in SOURCES)).hexdigest()
    folder = f"{os.environ['NUMBA_CACHE_DIR']}-{key[:16]}"
    environment = os.environ | {"NUMBA_CACHE_DIR": folder, "PYTHONPATH": str(HERE)}
    script = [sys.executable, str(HERE / "extending.py"), *names]
    done = subprocess.run(script, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "names",
    [
        ("solver", "column_oracle", "step_rule", "loss", "storage", "pattern"),
        pytest.param(("row_oracle",), marks=pytest.mark.slow),
        # Each column solver on the storage, to the same digests as Dense.
        pytest.param(("every_column_solver",), marks=pytest.mark.slow),
        pytest.param(("every_solver_of_a_pattern",), marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_what_kernels_know_is_a_file_and_a_line(names):
    assert added(*names) == dict.fromkeys(names, True)


def test_a_dataset_is_a_table(tmp_path):
    catalogue = tmp_path / "catalogue.toml"
    catalogue.write_text(
        '[mine]\ntitle = "Mine"\ntask = "regression"\nrows = 442\nfeatures = 10\ndegree = 2\n'
        'citation = "Nobody 2026"\nlicence = "CC0"\nbundled = { name = "diabetes" }\n'
    )
    (entry,) = datasets.read_catalogue(catalogue)
    problem = datasets.load(entry, test_fraction=0.5)
    assert (problem.name, problem.m, problem.source[0]) == ("mine", 221, ("dataset", "mine"))


def test_a_file_format_is_a_file_and_a_line(monkeypatch, tmp_path):
    module = tmp_path / "shouted.py"
    module.write_text(
        "import dataclasses\n"
        "from fwcore.datasets.parsing import delimited\n"
        "from fwcore.datasets.parsing.streams import Source\n"
        "def read(source, options, limits):\n"
        "    text = source.path.read_bytes().replace(b'!', b',')\n"
        "    return delimited.read(Source('x.csv', content=text), options, limits)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    form = parsing.Format("shouted.read", "numbers between exclamation marks", (".shout",), False)
    monkeypatch.setitem(parsing.FORMATS, "shouted", form)
    file = tmp_path / "loud.shout"
    file.write_text("a!b!y\n" + "".join(f"{i}!{i * i}!{i % 7}\n" for i in range(30)))
    parsed = datasets.parse_file(file, datasets.ParseOptions(target="y"))
    assert parsed.X.shape == (30, 2)

"""Every lesson runs from top to bottom, and the page it shows streams while the kernel is idle."""

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

# After the last cell of a lesson, as a reader would: press Run, let the kernel idle, look.
PRESS_RUN = """
import json
import panel.reactive
from panel.io.model import diff
pushed = []
panel.reactive.push = lambda doc, comm: pushed.extend(diff(doc, binary=False).content["events"])
for name, value in (("points", "20"), ("delta_max", "5")):
    explorer.hear({"do": "set", "name": name, "value": value})
explorer.hear({"do": "pace", "unit": "dots", "rate": None})
explorer.hear({"do": "run"})
"""
LOOK = """
import asyncio
def drawn():
    sent = [e for e in pushed if e["kind"] == "MessageSent"]
    messages = [json.loads(e["msg_data"]["values"]["entries"][-1][1]) for e in sent]
    rows = [row for message in messages for row in message["rows"]]
    points = [columns["l1"] for run, name, columns, _ in rows if (run, name) == (1, "points")]
    return len(sum(points, []))
for _ in range(600):
    await asyncio.sleep(0.1)  # idle: the ticks of the page go on meanwhile
    if drawn() == 20 and explorer.wire.state["phase"] == "done":
        break
print(drawn(), explorer.wire.state["phase"])
"""


SLOW = ("02", "05", "06", "07", "09")
"""Whose questions the tests of fwcore and the lessons of the page ask too."""


def parameters():
    return [
        pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if path.stem[:2] in SLOW else [])
        for path in NOTEBOOKS
    ]


ALONE = """
import socket
_connect = socket.socket.connect
def _near(self, address):
    near = self.family == socket.AF_UNIX or address[0] in ("127.0.0.1", "::1", "localhost")
    assert near, f"a lesson asked {address}"
    return _connect(self, address)
socket.socket.connect = _near
"""
"""Before the first cell: no other machine can be asked."""


def solutions(notebook):
    """The code of the hidden solutions."""
    return re.findall(r"```python\n(.*?)```", exercises(notebook), re.DOTALL)


def exercises(notebook):
    (text,) = [c.source for c in notebook.cells if "## Exercise" in c.source]
    return text.partition("## Exercise")[2]


def executed(path):
    """The notebook, and after it its solutions."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(ALONE))
    notebook.cells += [nbformat.v4.new_code_cell(code) for code in solutions(notebook)]
    NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    return notebook


def test_notebooks_are_lessons_that_assert_what_they_say():
    assert [path.stem[:2] for path in NOTEBOOKS] == [f"{k:02d}" for k in range(1, 10)]
    for path in NOTEBOOKS:
        notebook = nbformat.read(path, as_version=4)
        assert all(not cell.get("outputs") for cell in notebook.cells), "committed with outputs"
        text = "\n".join(cell["source"] for cell in notebook.cells)
        for part in ("**Question.**", "**Predict", "assert ", "**The honest answer.**"):
            assert part in text, path
        asked = re.findall(r"^\d+\. ", exercises(notebook), re.MULTILINE)
        hidden = exercises(notebook).count("<details><summary>A solution")
        assert len(solutions(notebook)) == hidden == max(1, len(asked)), path


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:ResourceWarning")
@pytest.mark.parametrize("path", parameters())
def test_the_notebook_runs_and_asks_no_other_host(path):
    notebook = executed(path)
    shown = str([cell.get("outputs") for cell in notebook.cells])
    assert "https://cdn" not in shown
    # The scripts are there once, and a saved notebook is small.
    assert shown.count("function unpack(") == 1
    assert len(shown) < 2_500_000


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:ResourceWarning")
def test_the_explorer_in_a_cell_streams_while_the_kernel_is_idle():
    notebook = nbformat.read(ROOT / "notebooks" / "01_quick_start.ipynb", as_version=4)
    notebook.cells = [
        notebook.cells[-1],
        nbformat.v4.new_code_cell(PRESS_RUN),
        nbformat.v4.new_code_cell(LOOK),
    ]
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}
    ).execute()
    assert notebook.cells[-1]["outputs"][0]["text"].strip() == "20 done"

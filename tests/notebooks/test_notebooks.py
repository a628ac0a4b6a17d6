"""Every lesson runs from top to bottom, and the page it shows streams while the kernel is idle."""

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


def executed(path):
    notebook = nbformat.read(path, as_version=4)
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
            assert part in text or (part == "**The honest answer.**" and "02" in path.stem), path
        assert "## Exercise" in text
        assert "<summary>A solution</summary>" in text


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:ResourceWarning")
@pytest.mark.parametrize("path", parameters())
def test_the_notebook_runs_and_asks_no_other_host(path):
    notebook = executed(path)
    shown = str([cell.get("outputs") for cell in notebook.cells])
    assert "https://cdn" not in shown
    # The scripts are there once, and a saved notebook is small.
    assert shown.count("DecompressionStream") == 1
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

"""An Explorer in a cell: what is saved, what Python sets, and its parts."""

import asyncio

import nbformat
import numpy as np
import pytest
import scipy.sparse
from fakes import wait_for
from nbclient import NotebookClient

from app import Explorer, cell
from app.cell import picture_of
from app.part import Part
from app.runs import RunState
from app.still import race_svg
from app.tables import runs_table
from fwcore import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore:.*:DeprecationWarning", "ignore:.*:ResourceWarning")
SMALL = {"dataset": "diabetes", "runs": [("sfw", {"sampling": "10%"}), "cd"]}
CELL = "from app import Explorer\nexplorer = Explorer(dataset='diabetes', runs=['sfw', 'cd'])\n"
FINISH = """
explorer.set_pace(None)
explorer.run()
_ = await explorer.finished()
explorer.drain.flush(final=True)
"""
THREADS = """
import threading, time
def ours():
    return [t.name for t in threading.enumerate() if t.name.startswith("fwcore-")]
"""
AFTERWARDS = """
explorer.close()
end = time.monotonic() + 120
while ours() and time.monotonic() < end:
    time.sleep(0.05)
print(ours())
"""


def executed(*sources):
    """Outputs of cells, as a notebook keeps them."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return [cell["outputs"] for cell in notebook.cells]


def test_a_saved_cell_is_small_holds_its_scripts_and_a_still_picture():
    whole, run, part = executed(CELL + "explorer", FINISH, 'explorer.view("gap")')
    assert len(nbformat.v4.nbbase.NotebookNode(a=whole).__repr__()) < 1_500_000
    assert "https://cdn" not in str(whole)
    htmls = [output["data"].get("text/html", "") for output in whole]
    assert sum("function unpack(" in html for html in htmls) == 1
    # The picture was renewed when the runs had ended, in the cell that shows them.
    still = next(html for html in htmls if "data-still" in html and "<img" in html)
    assert "data:image/svg+xml;base64," in still
    assert "<script" not in still
    assert run == []
    # The scripts are there once.
    assert len(str(part)) < 300_000


def test_results_are_waited_for_and_the_still_picture_tells_them():
    explorer = Explorer(**SMALL)
    assert "Nothing has been run yet." in picture_of(explorer)
    explorer.set_pace(None)
    explorer.run()
    results = asyncio.run(explorer.finished())
    assert [*results] == ["sfw 10 %", "cd"]
    shown = explorer.feed.shown()
    html = picture_of(explorer)
    assert all(cell in html for row in runs_table(shown)["rows"] for cell in row)
    assert race_svg(shown).count("<polyline") == 2
    explorer.close()


def test_python_sets_what_the_page_shows_and_back():
    explorer = Explorer(**SMALL)
    explorer.settings.tol = 1e-4
    assert explorer.settings.runs[0].options.tol == 1e-4
    fields = {field["name"]: field for field in explorer.wire.state["form"]["first"]}
    assert fields["tol"]["value"] == "0.0001"
    explorer.hear({"do": "set", "run": 1, "name": "tol", "value": "0.01"})
    assert explorer.settings.tol == 0.01
    explorer.settings.points = 12
    problem = {field["name"]: field for field in explorer.wire.state["problem"]}
    assert problem["points"]["value"] == "12"
    explorer.hear({"do": "select", "run": 2})
    with pytest.raises(AttributeError, match="sampling"):
        _ = explorer.settings.sampling
    with pytest.raises((ParameterError, ValueError)):
        explorer.settings.tol = -1
    assert explorer.settings.runs[1].options.tol == 1e-3
    explorer.close()


def test_parts_show_the_same_runs_and_command_them():
    explorer = Explorer(**SMALL)
    gap, controls = explorer.view("gap"), explorer.controls()
    assert gap.wire.state["cell"]["show"] == ["gap"]
    assert controls.wire.state["cell"]["controls"]
    controls.hear({"do": "pace", "unit": "dots", "rate": None})
    assert explorer.pace is None
    controls.hear({"do": "set", "name": "points", "value": "7"})
    controls.run()
    results = asyncio.run(explorer.finished())
    gap.drain.flush(final=True)
    assert gap.wire.state["row:1"]["state"] == "done"
    assert {len(result.points) for result in results.values()} == {7}
    # Another experiment is another for all parts.
    explorer.hear({"do": "paper", "name": "frandi-synthetic"})
    assert gap.settings is explorer.settings
    assert gap.session is explorer.session
    with pytest.raises(ParameterError, match="one of"):
        explorer.view("nothing")
    other = Explorer(**SMALL)
    assert other.others == []
    assert set(explorer.others) == {gap, controls}
    for one in (explorer, other):
        one.close()


def test_a_wide_sparse_matrix_opens_without_being_made_dense():
    X = scipy.sparse.random_array((100, 1_000_000), density=1e-4, rng=0, format="csc")
    explorer = Explorer(X, np.arange(100.0), runs=["sfw"])
    assert explorer.settings.columns == 1_000_000
    explorer.close()


class Shell:
    """A notebook that says which cell is run, as JupyterLab does."""

    def __init__(self, monkeypatch):
        self.name, self.count = "", 0
        monkeypatch.setattr(cell, "_shell", lambda: self)
        monkeypatch.setattr(cell, "_publish", lambda explorer, update: None)
        monkeypatch.setattr(cell, "load_scripts", lambda: None)
        monkeypatch.setattr(cell, "_shown", {})

    def get_parent(self):
        return {"metadata": {"cellId": self.name}, "header": {"msg_id": str(self.count)}}

    def show(self, name, *explorers):
        """Run a cell that shows these."""
        self.name, self.count = name, self.count + 1
        for explorer in explorers:
            cell.show(explorer, dict)


def closed(monkeypatch):
    """Who is closed from now on."""
    gone = []
    for kind in (Explorer, Part):
        real = kind.close
        monkeypatch.setattr(
            kind, "close", lambda self, *events, real=real: (gone.append(self), real(self))
        )
    return gone


def test_a_cell_that_is_run_again_frees_what_it_showed_and_nothing_else(monkeypatch):
    shell, gone = Shell(monkeypatch), closed(monkeypatch)
    first, second, third = (Explorer(**SMALL) for _ in range(3))
    # Two in one cell, one of them in another too.
    shell.show("a", first, second)
    shell.show("b", second)
    assert gone == []
    shell.show("a", third)
    assert gone == [first]
    # The same again stays.
    shell.show("a", third)
    assert gone == [first]
    part, other = third.view("gap"), third.view("race")
    shell.show("c", part)
    shell.show("c", other)
    assert gone == [first, part]
    # The runs and the settings of the whole are untouched by a part that goes.
    assert third.others == [other]
    third.set_pace(None)
    third.run()
    assert len(asyncio.run(third.finished())) == 2
    for one in (second, third):
        one.close()


def test_the_whole_alone_answers_what_python_sets(monkeypatch):
    explorer = Explorer(**SMALL)
    parts = [explorer.view("gap") for _ in range(3)]
    shown = []
    with monkeypatch.context() as patched:
        patched.setattr(Explorer, "show", lambda self: shown.append(self))
        explorer.settings.points = 12
    assert len(shown) == 1 + len(parts)
    # A sampling that the next data have not is mended before anybody looks.
    explorer.settings.dataset = "synthetic-10000-32"
    explorer.settings.sampling = "5000"
    parts[0].hear({"do": "set", "name": "dataset", "value": "diabetes"})
    assert parts[0].refusal == ""
    assert explorer.wire.state["dataset"]["name"] == "diabetes"
    explorer.close()


def test_python_is_told_what_does_not_fit():
    explorer = Explorer(dataset="diabetes", runs=["fw"])
    explorer.settings.runs.clear()
    with pytest.raises(ParameterError, match="add a run"):
        explorer.run()
    explorer.close()


def test_paused_runs_are_not_waited_for():
    explorer = Explorer(**SMALL)
    explorer.hear({"do": "step"})
    wait_for(lambda: explorer.session.state is RunState.PAUSED, "the runs to be held")
    assert [*asyncio.run(asyncio.wait_for(explorer.finished(), 30))] == []
    explorer.close()


def test_nothing_goes_on_once_an_explorer_is_closed():
    # In a kernel, where no other test's threads are.
    begin = "explorer.set_pace(None)\nexplorer.run()\nprint(ours())\n_ = await explorer.finished()"
    _, begun, closed = executed(CELL + THREADS, begin, AFTERWARDS)
    assert "fwcore-worker" in begun[0]["text"]
    # Workers wait for a second, savers for what they have to save.
    assert closed[0]["text"].strip() == "[]"

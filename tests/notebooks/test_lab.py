"""An Explorer in JupyterLab and in Notebook 7, driven as a reader would."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import nbformat
import psutil
import pytest
from playwright.sync_api import expect, sync_playwright

sys.path.append(str(Path(__file__).parents[1] / "browser"))
from serving import CHROMIUM, FLAGS, ROOT, outsiders, wait_for

pytest.importorskip("jupyterlab", reason="JupyterLab: pip install -e .[lab]")
pytest.importorskip("notebook", reason="Notebook 7: pip install -e .[lab]")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: on Debian, apt-get install chromium"),
]
FIRST = """from app import Explorer
explorer = Explorer(dataset="diabetes", runs=[("sfw", {"sampling": "10%"}), "cd"])
explorer.set_pace(None)
explorer"""
BUSY = "import time\nexplorer.run()\nwhile explorer.session.live: time.sleep(0.1)\nprint('slept')"
COUNT = "print('reached', [len(result.points) for result in explorer.results.values()])"
# VS Code has widgets of Jupyter alone, which ask for the scripts before they are made.
SCRIPTS = "from app import extension\nextension()"
VSCODE = {"VSCODE_PID": "1"}
SCRIPTS_ARE_THERE = """() => {
    try { return Boolean(Bokeh.Models.get('panel.models.esm.ReactiveESM')) }
    catch { return false } }"""
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {
        "checkForUpdates": False,
        "doNotDisturbMode": True,
        "fetchNews": "false",
    }
}
IDLE = ".jp-Notebook-ExecutionIndicator[data-status=idle]"
LIVE = ".fw[data-live=true]:not(.unheard)"
LENGTHS = """root => [1, 2].map(key =>
    root.fwExplorer.gallery.sources.column(key, 'points', 'l1').length)"""


@contextmanager
def jupyter(app, folder, **environment):
    """The address of a server of notebooks in a folder, and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    overrides = folder / "settings" / "overrides.json"
    overrides.parent.mkdir()
    overrides.write_text(json.dumps(SETTINGS))
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "IdentityProvider.token": "",
        "ServerApp.root_dir": str(folder),
        "LabApp.app_settings_dir": str(overrides.parent),
        "JupyterNotebookApp.app_settings_dir": str(overrides.parent),
    }
    command = [sys.executable, "-m", "jupyter", app, "--no-browser", "--allow-root"]
    log = (folder / "log").open("w")
    home = {"JUPYTER_DATA_DIR": str(folder / "data"), "JUPYTER_CONFIG_DIR": str(folder / "config")}
    process = subprocess.Popen(
        [*command, *(f"--{name}={value}" for name, value in options.items())],
        cwd=folder,
        stdout=log,
        stderr=subprocess.STDOUT,
        env=os.environ | home | {"PYTHONPATH": str(ROOT)} | environment,
    )

    def answers():
        assert process.poll() is None, (folder / "log").read_text()
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=5).status == 200
        except OSError:
            return False

    try:
        wait_for(answers, 60, "Jupyter to answer")
        yield f"http://127.0.0.1:{port}", psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)
        log.close()


@contextmanager
def opened(address, theme="light"):
    """A page of a notebook, which must have asked no other host."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme=theme)
        asked = outsiders(page)
        page.goto(address)
        page.locator(".jp-Notebook").wait_for(timeout=60_000)
        yield page
        browser.close()
        assert asked == []


def chosen(page, menu, entry):
    page.get_by_role("menuitem", name=menu, exact=True).click()
    page.get_by_text(entry, exact=True).first.click()


def written(folder, *sources):
    cells = [nbformat.v4.new_code_cell(source) for source in sources]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    path = folder / "x.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)
    return path


def run_all(page, until):
    asked_until(page, until, lambda: chosen(page, "Run", "Run All Cells"))


def run_first(page):
    def ask():
        page.locator(".jp-Cell").first.click()
        page.keyboard.press("Shift+Enter")

    begun = page.locator(".jp-InputArea-prompt").first.filter(has_not_text="[ ]")
    asked_until(page, begun, ask)


def asked_until(page, there, ask):
    """Ask again where the kernel was not ready to hear of it."""
    for _ in range(4):
        # Such as that no kernel is there yet, and which one to take.
        for answer in page.locator(".jp-Dialog .jp-mod-accept").all():
            answer.click()
        ask()
        with contextlib.suppress(AssertionError):
            expect(there).to_be_attached(timeout=45_000)
            return
    pytest.fail("the cells were not run")


def kernels(server):
    return [child.pid for child in server.children(recursive=True) if child.is_running()]


def streamed(page):
    """The page in the cell, run from its own button until it is done."""
    root = page.locator(LIVE)
    root.get_by_role("button", name="Run", exact=True).click()
    done = root.locator('[data-run="1"]')
    expect(done).to_have_attribute("data-state", "done", timeout=60_000)
    return root


@pytest.mark.timeout(300)
@pytest.mark.parametrize("app", ["lab", "notebook"])
def test_a_notebook_runs_streams_and_is_saved_with_a_picture(app, tmp_path):
    path = written(tmp_path, FIRST, BUSY, COUNT)
    place = "lab/tree" if app == "lab" else "notebooks"
    with jupyter(app, tmp_path) as (address, server):
        with opened(f"{address}/{place}/x.ipynb") as page:
            expect(page.locator(IDLE)).to_be_attached(timeout=60_000)
            run_all(page, page.get_by_text("reached ["))
            # The kernel is warm by now: everything again, and the page is there soon.
            chosen(page, "Run", "Run All Cells")
            expect(page.locator(LIVE)).to_be_visible(timeout=10_000)
            expect(page.locator(IDLE)).to_be_attached(timeout=60_000)
            told = page.get_by_text("reached [").inner_text()
            reached = json.loads(told.removeprefix("reached "))
            assert min(reached) > 0
            # What was reached while another cell kept the kernel busy has come whole.
            root = page.locator(LIVE)
            wait_for(lambda: root.evaluate(LENGTHS) == reached, 60, "all points in the cell")
            root = streamed(page)
            assert root.bounding_box()["height"] <= 702
            page.screenshot(path=ROOT / ".pytest_cache" / f"{app}.png")
            expect(page.locator("[data-still] img")).to_be_attached(timeout=30_000)
            chosen(page, "File", "Save Notebook")
            wait_for(lambda: b"data:image/svg+xml" in path.read_bytes(), 30, "it to be saved")
            assert path.stat().st_size < 2_000_000
            before = kernels(server)
            chosen(page, "Kernel", "Restart Kernel…")
            page.get_by_role("button", name="Confirm Kernel Restart").click()
            # The process that had the workers is gone, and one other is there.
            wait_for(lambda: not set(before) & set(kernels(server)), 30, "the old kernel to end")
        with opened(f"{address}/{place}/x.ipynb", "dark") as page:
            still = page.locator("[data-still] img")
            expect(still).to_be_visible(timeout=30_000)
            assert still.evaluate("image => image.naturalWidth") > 0
            run_all(page, page.locator(LIVE))
            expect(page.locator(LIVE)).to_be_visible()
            page.screenshot(path=ROOT / ".pytest_cache" / f"{app}-dark.png")


@pytest.mark.timeout(300)
def test_widgets_of_jupyter_carry_the_page_as_vs_code_has_them(tmp_path):
    """VS Code itself cannot be driven here: this is its way, in JupyterLab."""
    path = written(tmp_path, SCRIPTS, FIRST)
    with (
        jupyter("lab", tmp_path, **VSCODE) as (address, _),
        opened(f"{address}/lab/tree/{path.name}") as page,
    ):
        expect(page.locator(IDLE)).to_be_attached(timeout=60_000)
        run_first(page)
        page.wait_for_function(SCRIPTS_ARE_THERE, timeout=60_000)
        page.keyboard.press("Shift+Enter")
        expect(page.locator(LIVE)).to_be_visible(timeout=60_000)
        root = streamed(page)
        wait_for(lambda: root.evaluate(LENGTHS) == [100, 100], 60, "all points in the cell")
        page.screenshot(path=ROOT / ".pytest_cache" / "widgets.png")
        expect(page.locator("[data-still] img")).to_be_attached(timeout=30_000)
        chosen(page, "File", "Save Notebook")
        wait_for(lambda: b"data:image/svg+xml" in path.read_bytes(), 30, "it to be saved")
        sizes = [len(json.dumps(cell["outputs"])) for cell in nbformat.read(path, 4).cells]
        assert all(size <= 1_500_000 for size in sizes)

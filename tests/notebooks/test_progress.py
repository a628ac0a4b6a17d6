"""The bar of `walk_path` in a kernel, and what an interrupt of that kernel leaves."""

import asyncio
import os
import signal
import subprocess
import sys

import jupyter_client
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
SETUP = """
import sys, warnings
warnings.simplefilter("error")
sys.modules.update({blocked})
import numpy as np
from fwcore import datasets, walk_path
problem = datasets.load("diabetes")
few = problem.lam_max * np.geomspace(1.0, 0.01, 300)
_ = walk_path(problem, "cd", few[:2])
"""
# Takes minutes, unless it is interrupted.
ENDLESS = """
grid = problem.lam_max * np.geomspace(1.0, 0.01, 10**5)
result = walk_path(problem, "cd", grid, progress=True, tol=1e-12)
print(type(result).__name__, result.points.size < grid.size, result.status.name)
"""


class Kernel:
    """A kernel, and what it says of a cell."""

    async def __aenter__(self):
        self.manager, self.client = await jupyter_client.manager.start_new_async_kernel(
            kernel_name="python3", startup_timeout=120
        )
        return self

    async def __aexit__(self, *_):
        self.client.stop_channels()
        await self.manager.shutdown_kernel(now=True)

    async def execute(self, code, until=lambda kind, content: False):
        """All messages of a cell, by kind; ``until`` says when to interrupt it."""
        request, said = self.client.execute(code), []
        while True:
            message = await self.client.get_iopub_msg(timeout=120)
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["msg_type"], message["content"]
            assert kind != "error", content
            said.append((kind, content))
            if until(kind, content):
                await self.manager.interrupt_kernel()
                until = lambda kind, content: False  # noqa: E731
            if kind == "status" and content["execution_state"] == "idle":
                return said


async def interrupted(blocked, until):
    async with Kernel() as kernel:
        await kernel.execute(SETUP.format(blocked=blocked))
        return await kernel.execute(ENDLESS, until)


def printed(said):
    return "".join(c["text"] for kind, c in said if kind == "stream")


def test_a_kernel_draws_the_bar_as_a_widget_and_an_interrupt_returns_what_was_reached():
    pytest.importorskip("ipywidgets")
    drawn = []

    def until(kind, content):
        # The widget takes what is shown as messages of its own.
        drawn.append(str(content))
        return "cd on diabetes" in str(content)

    said = asyncio.run(interrupted("{}", until))
    assert any("widget-view" in text for text in drawn)
    assert printed(said).split() == ["PathResult", "True", "STOPPED"]


def test_without_widgets_the_bar_is_html_in_its_cell():
    def until(kind, content):
        return kind == "update_display_data" and "<progress" in content["data"].get("text/html", "")

    said = asyncio.run(interrupted("ipywidgets=None", until))
    assert printed(said).split() == ["PathResult", "True", "STOPPED"]
    bars = [content["data"]["text/html"] for kind, content in said if kind == "update_display_data"]
    assert "cd on diabetes" in bars[0]
    assert "s left" in bars[0]
    assert bars[-1] == ""


def test_ctrl_c_in_a_shell_returns_what_was_reached():
    # Where this process was told to ignore the signal, so would be the one that it starts.
    heard = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code = heard + SETUP.format(blocked="{}") + ENDLESS
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"FORCE_COLOR": "1"},
    ) as shell:
        try:
            drawn = ""
            while "cd on diabetes" not in drawn:
                character = shell.stdout.read(1)
                assert character, drawn
                drawn += character
            shell.send_signal(signal.SIGINT)
            assert shell.stdout.read().endswith("PathResult True STOPPED\n")
            assert shell.wait(60) == 0
        finally:
            shell.kill()

"""A server on a free port of the loopback, and a browser that notes what must not happen."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
LIVE = ".fw[data-live=true]"
"""The page once it is drawn and hears what is clicked."""

# The page's own object, whose figures and sources Bokeh draws.
FIND_APP = """() => {
    const find = root => { for (const e of root.querySelectorAll('*')) {
        if (e.fwExplorer) return e.fwExplorer
        const found = e.shadowRoot && find(e.shadowRoot)
        if (found) return found } return null }
    window.app = find(document)
    return window.app !== null }"""

# What Tornado tells of a message that was under way when its page was left.
_LEFT = re.compile(
    r"Task exception was never retrieved\n"
    r"future: .*exception=WebSocketClosedError.*\n"
    r"(?:.*\n)*?"
    r"tornado\.websocket\.WebSocketClosedError\n"
)

CHROMIUM = next(
    (
        path
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (path := shutil.which(name))
    ),
    None,
)


class Server:
    """``panel serve`` in a process of its own."""

    def __init__(
        self,
        target: Path,
        log: Path,
        lifetime: int = 500,
        says: str = "Frank-Wolfe",
        **environment: str,
    ) -> None:
        self._says = says
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = log
        self.url = f"http://127.0.0.1:{self.port}/{target.stem}"
        # Sessions of closed tabs are looked for often, so that tests need not wait for half a
        # minute.
        command = [
            sys.executable,
            "-m",
            "panel",
            "serve",
            str(target),
            "--address",
            "127.0.0.1",
            "--port",
            str(self.port),
        ]
        command += [
            "--unused-session-lifetime",
            str(lifetime),
            "--check-unused-sessions",
            "500",
            "--allow-websocket-origin",
            f"127.0.0.1:{self.port}",
        ]
        with log.open("w") as output:
            self.process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
                # Solvers that no test runs would be compiled beside those that wait.
                env=os.environ | {"FWCORE_WARMUP": "0"} | environment,
            )
        wait_for(self._answers, 120, "the server to answer")

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        try:
            return self._says in urllib.request.urlopen(self.url, timeout=30).read().decode()
        except (urllib.error.URLError, OSError):
            return False

    def complaints(self) -> list[str]:
        """Lines of the log that tell of trouble."""
        told = _LEFT.sub("", self.log.read_text())
        return [
            line
            for line in told.splitlines()
            if re.search(r"Traceback|ERROR|WARNING|Exception", line)
        ]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)


def wait_for(condition, seconds, what):
    """Poll a condition; fail when it does not come true in time."""
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, f"waited {seconds} s for {what}"
        time.sleep(0.05)  # the interval of polling, not a guess at how long something takes


def outsiders(page, own="127.0.0.1"):
    """Addresses of other hosts that a page asks, from now on."""
    asked = []

    def note(request):
        if own not in request.url and not request.url.startswith(("data:", "blob:")):
            asked.append(request.url)

    page.on("request", note)
    return asked


@contextmanager
def opened(browser, server, path="", **options):
    """A page in a browser context of its own; afterwards it must have asked no other host and
    logged no error.
    """
    context = browser.new_context(**({"viewport": {"width": 1440, "height": 900}} | options))
    page = context.new_page()
    page.set_default_timeout(15_000)
    asked, errors = outsiders(page, f"127.0.0.1:{server.port}"), []
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(server.url + path)
    page.locator(LIVE).wait_for()
    yield page
    context.close()
    assert not asked, asked
    assert errors == []

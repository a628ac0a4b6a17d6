"""Which dataset: a choice in groups, what it is, and a button that fetches it where it is not at
hand.
"""

from __future__ import annotations

import html
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from app.downloads import Download, download, running
from app.settings import Settings
from fwcore import datasets

_COMMON: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (8, 10)}
_POLL_MS = 200


def grouped() -> dict[str, dict[str, str]]:
    """Group -> title -> name: what needs nothing, what is at hand, what can be fetched, what
    somebody has to bring.
    """
    groups: dict[str, dict[str, str]] = {
        "Always there": {},
        "At hand": {},
        "To be downloaded": {},
        "To be put there by hand": {},
    }
    for entry in datasets.DATASETS:
        layout = entry.layout
        if layout is None:
            kind = "Always there"
        elif layout.at_hand:
            kind = "At hand"
        else:
            kind = "To be downloaded" if layout.fetchable else "To be put there by hand"
        groups[kind][entry.title] = entry.name
    return {kind: titles for kind, titles in groups.items() if titles}


def about(name: str) -> str:
    """Where a dataset comes from, as HTML."""
    entry = datasets.find(name)
    place = (
        "" if entry.layout is None else f" {html.escape(entry.page[:1].upper() + entry.page[1:])}."
    )
    licence = f"Licence: {html.escape(entry.licence)}."
    text = f"{html.escape(entry.citation)}.{place} {licence}"
    return f"<small style='opacity:.8'>{text}</small>"


class DatasetControl(param.Parameterized):
    """The choice follows the settings and they follow it; a download goes on when the page looks
    elsewhere, or is closed.
    """

    told = param.String(doc="What the chosen dataset is.")
    trouble = param.String(doc="Why a download failed.")
    missing = param.Boolean(doc="Whether the chosen dataset has to be fetched first, and can be.")
    coming = param.Boolean(doc="Whether it is on its way.")

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
        self._job: Download | None = None
        self._poll: Any = None
        self._bar = pmui.LinearProgress(
            visible=self.param.coming, variant="indeterminate", **_COMMON
        )
        self._choice = pmui.Select(
            label="Dataset", groups=grouped(), value=settings.dataset, size="small", **_COMMON
        )
        self._choice.link(settings, value="dataset", bidirectional=True)
        settings.param.watch(self._look, "dataset")
        self._look()

    def _look(self, *events: Any) -> None:
        entry = datasets.find(self._settings.dataset)
        missing = not datasets.available(entry)
        fetchable = missing and entry.layout is not None and entry.layout.fetchable
        self.param.update(told=about(entry.name), missing=fetchable, trouble="")
        self._follow(running(entry.name))

    def fetch(self, *events: Any) -> None:
        """Begin, or join, the download of the chosen dataset."""
        self.trouble = ""
        self._follow(download(self._settings.dataset))

    def _follow(self, job: Download | None) -> None:
        self._job, self.coming = job, job is not None
        if job is not None and self._poll is None:
            self._poll = pn.state.add_periodic_callback(self.look_at_download, period=_POLL_MS)

    # Async although it awaits nothing: see app.drain.
    async def look_at_download(self) -> None:
        """Show how far it is."""
        job = self._job
        if job is not None and not job.over:
            known = job.percent is not None
            self._bar.param.update(
                variant="determinate" if known else "indeterminate", value=job.percent or 0
            )
            return
        if self._poll is not None:
            self._poll.stop()
            self._poll = None
        self._job = None
        self._choice.groups = grouped()
        self._look()
        if job is not None:
            self.trouble = job.error

    def view(self) -> Any:
        """The widgets."""
        button = pmui.Button(
            label="Download",
            variant="outlined",
            visible=self.param.missing,
            disabled=self.param.coming,
            on_click=self.fetch,
            **_COMMON,
        )
        trouble = pmui.Alert(
            object=self.param.trouble,
            visible=self.param.trouble.rx.bool(),
            severity="error",
            sizing_mode="stretch_width",
            # Addresses and paths have no spaces to break at.
            sx={"overflowWrap": "anywhere"},
        )
        told = pn.pane.HTML(self.param.told, sizing_mode="stretch_width", margin=(0, 10))
        return pn.Column(
            self._choice, told, button, self._bar, trouble, sizing_mode="stretch_width", margin=0
        )

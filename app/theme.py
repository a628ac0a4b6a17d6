"""Colours and sizes."""

from __future__ import annotations

RUN_COLOURS = (
    "#2498d1",
    "#ee6649",
    "#149c7f",
    "#b9279a",
    "#077b06",
    "#5d3df6",
    "#fe076e",
    "#1c63d3",
)
"""Each with a contrast of at least 3:1 to white and to near-black; of all sets of eight that a
search found, the one whose closest pair is the farthest apart for protan and deutan eyes.
"""

DASHES = {"solid": "", "dashed": "8 4", "dotted": "2 3", "dotdash": "2 3 8 3", "dashdot": "8 3 2 3"}
"""Names of Bokeh's dashes, and the same for SVG."""


def run_style(k: int) -> tuple[str, str]:
    """Colour and dash of the k-th run, its own among 40."""
    colours = len(RUN_COLOURS)
    return RUN_COLOURS[k % colours], [*DASHES][(k + k // colours) % len(DASHES)]


STATE_COLOURS = {
    "preparing": "#8a6d00",
    "running": "#1565c0",
    "paused": "#8a5a00",
    "done": "#1b7a4b",
    "stopped": "#5f6368",
    "failed": "#b3261e",
}

GUIDE_COLOUR = "#808890"
PICTURE_HEIGHT = 245
SIDEBAR_WIDTH = 340

CARD_GRID = {
    "display": "grid",
    "grid-template-columns": "repeat(auto-fit, minmax(min(100%, 460px), 1fr))",
    "gap": "8px",
    "grid-auto-rows": "max-content",
    "max-height": "none",
    "height": "max-content",
    "flex": "none",
}
CARD = {
    "border": "1px solid rgba(128, 128, 128, 0.28)",
    "border-radius": "6px",
    "min-width": "0",
    "height": "max-content",
}

SMALL_TITLES = {"& h3": {"fontSize": "0.95rem", "fontWeight": 500}}
"""Style of an accordion whose titles are as large as its text."""

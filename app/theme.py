"""Colours and sizes. Colour-blind readers can distinguish the run colours (after Okabe & Ito), on
white and on near-black.
"""

from __future__ import annotations

RUN_COLOURS = ("#2c86d1", "#e2703a", "#1a9e77", "#c06fa9", "#b58900", "#5fb3e6")
"""Colour of the k-th run; the first is the chosen solver, the others overlay it."""

RUN_DASHES = ("solid", "dashed", "dotted", "dotdash", "dashdot", "dashed")

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

"""Colours, dashes and markers."""

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

MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "plus", "star")


def run_style(k: int) -> tuple[str, str]:
    """Colour and dash of the k-th run, its own among 40."""
    colours = len(RUN_COLOURS)
    return RUN_COLOURS[k % colours], [*DASHES][(k + k // colours) % len(DASHES)]


def run_look(k: int) -> dict[str, str]:
    """All that makes the k-th run look as it does, for the page."""
    colour, dash = run_style(k)
    return {
        "colour": colour,
        "dash": dash,
        "strokes": DASHES[dash],
        "marker": MARKERS[k % len(MARKERS)],
    }

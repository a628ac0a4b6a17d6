"""Runs can be told apart, in light and dark, by all eyes."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from app.theme import RUN_COLOURS, run_look, run_style

ROOT = Path(__file__).parents[2]


def luminance(colour):
    return rgb(colour) @ [0.2126, 0.7152, 0.0722]


def rgb(colour):
    """Linear red, green and blue."""
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(linear):
    """CIE L*a*b* of linear RGB."""
    to_xyz = [[0.4125, 0.3576, 0.1804], [0.2127, 0.7152, 0.0722], [0.0193, 0.1192, 0.9503]]
    x = np.clip(linear, 0, 1) @ np.transpose(to_xyz) / [0.95047, 1.0, 1.08883]
    x = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * x[1] - 16, 500 * (x[0] - x[1]), 200 * (x[1] - x[2])])


# Machado, Oliveira & Fernandes (2009), severity 1.
EYES = {
    "all cones": np.eye(3),
    "protan": [[0.1523, 1.0526, -0.2049], [0.1145, 0.7863, 0.0992], [-0.0039, -0.0481, 1.0520]],
    "deutan": [[0.3673, 0.8606, -0.2280], [0.2801, 0.6725, 0.0474], [-0.0118, 0.0429, 0.9689]],
}


@pytest.mark.parametrize("eyes", EYES)
def test_runs_can_be_told_apart_by_their_colours(eyes):
    seen = [lab(np.asarray(EYES[eyes]) @ rgb(colour)) for colour in RUN_COLOURS]
    pairs = [np.linalg.norm(a - b) for a, b in combinations(seen, 2)]
    assert min(pairs) >= 20
    assert len({run_style(k) for k in range(40)}) == 40


def test_runs_have_contrast_in_light_and_in_dark():
    # The paper of the page in the dark.
    sheet = (ROOT / "app" / "client" / "page.css").read_text()
    (dark,) = re.findall(r"--ink: #e6e9ed;.* --paper: (#[0-9a-f]{6});", sheet)
    for colour in RUN_COLOURS:
        assert 1.05 / (luminance(colour) + 0.05) >= 3
        assert (luminance(colour) + 0.05) / (luminance(dark) + 0.05) >= 3


def test_each_of_forty_runs_looks_like_no_other():
    looks = {(look["colour"], look["dash"]) for look in map(run_look, range(40))}
    assert len(looks) == 40

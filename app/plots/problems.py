"""Pictures of problems, before anything is solved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import holoviews as hv
import numpy as np

from app.theme import run_style
from fwcore import Problem

hv.renderer("bokeh")
_MOST = 500


def response(problem: Problem) -> Any:
    """The response of the training rows, in the units given, as a histogram."""
    counts, edges = np.histogram(problem.given, bins=min(40, max(5, problem.m // 10)))
    picture = hv.Histogram((edges, counts), kdims="response", vdims="rows")
    look = {"responsive": True, "min_height": 320, "tools": ["hover"]}
    return picture.opts(color=run_style(0)[0], **look)


def correlations(problem: Problem) -> Any:
    """The slopes |x_j'y| of the columns at zero, the steepest first: a Frank-Wolfe step takes the
    first, and lam max is its height for the squared loss.
    """
    slopes = np.abs(problem.sigma)
    count = min(_MOST, problem.p)
    steepest = np.sort(np.partition(slopes, -count)[-count:])[::-1]
    line = hv.Curve((np.arange(1, count + 1), steepest), ("rank", "columns, the steepest first"),
                    ("slope", "|x_j'y|"))  # fmt: skip
    look = {"responsive": True, "min_height": 320, "show_grid": True, "tools": ["hover"]}
    return line.opts(color=run_style(0)[0], line_width=2, logx=True, **look)


PLOTS: dict[str, Callable[..., Any]] = {"response": response, "correlations": correlations}

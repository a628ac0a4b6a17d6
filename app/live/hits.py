"""How often an oracle on a part of the rows is right (Rakotomamonjy et al. 2016)."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.models import Range1d

from app.live.picture import Picture
from app.live.sources import RunSources
from app.runs import Run


class Hits(Picture):
    """The share of right answers so far, as the judge found by a look at all rows; shown where a
    run has such an oracle.
    """

    name = "hits"
    title = "Right answers of the oracle"
    y_label = "share so far"
    x = "step"
    optional = True
    legend = (
        "Line: share of the answers so far that were the steepest columns, judged off the clock."
    )

    def build(self) -> None:
        self.add_figure(y_range=Range1d(-0.02, 1.04))

    def draw(self, plot: Any, sources: RunSources, line: dict[str, Any], colour: str) -> None:
        self.line(plot, sources.hits, "step", "share", line_width=2, **line)

    def concerns(self, run: Run) -> bool:
        declared = run.solver.Options.declared()
        given = {
            name: run.options.get(name, declared[name].default)
            for name in ("oracle", "oracle_judge")
            if name in declared
        }
        return bool(given.get("oracle_judge", 0)) and given.get("oracle", "batch") != "exact"

    def describe(self, run: Run) -> str:
        walk = run.walk
        if walk is None or not walk.reached or not self.concerns(run):
            return ""
        # The worker appends to them meanwhile.
        chunks = list(walk.chunks)
        hits, certain = (
            np.concatenate([rows[name] for rows in chunks]) for name in ("hit", "certain")
        )
        looked = np.isfinite(hits)
        if not looked.any():
            return ""
        return (
            f"{hits[looked].mean():.1%} of the columns that were answered with in "
            f"{looked.sum():,} steps were the steepest; the "
            f"oracle was certain in {certain[looked].mean():.1%} of the steps"
        )

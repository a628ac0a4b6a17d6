"""How often an oracle on a part of the rows is right (Rakotomamonjy et al. 2016)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.live.picture import Axis, Layer, Picture, Shown
from app.runs import Run


class Hits(Picture):
    """The share of right answers so far, as the judge found by a look at all rows."""

    name = "hits"
    title = "Right answers of the oracle"
    brief = "Right answers"
    x = Axis(("step",), log=True)
    y = Axis(("share",))
    layers = (Layer("line", "hits", named=True, style={"line_width": 2}),)
    blank = {
        "": "No run asks an oracle on a part of the rows: fw, omp and others may, see Advanced."
    }
    help = (
        "Oracles that look at a part of the rows (Rakotomamonjy et al.) answer with the "
        "column that seems steepest. Off the clock a judge looks at all rows and says "
        "whether the answer was right. Choose such an oracle for fw or omp under Advanced."
    )
    legend = "Share of the answers so far that were the steepest columns, judged off the clock."

    def finding(self, runs: Sequence[Shown]) -> str:
        """How often the oracles of the runs were right."""
        shares = {shown.name: shown.run.trace("hit") for shown in runs if shown.run.ended}
        known = {name: hits[np.isfinite(hits)] for name, hits in shares.items()}
        said = [f"{name} {hits.mean():.0%}" for name, hits in known.items() if hits.size]
        return f"The oracle is right: {', '.join(said[:3])}" if said else ""

    def describe(self, run: Run) -> str:
        hits, certain = run.trace("hit"), run.trace("certain")
        looked = np.isfinite(hits)
        if not looked.any():
            return ""
        return (
            f"{hits[looked].mean():.1%} of the columns that were answered with in "
            f"{looked.sum():,} steps were the steepest; the "
            f"oracle was certain in {certain[looked].mean():.1%} of the steps"
        )

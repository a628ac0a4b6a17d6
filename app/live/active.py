"""Active features against the l1 norm (Frandi et al. 2016, Fig. 4)."""

from __future__ import annotations

from collections.abc import Sequence

from app.live.picture import SPREAD, Axis, Layer, Picture, Shown
from app.runs import Run


class ActiveFeatures(Picture):
    """Number of non-zero coefficients."""

    name = "active"
    title = "Active features"
    x = Axis(("l1", "point", "dots"), logs=("dots",))
    y = Axis(("nnz",))
    layers = (
        *SPREAD,
        Layer("line", named=True, style={"line_width": 2}),
        Layer("dots", "head", style={"size": 5}),
    )
    tips = ("point", "nnz", "l1")
    help = (
        "How many coefficients are not zero at each point of the path. At the same l1 norm "
        "the lower line is the sparser model; Frank-Wolfe adds at most one feature a step, "
        "and a sampled step may add one that is not needed."
    )
    legend = "Low is sparse. Dot: the current iterate."

    def describe(self, run: Run) -> str:
        counts = run.points["nnz"]
        return f"{counts[-1]:,} active features at point {counts.size} of {run.total}"

    def finding(self, runs: Sequence[Shown]) -> str:
        ended = {shown.name: int(shown.run.points["nnz"][-1]) for shown in runs if shown.run.ended}
        if len(ended) < 2:
            return ""
        few, many = min(ended, key=ended.__getitem__), max(ended, key=ended.__getitem__)
        if ended[few] == ended[many]:
            return f"All end with {ended[few]:,} active features"
        return f"{few} ends with {ended[few]:,} active features, {many} with {ended[many]:,}"
